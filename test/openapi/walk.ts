import type {
  ExampleObject,
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ResponseObject,
} from 'openapi3-ts/oas31';

import { resolve } from '../../contract/openapi/document.ts';

/** Any schema of both versions, read as plain JSON because it may be invalid. */
export type Json = Record<string, unknown>;
export type Found<T> = { where: string; value: T };

type Media = MediaTypeObject & { type: string };
export type Operation = OperationObject & { where: string; path: string };

export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...(operation as OperationObject),
      path,
      where: `${method.toUpperCase()} ${path}`,
    })),
  );
}

export function parametersOf(document: OpenAPIObject, operation: Operation): ParameterObject[] {
  return (operation.parameters ?? []).map((parameter) => resolve<ParameterObject>(document, parameter));
}

/** The responses of an operation with their references resolved. */
export function listResponses(document: OpenAPIObject, operation: Operation): [string, ResponseObject][] {
  return Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    resolve<ResponseObject>(document, response),
  ]);
}

/** The one example of a body; several bodies may share it. */
export function exampleOf(document: OpenAPIObject, media: MediaTypeObject): unknown {
  const [shared] = Object.values(media.examples ?? {});
  return shared ? resolve<ExampleObject>(document, shared).value : media.example;
}

/** Every body, of requests and of responses, with its media type. */
export function mediaOf(document: OpenAPIObject): Found<Media>[] {
  return operationsOf(document).flatMap((operation) => {
    const body = operation.requestBody as { content: Record<string, MediaTypeObject> } | undefined;
    const responses = listResponses(document, operation).map(
      ([status, { content }]) => [status, content ?? {}] as const,
    );
    return [['request', body?.content ?? {}] as const, ...responses].flatMap(([name, content]) =>
      Object.entries(content).map(([type, media]) => ({
        where: `${operation.where} ${name} ${type}`,
        value: { ...media, type },
      })),
    );
  });
}

/** Every schema at every depth; `isNamed` is true for those directly under components.schemas. */
export function schemasOf(document: OpenAPIObject): (Found<Json> & { isNamed: boolean })[] {
  const named = Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) =>
    nested(`schema ${name}`, schema as Json, true),
  );
  const headers = Object.entries(document.components?.headers ?? {}).flatMap(([name, header]) =>
    nested(`header ${name}`, (header as Json).schema as Json, false),
  );
  const parameters = operationsOf(document).flatMap((operation) =>
    parametersOf(document, operation).flatMap((parameter) =>
      nested(`${operation.where} ${parameter.in} ${parameter.name}`, parameter.schema as Json, false),
    ),
  );
  const bodies = mediaOf(document).flatMap(({ where, value }) => nested(where, value.schema as Json, false));
  return [...named, ...headers, ...parameters, ...bodies];
}

/** The names of the schemas that requests use, directly or through others. */
export function requestSchemasOf(document: OpenAPIObject): Set<string> {
  const found = new Set<string>();
  const visit = (node: unknown) => {
    for (const [, name] of JSON.stringify(node ?? {}).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.size < found.add(name!).size) visit(document.components?.schemas?.[name!]);
    }
  };
  for (const operation of operationsOf(document)) {
    visit(operation.requestBody);
    visit(parametersOf(document, operation));
  }
  return found;
}

/** Every object of the document but those inside examples, which are data. */
export function objectsOf(node: unknown, where = ''): Found<Json>[] {
  if (node === null || typeof node !== 'object') return [];
  const children = Object.entries(node).flatMap(([key, child]) =>
    ['example', 'examples', 'enum', 'const'].includes(key) && !isFieldMap(where)
      ? []
      : objectsOf(child, `${where}/${key}`),
  );
  return Array.isArray(node) || isFieldMap(where) ? children : [{ where, value: node as Json }, ...children];
}

/** In these objects, keys are names and not keywords. */
function isFieldMap(where: string): boolean {
  return /\/(properties|schemas|mapping)$/.test(where);
}

function nested(where: string, schema: Json | undefined, isNamed: boolean): ReturnType<typeof schemasOf> {
  if (!schema) return [];
  const lists = ['oneOf', 'anyOf', 'allOf', 'prefixItems'].flatMap((keyword) =>
    ((schema[keyword] ?? []) as Json[]).map((part, at) => [`${where} ${keyword}[${at}]`, part] as const),
  );
  const single = ['items', 'additionalProperties', 'not'].flatMap((keyword) =>
    typeof schema[keyword] === 'object' ? [[`${where} ${keyword}`, schema[keyword] as Json] as const] : [],
  );
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(
    ([name, field]) => [`${where}.${name}`, field] as const,
  );
  const deeper = [...lists, ...single, ...fields].flatMap(([place, part]) => nested(place, part, false));
  return [{ where, value: schema, isNamed }, ...deeper];
}
