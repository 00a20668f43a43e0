/** Portable statements and values in the form that PostgreSQL and its driver take. */
import type { CustomTypesConfig, QueryArrayConfig } from 'pg';
import pg from 'pg';
import type { Statement } from '../database.ts';

type AnyStatement = Pick<Statement<unknown, never>, 'text'>;

/** Text and quoted names stay as they are. A unary plus only serves SQLite's planner. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|\+?\?|\bgroup_concat(?=\()/g;

export function toPostgres(text: string): string {
  let count = 0;
  return text.replace(TOKEN, (token) => {
    if (token === 'group_concat') return 'string_agg';
    if (!token.endsWith('?')) return token;
    count += 1;
    return `$${count}`;
  });
}

type Translated = { name: string; text: string };

const byStatement = new WeakMap<AnyStatement, Translated>();
/** Statements with the same text share a name, so that connections keep a bounded number. */
const byText = new Map<string, Translated>();

function translate(statement: AnyStatement): Translated {
  const cached = byStatement.get(statement);
  if (cached) return cached;
  const { text } = statement;
  const translated = byText.get(text) ?? { name: `guidepost_${byText.size}`, text: toPostgres(text) };
  byText.set(text, translated);
  byStatement.set(statement, translated);
  return translated;
}

/** @param isNamed whether the connection keeps the statement prepared, which a transaction pooler cannot */
export function toQuery(statement: AnyStatement, values: unknown[], isNamed: boolean): QueryArrayConfig {
  const { name, text } = translate(statement);
  return { ...(isNamed ? { name } : {}), text, values: values.map(replaceNul), rowMode: 'array', types };
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

/** Returns a statement of this engine alone. `@name` is a parameter; the columns of its rows are named in order. */
export function statement<Row = never>(
  text: string,
  ...columns: readonly (keyof Row & string)[]
): Statement<Row> {
  const names: string[] = [];
  const portable = text.replace(/@(\w+)/g, (_, name: string) => {
    names.push(name);
    return '?';
  });
  return {
    text: portable,
    bind: (values) => names.map((name) => values[name] ?? null),
    toRow: (cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at]])) as Row,
  };
}
