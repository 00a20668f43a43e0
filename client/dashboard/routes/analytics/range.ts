import type { AnalyticsOptions } from '../../../sdk/types.ts';
import { daysAgo, daysIn, momentsOf, ownZone } from '../../components/days.ts';
import type { AnalyticsSearch } from '../../router.tsx';

/** Which time the figures are of. */

/** How many days each preset has, today included. */
const DAYS = { today: 1, week: 7, month: 28, quarter: 90, year: 365 } as const;
export const PRESETS = Object.keys(DAYS) as Preset[];
export type Preset = keyof typeof DAYS;

export type Range = {
  /** `own` is from a day to a day. */
  readonly name: Preset | 'own';
  readonly from: string;
  readonly to?: string | undefined;
  readonly by: 'day' | 'hour';
  readonly zone: string;
};

export function rangeOf(search: AnalyticsSearch): Range {
  const zone = isZone(search.zone) ? search.zone : ownZone;
  const { from, to } = daysIn(search);
  const by = search.by === 'hour' || search.by === 'day' ? search.by : undefined;
  if (search.range === 'own' && from && to) return { name: 'own', from, to, by: by ?? 'day', zone };
  const name = PRESETS.find((each) => each === search.range) ?? 'month';
  return { name, from: daysAgo(DAYS[name] - 1, zone), by: by ?? (name === 'today' ? 'hour' : 'day'), zone };
}

/** What the service is asked for; a preset goes on until now. */
export const askedFor = ({ from, to, by, zone }: Range): AnalyticsOptions => ({
  ...momentsOf({ from, to }, zone),
  by,
  zone,
});

export function zones(): readonly string[] {
  return [...new Set([ownZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
}

function isZone(name: string | undefined): name is string {
  try {
    return name !== undefined && Boolean(Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
