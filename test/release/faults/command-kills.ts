import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { openSqlite } from '../../../server/storage/sqlite/open.ts';
import { buildLaterRelease } from '../../support/later-release.ts';
import {
  addWorkspace,
  command,
  createPlace,
  EMAIL,
  end,
  type Place,
  readReady,
  serve,
  start,
} from '../../support/service-process.ts';
import { event } from '../../support/stored-samples.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { expectThat, type Trial } from '../campaign/campaign.ts';

/**
 * Kills commands at random moments between the first trace of their work and their end. Each leaves its result whole
 * or nothing of it, a sound database, and a service that starts.
 */

/** So many events that a command works for seconds. */
const MANY_EVENTS = 300_000;
/** An import writes rows one by one, so it needs fewer. */
const IMPORTED_EVENTS = 30_000;
const EVENTS_PER_COMMIT = 1_000;
/** As a visitor's boot stores it, with a long path that makes the database large. */
const BOOT = {
  path: `/${'long'.repeat(100)}`,
  region_code: 'DE',
  mode: 'opt_in',
  locale: 'en',
  returning: false,
};

/** Folders to remove after a trial. */
const large: string[] = [];

/** One run of a command, in a folder of its own. */
type Run = {
  dataDir: string;
  args: readonly string[];
  /** The program, if it is not the built one. */
  program?: string;
  /** Whether the files show that the work has begun. */
  hasBegun: () => boolean;
  /** Says what the command has left; throws if it is torn. */
  examine: () => 'whole' | 'nothing';
};

type Command = { name: string; prepare: () => Promise<() => Run> };

export function killCommands(kills: number): Trial[] {
  return [RESTORE, WORKSPACE_IMPORT, MIGRATION, BACKUP].map(({ name, prepare }) => ({
    name: `kill -9 inside ${name}`,
    async run() {
      try {
        return await killInside(await prepare(), kills);
      } finally {
        for (const folder of large.splice(0)) rmSync(folder, { recursive: true });
      }
    },
  }));
}

/** Kills runs until so many kills have landed inside the work. */
async function killInside(createRun: () => Run, kills: number): Promise<string> {
  const { millis, left } = await runOnce(createRun());
  expectThat(left === 'whole', 'without a kill, the command left nothing');
  const quarters = [0, 0, 0, 0];
  const seen = { whole: 0, nothing: 0, late: 0 };
  for (let inside = 0; inside < kills; ) {
    expectThat(seen.late <= 2 * kills, 'the command mostly ended before the kill');
    const killMillis = Math.random() * millis;
    const outcome = await runOnce(createRun(), killMillis);
    if (!outcome.killed) {
      seen.late += 1;
      continue;
    }
    inside += 1;
    quarters[Math.floor((killMillis / millis) * 4)]! += 1;
    seen[outcome.left] += 1;
  }
  return (
    `${kills} kills in ${(millis / 1000).toFixed(1)} s of work (by quarter: ${quarters.join(', ')}): ` +
    `${seen.nothing} left nothing, ${seen.whole} everything, 0 torn; ${seen.late} came too late and do not count`
  );
}

/** Runs the command, and kills it this long after its work has begun. */
async function runOnce(run: Run, killMillis = Number.POSITIVE_INFINITY) {
  const child = start(run.dataDir, run.args, {}, run.program);
  child.stdin!.end();
  let printed = '';
  child.stderr!.on('data', (piece) => {
    printed += piece;
  });
  child.stdout!.resume();
  const ended = once(child, 'close');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  while (isRunning() && !run.hasBegun()) await wait(1);
  const begunAt = performance.now();
  if (Number.isFinite(killMillis)) await Promise.race([wait(killMillis), ended]);
  if (Number.isFinite(killMillis)) child.kill('SIGKILL');
  await ended;
  const millis = performance.now() - begunAt;
  const killed = child.signalCode === 'SIGKILL';
  expectThat(killed || child.exitCode === 0, `the command failed: ${printed}`);
  const left = run.examine();
  const server = await serve(run.dataDir, { LOG_LEVEL: 'silent' }, run.program);
  expectThat((await readReady(server)).status === 200, 'the service is not ready afterwards');
  await end(server, 'SIGKILL');
  rmSync(dirname(run.dataDir), { recursive: true });
  return { millis, killed, left };
}

const RESTORE: Command = {
  name: 'restore',
  async prepare() {
    const small = await createPlace();
    const backup = await backUp(await createLargePlace(MANY_EVENTS));
    return () => {
      const dataDir = copyFolder(small);
      return {
        dataDir,
        args: ['restore', backup, '--force', '--without-keys'],
        hasBegun: () => hasPartial(dataDir),
        examine: () => judge(countEvents(dataDir), MANY_EVENTS),
      };
    };
  },
};

const BACKUP: Command = {
  name: 'backup',
  async prepare() {
    const filled = await createLargePlace(MANY_EVENTS);
    return () => {
      const dataDir = copyFolder(filled);
      const folder = dirname(dataDir);
      const file = join(folder, 'guidepost.db');
      return {
        dataDir,
        args: ['backup', file],
        hasBegun: () => hasPartial(folder),
        examine: () => {
          expectThat(countEvents(dataDir) === MANY_EVENTS, 'the database has changed');
          return existsSync(file) ? judge(countEvents(folder), MANY_EVENTS) : 'nothing';
        },
      };
    };
  },
};

const WORKSPACE_IMPORT: Command = {
  name: 'workspace import',
  async prepare() {
    const filled = await createLargePlace(IMPORTED_EVENTS);
    const archive = join(dirname(filled.dataDir), 'archive.ndjson');
    await succeed(filled, ['workspace', 'export', '--workspace', filled.tenantId, '--out', archive]);
    const other = await addWorkspace(join(tempDir(), 'data'), EMAIL);
    return () => {
      const dataDir = copyFolder(other);
      const find = () =>
        readDatabase(dataDir, (db) =>
          db.prepare('SELECT removed_at FROM workspaces WHERE id = ?').get(filled.tenantId),
        ) as { removed_at: number | null } | undefined;
      return {
        dataDir,
        args: ['workspace', 'import', archive],
        hasBegun: () => find() !== undefined,
        examine: () => {
          checkIntegrity(dataDir);
          // The workspace of an incomplete import is marked as removed; a later job deletes its rows.
          if (find()?.removed_at !== null) return 'nothing';
          return judge(countEvents(dataDir), IMPORTED_EVENTS);
        },
      };
    };
  },
};

/** Rewrites much, so that it takes seconds. */
const SLOW_MIGRATION = `
CREATE TABLE copies (id TEXT NOT NULL, type TEXT NOT NULL, round INTEGER NOT NULL) STRICT;
INSERT INTO copies SELECT events.id, events.type, value FROM events, json_each('[1,2,3,4,5]');
CREATE INDEX copies_by_id ON copies (id, round);`;

const MIGRATION: Command = {
  name: 'migration',
  async prepare() {
    const filled = await createLargePlace(MANY_EVENTS);
    const program = buildLaterRelease(join(tempDir(), 'later'), { '0900_add_copies': SLOW_MIGRATION });
    return () => {
      const dataDir = copyFolder(filled);
      return {
        dataDir,
        program,
        args: ['workspace', 'list'],
        hasBegun: () => hasPartial(join(dataDir, 'backups')),
        examine: () => {
          expectThat(countEvents(dataDir) === MANY_EVENTS, 'events are lost');
          return readDatabase(dataDir, (db) => {
            const isApplied = db.prepare(`SELECT 1 FROM migrations WHERE name = '0900_add_copies'`).get();
            const hasTable = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'copies'`).get();
            expectThat(!isApplied === !hasTable, 'the migration is torn');
            if (!isApplied) return 'nothing';
            return judge(db.prepare('SELECT count(*) FROM copies').pluck().get(), 5 * MANY_EVENTS);
          });
        },
      };
    };
  },
};

async function createLargePlace(events: number): Promise<Place> {
  const place = await createPlace();
  large.push(dirname(place.dataDir));
  const store = openSqlite({ file: join(place.dataDir, 'guidepost.db') });
  const tenant = store.in(place.tenantId);
  for (let stored = 0; stored < events; stored += EVENTS_PER_COMMIT)
    await tenant.events.append(Array.from({ length: EVENTS_PER_COMMIT }, () => event({ data: BOOT })));
  await store.close();
  return place;
}

async function backUp(place: Place): Promise<string> {
  const file = join(dirname(place.dataDir), 'backup.db');
  await succeed(place, ['backup', file]);
  return file;
}

async function succeed({ dataDir }: Place, args: readonly string[]): Promise<void> {
  const { code, stderr } = await command(dataDir, args);
  expectThat(code === 0, stderr);
}

function copyFolder({ dataDir }: Place): string {
  const copy = join(tempDir(), 'data');
  cpSync(dataDir, copy, { recursive: true });
  return copy;
}

const hasPartial = (folder: string) =>
  existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.partial'));

function readDatabase<T>(folder: string, read: (db: Database.Database) => T): T {
  const db = new Database(join(folder, 'guidepost.db'), { timeout: 5_000 });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function checkIntegrity(folder: string): void {
  readDatabase(folder, (db) => {
    expectThat(db.pragma('integrity_check(1)', { simple: true }) === 'ok', 'the database is damaged');
    expectThat((db.pragma('foreign_key_check') as unknown[]).length === 0, 'references dangle');
  });
}

/** Counts the events of a sound database. */
function countEvents(folder: string): unknown {
  checkIntegrity(folder);
  return readDatabase(folder, (db) => db.prepare('SELECT count(*) FROM events').pluck().get());
}

/** A restore replaces all events by others, so both outcomes are known numbers. */
function judge(count: unknown, expected: number): 'whole' | 'nothing' {
  expectThat(count === 0 || count === expected, `${count} of ${expected} rows are there`);
  return count === 0 ? 'nothing' : 'whole';
}
