import type { OpenAPIObject } from 'openapi3-ts/oas31';
import {
  type Json,
  listResponses,
  mediaOf,
  objectsOf,
  operationsOf,
  parametersOf,
  resolve,
  schemasOf,
} from './walk.ts';

/** The hard rules about operations. Each names the places that break it; none is how it should be. */

const RESERVED =
  'await break case catch class const continue debugger default delete do else export extends false finally for ' +
  'function if import in instanceof new null return super switch this throw true try typeof var void while with yield';

/**
 * Rule 6: one success with one media type, and one schema for every refusal, each by its own status. Sound is the exception: whoever speaks
 * decides on the format, and a document that named one of them would be wrong about the others; 3.0 tools are told the usual one alone.
 */
export function oneAnswer(document: OpenAPIObject): string[] {
  return operationsOf(document).flatMap((operation) => {
    const responses = listResponses(document, operation);
    const problems = responses.flatMap(([status, { content }]) => {
      const media = Object.entries(content ?? {});
      if (!/^[2-5]\d\d$/.test(status)) return [`${operation.where} answers ${status}`];
      const isSound = document.openapi > '3.1' && media.every(([type]) => type.startsWith('audio/'));
      if (media.length > 1 && !isSound) return [`${operation.where} ${status} has several media types`];
      if (status < '400') return [];
      const [type, body] = media[0] ?? [];
      const isRefusal = (body?.schema as Json)?.$ref === '#/components/schemas/ErrorBody';
      return isRefusal && type === 'application/json'
        ? []
        : [`${operation.where} ${status} is not a ErrorBody`];
    });
    const bodies = responses.filter(([status, { content }]) => status < '400' && content);
    if (bodies.length > 1) problems.push(`${operation.where} has several successes with a body`);
    return problems;
  });
}

/** Rule 7: operation ids are camelCase verb and noun, unique, with one declared tag. */
export function namedOperations(document: OpenAPIObject): string[] {
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

/** Rule 9: files arrive as fields of a named multipart schema with a content type, and leave as one concrete type. */
export function concreteFiles(document: OpenAPIObject): string[] {
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

/** Rule 10: an event stream is the union of its events; 3.2 says what one frame is. */
export function eventStreams(document: OpenAPIObject): string[] {
  const isFrames = document.openapi.startsWith('3.2');
  return mediaOf(document).flatMap(({ where, value }) => {
    if (value.type !== 'text/event-stream') return [];
    const $ref = ((isFrames ? value.itemSchema : value.schema) as Json | undefined)?.$ref;
    if (typeof $ref !== 'string') return [`${where} does not name its events`];
    const schema = resolve<Json>(document, { $ref });
    const data = (schema.properties as Record<string, Json> | undefined)?.data;
    const union = isFrames ? (data?.contentSchema as Json | undefined) : schema;
    const isUnion = union && Boolean(resolve<Json>(document, union).oneOf);
    const isJson = !isFrames || data?.contentMediaType === 'application/json';
    return isUnion && isJson ? [] : [`${where} is not a union of events`];
  });
}

/** Rule 11: parameters are plain and described, and none belongs to HTTP itself. */
export function plainParameters(document: OpenAPIObject): string[] {
  return operationsOf(document).flatMap((operation) =>
    parametersOf(operation).flatMap((parameter) => {
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

/** Rule 12: texts are sentences that survive in a comment of any language; every body and parameter has an example. */
export function readableTexts(document: OpenAPIObject): string[] {
  const texts = objectsOf(document).flatMap(({ where, value: { description } }) => {
    if (typeof description !== 'string') return [];
    const isSafe = !/"""|\*\/|\\/.test(description);
    const isSentence = description.length > 12 && /[.?]$/.test(description);
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
    parametersOf(operation)
      .filter((parameter) => !hasExample(parameter))
      .map(({ name }) => ({ where: `${operation.where} ${name}` })),
  );
  const silent = schemasOf(document).filter(
    ({ where, value, isNamed }) => (isNamed || /\.\w+$/.test(where)) && !value.$ref && !value.description,
  );
  return [
    ...texts,
    ...summaries,
    ...silent.map(({ where }) => `${where} has no description`),
    ...[...bodies, ...parameters].map(({ where }) => `${where} has no example`),
  ];
}

/** Rule 13: every operation says who may call it, and the document leaves out what tools trip over. */
export function saidSecurity(document: OpenAPIObject): string[] {
  const schemes = Object.keys(document.components?.securitySchemes ?? {});
  const operations = operationsOf(document).flatMap(({ where, security }) => {
    if (!security) return [`${where} does not say who may call it`];
    const unknown = security.flatMap(Object.keys).filter((name) => !schemes.includes(name));
    return unknown.map((name) => `${where} needs ${name}, which is not declared`);
  });
  const odd = [
    document.servers?.every((server) => typeof server['x-internal'] === 'boolean')
      ? []
      : 'servers without x-internal',
    'summary' in document.info ? 'info.summary' : [],
    document.components?.pathItems ? 'components.pathItems' : [],
    'webhooks' in document ? 'webhooks' : [],
    schemasOf(document).length === 0 ? 'no schemas' : [],
  ].flat();
  return [...operations, ...odd];
}
