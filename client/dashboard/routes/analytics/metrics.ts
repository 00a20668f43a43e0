import { useMemo } from 'react';
import { useFormatter } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';

export type Totals = Analytics['totals'];

const getRatio = (part: number, whole: number) => (whole === 0 ? undefined : part / whole);

export const getAnsweredRatio = ({ answered, unanswered }: Totals) =>
  getRatio(answered, answered + unanswered);
export const getHelpfulRatio = ({ feedback: { up, down } }: Totals) => getRatio(up, up + down);

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

/** Formats metrics in the reader's language; a missing value is a dash. */
export function useMetricFormat() {
  const format = useFormatter();
  return useMemo(() => createMetricFormat(format), [format]);
}

function createMetricFormat(format: ReturnType<typeof useFormatter>) {
  const unit = (value: number, name: string, digits = 0) =>
    format.number(value, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits });
  const orDash =
    (write: (value: number) => string) =>
    (value: number | undefined): string =>
      value === undefined ? '–' : write(value);
  return {
    count: orDash((value) => format.number(value)),
    share: orDash((value) => format.number(value, { style: 'percent', maximumFractionDigits: 0 })),
    millis: orDash((value) => (value < 1000 ? unit(value, 'millisecond') : unit(value / 1000, 'second', 1))),
    seconds: orDash((value) => {
      if (value < 2 * MINUTE_SECONDS) return unit(value, 'second');
      return value < 2 * HOUR_SECONDS
        ? unit(value / MINUTE_SECONDS, 'minute', 1)
        : unit(value / HOUR_SECONDS, 'hour', 1);
    }),
    minutes: orDash((value) => unit(value, 'minute', 1)),
    change: (share: number) =>
      format.number(share, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' }),
    points: (share: number) =>
      format.number(share * 100, { maximumFractionDigits: 0, signDisplay: 'exceptZero' }),
  };
}
