import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm';
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
  const prepared = (orIgnore ? insert.onConflictDoNothing() : insert).prepare();
  return (row) => prepared.run(row).changes;
}

type Nullable<T> = { [K in keyof T]: null extends T[K] ? K : never }[keyof T];
type WithoutNulls<T> = Omit<T, Nullable<T>> & { [K in Nullable<T>]?: NonNullable<T[K]> };

/** A row as the port wants it: what is null in the database is absent. */
export function withoutNulls<T extends object>(row: T): WithoutNulls<T> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<T>;
}
