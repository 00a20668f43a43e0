import { getTableColumns, type InferSelectModel, is, Param, Placeholder, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Drizzle } from './connections.ts';

/** A value that is given when the prepared statement runs. */
export const given = sql.placeholder;

/**
 * For statements with ORDER BY, GROUP BY or LIMIT: as bare parameters, these would make SQLite prepare such a statement anew each time
 * that it runs, which costs several times as much as the search itself.
 */
export function equals(column: SQLiteColumn, name: string): SQL {
  return sql`${column} = +${given(name)}`;
}
export const givenLimit = sql`0 + ${given('limit')}` as unknown as ReturnType<typeof given>;

/** A prepared insert of whole rows. With `orIgnore`, a row that exists already is left alone. Returns the rows inserted. */
export function insertInto<T extends SQLiteTable>(
  db: Drizzle,
  table: T,
  orIgnore?: 'orIgnore',
): (row: InferSelectModel<T>) => number {
  const columns = Object.keys(getTableColumns(table));
  const insert = db
    .insert(table)
    .values(Object.fromEntries(columns.map((column) => [column, given(column)])) as T['$inferInsert']);
  return runs(db, orIgnore ? insert.onConflictDoNothing() : insert);
}

/**
 * A statement that Drizzle writes once and SQLite runs without it: filling in the values costs Drizzle as much as the row costs SQLite.
 * Returns the rows changed.
 */
export function runs(
  db: Drizzle,
  query: { toSQL(): { readonly sql: string; readonly params: readonly unknown[] } },
): (values: Values) => number {
  const { sql: text, params } = query.toSQL();
  const statement = db.$client.prepare(text);
  const fillings = params.map(filling);
  return (values) => statement.run(fillings.map((fill) => fill(values))).changes;
}

type Values = Readonly<Record<string, unknown>>;

/** How a parameter gets its value from those that are given. */
function filling(param: unknown): (values: Values) => unknown {
  const encoded = is(param, Param) ? param : undefined;
  const place = encoded ? encoded.value : param;
  if (!is(place, Placeholder)) return () => param;
  const { name } = place;
  return (values) => {
    const value = values[name];
    if (value === undefined) throw new Error(`No value for ${name} was given`);
    return encoded && value !== null ? encoded.encoder.mapToDriverValue(value) : value;
  };
}

type Nullable<T> = { [K in keyof T]: null extends T[K] ? K : never }[keyof T];
type WithoutNulls<T> = Omit<T, Nullable<T>> & { [K in Nullable<T>]?: NonNullable<T[K]> };

/** A row as the port wants it: what is null in the database is absent. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}
