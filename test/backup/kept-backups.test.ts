import { describe, expect, it } from 'vitest';
import {
  type KeptBackup,
  listBackups,
  nameBackup,
  selectOutdated,
} from '../../server/backup/kept-backups.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 23, 12);

const every = (hours: number, days: number): KeptBackup[] =>
  Array.from({ length: (days * 24) / hours }, (_, index) => {
    const atMillis = NOW - index * hours * HOUR;
    return { file: nameBackup(atMillis), atMillis, kind: 'regular' };
  });

describe('backup retention', () => {
  it('keeps a day of hourly backups, the newest of each of seven days and of each of five weeks', () => {
    const backups = every(1, 100);
    const outdated = new Set(selectOutdated(backups, NOW));
    const kept = backups.filter((backup) => !outdated.has(backup));
    const ages = kept.map(({ atMillis }) => (NOW - atMillis) / HOUR);
    expect(ages.slice(0, 24)).toEqual(Array.from({ length: 24 }, (_, hour) => hour));
    // Some backups fall under two rules: those of today and yesterday are also in the last day, and the newest of two
    // weeks are also among those of the seven days.
    expect(ages.slice(24)).toEqual(
      [37, 61, 85, 109, 133, 277, 445, 613].map((age) => expect.closeTo(age, -2)),
    );
    expect(Math.max(...ages) / 24).toBeGreaterThan(21);
  });

  it('keeps the newest backups of a service that was stopped for a year', () => {
    const year = 365 * 24 * HOUR;
    expect(selectOutdated(every(24, 5), NOW + year)).toEqual([]);
  });

  it('keeps the last three backups from before an upgrade, however old', () => {
    const backups = [4, 3, 2, 1].map((month): KeptBackup => {
      const atMillis = Date.UTC(2020, month);
      return { file: nameBackup(atMillis, `000${month}_add_x`), atMillis, kind: 'before_upgrade' };
    });
    expect(selectOutdated(backups, NOW)).toEqual([backups[3]]);
  });

  it('ignores files with other names', () => {
    expect(listBackups('/nowhere')).toEqual([]);
    expect(listBackups(import.meta.dirname)).toEqual([]);
  });
});
