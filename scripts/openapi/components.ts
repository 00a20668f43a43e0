import type {
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import {
  eachObject,
  type Json,
  listBodies,
  listOperations,
  pascalCase,
  selectReferenced,
  sortByName,
} from '../../contract/openapi/document.ts';

/**
 * Converts the contract's schemas for the document: requests are closed, because the service rejects unknown fields;
 * responses are open, because a later version may add fields.
 */

type Schemas = Record<string, SchemaObject | ReferenceObject>;

const SCHEMA = '#/components/schemas/';

/** Keywords that a later version may loosen, so clients of this version must not rely on them. */
const BOUNDS = [
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'uniqueItems',
];

/** Opens the schemas of responses. A schema that requests also use gets a closed variant with `Input` in its name. */
export function openResponses(document: OpenAPIObject): OpenAPIObject {
  const opened = structuredClone(document);
  const schemas = opened.components!.schemas as Schemas;
  const operations = listOperations(opened);
  const requests = operations.map(({ parameters, requestBody }) => ({ parameters, requestBody }));
  const responses = [
    operations.map(({ responses }) => responses),
    opened.components!.responses,
    // What the service sends is open too.
    opened.webhooks,
  ];
  const inRequests = listSchemas(requests, schemas);
  const inResponses = listSchemas(responses, schemas);
  const renamed = new Map(
    [...inRequests].filter((name) => inResponses.has(name)).map((name) => [name, `${name}Input`]),
  );
  const closed = Object.fromEntries(
    [...inRequests].map((name) => [renamed.get(name) ?? name, structuredClone(schemas[name]!)]),
  );
  for (const name of inResponses) eachObject(schemas[name], openSchema);
  for (const part of [requests, closed]) eachObject(part, (object) => renameReference(object, renamed));
  // The schema of the response says what both are.
  for (const variant of renamed.values()) delete closed[variant]!.description;
  opened.components!.schemas = sortByName({ ...schemas, ...closed });
  // Fields need no examples, because the examples of whole bodies show every field.
  const shown = [opened.components!.schemas, listBodies(opened).map(({ schema }) => schema)];
  eachObject(shown, (object) => Array.isArray(object.examples) && delete object.examples);
  return opened;
}

/** Lists the names of the schemas that a part of the document refers to, directly or through other schemas. */
function listSchemas(part: unknown, schemas: Schemas): Set<string> {
  return new Set(Object.keys(selectReferenced(part, { schemas }).schemas ?? {}));
}

function openSchema(object: Json): void {
  if (!isSchema(object)) return;
  for (const keyword of [...BOUNDS, 'additionalProperties']) delete object[keyword];
  if (!object.enum) return;
  object['x-extensible-enum'] = object.enum;
  delete object.enum;
  delete object['x-enum-varnames'];
}

/** Tells schemas from maps of fields. A map may have a field named `type`, but its value is a schema, never text. */
function isSchema({ type }: Json): boolean {
  return typeof type === 'string' || Array.isArray(type);
}

function renameReference(object: Json, renamed: ReadonlyMap<string, string>): void {
  const { $ref, mapping } = object;
  if (typeof $ref === 'string') object.$ref = rename($ref, renamed);
  if (mapping === null || typeof mapping !== 'object') return;
  const entries = Object.entries(mapping as Record<string, string>);
  object.mapping = Object.fromEntries(entries.map(([tag, target]) => [tag, rename(target, renamed)]));
}

function rename($ref: string, renamed: ReadonlyMap<string, string>): string {
  const name = renamed.get($ref.slice(SCHEMA.length));
  return name ? SCHEMA + name : $ref;
}

/** Moves responses that several operations return alike to components, named after the schema of the body. */
export function shareResponses(document: OpenAPIObject): OpenAPIObject {
  const shared = structuredClone(document);
  const responses = shared.components!.responses!;
  const returned = listOperations(shared).flatMap((operation) =>
    Object.entries(operation.responses as Record<string, ResponseObject | ReferenceObject>).flatMap(
      ([status, response]) => ('$ref' in response ? [] : [{ operation, status, response }]),
    ),
  );
  for (const alike of Map.groupBy(returned, ({ response }) => JSON.stringify(response)).values()) {
    const [{ response }, ...more] = alike as [(typeof alike)[number]];
    const name = nameResponse(response);
    if (more.length === 0 || !name || name in responses) continue;
    responses[name] = response;
    for (const { operation, status } of alike)
      operation.responses![status] = { $ref: `#/components/responses/${name}` };
  }
  shared.components!.responses = sortByName(responses);
  return shared;
}

/** The name of a schema is taken, because generators make a type of both. */
function nameResponse({ content = {} }: ResponseObject): string | undefined {
  const schema: ReferenceObject | SchemaObject = Object.values(content)[0]?.schema ?? {};
  return schema.$ref ? `${schema.$ref.slice(SCHEMA.length)}Response` : undefined;
}

/** Moves parameters that several operations declare alike to components, named after the parameter. */
export function shareParameters(document: OpenAPIObject): OpenAPIObject {
  const shared = structuredClone(document);
  const operations = listOperations(shared);
  const { schemas = {}, parameters: declared = {} } = shared.components!;
  const names = nameParameters(operations, [...Object.keys(schemas), ...Object.keys(declared)]);
  for (const operation of operations) {
    if (!operation.parameters) continue;
    operation.parameters = operation.parameters.map((parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name ? { $ref: `#/components/parameters/${name}` } : parameter;
    });
  }
  const parameters = [...names].map(([text, name]) => [name, JSON.parse(text) as ParameterObject]);
  const added = Object.fromEntries(parameters);
  if (names.size > 0)
    shared.components!.parameters = sortByName({ ...shared.components!.parameters, ...added });
  return shared;
}

/**
 * Names the shared parameters. Parameters that share a name but differ in meaning are also named after their operation,
 * except the first. So are parameters with the name of a schema or another parameter, because some generators make a type of both.
 */
function nameParameters(
  operations: readonly OperationObject[],
  taken: readonly string[],
): Map<string, string> {
  const uses = operations.flatMap(({ operationId, parameters = [] }) =>
    (parameters as ParameterObject[]).map((parameter) => ({ operationId: operationId!, parameter })),
  );
  const repeated = [...Map.groupBy(uses, ({ parameter }) => JSON.stringify(parameter))];
  const names = new Map<string, string>();
  for (const [text, [first, ...more]] of repeated) {
    if (more.length === 0) continue;
    const name = pascalCase(first!.parameter.name);
    const isTaken = taken.includes(name) || [...names.values()].includes(name);
    names.set(text, isTaken ? pascalCase(`${first!.operationId}_${first!.parameter.name}`) : name);
  }
  return names;
}
