import pg, { type Client } from 'pg';
import { findMigrations, findPending, IncompatibleDatabase, readMigrations } from '../migrations.ts';
import { inTransaction, readApplied, tableExists, withConnection } from './client.ts';
import { SCHEMA } from './connections.ts';

export const MIGRATIONS_FOLDER = findMigrations('postgres');

/** Exists while a move is filling the database. */
export const PROGRESS_TABLE = 'move_progress';
export const VERSION_MIN = 14;
/**
 * How many unknown migrations a database may have. The first migration of the next version is additive, so nodes
 * of both versions can run side by side.
 */
export const MIGRATIONS_AHEAD_MAX = 1;
const CLIENT = { application_name: 'guidepost migrations' };
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('guidepost migrations', 0))`;
/** Tables whose rows never change, so the service's role may not change them. */
const APPEND_ONLY = [
  'article_revisions',
  'audit',
  'consent_policies',
  'consent_records',
  'translation_revisions',
];

type MigrationOptions = {
  /** The role that the service runs as. */
  url: string;
  /** The role that owns the tables. If absent, the service's role owns them. */
  ownerUrl?: string | undefined;
  folder?: string;
};

/**
 * Applies pending migrations, one node at a time, and returns their names.
 * @throws IncompatibleDatabase when the database is newer, its migrations were altered, or the role may not migrate.
 * @throws StorageUnavailable when the server cannot be reached.
 */
export async function migrate(options: MigrationOptions): Promise<readonly string[]> {
  const { url, ownerUrl, folder = MIGRATIONS_FOLDER } = options;
  const known = readMigrations(folder, '.pgsql');
  const serviceRole = ownerUrl === undefined ? undefined : await withConnection(url, CLIENT, readRole);
  return withConnection(ownerUrl ?? url, CLIENT, async (client) => {
    await requireSupportedServer(client);
    await rejectUnfinishedMove(client);
    if (findPending(await readApplied(client), known, MIGRATIONS_AHEAD_MAX) === undefined) return [];
    const applied: string[] = [];
    await inTransaction(client, async () => {
      await client.query(LOCK);
      for (;;) {
        const migration = findPending(await readApplied(client), known, MIGRATIONS_AHEAD_MAX);
        if (migration === undefined) break;
        await createSchema(client);
        await client.query(migration.text);
        await client.query('INSERT INTO migrations (name, checksum, applied_at) VALUES ($1, $2, $3)', [
          migration.name,
          migration.checksum,
          Date.now(),
        ]);
        applied.push(migration.name);
      }
      if (serviceRole !== undefined) await grantTo(client, serviceRole);
    });
    return applied;
  });
}

/** Returns the newest migration of a database; undefined when the database is empty. */
export async function readMigration(url: string): Promise<string | undefined> {
  return withConnection(url, CLIENT, async (client) => (await readApplied(client)).at(-1)?.name);
}

async function createSchema(client: Client): Promise<void> {
  try {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
    await client.query(`SET LOCAL search_path = ${SCHEMA}`);
    await client.query(
      'CREATE TABLE IF NOT EXISTS migrations (name text COLLATE "C" PRIMARY KEY, checksum text NOT NULL, applied_at bigint NOT NULL)',
    );
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new IncompatibleDatabase(
      `the role ${client.user ?? 'of the database'} may not create the tables: name their owner in DATABASE_OWNER_URL`,
      { cause: error },
    );
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

async function grantTo(client: Client, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role);
  const tables = `ALL TABLES IN SCHEMA ${SCHEMA}`;
  await client.query(`GRANT USAGE ON SCHEMA ${SCHEMA} TO ${name}`);
  await client.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${name}`);
  await client.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${SCHEMA} TO ${name}`);
  const appendOnly = APPEND_ONLY.map((table) => `${SCHEMA}.${table}`).join(', ');
  await client.query(`REVOKE UPDATE ON ${appendOnly} FROM ${name}`);
  await client.query(`REVOKE INSERT, UPDATE, DELETE ON ${SCHEMA}.migrations FROM ${name}`);
}

async function readRole(client: Client): Promise<string> {
  const { rows } = await client.query<{ role: string }>('SELECT current_user AS role');
  return rows[0]!.role;
}

async function requireSupportedServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding`,
  );
  const { version = '', encoding = '' } = rows[0] ?? {};
  const major = Math.floor(Number(version) / 10_000);
  if (major < VERSION_MIN) {
    throw new IncompatibleDatabase(`PostgreSQL ${VERSION_MIN} or later is needed, and this is ${major}`);
  }
  if (encoding !== 'UTF8') {
    throw new IncompatibleDatabase(`the database is encoded in ${encoding}, and UTF8 is needed`);
  }
}

async function rejectUnfinishedMove(client: Client): Promise<void> {
  if (!(await tableExists(client, PROGRESS_TABLE))) return;
  throw new IncompatibleDatabase(
    'a move into this database has not finished: run `guidepost move` again to go on with it',
  );
}
