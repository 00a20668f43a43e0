import { execFile } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../server/base/version.ts';
import { ADDITIVE, readMigrations } from '../../server/storage/migrations.ts';
import { MIGRATIONS_FOLDER } from '../../server/storage/sqlite/migrate.ts';
import { commandLine } from '../support/command-line.ts';
import { openHarness } from '../support/harness.ts';
import { buildLaterRelease } from '../support/later-release.ts';
import { query } from '../support/other-program.ts';
import { tempDir } from '../support/temp-dir.ts';
import { placeRelease, RELEASE_ENV, RELEASES } from './releases.ts';

const ADDS = {
  '0900_add_ratings': 'CREATE TABLE ratings (id TEXT PRIMARY KEY, stars INTEGER NOT NULL DEFAULT 5) STRICT;',
};
const REBUILDS = { '0901_rebuild_ratings': 'CREATE TABLE rebuilt (id TEXT PRIMARY KEY) STRICT;' };

let folder: string;
let dataDir: string;
let cli: ReturnType<typeof commandLine>;
beforeEach(() => {
  folder = tempDir();
  dataDir = join(folder, 'data');
  cli = commandLine(dataDir, Date.now, RELEASE_ENV);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns the command line of a later release with these migrations. */
function laterRelease(migrations: Record<string, string>) {
  const program = buildLaterRelease(join(folder, 'later'), migrations);
  const env = { ...process.env, DATA_DIR: dataDir, GUIDEPOST_DEMO: 'off', ...RELEASE_ENV };
  return async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, [program, ...args], { env })).stdout;
}

/** Asks as a visitor, and returns what the answer cites. */
async function askDemoQuestion(): Promise<unknown[]> {
  const harness = await openHarness({ dataDir, env: RELEASE_ENV });
  const { jwt } = await harness.boot();
  const events = await harness.ask(jwt, { message: 'How long do refunds take?' });
  await harness.service.close();
  return events.filter(({ type }) => type === 'citation').map((event) => 'title' in event && event.title);
}

const target = () => ({ dataDir, config: { database: { file: join(dataDir, 'guidepost.db') } } });
const count = async (table: string) =>
  (await query<{ n: number }>(target(), `SELECT count(*) AS n FROM ${table}`))[0]!.n;
const backups = () =>
  existsSync(join(dataDir, 'backups'))
    ? readdirSync(join(dataDir, 'backups')).filter((name) => name.endsWith('.db'))
    : [];

describe('an upgrade', () => {
  it('is tested from the filled database of every release, including this version', () => {
    expect(RELEASES, 'run `node test/backup/write-release.ts`').toContain(VERSION.version);
  });

  it.each(RELEASES)('keeps all data of version %s, and the guide answers', async (release) => {
    placeRelease(release, dataDir);
    const before = { turns: await count('turns'), articles: await count('articles') };
    expect(before.turns).toBeGreaterThan(0);
    expect(await askDemoQuestion()).not.toEqual([]);
    expect(await count('articles')).toBe(before.articles);
    expect(await count('turns')).toBe(before.turns + 1);
  });

  it('is preceded by a backup, and needs none when nothing is migrated', async () => {
    placeRelease(VERSION.version, dataDir);
    await cli.json(['workspace', 'list']);
    expect(backups()).toEqual([]);
    const later = laterRelease(ADDS);
    await later('workspace', 'list');
    expect(backups()).toEqual([expect.stringMatching(/^guidepost-before-0900_add_ratings-[\dTZ-]+\.db$/)]);
    await later('workspace', 'list');
    expect(backups()).toHaveLength(1);
  });

  it('does not begin when the backup cannot be written', async () => {
    placeRelease(VERSION.version, dataDir);
    writeFileSync(join(dataDir, 'backups'), 'a file in its place');
    await expect(laterRelease(ADDS)('workspace', 'list')).rejects.toThrow(/Make room, or correct BACKUP_DIR/);
    expect(await query(target(), "SELECT name FROM migrations WHERE name LIKE '09%'")).toEqual([]);
  });

  it('can be undone and redone without losing anything when its migrations only add', async () => {
    placeRelease(VERSION.version, dataDir);
    const later = laterRelease(ADDS);
    await later('workspace', 'list');
    expect(await cli.json(['rollback'])).toEqual({ restored: null, kept: null });
    const turns = await count('turns');
    expect(await askDemoQuestion()).not.toEqual([]);
    await later('workspace', 'list');
    expect(await count('turns')).toBe(turns + 1);
    expect(await count('ratings')).toBe(0);
  });

  it('is undone by `guidepost rollback` when its migrations change more, and the replaced database is kept', async () => {
    placeRelease(VERSION.version, dataDir);
    const later = laterRelease(REBUILDS);
    await later('killswitch', 'on');
    const oldVersion = await cli.runInProcess(['workspace', 'list']);
    expect(oldVersion).toMatchObject({ code: 1, stderr: expect.stringMatching(/newer version/) });
    const { restored, kept } = await cli.json(['rollback']);
    expect(restored).toMatch(/before-0901_rebuild_ratings/);
    expect(existsSync(kept)).toBe(true);
    expect(await cli.json(['killswitch', 'status'])).toMatchObject({ kill_switch: false });
    expect(await askDemoQuestion()).not.toEqual([]);
    await later('workspace', 'list');
    expect(await count('rebuilt')).toBe(0);
  });

  it('cannot be undone without a backup that this version can use', async () => {
    placeRelease(VERSION.version, dataDir);
    await laterRelease(REBUILDS)('workspace', 'list');
    rmSync(join(dataDir, 'backups'), { recursive: true });
    const { code, stderr } = await cli.runInProcess(['rollback']);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no backup from before/),
    });
  });
});

describe('a migration named `NNNN_add_…`', () => {
  it('has only additive statements', () => {
    for (const { name, text } of readMigrations(MIGRATIONS_FOLDER, '.sql').filter((each) =>
      ADDITIVE.test(each.name),
    )) {
      const statements = text
        .replaceAll(/--.*$/gm, '')
        .split(';')
        .map((each) => each.trim());
      for (const statement of statements.filter(Boolean))
        expect(statement, name).toMatch(
          /^(CREATE (TABLE|(UNIQUE )?INDEX|VIEW)|ALTER TABLE \w+ ADD COLUMN|INSERT INTO)\b/i,
        );
    }
  });
});
