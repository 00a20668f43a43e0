import { useMemo } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { Analytics } from '../../../sdk/types.ts';

export type Totals = Analytics['totals'];

export type Share = { part: number; whole: number };

const toShare = (part: number, whole: number): Share | undefined =>
  whole === 0 ? undefined : { part, whole };

export const getAnsweredShare = ({ answered, unanswered }: Totals) =>
  toShare(answered, answered + unanswered);
/** Of all questions, the share with an answer that was not rated down. */
export const getResolutionShare = ({ answered, turns, feedback: { down } }: Totals) =>
  toShare(Math.max(0, answered - down), turns);
/** Of all conversations, the share whose last question was answered. */
export const getDeflectionShare = ({ deflection: { conversations, answered } }: Totals) =>
  toShare(answered, conversations);
/** Adds the ratings of answers and of articles. */
export const sumRatings = ({
  feedback,
  articleFeedback,
}: Pick<Totals, 'feedback' | 'articleFeedback'>): Totals['feedback'] => ({
  up: feedback.up + articleFeedback.up,
  down: feedback.down + articleFeedback.down,
});
export function getHelpfulShare(totals: Totals): Share | undefined {
  const { up, down } = sumRatings(totals);
  return toShare(up, up + down);
}

/** The smallest number of which a percentage is shown: 0 % of one answer means nothing. */
export const PERCENT_OF_MIN = 10;

/** Stands for a value that is missing. */
export const NO_VALUE = '–';

const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 3600;

/** Formats metrics in the user's language; a missing value is a dash. */
export function useMetricFormat() {
  const format = useFormatter();
  const t = useTranslations('analytics');
  return useMemo(() => createMetricFormat(format, t), [format, t]);
}

function createMetricFormat(
  format: ReturnType<typeof useFormatter>,
  t: ReturnType<typeof useTranslations<'analytics'>>,
) {
  const unit = (value: number, name: string, digits = 0) =>
    format.number(value, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits });
  const orDash =
    (write: (value: number) => string) =>
    (value: number | undefined): string =>
      value === undefined ? NO_VALUE : write(value);
  return {
    count: orDash((value) => format.number(value)),
    share: (share: Share | undefined): string => {
      if (!share) return NO_VALUE;
      const { part, whole } = share;
      if (whole < PERCENT_OF_MIN) return t('partOf', { part, whole });
      return format.number(part / whole, { style: 'percent', maximumFractionDigits: 0 });
    },
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
