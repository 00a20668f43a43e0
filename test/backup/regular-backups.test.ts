import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';

const DAY = 86_400_000;

describe('regular backups', () => {
  let folder: string;
  let harness: Harness;
  beforeEach(async () => {
    folder = join(tempDir(), 'backups');
    harness = await openHarness({ env: { BACKUP_DIR: folder, METRICS_TOKEN: 'metrics-token-of-a-test' } });
  });
  afterEach(async () => {
    await harness.close();
    rmSync(join(folder, '..'), { recursive: true });
  });
  const backups = () => readdirSync(folder).filter((name) => name.endsWith('.db'));

  it('are written at the start and when they are due, with their keys', async () => {
    await harness.service.tick();
    expect(readdirSync(folder)).toEqual([
      expect.stringMatching(/^guidepost-[\d-]+T[\d-]+Z\.db$/),
      expect.stringMatching(/\.db\.keys$/),
    ]);
    await harness.service.tick();
    expect(backups()).toHaveLength(1);
    harness.clock.advance(DAY);
    await harness.service.tick();
    expect(backups()).toHaveLength(2);
    const metrics = await harness.fetch('/metrics', {
      headers: { authorization: 'Bearer metrics-token-of-a-test' },
    });
    const [, seconds] = /^guidepost_backup_timestamp_seconds (\S+)$/m.exec(await metrics.text())!;
    expect(Math.abs(Number(seconds) - harness.clock.now() / 1000)).toBeLessThan(60);
  });

  it('can be restored into an empty folder, where the guide answers as before', async () => {
    await harness.service.tick();
    const dataDir = join(folder, '..', 'restored');
    const cli = commandLine(dataDir);
    await cli.json(['restore', join(folder, backups()[0]!)]);
    const restored = await openHarness({ dataDir });
    const { jwt } = await restored.boot();
    const events = await restored.ask(jwt);
    expect(events.map(({ type }) => type)).toContain('citation');
    await restored.close();
  });

  it('are discarded when the copy does not find its own articles', async () => {
    const db = new SqliteDatabase(harness.config.database.file);
    const tables = db
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'passage\\_index%' ESCAPE '\\'",
      )
      .pluck()
      .all();
    expect(tables.length).toBeGreaterThan(0);
    db.exec('DELETE FROM passage_chunks');
    db.close();
    await harness.service.tick();
    expect(backups()).toEqual([]);
    expect(harness.logged.map(({ msg }) => msg)).toContain('could not write a backup');
  });

  it('are logged as failed while the folder is not writable, and tried again', async () => {
    writeFileSync(folder, 'a file in its place');
    await harness.service.tick();
    expect(harness.logged.map(({ msg }) => msg)).toContain('could not write a backup');
    rmSync(folder);
    harness.clock.advance(DAY / 24);
    await harness.service.tick();
    expect(backups()).toHaveLength(1);
  });
});
