import { ANALYTICS } from '../../contract/analytics.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { Span } from '../storage/events.ts';
import { DAY_MILLIS, openZone, startOfDays, type Zone } from './periods.ts';

export type AnalyticsAsked = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly by: 'day' | 'hour';
  readonly zone: string;
};

/** A day of 25 hours more or less does not make 400 days too long. */
const TOLERANCE_MILLIS = DAY_MILLIS / 4;

/** What is to be counted; refuses what cannot be. */
export function rangeOf(asked: AnalyticsAsked, nowMillis: number): { span: Span; zone: Zone } {
  const zone = openZone(asked.zone);
  if (!zone)
    return throwInvalidRequest({
      path: 'query.zone',
      code: 'unknown_zone',
      message: 'There is no such time zone.',
    });
  const beforeMillis = asked.to === undefined ? nowMillis : Date.parse(asked.to);
  const fromMillis =
    asked.from === undefined
      ? startOfDays(ANALYTICS.daysDefault, beforeMillis, zone)
      : Date.parse(asked.from);
  if (fromMillis >= beforeMillis) {
    return throwInvalidRequest({
      path: 'query.from',
      code: 'empty_range',
      message: 'The range ends before it begins.',
    });
  }
  const daysMax = asked.by === 'hour' ? ANALYTICS.hourDaysMax : ANALYTICS.daysMax;
  if (beforeMillis - fromMillis > daysMax * DAY_MILLIS + TOLERANCE_MILLIS) {
    return throwInvalidRequest({
      path: 'query.from',
      code: 'range_too_long',
      message: `At most ${daysMax} days can be counted by ${asked.by}.`,
    });
  }
  return { span: { fromMillis, beforeMillis }, zone };
}

/** The equally long time before. */
export function spanBefore({ fromMillis, beforeMillis }: Span): Span {
  return { fromMillis: fromMillis - (beforeMillis - fromMillis), beforeMillis: fromMillis };
}
