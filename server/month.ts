import { itself, remembered } from './cache.ts';

/** The months in which a workspace's seconds of voice and tokens are counted: those of its own time zone. */

export type Month = {
  /** As in 2026-11. */
  readonly period: string;
  readonly startsAt: number;
  readonly endsAt: number;
};

/** The calendar month that the clocks of the zone show. */
export function monthOf(nowMillis: number, timeZone: string): Month {
  const [year, month] = clockIn(timeZone, nowMillis);
  return {
    period: `${year}-${String(month).padStart(2, '0')}`,
    startsAt: whenShown(Date.UTC(year, month - 1), timeZone),
    endsAt: whenShown(Date.UTC(year, month), timeZone),
  };
}

/** When the clocks of the zone show what those of UTC show at `shown`. */
function whenShown(shown: number, timeZone: string): number {
  // Twice, because the offset there may be another one than around it.
  const near = shown - offsetAt(timeZone, shown);
  return shown - offsetAt(timeZone, near);
}

/** What the clocks of the zone show: year, month from 1, day, hour, minute, second. */
function clockIn(timeZone: string, millis: number): [number, number, number, number, number, number] {
  const shown = Object.fromEntries(
    formatIn(timeZone)
      .formatToParts(millis)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = shown;
  return [year, month, day, hour, minute, second];
}

function offsetAt(timeZone: string, millis: number): number {
  const [year, month, ...rest] = clockIn(timeZone, millis);
  return Date.UTC(year, month - 1, ...rest) - Math.floor(millis / 1000) * 1000;
}

const formatIn = remembered(
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
  itself,
);
