import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { ZodOpenApiOverride } from 'zod-openapi';

export type Json = Record<string, unknown>;

/** Visits every object of a document, parents first. */
export function eachObject(node: unknown, visit: (object: Json) => void): void {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) visit(node as Json);
  for (const child of Object.values(node)) eachObject(child, visit);
}

/** Keywords in reading order; others follow in their original order. */
const KEYWORDS = [
  '$ref',
  'type',
  'format',
  'const',
  'enum',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'maxItems',
  'items',
  'oneOf',
  'discriminator',
  'description',
  'examples',
  'properties',
  'required',
  'additionalProperties',
];

/** Matches every text. Linters require a pattern on each string. */
export const ANY_TEXT = '^[\\s\\S]*$';

const INT32_MAX = 2_147_483_647;

type JsonSchema = Record<string, unknown>;

/**
 * Adds what Zod's JSON Schema lacks and rewrites what generators cannot read. Runs once per schema.
 */
export const schemaOverride: ZodOpenApiOverride = ({ jsonSchema }) => {
  const schema = jsonSchema as JsonSchema;
  removeUnionType(schema);
  replaceNullUnion(schema);
  removeBooleanConst(schema);
  addNumberFormat(schema);
  addPattern(schema);
  listExamples(schema);
  sortKeywords(schema);
};

/** Removes every sibling of a reference except the description, as generators require. */
export function removeReferenceSiblings(document: OpenAPIObject): void {
  eachObject(document, (object) => {
    if (typeof object.$ref !== 'string') return;
    for (const keyword of Object.keys(object)) {
      if (keyword !== '$ref' && keyword !== 'description') delete object[keyword];
    }
  });
}

function removeUnionType(schema: JsonSchema): void {
  if (schema.oneOf) delete schema.type;
}

/** Rewrites `anyOf: [T, null]` of a scalar to `type: [T, 'null']`, which all generators read. */
function replaceNullUnion(schema: JsonSchema): void {
  const [first, second, ...more] = (schema.anyOf ?? []) as JsonSchema[];
  if (!first || second?.type !== 'null' || more.length > 0 || typeof first.type !== 'string') return;
  delete schema.anyOf;
  Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] });
}

/** Drops the constant of booleans that are always true: Java generators write it as a string. */
function removeBooleanConst(schema: JsonSchema): void {
  if (schema.type === 'boolean') delete schema.const;
}

function addNumberFormat(schema: JsonSchema): void {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'number' && schema.format === undefined) schema.format = 'double';
  if (type !== 'integer' || schema.format !== undefined) return;
  const largest = Math.max(Math.abs(Number(schema.minimum)), Math.abs(Number(schema.maximum)));
  schema.format = largest <= INT32_MAX ? 'int32' : 'int64';
}

function addPattern(schema: JsonSchema): void {
  const isText = schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'));
  const isConstrained = ['pattern', 'format', 'enum', 'const'].some(
    (keyword) => schema[keyword] !== undefined,
  );
  if (isText && !isConstrained) schema.pattern = ANY_TEXT;
}

/** The contract says `example`; JSON Schema says `examples`. */
function listExamples(schema: JsonSchema): void {
  if (schema.example === undefined) return;
  schema.examples = [schema.example];
  delete schema.example;
}

function sortKeywords(schema: JsonSchema): void {
  const sorted = Object.entries(schema).sort(([a], [b]) => rankKeyword(a) - rankKeyword(b));
  for (const [keyword, value] of sorted) {
    delete schema[keyword];
    schema[keyword] = value;
  }
}

function rankKeyword(keyword: string): number {
  const rank = KEYWORDS.indexOf(keyword);
  return rank < 0 ? KEYWORDS.length : rank;
}
