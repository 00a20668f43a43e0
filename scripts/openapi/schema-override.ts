import type {
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import type { ZodOpenApiOverride } from 'zod-openapi';
import { eachObject, listOperations, resolve } from '../../contract/openapi/document.ts';

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

type JsonSchema = Record<string, unknown>;

/**
 * Adds what Zod's JSON Schema lacks and rewrites what generators cannot read. Runs once per schema.
 */
export const schemaOverride: ZodOpenApiOverride = ({ jsonSchema }) => {
  const schema = jsonSchema as JsonSchema;
  removeUnionType(schema);
  replaceNullUnion(schema);
  removeBooleanConst(schema);
  formatNumber(schema);
  removeCalendarPattern(schema);
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

/** The largest integer of `z.int32()`. */
const INT32_MAX = 2 ** 31 - 1;

/**
 * Marks integers that may exceed 32 bits for the document in 3.0.3. They have no format here, because all fit a double,
 * and some generators make big integers of `int64`.
 */
function formatNumber(schema: JsonSchema): void {
  if (schema.type === 'number') schema.format = 'double';
  if (schema.type !== 'integer') return;
  delete schema.format;
  if (Number(schema.maximum) > INT32_MAX) schema['x-int64'] = true;
}

/** Removes the pattern in which Zod spells out the calendar, because the format implies it. */
function removeCalendarPattern(schema: JsonSchema): void {
  if (schema.format === 'date-time' || schema.format === 'date') delete schema.pattern;
}

/** Converts the `example` of the contract to the `examples` of JSON Schema. */
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

/** Adds a valid example to every parameter and body of the document. */
export function fillExamples(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  for (const operation of listOperations(document)) fillOperation(operation, schemas);
  return document;
}

function fillOperation(operation: OperationObject, schemas: Schemas): void {
  for (const parameter of (operation.parameters ?? []) as ParameterObject[]) {
    fillParameter(parameter, schemas);
  }
  const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})];
  for (const body of bodies as (RequestBodyObject | ResponseObject | undefined)[]) {
    for (const [type, media] of Object.entries(body?.content ?? {})) fillMedia(type, media, schemas);
  }
}

/** Moves the schema's description to the parameter. */
function fillParameter(parameter: ParameterObject, schemas: Schemas): void {
  const schema = resolve<SchemaObject>({ components: { schemas } }, parameter.schema!);
  parameter.example = createExample(schema, schemas, parameter.name);
  if (schema.type === 'array') Object.assign(parameter, { style: 'form', explode: true });
  if ('$ref' in parameter.schema!) {
    delete parameter.schema.description;
    return;
  }
  const { description: _, examples: __, ...shape } = schema;
  parameter.schema = shape as SchemaObject;
}

/** Adds an example to a body. That of a stream is text, as it is sent, so that mock servers can send it. */
function fillMedia(type: string, media: MediaTypeObject, schemas: Schemas): void {
  if (!media.schema || media.example !== undefined) return;
  if (type === 'text/event-stream') media.example = createStreamExample(media.schema, schemas);
  else if (type === 'application/x-ndjson')
    media.example = `${JSON.stringify(createExample(media.schema, schemas))}\n`;
  else media.example = createExample(media.schema, schemas);
}

type Schema = SchemaObject | ReferenceObject;
type Schemas = Readonly<Record<string, Schema>>;

/**
 * Creates a valid value of a schema: its own example, or one built from its parts. Leaves out optional
 * fields without an example. Throws for text with a pattern and no example.
 */
export function createExample(schema: Schema, schemas: Schemas, where = 'schema'): unknown {
  const own = getOwnExample(schema);
  if (own !== undefined) return own;
  if ('$ref' in schema)
    return createExample(resolve<SchemaObject>({ components: { schemas } }, schema), schemas, where);
  if (schema.oneOf) return createExample(schema.oneOf[0]!, schemas, where);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return createObjectExample(schema, schemas, where);
    case 'array':
      return [createExample(schema.items as Schema, schemas, `${where}[]`)];
    case 'string':
      return createTextExample(schema, where);
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    default:
      throw new Error(`No example can be made of ${where}: ${JSON.stringify(schema)}`);
  }
}

/** Creates a whole stream with one event of each type, except an error, which would end it early. */
function createStreamExample(schema: Schema, schemas: Schemas): string {
  const { discriminator } = resolve<SchemaObject>({ components: { schemas } }, schema);
  const events = Object.entries(discriminator!.mapping!).filter(([type]) => type !== 'error');
  const frames = events.map(([type, $ref], seq) => {
    const event = { ...(createExample({ $ref }, schemas, `${type}[]`) as JsonSchema), seq };
    return `id: msg_01kakv2fxse7wtg6x5r0h8rjbm:${seq}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  return frames.join('');
}

function getOwnExample(schema: Schema): unknown {
  if ('$ref' in schema) return undefined;
  // An example may be null.
  return schema.examples?.length ? schema.examples[0] : (schema.const ?? schema.enum?.[0]);
}

function createObjectExample(schema: SchemaObject, schemas: Schemas, where: string): Record<string, unknown> {
  const isRow = where.endsWith('[]');
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name, field]) => schema.required?.includes(name) || (!isRow && 'examples' in field && field.examples),
  );
  return Object.fromEntries(
    fields.map(([name, field]) => [name, createExample(field, schemas, `${where}.${name}`)]),
  );
}

function createTextExample(schema: SchemaObject, where: string): string {
  if (schema.format === 'uri') return 'https://shop.example.com/';
  if (schema.pattern === undefined && schema.format === undefined) return 'text';
  throw new Error(`Give ${where} an example in the contract: none can be made from its pattern or format.`);
}
