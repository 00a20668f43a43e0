import { getTableColumns, is, Param, Placeholder } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { bound, boundLimit, equals, matches, placeholder, withoutNulls } from '../sql/statements.ts';
import type { Drizzle } from './connections.ts';

/** For the resources that are not in storage/sql yet. */
export { bound, boundLimit, equals, matches, placeholder, withoutNulls };

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
