import type { SourceSchedule } from '../storage/source-rows.ts';

const HOUR_MILLIS = 3_600_000;
const PERIODS = {
  hourly: HOUR_MILLIS,
  daily: 24 * HOUR_MILLIS,
  weekly: 7 * 24 * HOUR_MILLIS,
} as const;

/** Returns the earliest time of the next scheduled run, or undefined if the source has no schedule. */
export function getNextRunAt(schedule: SourceSchedule, nowMillis: number): number | undefined {
  return schedule === 'manual' ? undefined : nowMillis + PERIODS[schedule];
}
