/**
 * Replaces Drizzle's migrator, which applies everything newer than the last entry in one deferred transaction
 * and never checks the rest: it misses altered migrations and newer databases, and two processes that start
 * together collide. This one uses a transaction per migration, checksums, and a single runner at a time.
 */
import SqliteDatabase, { type Database } from 'better-sqlite3';
import { toVisibleText } from '../../base/visible-text.ts';
import {
  type AppliedMigration,
  findMigrations,
  findPending,
  IncompatibleDatabase,
  type Migration,
  readMigrations,
} from '../migrations.ts';

export const MIGRATIONS_FOLDER = findMigrations('sqlite');

/** Every pre-release database has this migration; 0001_initial replaces it. */
const PRE_RELEASE_MIGRATION = '0002_passages';

/**
 * Applies pending migrations and returns their names.
 * @throws IncompatibleDatabase when the database is newer or its migrations were altered.
 */
export function migrate(db: Database, folder = MIGRATIONS_FOLDER): readonly string[] {
  const known = readMigrations(folder, '.sql');
  // Rebuilding a table requires foreign keys to be off, and SQLite ignores the pragma inside a transaction;
  // foreign_key_check replaces them.
  db.pragma('foreign_keys = OFF');
  const applied: string[] = [];
  for (let next = applyNext(db, known); next !== undefined; next = applyNext(db, known)) applied.push(next);
  db.pragma('foreign_keys = ON');
  rejectMissingObjects(db);
  return applied;
}

/** Rejects a database that lacks a table or index, which would show only when a request needs it. */
function rejectMissingObjects(db: Database): void {
  const present = listObjects(db);
  const missing = readMadeObjects(db).filter((object) => !present.has(object));
  if (missing.length === 0) return;
  throw new IncompatibleDatabase(
    `the database is damaged: it lacks the ${missing.join(', the ')}. Restore a backup: \`guidepost restore FILE --force\``,
  );
}

/** What Litestream keeps in a database that it copies. */
const LITESTREAM_TABLES = ['table _litestream_lock', 'table _litestream_seq'];

/**
 * Rejects a database that contains a table, index, view or trigger that no migration created. A foreign trigger could
 * change stored rows.
 * @throws IncompatibleDatabase which names the first such object.
 */
export function rejectForeignObjects(db: Database, folder = MIGRATIONS_FOLDER): void {
  const applied = readApplied(db).map(({ name }) => name);
  const known = readMigrations(folder, '.sql').filter(({ name }) => applied.includes(name));
  const model = new SqliteDatabase(':memory:');
  for (const { text } of known) model.exec(text);
  const made = listObjects(model);
  model.close();
  // Only the database itself knows what the migrations of a newer version made.
  const newer = applied.length > known.length ? readMadeObjects(db) : [];
  const others = new Set([...LITESTREAM_TABLES, 'table migrations', ...newer]);
  for (const [object, code] of listObjects(db)) {
    if (made.get(object) === code || others.has(object)) continue;
    throw new IncompatibleDatabase(
      `it holds the ${toVisibleText(object.slice(0, 200))}, which Guidepost did not make. Remove it from a copy with the sqlite3 command line, or take another backup`,
    );
  }
}

/** Reads what the newest migration listed when it had been applied. */
function readMadeObjects(db: Database): string[] {
  const objects = db.prepare('SELECT objects FROM migrations ORDER BY name DESC LIMIT 1').pluck().get();
  return JSON.parse(objects as string) as string[];
}

/** Lists what the database holds, such as `table turns`, except what SQLite makes itself; with the code of triggers. */
function listObjects(db: Database): Map<string, string> {
  const rows = db
    .prepare(
      `SELECT type || ' ' || name, iif(type = 'trigger', sql, '') FROM sqlite_schema
       WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1`,
    )
    .raw()
    .all() as [string, string][];
  return new Map(rows);
}

/** Returns the newest migration of a database; undefined when the database is empty. */
export function readAppliedMigration(db: Database): string | undefined {
  return readApplied(db).at(-1)?.name;
}

/**
 * Returns the first pending migration.
 * @throws IncompatibleDatabase unless this version can use the database, after these migrations if there are any.
 */
export function checkMigrations(db: Database, folder = MIGRATIONS_FOLDER): string | undefined {
  return findFirstPending(readApplied(db), readMigrations(folder, '.sql'))?.name;
}

/** Applies one migration, unless another process has applied it meanwhile. */
function applyNext(db: Database, known: readonly Migration[]): string | undefined {
  if (findFirstPending(readApplied(db), known) === undefined) return undefined;
  return db
    .transaction(() => {
      const migration = findFirstPending(readApplied(db), known);
      if (migration === undefined) return undefined;
      db.exec(migration.text);
      const dangling = db.pragma('foreign_key_check') as unknown[];
      if (dangling.length > 0)
        throw new Error(`${migration.name} leaves ${dangling.length} dangling references`);
      db.exec(
        'CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL, objects TEXT NOT NULL) STRICT',
      );
      db.prepare('INSERT INTO migrations (name, checksum, applied_at, objects) VALUES (?, ?, ?, ?)').run(
        migration.name,
        migration.checksum,
        Date.now(),
        JSON.stringify([...listObjects(db).keys()]),
      );
      return migration.name;
    })
    .immediate();
}

/** Returns the first pending migration. */
function findFirstPending(
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): Migration | undefined {
  if (applied.some(({ name }) => name === PRE_RELEASE_MIGRATION)) {
    throw new IncompatibleDatabase(
      'This database was written by a pre-release build of Guidepost. Start with an empty DATA_DIR.',
    );
  }
  return findPending(applied, known);
}

function readApplied(db: Database): AppliedMigration[] {
  const exists = db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'`).get();
  if (!exists) return [];
  return db.prepare('SELECT name, checksum FROM migrations ORDER BY name').all() as AppliedMigration[];
}
