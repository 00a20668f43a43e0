import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toSnakeCase } from 'drizzle-orm/casing';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StorageUnavailable } from '../../server/storage/availability.ts';
import { IncompatibleDatabase } from '../../server/storage/migrations.ts';
import { MIGRATIONS_FOLDER, migrate, readMigration } from '../../server/storage/postgres/migrate.ts';
import * as schema from '../../server/storage/schema/index.ts';
import { emptyDatabase, migratedDatabase, query, type TestDatabase } from '../support/cluster/databases.ts';
import { temporaryFolder } from './temporary-store.ts';

const NAMES = readdirSync(MIGRATIONS_FOLDER)
  .filter((file) => file.endsWith('.pgsql'))
  .sort()
  .map((file) => file.slice(0, -'.pgsql'.length));

describe('migrating PostgreSQL', () => {
  it('numbers migrations without gaps', () => {
    expect(NAMES.map((name) => Number(name.slice(0, 4)))).toEqual(NAMES.map((_, index) => index + 1));
  });

  it('applies each migration once when several nodes start together', async () => {
    const { url, ownerUrl } = await disposable(emptyDatabase());
    const applied = await Promise.all([1, 2, 3].map(() => migrate({ url, ownerUrl })));
    expect(applied.flat()).toEqual(NAMES);
    expect(await readMigration(url)).toBe(NAMES.at(-1));
  });

  it('creates the tables that the schema declares', async () => {
    const database = await disposable(migratedDatabase());
    const rows = await database.query<Column>(COLUMNS);
    const tables = Object.values<unknown>(schema).filter((value) => value instanceof SQLiteTable);
    expect(tables.length).toBeGreaterThan(15);
    for (const table of tables) {
      const { name, columns, primaryKeys } = getTableConfig(table);
      const keys = primaryKeys.flatMap((key) => key.columns.map((column) => column.name));
      const expected = columns.map((column) => ({
        name: toSnakeCase(column.name),
        type: TYPES[column.getSQLType()],
        collation: column.getSQLType() === 'text' ? 'C' : null,
        notnull: column.notNull,
        key: column.primary || keys.includes(column.name),
      }));
      const actual = rows.filter((row) => row.table === name).map(({ table: _, ...column }) => column);
      expect(actual, name).toEqual(expected);
    }
  });

  it('accepts a database that is one migration ahead and rejects one that is two ahead', async () => {
    const { url, ownerUrl } = await disposable(migratedDatabase());
    const folder = folderWith(NAMES);
    writeFileSync(join(folder, '9998_next.pgsql'), 'CREATE TABLE next (id bigint);');
    expect(await migrate({ url, ownerUrl, folder })).toEqual(['9998_next']);
    expect(await migrate({ url, ownerUrl })).toEqual([]);
    writeFileSync(join(folder, '9999_later.pgsql'), 'CREATE TABLE later (id bigint);');
    await migrate({ url, ownerUrl, folder });
    await expect(migrate({ url, ownerUrl })).rejects.toThrow(IncompatibleDatabase);
    await expect(migrate({ url, ownerUrl })).rejects.toThrow(/9999_later.*newer version/);
  });

  it('rejects a database when an applied migration was altered', async () => {
    const { url, ownerUrl } = await disposable(migratedDatabase());
    const folder = folderWith(NAMES);
    const first = join(folder, `${NAMES[0]}.pgsql`);
    writeFileSync(first, `${readFileSync(first, 'utf8')}-- an afterthought\n`);
    await expect(migrate({ url, ownerUrl, folder })).rejects.toThrow(new RegExp(`${NAMES[0]} was altered`));
  });

  it('applies nothing when one of the pending migrations fails', async () => {
    const { url, ownerUrl } = await disposable(migratedDatabase());
    const folder = folderWith(NAMES);
    writeFileSync(join(folder, '9998_fine.pgsql'), 'CREATE TABLE fine (id bigint);');
    writeFileSync(join(folder, '9999_broken.pgsql'), 'CREATE TABLE fine (id bigint);');
    await expect(migrate({ url, ownerUrl, folder })).rejects.toThrow('already exists');
    expect(await readMigration(url)).toBe(NAMES.at(-1));
  });

  it('says what to set when the role may not create tables', async () => {
    const { url } = await disposable(emptyDatabase());
    await expect(migrate({ url })).rejects.toThrow(IncompatibleDatabase);
    await expect(migrate({ url })).rejects.toThrow(/guidepost_app may not create.*DATABASE_OWNER_URL/);
  });

  it('rejects as unavailable while the server cannot be reached', async () => {
    await expect(migrate({ url: 'postgres://127.0.0.1:1/none' })).rejects.toThrow(StorageUnavailable);
  });

  it('gives the role of the service neither tables nor changes of append-only rows', async () => {
    const { url } = await disposable(migratedDatabase());
    const owned = await query(
      url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'guidepost'::regnamespace AND pg_get_userbyid(relowner) = current_user`,
    );
    expect(owned).toEqual([]);
    await expect(query(url, 'UPDATE guidepost.audit SET actor = actor')).rejects.toThrow(/permission denied/);
    await expect(query(url, 'DELETE FROM guidepost.migrations')).rejects.toThrow(/permission denied/);
    await expect(query(url, 'DROP TABLE guidepost.turns')).rejects.toThrow(/must be owner/);
    await expect(query(url, 'TRUNCATE guidepost.turns')).rejects.toThrow(/permission denied/);
  });
});

const TYPES: Readonly<Record<string, string>> = { integer: 'bigint', text: 'text', blob: 'bytea' };

type Column = {
  table: string;
  name: string;
  type: string;
  collation: string | null;
  notnull: boolean;
  key: boolean;
};

const COLUMNS = `
  SELECT class.relname AS table, attname AS name, format_type(atttypid, NULL) AS type, collname AS collation,
    attnotnull AS notnull, attnum = ANY (coalesce(indkey::smallint[], '{}')) AS key
  FROM pg_attribute JOIN pg_class AS class ON class.oid = attrelid
  LEFT JOIN pg_collation ON pg_collation.oid = attcollation
  LEFT JOIN pg_index ON indrelid = class.oid AND indisprimary
  WHERE relnamespace = 'guidepost'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
  ORDER BY attrelid, attnum`;

async function disposable(made: Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await made;
  onTestFinished(() => database.drop());
  return database;
}

function folderWith(names: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of names)
    copyFileSync(join(MIGRATIONS_FOLDER, `${name}.pgsql`), join(folder, `${name}.pgsql`));
  return folder;
}
