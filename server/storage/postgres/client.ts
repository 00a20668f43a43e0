/** One connection beside the pool: to migrate, move or examine a database. */
import pg, { type Client, type ClientConfig } from 'pg';
import type { AppliedMigration } from '../migrations.ts';
import { SCHEMA } from './connections.ts';
import { asStorageError } from './errors.ts';

export type ClientOptions = ClientConfig & Required<Pick<ClientConfig, 'application_name'>>;

/** @throws StorageUnavailable when the server cannot be reached. */
export async function connect(url: string, options: ClientOptions): Promise<Client> {
  const client = new pg.Client({ ...options, connectionString: url });
  // Ignored, because a broken connection also fails its query.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw asStorageError(error);
  }
}

/** Connects for the duration of `work`. @throws StorageUnavailable when the server cannot be reached. */
export async function withConnection<T>(
  url: string,
  options: ClientOptions,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(url, options);
  try {
    return await work(client);
  } catch (error) {
    throw asStorageError(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  try {
    await client.query('BEGIN');
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw asStorageError(error);
  }
}

export async function tableExists(client: Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    `${SCHEMA}.${table}`,
  ]);
  return rows[0]!.found;
}

/** Returns the migrations that a database has, in their order. */
export async function readApplied(client: Client): Promise<AppliedMigration[]> {
  if (!(await tableExists(client, 'migrations'))) return [];
  const text = `SELECT name, checksum FROM ${SCHEMA}.migrations ORDER BY name`;
  return (await client.query<AppliedMigration>(text)).rows;
}
