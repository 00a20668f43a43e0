import { and, eq, getTableColumns, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Drizzle } from './connections.ts';

/** A parameter, bound when the prepared statement runs. */
export const { placeholder } = sql;

/**
 * For statements with ORDER BY, GROUP BY or LIMIT: a bare parameter makes SQLite re-prepare them on
 * each run, because the plan depends on its
 * value. A unary plus hides the value from the planner.
 */
export function equals(column: SQLiteColumn, name: string): SQL {
  return sql`${column} = +${placeholder(name)}`;
}
export const boundLimit = sql`0 + ${placeholder('limit')}` as unknown as Placeholder;

/** Columns of an update, each bound to the parameter of the same name. */
export function bound<Name extends string>(...names: readonly Name[]): Record<Name, SQL> {
  return Object.fromEntries(names.map((name) => [name, sql`${placeholder(name)}`])) as Record<Name, SQL>;
}

/** A condition that columns equal the parameters of their names, as in a key lookup. */
export function matches(...columns: readonly SQLiteColumn[]): SQL {
  return and(...columns.map((column) => eq(column, placeholder(column.name)))) as SQL;
}

type Values = Readonly<Record<string, unknown>>;
type Query = { toSQL(): { readonly sql: string; readonly params: readonly unknown[] } };
type Select = Query & { readonly _: { readonly selectedFields: object } };

/**
 * Runs a Drizzle statement without Drizzle, whose binding and mapping would take as long as SQLite
 * needs for a row. Use it for hot writes and
 * exports, and Drizzle's own `.prepare()` elsewhere. Undefined is stored as NULL.
 * @returns the number of changed rows
 */
export function prepareRun(db: Drizzle, query: Query): (values: Values) => number {
  const { sql: text, params } = query.toSQL();
  const statement = db.$client.prepare(text);
  const binders = params.map(toBinder);
  return (values) => statement.run(binders.map((bind) => bind(values))).changes;
}

/** Like `prepareRun`, for a select of plain columns of one or several tables. */
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

/** Returns a function that reads the value of a parameter. */
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

/**
 * Prepares an insert of whole rows. With `orIgnore`, an existing row stays unchanged. The statement
 * returns the number of inserted rows.
 */
export function insertInto<T extends SQLiteTable>(
  db: Drizzle,
  table: T,
  orIgnore?: 'orIgnore',
): (row: T['$inferInsert']) => number {
  const insert = db.insert(table).values(boundRow(table));
  return prepareRun(db, orIgnore ? insert.onConflictDoNothing() : insert);
}

/** Prepares an insert of whole rows that replaces an existing row with the same key. */
export function putInto<T extends SQLiteTable>(
  db: Drizzle,
  table: T,
  ...key: SQLiteColumn[]
): (row: T['$inferInsert']) => number {
  const row = boundRow(table);
  return prepareRun(db, db.insert(table).values(row).onConflictDoUpdate({ target: key, set: row }));
}

/** A whole row, each column bound to the parameter of its name. */
function boundRow<T extends SQLiteTable>(table: T): T['$inferInsert'] {
  return Object.fromEntries(Object.keys(getTableColumns(table)).map((name) => [name, placeholder(name)]));
}

type Nullable<T> = { [K in keyof T]: null extends T[K] ? K : never }[keyof T];
type WithoutNulls<T> = Omit<T, Nullable<T>> & { [K in Nullable<T>]?: NonNullable<T[K]> };

/** A row as the port has it: null columns are absent. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}
