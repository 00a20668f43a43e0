import type { OpenAPIObject } from 'openapi3-ts/oas31';
import type { ZodOpenApiOverride } from 'zod-openapi';
import { eachObject } from './each-object.ts';

/** Keywords in the order in which people read a schema; what is not named here comes last, as it stood. */
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

/** Takes every text. Generators and linters ask each string for its alphabet, and this is the honest answer. */
export const ANY_TEXT = '^[\\s\\S]*$';

const INT32_MAX = 2_147_483_647;

type JsonSchema = Record<string, unknown>;

/** What Zod's JSON Schema lacks, or says in words that generators stumble over. Runs once for every schema. */
export const schemaOverride: ZodOpenApiOverride = ({ jsonSchema }) => {
  const schema = jsonSchema as JsonSchema;
  leaveTypeToMembers(schema);
  nameNullByType(schema);
  leaveBooleansOpen(schema);
  giveIntegersTheirWidth(schema);
  giveTextAnAlphabet(schema);
  listExamples(schema);
  sortKeywords(schema);
};

/** A schema that has a name says it all itself; where it is used, only a description may stand beside the reference. */
export function bareReferences(document: OpenAPIObject): void {
  eachObject(document, (object) => {
    if (typeof object.$ref !== 'string') return;
    for (const keyword of Object.keys(object)) {
      if (keyword !== '$ref' && keyword !== 'description') delete object[keyword];
    }
  });
}

function leaveTypeToMembers(schema: JsonSchema): void {
  if (schema.oneOf) delete schema.type;
}

/** `anyOf: [T, null]` of a scalar becomes `type: [T, 'null']`, the one form that all generators read. */
function nameNullByType(schema: JsonSchema): void {
  const [first, second, ...more] = (schema.anyOf ?? []) as JsonSchema[];
  if (!first || second?.type !== 'null' || more.length > 0 || typeof first.type !== 'string') return;
  delete schema.anyOf;
  Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] });
}

/** A boolean that is always true is said in its description: generators for Java write the constant down as a string. */
function leaveBooleansOpen(schema: JsonSchema): void {
  if (schema.type === 'boolean') delete schema.const;
}

function giveIntegersTheirWidth(schema: JsonSchema): void {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'number' && schema.format === undefined) schema.format = 'double';
  if (type !== 'integer' || schema.format !== undefined) return;
  const widest = Math.max(Math.abs(Number(schema.minimum)), Math.abs(Number(schema.maximum)));
  schema.format = widest <= INT32_MAX ? 'int32' : 'int64';
}

function giveTextAnAlphabet(schema: JsonSchema): void {
  const isText = schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'));
  const isNarrowed = ['pattern', 'format', 'enum', 'const'].some((keyword) => schema[keyword] !== undefined);
  if (isText && !isNarrowed) schema.pattern = ANY_TEXT;
}

/** The contract says `example`; JSON Schema says `examples`. */
function listExamples(schema: JsonSchema): void {
  if (schema.example === undefined) return;
  schema.examples = [schema.example];
  delete schema.example;
}

function sortKeywords(schema: JsonSchema): void {
  const sorted = Object.entries(schema).sort(([a], [b]) => rankOf(a) - rankOf(b));
  for (const [keyword, value] of sorted) {
    delete schema[keyword];
    schema[keyword] = value;
  }
}

function rankOf(keyword: string): number {
  const rank = KEYWORDS.indexOf(keyword);
  return rank < 0 ? KEYWORDS.length : rank;
}
