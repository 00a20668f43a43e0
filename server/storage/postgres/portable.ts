/** Statements and values in the form that PostgreSQL and its driver take. */
import { sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { CustomTypesConfig, QueryArrayConfig } from 'pg';
import pg from 'pg';
import type { Statement } from '../database.ts';
import { toBinder } from '../statements.ts';

type AnyStatement = Pick<Statement<unknown, never>, 'query'>;
type Compiled = { name: string; text: string; bind: (values: object) => unknown[] };

const dialect = new PgDialect({ casing: 'snake_case' });
const byStatement = new WeakMap<AnyStatement, Compiled>();
/** Statements with the same text share a name, so that connections keep a bounded number. */
const names = new Map<string, string>();

export function compile(statement: AnyStatement): Compiled {
  const cached = byStatement.get(statement);
  if (cached) return cached;
  const query = dialect.sqlToQuery(statement.query(sql.empty));
  const name = names.get(query.sql) ?? `guidepost_${names.size}`;
  names.set(query.sql, name);
  const compiled = { name, text: query.sql, bind: toBinder(query) };
  byStatement.set(statement, compiled);
  return compiled;
}

/** @param isNamed whether the connection keeps the statement prepared, which a transaction pooler cannot */
export function toQuery(statement: AnyStatement, values: object, isNamed: boolean): QueryArrayConfig {
  const { name, text, bind } = compile(statement);
  return { ...toRowQuery(text, bind(values)), ...(isNamed ? { name } : {}) };
}

/** Returns a query whose rows are arrays of values as SQLite returns them. */
export function toRowQuery(text: string, values: readonly unknown[]): QueryArrayConfig {
  return { text, values: values.map(replaceNul), rowMode: 'array', types };
}

/** Replaces NUL, which PostgreSQL's text cannot store. Lookups replace it in the same way. */
function replaceNul(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

const { builtins } = pg.types;

/** Parses values as SQLite returns them: numbers for integers and booleans, and plain bytes. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [builtins.BOOL]: (text) => (text === 't' ? 1 : 0),
  [builtins.INT2]: Number,
  [builtins.INT4]: Number,
  [builtins.INT8]: Number,
  [builtins.FLOAT4]: Number,
  [builtins.FLOAT8]: Number,
  [builtins.NUMERIC]: Number,
  // A copy, because views of other types need an aligned start.
  [builtins.BYTEA]: (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex')),
};

const types: CustomTypesConfig = {
  getTypeParser: ((oid: number) => PARSERS[oid] ?? String) as unknown as CustomTypesConfig['getTypeParser'],
};
