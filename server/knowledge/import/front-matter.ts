import { parse as parseToml, TomlDate } from 'smol-toml';
import { parseDocument } from 'yaml';

/** Fields by name. Scalars are their source text, so `2024` and `yes` stay as they were written. */
export type Fields = Readonly<Record<string, unknown>>;

/** A problem with one field. `expected` completes the sentence "expected …". */
export type FieldProblem = { field?: string; expected: string };

export type FrontMatterProblems = { problems: readonly (FieldProblem & { line?: number })[] };

/** Front matter between two lines: `---` for YAML, `+++` for TOML. Some tools name the language in the first one. */
const FENCED =
  /^\s*(?:---[ \t]*(yaml|yml|toml|json)?|(\+\+\+))[ \t]*\r?\n([\s\S]*?\r?\n)??(?:---|\.\.\.|\+\+\+)[ \t]*(?:\r?\n|$)/i;
const OPENED =
  /^\s*(?:---[ \t]*(?:yaml|yml|toml|json)?[ \t]*\r?\n["']?[\p{L}_][\p{L}\p{N}_. -]*["']?\s*[:=]|\+\+\+[ \t]*\r?\n)/iu;
const JSON_OPENED = /^\s*\{\s*"/;

/** Returns the fields of the front matter and the text after it, or undefined without front matter. */
export function splitFrontMatter(
  text: string,
): { fields: Fields; body: string } | FrontMatterProblems | undefined {
  if (JSON_OPENED.test(text)) return splitJson(text);
  const fenced = FENCED.exec(text);
  if (!fenced) return OPENED.test(text) ? toProblem(1, 'front matter that is closed') : undefined;
  const [head, language = '', plus, source = ''] = fenced;
  const firstLine = countLines(head.slice(0, head.search(/\S/)));
  const parse = PARSERS[plus ? 'toml' : language.toLowerCase()] ?? parseYamlFields;
  const parsed = parse(source, firstLine);
  return 'problems' in parsed ? parsed : { fields: parsed.fields, body: text.slice(head.length) };
}

const countLines = (text: string) => text.split('\n').length;

const toProblem = (line: number, expected: string): FrontMatterProblems => ({
  problems: [{ line, expected }],
});

type ParsedFields = { fields: Fields } | FrontMatterProblems;

function toFields(value: unknown, line: number): ParsedFields {
  if (value === undefined || value === null || value === '') return { fields: {} };
  if (typeof value === 'object' && !Array.isArray(value)) return { fields: value as Fields };
  return toProblem(line, 'front matter with fields');
}

/** @param firstLine the line of the first mark */
function parseYamlFields(source: string, firstLine: number): ParsedFields {
  // In this schema every scalar is its text.
  const document = parseDocument(source, { prettyErrors: false, schema: 'failsafe', logLevel: 'silent' });
  const [error] = document.errors;
  if (error) {
    const line = countLines(source.slice(0, error.pos[0])) + firstLine;
    return toProblem(line, `valid YAML (${error.message})`);
  }
  try {
    return toFields(document.toJS({ maxAliasCount: 20 }), firstLine);
  } catch (error) {
    return toProblem(firstLine + 1, `valid YAML (${(error as Error).message})`);
  }
}

function parseTomlFields(source: string, firstLine: number): ParsedFields {
  try {
    return toFields(toText(parseToml(source, { integersAsBigInt: 'asNeeded' })), firstLine);
  } catch (error) {
    return toProblem(firstLine + 1, `valid TOML (${(error as Error).message.split('\n')[0]})`);
  }
}

function parseJsonFields(source: string, firstLine: number): ParsedFields {
  try {
    return toFields(toText(JSON.parse(source)), firstLine);
  } catch (error) {
    return toProblem(firstLine + 1, `valid JSON (${(error as Error).message})`);
  }
}

const PARSERS: Readonly<Record<string, (source: string, firstLine: number) => ParsedFields>> = {
  toml: parseTomlFields,
  json: parseJsonFields,
};

/** A JSON object may end at any of its lines that end with a brace. */
const JSON_ENDS_MAX = 200;

function splitJson(text: string): { fields: Fields; body: string } | FrontMatterProblems {
  let tried = 0;
  for (const { index } of text.matchAll(/\}[ \t]*(?=\r?\n|$)/g)) {
    tried += 1;
    if (tried > JSON_ENDS_MAX) break;
    const parsed = parseJsonFields(text.slice(0, index + 1), 1);
    if ('fields' in parsed) return { ...parsed, body: text.slice(index + 1).replace(/^[ \t]*\r?\n/, '') };
  }
  return toProblem(1, 'valid JSON');
}

/** Turns scalars of TOML and JSON into text. */
export function toText(value: unknown): unknown {
  if (value === null) return '';
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return value.map(toText);
  if (typeof value !== 'object') return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toText(inner)]));
}
