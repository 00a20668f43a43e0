/** Builders of portable statements; the engines prepare what these return. */

import { and, Column, eq, getTableColumns, is, Param, Placeholder, type Query, SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { toSnakeCase } from 'drizzle-orm/casing';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { once } from '../base/cache.ts';
import type { IndexHint, Statement, Values } from './database.ts';

/** Builds queries without a connection; engines compile them, each with its own dialect. */
export const db = drizzle.mock({ casing: 'snake_case' });

/** Returns the placeholder of a value that is bound when the statement runs. */
export const input = sql.placeholder;

/** Returns columns of an update, each bound to the parameter of the same name. */
export function bound<Name extends string>(...names: readonly Name[]): Record<Name, SQL> {
  return Object.fromEntries(names.map((name) => [name, sql`${input(name)}`])) as Record<Name, SQL>;
}

/** Returns the condition that each column equals the parameter of its name, as in a key lookup. */
export function matches(...columns: readonly SQLiteColumn[]): SQL {
  return and(...columns.map((column) => eq(column, input(column.name)))) as SQL;
}

/** Returns the lesser of a column and a parameter; if one of them is NULL, the other. */
export function lesser(column: SQLiteColumn, name: string): SQL {
  const value = input(name);
  return sql`case when ${column} <= ${value} then ${column} else coalesce(${value}, ${column}) end`;
}

/** Returns the greater of a column and a parameter; if one of them is NULL, the other. */
export function greater(column: SQLiteColumn, name: string): SQL {
  const value = input(name);
  return sql`case when ${column} >= ${value} then ${column} else coalesce(${value}, ${column}) end`;
}

type Selected = { selectedFields: object; result: readonly unknown[] };
type RowOf<Q> = Q extends { _: infer Types extends Selected } ? Types['result'][number] : never;

const allStatements: Statement<unknown>[] = [];

/** Returns all statements that exist so far, for the tests that prepare each of them on each engine. */
export function listStatements(): readonly Statement<unknown>[] {
  return allStatements;
}

/** Returns a statement of a Drizzle query, which is built on first use. Undefined is bound as NULL. */
export function statement<Q extends { getSQL(): SQL }, In extends object = Values>(
  build: () => Q,
): Statement<RowOf<Q>, In> {
  const built = once(build);
  const getRow = once(() => {
    const fields = getFields(built());
    return fields && (toDecoder(fields) as (cells: readonly unknown[]) => RowOf<Q>);
  });
  return add({
    query: () => built().getSQL(),
    get toRow() {
      return getRow();
    },
  });
}

/** Returns a statement of SQL that the query builder cannot express. The columns of its rows are named in order. */
export function rawStatement<Row = never>(
  query: SQL | ((indexedBy: IndexHint) => SQL),
  ...columns: readonly (keyof Row & string)[]
): Statement<Row> {
  const toRow = (cells: readonly unknown[]) => toPlainRow(columns, cells) as Row;
  return add({
    query: typeof query === 'function' ? query : () => query,
    toRow: columns.length > 0 ? toRow : undefined,
  });
}

function add<Row, In extends object>(created: Statement<Row, In>): Statement<Row, In> {
  allStatements.push(created as Statement<unknown>);
  return created;
}

/** Returns a function that lists the parameters of a compiled statement in their order. Absent values are NULL. */
export function toBinder({ params }: Query): (values: object) => unknown[] {
  const readers = params.map(toReader);
  return (values) => readers.map((read) => read(values as Values));
}

function toReader(param: unknown): (values: Values) => unknown {
  const encoder = is(param, Param) ? param.encoder : undefined;
  const bound = is(param, Param) ? param.value : param;
  if (!is(bound, Placeholder)) return () => param;
  const { name } = bound;
  if (!encoder) return (values) => values[name] ?? null;
  return (values) => {
    const value = values[name] ?? null;
    return value === null ? null : encoder.mapToDriverValue(value);
  };
}

/** Returns an insert of whole rows. With `orIgnore`, an existing row stays unchanged. */
export function insertInto<T extends SQLiteTable>(
  table: T,
  orIgnore?: 'orIgnore',
): Statement<never, T['$inferInsert']> {
  return statement(() => {
    const insert = db.insert(table).values(boundRow(table));
    return orIgnore ? insert.onConflictDoNothing() : insert;
  });
}

/** Returns an insert of whole rows that replaces an existing row with the same key. */
export function putInto<T extends SQLiteTable>(
  table: T,
  ...key: SQLiteColumn[]
): Statement<never, T['$inferInsert']> {
  return statement(() => {
    const row = boundRow(table);
    return db
      .insert(table)
      .values(row)
      .onConflictDoUpdate({ target: onKey(...key), set: row });
  });
}

/** Returns the columns after ON CONFLICT without the table name, which Drizzle adds and PostgreSQL rejects. */
export function onKey(...key: readonly SQLiteColumn[]): SQLiteColumn[] {
  return key.map(({ name }) => sql.identifier(toSnakeCase(name))) as unknown as SQLiteColumn[];
}

/** Returns a whole row, each column bound to the parameter of its name. */
export function boundRow<T extends SQLiteTable>(table: T): T['$inferInsert'] {
  return Object.fromEntries(Object.keys(getTableColumns(table)).map((name) => [name, input(name)]));
}

type Fields = { [name: string]: SQLiteColumn | SQL | Fields };

/** Returns the selected columns; undefined when the query returns no rows. */
function getFields(query: object): Fields | undefined {
  return (query as { _?: { selectedFields?: Fields } })._?.selectedFields;
}

type Cell = { name: string; of?: string; decode?: (value: unknown) => unknown };

function toDecoder(fields: Fields): (cells: readonly unknown[]) => unknown {
  const cells = listCells(fields);
  const parts = [...new Set(cells.flatMap((cell) => cell.of ?? []))];
  const names = cells.map(({ name }) => name);
  if (parts.length === 0 && cells.every(({ decode }) => !decode))
    return (values) => toPlainRow(names, values);
  return (values) => {
    const row: Record<string, unknown> = {};
    for (const part of parts) row[part] = {};
    for (let at = 0; at < cells.length; at += 1) {
      const { name, of, decode } = cells[at]!;
      const into = of === undefined ? row : (row[of] as Record<string, unknown>);
      into[name] = decode ? decode(values[at]) : values[at];
    }
    return row;
  };
}

function toPlainRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at += 1) row[names[at]!] = values[at];
  return row;
}

/** Lists the columns in order. `of` is the name of the nested object that a column belongs to. */
function listCells(fields: Fields, of?: string): Cell[] {
  return Object.entries(fields).flatMap(([name, field]): Cell[] => {
    const cell = of === undefined ? { name } : { name, of };
    if (is(field, Column)) return [field.dataType === 'boolean' ? { ...cell, decode: isTrue } : cell];
    return is(field, SQL) ? [{ ...cell, decode: getDecode(field) }] : listCells(field, name);
  });
}

/** Decodes a boolean, which SQLite stores as 0 or 1. */
function isTrue(value: unknown): unknown {
  return value === null ? null : value === 1 || value === true;
}

function getDecode(expression: SQL): (value: unknown) => unknown {
  const { decoder } = expression as unknown as { decoder: { mapFromDriverValue(value: unknown): unknown } };
  return (value) => (value === null ? null : decoder.mapFromDriverValue(value));
}

type Nullable<T> = { [K in keyof T]: null extends T[K] ? K : never }[keyof T];
type WithoutNulls<T> = Omit<T, Nullable<T>> & { [K in Nullable<T>]?: NonNullable<T[K]> };

/** A row of a table without its null columns. */
export type Stored<T extends SQLiteTable> = WithoutNulls<T['$inferSelect']>;

/** Returns a row without its null columns. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}

/**
 * Returns an object whose properties are created on first use: preparing all statements takes longer than opening the
 * file, and most processes use few.
 */
export function lazyObject<T extends object>(factories: { readonly [part in keyof T]: () => T[part] }): T {
  const getters = Object.entries<() => unknown>(factories).map(([name, make]) => [
    name,
    { get: once(make), enumerable: true, configurable: true },
  ]);
  return Object.defineProperties({}, Object.fromEntries(getters)) as T;
}
