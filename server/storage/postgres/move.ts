import type { Client } from 'pg';
import { IncompatibleDatabase } from '../migrations.ts';
import {
  type Cell,
  type Copied,
  MoveRefused,
  type MoveSource,
  type MoveTable,
  type MoveTarget,
  quote,
  type Row,
  toPageQuery,
} from '../move.ts';
import { connect, inTransaction, tableExists } from './client.ts';
import { ALL_WORKSPACES, APPLICATION, SCHEMA } from './connections.ts';
import { asStorageError } from './errors.ts';
import { migrate, PROGRESS_TABLE } from './migrate.ts';
import { toRowQuery } from './portable.ts';

const CLIENT = {
  application_name: 'guidepost move',
  keepAlive: true,
  options: `-c search_path=${SCHEMA} -c guidepost.workspace=${ALL_WORKSPACES} -c statement_timeout=0`,
};

/**
 * Opens a database to move from, in one snapshot.
 * @throws MoveRefused while a node is connected to it.
 */
export async function openPostgresSource(url: string): Promise<MoveSource> {
  const client = await connect(url, CLIENT);
  try {
    await rejectConnectedNodes(client);
    if (!(await tableExists(client, 'migrations'))) throw new MoveRefused('the database is empty');
    if (await tableExists(client, PROGRESS_TABLE)) throw new MoveRefused('a move into it has not finished');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    return {
      read: createRead(client),
      counters: () => readCounters(client),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw asStorageError(error);
  }
}

type PostgresTargetOptions = {
  /** URL for the role that the service runs as. */
  url: string;
  /** URL for the role that owns the tables. If absent, the service's role owns them. */
  ownerUrl: string | undefined;
};

/**
 * Opens an empty database, or one that a move has begun to fill. Nodes do not start with it until the move is finished.
 * @throws MoveRefused when it holds anything else, or another move fills it.
 */
export async function openPostgresTarget(options: PostgresTargetOptions): Promise<MoveTarget> {
  const client = await connect(options.ownerUrl ?? options.url, CLIENT);
  try {
    await rejectConnectedNodes(client);
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('guidepost move', 0)) AS locked`,
    );
    if (!rows[0]!.locked) throw new MoveRefused('another move fills the target');
    if (!(await tableExists(client, PROGRESS_TABLE))) {
      await migrate(options);
      await inTransaction(client, () => disableConstraints(client));
    }
    const types = await readTypes(client);
    return {
      read: createRead(client),
      copied: () => readCopied(client),
      write: (table, rows, copied) =>
        inTransaction(client, async () => {
          await insert(client, types, table, rows).catch((error) => {
            throw isUnstorable(error)
              ? new MoveRefused(
                  `${table.name} has a text with a NUL character, which PostgreSQL cannot store`,
                )
              : error;
          });
          await client.query(
            `INSERT INTO ${PROGRESS_TABLE} (name, rows, last) VALUES ($1, $2, $3)
             ON CONFLICT (name) DO UPDATE SET rows = excluded.rows, last = excluded.last`,
            [table.name, copied.rows, JSON.stringify(copied.last)],
          );
        }),
      finish: (counters) => inTransaction(client, () => restoreConstraints(client, counters)),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw asStorageError(error);
  }
}

async function rejectConnectedNodes(client: Client): Promise<void> {
  const { rows } = await client.query<{ address: string | null }>(
    `SELECT host(client_addr) AS address FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = $1`,
    [APPLICATION],
  );
  if (rows.length === 0) return;
  const addresses = new Set(rows.map(({ address }) => address ?? 'this machine'));
  throw new MoveRefused(`servers use the database, from ${[...addresses].join(', ')}. Stop them first`);
}

/** Drops foreign keys and disables triggers, which would refuse or change copied rows, and keeps their definitions. */
async function disableConstraints(client: Client): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'
       AND relname NOT IN ('migrations', 'database_marks')`,
  );
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT 1 FROM ${quote(name)} LIMIT 1`);
    if (rows.length > 0) throw new MoveRefused(`the target is not empty: it has rows in ${name}`);
    await client.query(`ALTER TABLE ${quote(name)} DISABLE TRIGGER USER`);
  }
  await client.query('DELETE FROM database_marks');
  await client.query(
    `CREATE TABLE move_foreign_keys AS SELECT conrelid::regclass::text AS "table", conname AS name,
       pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE connamespace = '${SCHEMA}'::regnamespace AND contype = 'f'`,
  );
  for (const { table, name } of await readForeignKeys(client))
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${quote(name)}`);
  await client.query(
    `CREATE TABLE ${PROGRESS_TABLE} (name text PRIMARY KEY, rows bigint NOT NULL, last text NOT NULL)`,
  );
}

type ForeignKey = { table: string; name: string; definition: string };

async function readForeignKeys(client: Client): Promise<ForeignKey[]> {
  return (await client.query<ForeignKey>('SELECT "table", name, definition FROM move_foreign_keys')).rows;
}

/** Restores foreign keys and triggers. Adding a foreign key checks all rows. */
async function restoreConstraints(client: Client, counters: ReadonlyMap<string, number>): Promise<void> {
  for (const { table, name, definition } of await readForeignKeys(client))
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${quote(name)} ${definition}`);
  await client.query(`DROP TABLE move_foreign_keys, ${PROGRESS_TABLE}`);
  const { rows } = await client.query<{ name: string }>(
    `SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
     WHERE relnamespace = '${SCHEMA}'::regnamespace AND NOT tgisinternal`,
  );
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  for (const { table, column } of await listCounters(client)) {
    const last = counters.get(table);
    if (last !== undefined && last > 0)
      await client.query('SELECT setval(pg_get_serial_sequence($1, $2), $3)', [table, column, last]);
  }
}

type Counter = { table: string; column: string };

/** Lists the columns whose values come from a sequence. */
async function listCounters(client: Client): Promise<Counter[]> {
  const { rows } = await client.query<Counter>(
    `SELECT refobjid::regclass::text AS "table", attname AS column FROM pg_depend
     JOIN pg_class AS sequence ON sequence.oid = objid AND sequence.relkind = 'S'
     JOIN pg_attribute ON attrelid = refobjid AND attnum = refobjsubid
     WHERE sequence.relnamespace = '${SCHEMA}'::regnamespace AND deptype IN ('a', 'i') ORDER BY 1`,
  );
  return rows;
}

async function readCounters(client: Client): Promise<Map<string, number>> {
  const counters = new Map<string, number>();
  for (const { table, column } of await listCounters(client)) {
    const text =
      'SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence($1, $2)::regclass), 0) AS last';
    const { rows } = await client.query<{ last: string }>(text, [table, column]);
    counters.set(table, Number(rows[0]!.last));
  }
  return counters;
}

async function readCopied(client: Client): Promise<Map<string, Copied>> {
  const { rows } = await client.query<{ name: string; rows: string; last: string }>(
    `SELECT name, rows, last FROM ${PROGRESS_TABLE}`,
  );
  return new Map(rows.map(({ name, rows, last }) => [name, { rows: Number(rows), last: JSON.parse(last) }]));
}

function createRead(client: Client): MoveSource['read'] {
  return async (table, after) => {
    const text = toPageQuery(
      table,
      after === undefined,
      (index) => `$${index + 1}`,
      (column) => toExpression(table, column),
    );
    try {
      return (await client.query<Cell[]>(toRowQuery(text, after ?? []))).rows;
    } catch (error) {
      throw asStorageError(error);
    }
  };
}

/** Lists of terms travel as JSON, because engines store them differently. */
function toExpression({ name }: MoveTable, column: string): string {
  return isTermsColumn(name, column) ? 'array_to_json(terms)::text' : quote(column);
}

const isTermsColumn = (table: string, column: string) => table === 'passage_chunks' && column === 'terms';

type Types = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the types of all columns, by table. */
async function readTypes(client: Client): Promise<Types> {
  const { rows } = await client.query<{ table: string; column: string; type: string }>(
    `SELECT relname AS "table", attname AS column, format_type(atttypid, atttypmod) AS type
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped`,
  );
  const types = new Map<string, Map<string, string>>();
  for (const { table, column, type } of rows)
    types.set(table, (types.get(table) ?? new Map<string, string>()).set(column, type));
  return types;
}

/** PostgreSQL's error for bytes that are not valid text. */
const isUnstorable = (error: unknown) => (error as { code?: string }).code === '22021';

/** Sends a page as one array for each column. */
async function insert(client: Client, types: Types, table: MoveTable, rows: readonly Row[]): Promise<void> {
  const { name, columns } = table;
  const arrays = columns.map((column, index) => {
    const type = types.get(name)?.get(column);
    if (type === undefined) throw new IncompatibleDatabase(`the target has no column ${name}.${column}`);
    return `$${index + 1}::${isTermsColumn(name, column) ? 'text' : type}[]`;
  });
  const names = columns.map(quote).join(', ');
  const source = `unnest(${arrays.join(', ')}) AS given (${names})`;
  const values = columns.map((_, index) => rows.map((row) => row[index]));
  if (name !== 'passage_chunks') {
    await client.query(`INSERT INTO ${quote(name)} (${names}) SELECT ${names} FROM ${source}`, values);
    return;
  }
  const selected = columns.map((column) =>
    isTermsColumn(name, column) ? `translate(terms, '[]', '{}')::integer[]` : `given.${quote(column)}`,
  );
  // The word index is built from the chunks, which include their workspace here.
  await client.query(
    `WITH added AS (
       INSERT INTO passage_chunks (workspace_id, ${names})
       SELECT passages.workspace_id, ${selected.join(', ')}
       FROM ${source} JOIN passages ON passages.id = given.passage_id RETURNING id, passage_id, terms)
     INSERT INTO passage_words (partition_id, term, chunk_id)
     SELECT partition_id, term, added.id FROM added JOIN passages ON passages.id = added.passage_id
     CROSS JOIN unnest(added.terms) AS term`,
    values,
  );
}
