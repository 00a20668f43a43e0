/**
 * Writes the first migration of both engines: the tables in `server/storage/schema/`, and the objects of one engine in
 * `objects.sql` or `objects.pgsql`. With --check, only reports whether a file is stale. Once a version is released, its
 * migrations never change, and a later one is written by hand.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { is, type SQL } from 'drizzle-orm';
import { CasingCache, toSnakeCase } from 'drizzle-orm/casing';
import { type ForeignKey, getTableConfig, type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '../server/storage/schema/index.ts';

type Engine = {
  /** The type of a column that the schema declares as text, integer or blob. */
  types: Readonly<Record<string, string>>;
  toSuffix(table: SQLiteTable): string;
  autoIncrement: string;
  /** Whether a table may refer to one that is created later. */
  refersAhead: boolean;
  /** The extension of its files. */
  extension: string;
};

const ENGINES: Readonly<Record<string, Engine>> = {
  sqlite: {
    types: { text: 'TEXT', integer: 'INTEGER', blob: 'BLOB' },
    toSuffix: (table) => (schema.CLUSTERED.has(table) ? ' STRICT, WITHOUT ROWID' : ' STRICT'),
    autoIncrement: 'AUTOINCREMENT',
    refersAhead: true,
    extension: 'sql',
  },
  // Text compares by its bytes, as in SQLite.
  postgres: {
    types: { text: 'text COLLATE "C"', integer: 'bigint', blob: 'bytea' },
    toSuffix: () => '',
    autoIncrement: '',
    refersAhead: false,
    extension: 'pgsql',
  },
};

const TABLES = sortByReferences(Object.values<unknown>(schema).filter((value) => is(value, SQLiteTable)));

/** Sorts tables behind those that their rows cannot be without. */
function sortByReferences(tables: readonly SQLiteTable[]): readonly SQLiteTable[] {
  const sorted = new Set<SQLiteTable>();
  function add(table: SQLiteTable): void {
    for (const key of getTableConfig(table).foreignKeys) {
      const { columns, foreignTable } = key.reference();
      if (columns.every(({ notNull }) => notNull)) add(foreignTable);
    }
    sorted.add(table);
  }
  for (const table of tables) add(table);
  return [...sorted];
}

const toNames = (columns: readonly { name: string }[]) =>
  columns.map(({ name }) => toSnakeCase(name)).join(', ');

/** Prints a condition or an expression with plain column names. */
const print = (expression: SQL) =>
  expression.toQuery({
    casing: new CasingCache('snake_case'),
    escapeName: (name) => name,
    escapeParam: () => '?',
    escapeString: (text) => `'${text.replaceAll("'", "''")}'`,
    inlineParams: true,
    invokeSource: 'indexes',
  }).sql;

/** Prints what follows REFERENCES. Rows of two tables that refer to each other are checked at the end of a transaction. */
function toReference(table: SQLiteTable, key: ForeignKey): string {
  const { foreignColumns, foreignTable } = key.reference();
  const action = key.onDelete ? ` ON DELETE ${key.onDelete.toUpperCase()}` : '';
  const isMutual = getTableConfig(foreignTable).foreignKeys.some(
    (back) => back.reference().foreignTable === table,
  );
  return `${getTableConfig(foreignTable).name} (${toNames(foreignColumns)})${action}${isMutual ? ' DEFERRABLE INITIALLY DEFERRED' : ''}`;
}

function toColumn(engine: Engine, column: SQLiteColumn): string {
  const name = toSnakeCase(column.name);
  const values = column.dataType === 'boolean' ? ['0', '1'] : column.enumValues?.map((value) => `'${value}'`);
  return [
    `${name} ${engine.types[column.getSQLType()]}`,
    column.primary ? 'PRIMARY KEY' : column.notNull ? 'NOT NULL' : '',
    'autoIncrement' in column && column.autoIncrement ? engine.autoIncrement : '',
    column.isUnique ? 'UNIQUE' : '',
    values?.length ? `CHECK (${name} IN (${values.join(', ')}))` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

const isCreatedLater = (table: SQLiteTable, key: ForeignKey) =>
  TABLES.indexOf(key.reference().foreignTable) > TABLES.indexOf(table);

const toForeignKey = (table: SQLiteTable, key: ForeignKey) =>
  `FOREIGN KEY (${toNames(key.reference().columns)}) REFERENCES ${toReference(table, key)}`;

/** Returns the statements that create a table with its indexes. */
function createTable(engine: Engine, table: SQLiteTable): string[] {
  const { name, columns, primaryKeys, uniqueConstraints, checks, foreignKeys, indexes } =
    getTableConfig(table);
  const lines = [
    ...columns.map((column) => toColumn(engine, column)),
    ...primaryKeys.map((key) => `PRIMARY KEY (${toNames(key.columns)})`),
    ...uniqueConstraints.map((constraint) => `UNIQUE (${toNames(constraint.columns)})`),
    ...checks.map(({ value }) => `CHECK (${print(value)})`),
    ...foreignKeys
      .filter((key) => engine.refersAhead || !isCreatedLater(table, key))
      .map((key) => toForeignKey(table, key)),
  ];
  return [
    `CREATE TABLE ${name} (\n  ${lines.join(',\n  ')}\n)${engine.toSuffix(table)};`,
    ...indexes.map(({ config }) => {
      const parts = config.columns.map((part) => ('name' in part ? toNames([part]) : print(part as SQL)));
      const kind = config.unique ? 'UNIQUE INDEX' : 'INDEX';
      return `CREATE ${kind} ${config.name} ON ${name} (${parts.join(', ')})${config.where ? ` WHERE ${print(config.where)}` : ''};`;
    }),
  ];
}

/** Returns the foreign keys that could not be declared with their table. */
function addForeignKeys(table: SQLiteTable): string[] {
  const { name, foreignKeys } = getTableConfig(table);
  return foreignKeys
    .filter((key) => isCreatedLater(table, key))
    .map((key) => `ALTER TABLE ${name} ADD ${toForeignKey(table, key)};`);
}

function buildMigration(engine: Engine, objects: string): string {
  const source = '-- Written by `make generate` from the schema and the objects of this engine.';
  const tables = TABLES.flatMap((table) => createTable(engine, table));
  const ahead = engine.refersAhead ? [] : TABLES.flatMap(addForeignKeys);
  return [source, ...tables, ...ahead, objects].join('\n\n');
}

for (const [name, engine] of Object.entries(ENGINES)) {
  const { extension } = engine;
  const objects = readFileSync(
    new URL(`../server/storage/${name}/objects.${extension}`, import.meta.url),
    'utf8',
  );
  const file = new URL(`../generated/migrations/${name}/0001_initial.${extension}`, import.meta.url);
  const text = buildMigration(engine, objects);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('./', file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${file.pathname} is stale: run \`make generate\`\n`);
    process.exitCode = 1;
  }
}
