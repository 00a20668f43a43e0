import { and, eq, getTableColumns, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Drizzle } from './connections.ts';

/** A parameter that is bound when the prepared statement runs. */
export const { placeholder } = sql;

/**
 * For statements with ORDER BY, GROUP BY or LIMIT: a bare parameter would make SQLite prepare such a statement again on each run, because
 * its plan depends on the value. A unary plus hides the value from the planner.
 */
export function equals(column: SQLiteColumn, name: string): SQL {
  return sql`${column} = +${placeholder(name)}`;
}
export const boundLimit = sql`0 + ${placeholder('limit')}` as unknown as Placeholder;

/** Columns of an update, each bound to the parameter of its name. */
export function bound<Name extends string>(...names: readonly Name[]): Record<Name, SQL> {
  return Object.fromEntries(names.map((name) => [name, sql`${placeholder(name)}`])) as Record<Name, SQL>;
}

/** The same for the condition that columns equal the parameters of their names, as in a look-up by key. */
export function matches(...columns: readonly SQLiteColumn[]): SQL {
  return and(...columns.map((column) => eq(column, placeholder(column.name)))) as SQL;
}

type Values = Readonly<Record<string, unknown>>;
type Query = { toSQL(): { readonly sql: string; readonly params: readonly unknown[] } };
type Select = Query & { readonly _: { readonly selectedFields: object } };

/**
 * Runs a statement that Drizzle wrote without Drizzle: binding and mapping would cost as much as SQLite takes for a row. Use it for hot
 * writes and for exports; everything else uses Drizzle's own `.prepare()`. An undefined value is stored as NULL.
 * @returns the number of rows changed
 */
export function prepareRun(db: Drizzle, query: Query): (values: Values) => number {
  const { sql: text, params } = query.toSQL();
  const statement = db.$client.prepare(text);
  const binders = params.map(toBinder);
  return (values) => statement.run(binders.map((bind) => bind(values))).changes;
}

/** The same for a select of plain columns of one or several tables. */
export function prepareAll<Row>(db: Drizzle, query: Select): (values: Values) => Row[] {
  const { sql: text, params } = query.toSQL();
  const statement = db.$client.prepare(text).raw();
  const binders = params.map(toBinder);
  const columns = Object.entries(query._.selectedFields as Record<string, SQLiteColumn>).map(
    ([name, { dataType }]) => ({ name, isBoolean: dataType === 'boolean' }),
  );
  const toRow = (values: readonly unknown[]) => {
    const row: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at += 1) {
      const { name, isBoolean } = columns[at]!;
      row[name] = isBoolean ? values[at] === 1 : values[at];
    }
    return row as Row;
  };
  return (values) => (statement.all(binders.map((bind) => bind(values))) as unknown[][]).map(toRow);
}

/** How a parameter gets its value. */
function toBinder(param: unknown): (values: Values) => unknown {
  const encoded = is(param, Param) ? param : undefined;
  const bound = encoded ? encoded.value : param;
  if (!is(bound, Placeholder)) return () => param;
  const { name } = bound;
  return (values) => {
    const value = values[name] ?? null;
    return encoded && value !== null ? encoded.encoder.mapToDriverValue(value) : value;
  };
}

/** A prepared insert of whole rows. With `orIgnore`, a row that exists already is left alone. Returns the rows inserted. */
export function insertInto<T extends SQLiteTable>(
  db: Drizzle,
  table: T,
  orIgnore?: 'orIgnore',
): (row: T['$inferInsert']) => number {
  const columns = Object.keys(getTableColumns(table));
  const values = Object.fromEntries(columns.map((column) => [column, placeholder(column)]));
  const insert = db.insert(table).values(values as T['$inferInsert']);
  return prepareRun(db, orIgnore ? insert.onConflictDoNothing() : insert);
}

type Nullable<T> = { [K in keyof T]: null extends T[K] ? K : never }[keyof T];
type WithoutNulls<T> = Omit<T, Nullable<T>> & { [K in Nullable<T>]?: NonNullable<T[K]> };

/** A row as the port has it: what is null in the database is absent. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}
