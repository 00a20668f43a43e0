import { identity, memoize } from './cache.ts';

/** Calendar months in the workspace's time zone; voice seconds and tokens are counted per month. */

export type Month = {
  /** For example `2026-11`. */
  period: string;
  startsAt: number;
  endsAt: number;
};

export function getCalendarMonth(nowMillis: number, timeZone: string): Month {
  const [year, month] = toLocalTime(timeZone, nowMillis);
  return {
    period: `${year}-${String(month).padStart(2, '0')}`,
    startsAt: toEpochMillis(Date.UTC(year, month - 1), timeZone),
    endsAt: toEpochMillis(Date.UTC(year, month), timeZone),
  };
}

/** Converts a local time, given as if it were UTC, to epoch milliseconds. */
function toEpochMillis(localMillis: number, timeZone: string): number {
  // Done twice, because the first guess may lie on the other side of a daylight-saving change.
  const guess = localMillis - getUtcOffset(timeZone, localMillis);
  return localMillis - getUtcOffset(timeZone, guess);
}

/** Returns year, month (from 1), day, hour, minute and second. */
function toLocalTime(timeZone: string, millis: number): [number, number, number, number, number, number] {
  const parts = Object.fromEntries(
    getFormatter(timeZone)
      .formatToParts(millis)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return [year, month, day, hour, minute, second];
}

function getUtcOffset(timeZone: string, millis: number): number {
  const [year, month, ...rest] = toLocalTime(timeZone, millis);
  return Date.UTC(year, month - 1, ...rest) - Math.floor(millis / 1000) * 1000;
}

const getFormatter = memoize(
  (timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
  identity,
);
