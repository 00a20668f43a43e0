import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { resolve } from '../../contract/openapi/document.ts';
import {
  type Json,
  listResponses,
  mediaOf,
  objectsOf,
  operationsOf,
  parametersOf,
  requestSchemasOf,
  schemasOf,
} from './walk.ts';

/** The hard rules about schemas. Each returns the places in the document that break it; an empty list passes. */

const UNSUPPORTED_KEYWORDS = [
  'allOf',
  'anyOf',
  'unevaluatedProperties',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'not',
  'patternProperties',
  'propertyNames',
  '$defs',
  'prefixItems',
];
const SCALARS = ['string', 'number', 'integer', 'boolean'];

/** Names that generators or their target languages reserve. */
const RESERVED_NAMES =
  'Error ApiError Event Record Response Request File Blob Object List Map Set Date Result Type Option'.split(
    ' ',
  );

/** Whether a schema belongs to a request; component schemas are named after `schema`, others after their operation. */
function createRequestTest(document: OpenAPIObject): (where: string) => boolean {
  const names = requestSchemasOf(document);
  return (where) => {
    const [, name] = /^schema (\w+)/.exec(where) ?? [];
    return name
      ? names.has(name)
      : / (request|path|query|header) /.test(where) && !where.startsWith('header ');
  };
}

/** Rule 2: objects in requests are closed, those in responses open; both list required fields, without keywords that break generators. */
export function checkClosedObjects(document: OpenAPIObject): string[] {
  const isRequest = createRequestTest(document);
  return schemasOf(document).flatMap(({ where, value }) => {
    const keywords = UNSUPPORTED_KEYWORDS.filter((keyword) => keyword in value).map(
      (keyword) => `${where} uses ${keyword}`,
    );
    const isNestedReference = typeof value.$ref === 'string' && value.$ref.split('/').length !== 4;
    if (isNestedReference) keywords.push(`${where} refers to a part of a component`);
    if (value.type !== 'object') return keywords;
    const isClosed = value.additionalProperties === false;
    if (isClosed !== isRequest(where)) keywords.push(`${where} is ${isClosed ? 'closed' : 'open'}`);
    const fields = Object.keys((value.properties ?? {}) as Json);
    const required = (value.required ?? []) as string[];
    if (required.some((name) => !fields.includes(name))) keywords.push(`${where} requires an unknown field`);
    if (value.required && required.length === 0) keywords.push(`${where} has an empty list of requirements`);
    return keywords;
  });
}

/** Rule 3: null is allowed only beside a scalar type, in a list of types. */
export function checkScalarNulls(document: OpenAPIObject): string[] {
  return schemasOf(document).flatMap(({ where, value }) => {
    const problems: string[] = [];
    if (value.type === 'null') problems.push(`${where} is null alone`);
    if ('nullable' in value) problems.push(`${where} says nullable`);
    if ((value.enum as unknown[] | undefined)?.includes(null)) problems.push(`${where} has null in its enum`);
    if (!Array.isArray(value.type)) return problems;
    const [scalar, nothing, ...more] = value.type;
    const isPair = SCALARS.includes(scalar) && nothing === 'null' && more.length === 0;
    return isPair && !value.enum ? problems : [...problems, `${where} has the types ${value.type}`];
  });
}

/** Rule 4: every object, enum and union is a component whose name no generator reserves. */
export function checkNamedComponents(document: OpenAPIObject): string[] {
  const inline = schemasOf(document).flatMap(({ where, value, isNamed }) =>
    !isNamed && (value.type === 'object' || value.enum || value.oneOf) ? [`${where} has no name`] : [],
  );
  const { schemas, responses, headers, parameters } = document.components ?? {};
  const names = [schemas, responses, headers].flatMap((section) => Object.keys(section ?? {}));
  const all = [...names, ...Object.keys(parameters ?? {})];
  const plain = (name: string) => name.replaceAll('_', '').toLowerCase();
  const clashes = all.filter((name, at) => all.findIndex((other) => plain(other) === plain(name)) !== at);
  const shapeless = names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name));
  const reservedNames = names.filter((name) => RESERVED_NAMES.includes(name));
  return [
    ...inline,
    ...clashes.map((name) => `${name} is used twice`),
    ...shapeless.map((name) => `${name} is not PascalCase`),
    ...reservedNames.map((name) => `${name} means something else to a generator`),
    ...findTroublesomeConstants(document),
  ];
}

/** Go generators name constants like enums; Java generators write a constant boolean as a string. */
function findTroublesomeConstants(document: OpenAPIObject): string[] {
  const { schemas = {} } = document.components ?? {};
  return schemasOf(document).flatMap(({ where, value }) => {
    if (typeof value.const === 'boolean') return [`${where} is a constant boolean`];
    if (typeof value.const !== 'string') return [];
    const name = value.const.replace(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const named = schemas[name] ?? {};
    const isEnum = 'enum' in named || 'x-extensible-enum' in named;
    return isEnum ? [`${where} is a constant with the name of the enum ${name}`] : [];
  });
}

/** Rule 5: a union is a `oneOf` of named members, discriminated by the constant in one required field. */
export function checkTaggedUnions(document: OpenAPIObject): string[] {
  return schemasOf(document).flatMap(({ where, value }) => {
    if (!value.oneOf) return [];
    const members = (value.oneOf as { $ref?: string }[]).map(({ $ref }) => $ref);
    const { propertyName, mapping } = (value.discriminator ?? {}) as {
      propertyName?: string;
      mapping?: Record<string, string>;
    };
    if (!propertyName || !mapping) return [`${where} has no discriminator with a mapping`];
    if (members.some((member) => !member)) return [`${where} has a member without a name`];
    const unmapped = members.filter((member) => !Object.values(mapping).includes(member!));
    const wrong = Object.entries(mapping).filter(
      ([tag, $ref]) => !isTagged(resolve(document, { $ref }), propertyName, tag),
    );
    return [
      ...unmapped.map((member) => `${where} does not map ${member}`),
      ...wrong.map(([tag]) => `${where} maps ${tag} to something that is not tagged so`),
    ];
  });
}

/**
 * Rule 8: in requests, every scalar says how large it may be; in responses, none does, and enums are open, because later
 * versions may send more.
 */
export function checkBoundedScalars(document: OpenAPIObject): string[] {
  const isRequest = createRequestTest(document);
  return schemasOf(document).flatMap(({ where, value }) => [
    ...(isRequest(where) ? boundsMissing(value) : boundsGiven(value)).map((problem) => `${where} ${problem}`),
    ...enumProblems(value).map((problem) => `${where} ${problem}`),
    ...(isInteger(value) && value.format ? [`${where} is no plain integer`] : []),
  ]);
}

/** Rule 14: beside a reference, only a description is allowed. */
export function checkBareReferences(document: OpenAPIObject): string[] {
  return objectsOf(document).flatMap(({ where, value }) => {
    if (typeof value.$ref !== 'string') return [];
    const siblings = Object.keys(value).filter((key) => key !== '$ref' && key !== 'description');
    return siblings.map((key) => `${where} has ${key} beside $ref`);
  });
}

function isInteger({ type }: Json): boolean {
  return type === 'integer' || (Array.isArray(type) && type.includes('integer'));
}

function isTagged(member: Json, propertyName: string, tag: string): boolean {
  const field = (member.properties as Record<string, Json> | undefined)?.[propertyName];
  const isRequired = (member.required as string[] | undefined)?.includes(propertyName);
  return !member.oneOf && Boolean(isRequired) && field?.type === 'string' && field.const === tag;
}

function boundsMissing(schema: Json): string[] {
  if (schema.$ref || schema.enum || 'const' in schema) return [];
  const missing = (...keywords: string[]) =>
    keywords.filter((keyword) => schema[keyword] === undefined).map((keyword) => `has no ${keyword}`);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'array') return missing('maxItems', 'items');
  if (type === 'number' || type === 'integer') return missing('minimum', 'maximum');
  return type === 'string' && schema.format !== 'binary' ? missing('maxLength') : [];
}

function boundsGiven(schema: Json): string[] {
  const bounds = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'maxItems', 'enum'];
  return bounds.filter((keyword) => keyword in schema).map((keyword) => `has a ${keyword}`);
}

/** Keywords of languages that clients are written in, besides those of `RESERVED`. */
const KEYWORDS =
  'abstract and as async begin bool char def defer del double elif end enum except fn for from func global go impl int ' +
  'interface is lambda let long loop match mod module move mut namespace nil none not object operator or package pass ' +
  'private protected public raise ref return select self static string struct super trait undef union unless until use ' +
  'val var when where';

function enumProblems(schema: Json): string[] {
  const values = (schema.enum ?? schema['x-extensible-enum']) as unknown[] | undefined;
  const names = (schema['x-enum-varnames'] ?? schema.enum ?? []) as string[];
  const reserved = new Set(`${RESERVED} ${KEYWORDS}`.split(' '));
  if (!values) return [];
  const words = values.map((value) =>
    String(value)
      .replace(/[^A-Za-z0-9]/g, '')
      .toLowerCase(),
  );
  const problems: string[] = [];
  if (values.some((value) => typeof value !== 'string' || value === '')) problems.push('lists an odd value');
  if (new Set(words).size < words.length) problems.push('lists values that become one in camelCase');
  if (names.length < ((schema.enum as unknown[] | undefined) ?? []).length)
    problems.push('names some values only');
  for (const name of names) if (reserved.has(name)) problems.push(`has a value with the name ${name}`);
  return problems;
}

/** The hard rules about operations. Each returns the places in the document that break it; an empty list passes. */

const RESERVED =
  'await break case catch class const continue debugger default delete do else export extends false finally for ' +
  'function if import in instanceof new null return super switch this throw true try typeof var void while with yield';

/**
 * Rule 6: one success response with one media type, and one body for every error; status 400 stands beside the others
 * where there is input. Audio lists several media types, because the provider determines the format; 3.0 documents list
 * the default alone.
 */
export function checkResponses(document: OpenAPIObject): string[] {
  return operationsOf(document).flatMap((operation) => {
    const responses = listResponses(document, operation);
    const problems = responses.flatMap(([status, { content }]) => {
      const media = Object.entries(content ?? {});
      if (!/^(2\d\d|400|default)$/.test(status)) return [`${operation.where} returns ${status}`];
      const isAudio = document.openapi > '3.1' && media.every(([type]) => type.startsWith('audio/'));
      if (media.length > 1 && !isAudio) return [`${operation.where} ${status} has several media types`];
      if (status.startsWith('2')) return [];
      const [type, body] = media[0] ?? [];
      const isErrorBody = (body?.schema as Json)?.$ref === '#/components/schemas/ErrorBody';
      return isErrorBody && type === 'application/json'
        ? []
        : [`${operation.where} ${status} is not a ErrorBody`];
    });
    const bodies = responses.filter(([status, { content }]) => status.startsWith('2') && content);
    if (!operation.responses?.default) problems.push(`${operation.where} declares no errors`);
    const takesInput =
      operation.requestBody || parametersOf(document, operation).some((one) => one.in === 'query');
    if (Boolean(takesInput) !== Object.hasOwn(operation.responses ?? {}, '400'))
      problems.push(`${operation.where} declares bad input where there is none, or not where there is`);
    if (bodies.length > 1) problems.push(`${operation.where} has several successes with a body`);
    return problems;
  });
}

/** Rule 7: operation ids are camelCase verb and noun, unique, with one declared tag. */
export function checkNamedOperations(document: OpenAPIObject): string[] {
  const operations = operationsOf(document);
  const tags = document.tags?.map(({ name }) => name) ?? [];
  const plain = (id: string | undefined) => id?.replaceAll('_', '').toLowerCase();
  return operations.flatMap(({ where, operationId = '', tags: own = [] }, at) => {
    const problems: string[] = [];
    const isVerbNoun = /^[a-z][a-z0-9]*([A-Z][a-z0-9]*)+$/.test(operationId) && operationId.length <= 40;
    if (!isVerbNoun || RESERVED.split(' ').includes(operationId))
      problems.push(`${where} is called ${operationId}`);
    const first = operations.findIndex((other) => plain(other.operationId) === plain(operationId));
    if (first !== at) problems.push(`${where} has the name of ${operations[first]?.where}`);
    if (own.length !== 1 || !tags.includes(own[0]!)) problems.push(`${where} has the tags ${own}`);
    return problems;
  });
}

/** Rule 9: uploads are fields of a named multipart schema with a content type; downloads have one concrete media type. */
export function checkConcreteFiles(document: OpenAPIObject): string[] {
  return mediaOf(document).flatMap(({ where, value }) => {
    if (value.type.includes('*')) return [`${where} is not one media type`];
    const schema = value.schema as Json | undefined;
    const isBinary = /^(audio|image|video)\/|octet-stream$/.test(value.type);
    if (isBinary) return schema?.format === 'binary' ? [] : [`${where} is not binary`];
    if (value.type !== 'multipart/form-data') return [];
    if (!schema?.$ref) return [`${where} has no named schema`];
    const fields = Object.entries((resolve(document, schema) as Json).properties as Record<string, Json>);
    const files = fields.filter(([, field]) => field.format === 'binary').map(([name]) => name);
    return files
      .filter((name) => !value.encoding?.[name]?.contentType)
      .map((name) => `${where} says no content type for ${name}`);
  });
}

/** Rule 10: an event stream names the union of its events: as its schema, or in 3.0 beside it, where streams are text. */
export function checkEventStreams(document: OpenAPIObject): string[] {
  const isText = document.openapi.startsWith('3.0');
  return mediaOf(document).flatMap(({ where, value }) => {
    const isStream = value.type === 'text/event-stream';
    if (!isStream && value.type !== 'application/x-ndjson') return [];
    if (typeof value.example !== 'string') return [`${where} has no text as its example`];
    if (isText && (value.schema as Json | undefined)?.type !== 'string') return [`${where} is no text`];
    const $ref = ((isText ? value['x-event-schema'] : value.schema) as Json | undefined)?.$ref;
    if (typeof $ref !== 'string') return [`${where} does not name its events`];
    const isUnion = Boolean(resolve<Json>(document, { $ref }).oneOf);
    return isUnion || !isStream ? [] : [`${where} is not a union of events`];
  });
}

/** Rule 11: parameters have a schema and a description, and none duplicates a header that HTTP defines. */
export function checkPlainParameters(document: OpenAPIObject): string[] {
  return operationsOf(document).flatMap((operation) =>
    parametersOf(document, operation).flatMap((parameter) => {
      const { name, in: place, description, schema, style, explode } = parameter;
      const shape = (schema ?? {}) as Json;
      const where = `${operation.where} ${place} ${name}`;
      const problems: string[] = [];
      if (!schema) problems.push(`${where} has no schema`);
      if (!description) problems.push(`${where} has no description`);
      if (/^(accept|content-type|authorization)$/i.test(name)) problems.push(`${where} belongs to HTTP`);
      if (place === 'header' && (shape.type !== 'string' || shape.enum))
        problems.push(`${where} is not plain`);
      if (shape.type === 'array' && !(style === 'form' && explode === true))
        problems.push(`${where} is a list`);
      if (/[[\]]/.test(name) || style === 'deepObject' || parameter.content)
        problems.push(`${where} is nested`);
      if (place === 'path' && !/^[a-z][A-Za-z0-9]*$/.test(name)) problems.push(`${where} is not camelCase`);
      return problems;
    }),
  );
}

/** Rule 12: descriptions are sentences, safe inside comments of any language; every body and parameter has an example. */
export function checkReadableTexts(document: OpenAPIObject): string[] {
  const texts = objectsOf(document).flatMap(({ where, value: { description } }) => {
    if (typeof description !== 'string') return [];
    const isSafe = !/"""|\*\/|\\/.test(description);
    const isSentence = description.length > 7 && /[.?]$/.test(description);
    return isSentence && isSafe ? [] : [`${where} is described as: ${description}`];
  });
  const summaries = operationsOf(document).flatMap(({ where, summary, description }) => {
    const isTitle = summary && summary.length <= 60 && !summary.endsWith('.');
    return isTitle && description ? [] : [`${where} is summed up as: ${summary}`];
  });
  const hasExample = (value: { example?: unknown; examples?: unknown }) =>
    value.example !== undefined || value.examples !== undefined;
  const bodies = mediaOf(document).filter(({ value }) => !hasExample(value));
  const parameters = operationsOf(document).flatMap((operation) =>
    parametersOf(document, operation)
      .filter((parameter) => !hasExample(parameter))
      .map(({ name }) => ({ where: `${operation.where} ${name}` })),
  );
  return [
    ...texts,
    ...summaries,
    ...[...bodies, ...parameters].map(({ where }) => `${where} has no example`),
  ];
}

/** Rule 13: every operation declares its security, and the document omits features that break tools. */
export function checkDeclaredSecurity(document: OpenAPIObject): string[] {
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  const operations = operationsOf(document).flatMap(({ where, security }) => {
    if (!security) return [`${where} does not say who may call it`];
    const unknown = security.flatMap(Object.keys).filter((name) => !schemes.includes(name));
    return unknown.map((name) => `${where} needs ${name}, which is not declared`);
  });
  const unsupported = [
    document.servers?.every((server) => typeof server['x-internal'] === 'boolean')
      ? []
      : 'servers without x-internal',
    'summary' in document.info ? 'info.summary' : [],
    document.components?.pathItems ? 'components.pathItems' : [],
    Object.keys(document.webhooks ?? { any: {} }).length === 0 ? 'webhooks' : [],
    schemasOf(document).length === 0 ? 'no schemas' : [],
  ].flat();
  return [...operations, ...unsupported];
}
