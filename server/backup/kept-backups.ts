import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getBackupKeyFile } from './backup.ts';

/** The files in the backup folder. Their names tell when and why they were written. */

const DAY_MILLIS = 86_400_000;
const DAYS_KEPT = 7;
const WEEKS_KEPT = 5;
/** Number of backups kept from before upgrades. */
const UPGRADES_KEPT = 3;

export type KeptBackup = {
  file: string;
  atMillis: number;
  /** `before-…` for a backup from before an upgrade. */
  kind: 'regular' | 'before_upgrade';
};

const NAME = /^guidepost-(before-[\w-]+-)?(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)Z\.db$/;

/** Formats a time so that it is valid in file names on every system. */
export function nameTime(atMillis: number): string {
  return new Date(atMillis).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
}

/** Returns `guidepost-2026-11-23T16-20-00Z.db`, or `guidepost-before-0002_add_x-2026-….db`. */
export function nameBackup(atMillis: number, beforeMigration?: string): string {
  return `guidepost-${beforeMigration === undefined ? '' : `before-${beforeMigration}-`}${nameTime(atMillis)}.db`;
}

/** Lists the backups in a folder, newest first. */
export function listBackups(folder: string): readonly KeptBackup[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name): KeptBackup[] => {
      const [, before, day, hours, minutes, seconds] = NAME.exec(name) ?? [];
      if (day === undefined) return [];
      const atMillis = Date.parse(`${day}${hours}:${minutes}:${seconds}Z`);
      return [{ file: join(folder, name), atMillis, kind: before ? 'before_upgrade' : 'regular' }];
    })
    .sort((one, other) => other.atMillis - one.atMillis);
}

/**
 * Selects the backups to delete, given all of them newest first. Keeps the backups of the last 24 hours, the newest of
 * each of the last seven days that have any, the newest of each of the last five such weeks, and the last three from
 * before upgrades.
 */
export function selectOutdated(backups: readonly KeptBackup[], nowMillis: number): readonly KeptBackup[] {
  const regular = backups.filter(({ kind }) => kind === 'regular');
  const newestOfEach = (periodMillis: number, count: number) =>
    [...Map.groupBy(regular, ({ atMillis }) => Math.floor(atMillis / periodMillis)).values()]
      .slice(0, count)
      .map(([newest]) => newest);
  const kept = new Set([
    ...regular.filter(({ atMillis }) => atMillis > nowMillis - DAY_MILLIS),
    ...newestOfEach(DAY_MILLIS, DAYS_KEPT),
    ...newestOfEach(7 * DAY_MILLIS, WEEKS_KEPT),
    ...backups.filter(({ kind }) => kind === 'before_upgrade').slice(0, UPGRADES_KEPT),
  ]);
  return backups.filter((backup) => !kept.has(backup));
}

export function removeOutdated(folder: string, nowMillis: number): void {
  for (const { file } of selectOutdated(listBackups(folder), nowMillis)) {
    rmSync(file, { force: true });
    rmSync(getBackupKeyFile(file), { force: true });
  }
}
