import type { Span } from '../storage/events.ts';

/** Days and hours of a time zone as instants. A day usually has 23, 24 or 25 hours. */

export const HOUR_MILLIS = 3_600_000;
export const DAY_MILLIS = 24 * HOUR_MILLIS;
/** No time zone has a larger offset from UTC. */
const OFFSET_MILLIS_MAX = 26 * HOUR_MILLIS;

export type Zone = {
  readonly name: string;
  /** Milliseconds ahead of UTC at this instant. */
  readonly getUtcOffset: (millis: number) => number;
};

/** Undefined for an unknown name. */
export function parseTimeZone(name: string): Zone | undefined {
  const format = getFormatter(name);
  if (!format) return undefined;
  return {
    name: format.resolvedOptions().timeZone,
    getUtcOffset: (millis) => {
      const [, sign, hours, minutes, seconds] =
        /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(format.format(millis)) ?? [];
      if (sign === undefined) return 0;
      const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds ?? 0);
      return (sign === '-' ? -total : total) * 1000;
    },
  };
}

function getFormatter(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Starts the first period with the range, and each other one with a day or an hour of the zone. */
export function listPeriodStarts(
  by: 'day' | 'hour',
  { fromMillis, beforeMillis }: Span,
  zone: Zone,
): number[] {
  const starts = [fromMillis];
  if (by === 'hour') {
    for (let at = getNextHour(fromMillis, zone); at < beforeMillis; at = getNextHour(at, zone))
      starts.push(at);
    return starts;
  }
  for (let midnight = getLocalMidnight(fromMillis, zone) + DAY_MILLIS; ; midnight += DAY_MILLIS) {
    const at = toFirstInstant(midnight, zone);
    if (at >= beforeMillis) return starts;
    // Zones can skip a whole day when they cross the date line.
    if (at > starts.at(-1)!) starts.push(at);
  }
}

/** The start of the first of `days` days that end with the day of `beforeMillis`. */
export function getStartOfDays(days: number, beforeMillis: number, zone: Zone): number {
  return toFirstInstant(getLocalMidnight(beforeMillis - 1, zone) - (days - 1) * DAY_MILLIS, zone);
}

/** Local time of the last midnight, as if it were UTC. */
function getLocalMidnight(millis: number, { getUtcOffset }: Zone): number {
  return Math.floor((millis + getUtcOffset(millis)) / DAY_MILLIS) * DAY_MILLIS;
}

/** The first instant whose local time is `local` (given as if it were UTC) or later. */
function toFirstInstant(local: number, zone: Zone): number {
  const early = local - OFFSET_MILLIS_MAX;
  const late = local + OFFSET_MILLIS_MAX;
  const before = zone.getUtcOffset(early);
  const after = zone.getUtcOffset(late);
  if (before === after) return local - before;
  const change = findOffsetChange(early, late, zone);
  return local - before < change ? local - before : Math.max(change, local - after);
}

/** The next full local hour, or the offset change if that comes first. */
function getNextHour(millis: number, zone: Zone): number {
  const offset = zone.getUtcOffset(millis);
  const next = (Math.floor((millis + offset) / HOUR_MILLIS) + 1) * HOUR_MILLIS - offset;
  return zone.getUtcOffset(next) === offset ? next : findOffsetChange(millis, next, zone);
}

/** Binary search; the offsets at `early` and `late` must differ. */
function findOffsetChange(early: number, late: number, { getUtcOffset }: Zone): number {
  const before = getUtcOffset(early);
  let [same, changed] = [early, late];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (getUtcOffset(middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}
