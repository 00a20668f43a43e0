/** Statements that another program runs on the database of a server. */
import SqliteDatabase from 'better-sqlite3';
import pg from 'pg';
import { query as queryPostgres } from './cluster/databases.ts';
import { findDatabase } from './cluster/harness-cluster.ts';

type Target = { dataDir: string; config: { database: { file: string } } };

/** Returns the rows of a query that both databases support. */
export async function query<Row extends object>({ dataDir, config }: Target, sql: string): Promise<Row[]> {
  const postgres = findDatabase(dataDir);
  if (postgres) return queryPostgres<Row>(`${postgres.superuserUrl}?options=-csearch_path%3Dguidepost`, sql);
  const database = new SqliteDatabase(config.database.file);
  try {
    const statement = database.prepare(sql);
    if (statement.reader) return statement.all() as Row[];
    statement.run();
    return [];
  } finally {
    database.close();
  }
}

/** The rows of every table, as JSON. */
export async function readTables(target: Target): Promise<Map<string, string>> {
  const names = await query<{ name: string }>(
    target,
    findDatabase(target.dataDir)
      ? "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'guidepost'"
      : "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
  );
  const tables = new Map<string, string>();
  for (const { name } of names)
    tables.set(name, JSON.stringify(await query(target, `SELECT * FROM "${name}"`)));
  return tables;
}

/** https://www.postgresql.org/docs/15/errcodes-appendix.html */
const DEADLOCK = '40P01';

/** Drops tables that others reference, so that requests which need them fail. */
export async function dropTables({ dataDir, config }: Target, tables: readonly string[]): Promise<void> {
  const postgres = findDatabase(dataDir);
  if (postgres) {
    for (const table of tables) {
      const drop = () => postgres.query(`DROP TABLE guidepost.${table} CASCADE`);
      // A job of the service may hold locks in another order; PostgreSQL then aborts one of the two.
      await drop().catch((error) => (error.code === DEADLOCK ? drop() : Promise.reject(error)));
    }
    return;
  }
  const database = new SqliteDatabase(config.database.file);
  database.pragma('foreign_keys = OFF');
  for (const table of tables) database.exec(`DROP TABLE ${table}`);
  database.close();
}

/** Blocks writes of all other connections until the returned function is called. */
export async function lockWrites({ dataDir, config }: Target): Promise<() => Promise<void>> {
  const postgres = findDatabase(dataDir);
  if (postgres) {
    const client = new pg.Client(postgres.superuserUrl);
    await client.connect();
    const { rows } = await client.query<{ names: string }>(
      `SELECT string_agg(format('%I.%I', schemaname, tablename), ', ') AS names FROM pg_tables WHERE schemaname = 'guidepost'`,
    );
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${rows[0]!.names} IN EXCLUSIVE MODE`);
    return () => client.end();
  }
  const holder = new SqliteDatabase(config.database.file);
  holder.exec('BEGIN IMMEDIATE');
  return async () => {
    holder.exec('ROLLBACK');
    holder.close();
  };
}
