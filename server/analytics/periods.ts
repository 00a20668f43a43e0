import type { Span } from '../storage/events.ts';

/** Days and hours on the clocks of a time zone, as moments: a day has 23, 24 or 25 hours, now and then another number. */

export const HOUR_MILLIS = 3_600_000;
export const DAY_MILLIS = 24 * HOUR_MILLIS;
/** Clocks differ from UTC by less than this. */
const OFFSET_MILLIS_MAX = 26 * HOUR_MILLIS;

export type Zone = {
  readonly name: string;
  /** How far the clocks of the zone are ahead of UTC at this moment. */
  readonly getUtcOffset: (millis: number) => number;
};

/** Undefined where nobody knows the name. */
export function openZone(name: string): Zone | undefined {
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

/** When the periods of a range begin: the first one with the range itself, the others with a day or an hour of the zone. */
export function periodStarts(by: 'day' | 'hour', { fromMillis, beforeMillis }: Span, zone: Zone): number[] {
  const starts = [fromMillis];
  if (by === 'hour') {
    for (let at = nextHour(fromMillis, zone); at < beforeMillis; at = nextHour(at, zone)) starts.push(at);
    return starts;
  }
  for (let midnight = midnightOf(fromMillis, zone) + DAY_MILLIS; ; midnight += DAY_MILLIS) {
    const at = firstMoment(midnight, zone);
    if (at >= beforeMillis) return starts;
    // A day that a zone left out begins with the day after it.
    if (at > starts.at(-1)!) starts.push(at);
  }
}

/** The beginning of the day that is so many days before the one that ends the range. */
export function startOfDays(days: number, beforeMillis: number, zone: Zone): number {
  return firstMoment(midnightOf(beforeMillis - 1, zone) - (days - 1) * DAY_MILLIS, zone);
}

/** What the clock showed at the last midnight, as if it were UTC. */
function midnightOf(millis: number, { getUtcOffset }: Zone): number {
  return Math.floor((millis + getUtcOffset(millis)) / DAY_MILLIS) * DAY_MILLIS;
}

/** The first moment at which the clocks show this time or a later one; the time is given as if it were UTC. */
function firstMoment(shown: number, zone: Zone): number {
  const early = shown - OFFSET_MILLIS_MAX;
  const late = shown + OFFSET_MILLIS_MAX;
  const before = zone.getUtcOffset(early);
  const after = zone.getUtcOffset(late);
  if (before === after) return shown - before;
  const change = changeBetween(early, late, zone);
  return shown - before < change ? shown - before : Math.max(change, shown - after);
}

/** The next full hour on the clock, or the change of the clock where that comes first. */
function nextHour(millis: number, zone: Zone): number {
  const offset = zone.getUtcOffset(millis);
  const next = (Math.floor((millis + offset) / HOUR_MILLIS) + 1) * HOUR_MILLIS - offset;
  return zone.getUtcOffset(next) === offset ? next : changeBetween(millis, next, zone);
}

/** The moment of the change, when the offset at `late` is not the one at `early` any more. */
function changeBetween(early: number, late: number, { getUtcOffset }: Zone): number {
  const before = getUtcOffset(early);
  let [same, changed] = [early, late];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (getUtcOffset(middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}
