import type {
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
} from 'openapi3-ts/oas31';

/** Any schema of any of the three documents; read as plain JSON, since it is under suspicion. */
export type Json = Record<string, unknown>;
export type Found<T> = { readonly where: string; readonly value: T };

/** A body in any of the three versions; `itemSchema` is new in 3.2. */
export type Media = MediaTypeObject & { readonly type: string; readonly itemSchema?: Json };
export type Operation = OperationObject & { readonly where: string; readonly path: string };

export function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...(operation as OperationObject),
      path,
      where: `${method.toUpperCase()} ${path}`,
    })),
  );
}

export function parametersOf(operation: Operation): ParameterObject[] {
  return (operation.parameters ?? []) as ParameterObject[];
}

/** The responses of an operation with their references resolved. */
export function listResponses(document: OpenAPIObject, operation: Operation): [string, ResponseObject][] {
  return Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    resolve<ResponseObject>(document, response),
  ]);
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
export function schemasOf(document: OpenAPIObject): (Found<Json> & { readonly isNamed: boolean })[] {
  const named = Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) =>
    nested(`schema ${name}`, schema as Json, true),
  );
  const headers = Object.entries(document.components?.headers ?? {}).flatMap(([name, header]) =>
    nested(`header ${name}`, (header as Json).schema as Json, false),
  );
  const parameters = operationsOf(document).flatMap((operation) =>
    parametersOf(operation).flatMap((parameter) =>
      nested(`${operation.where} ${parameter.in} ${parameter.name}`, parameter.schema as Json, false),
    ),
  );
  const bodies = mediaOf(document).flatMap(({ where, value }) =>
    nested(where, (value.schema ?? value.itemSchema) as Json, false),
  );
  return [...named, ...headers, ...parameters, ...bodies];
}

export function resolve<T extends object>(document: OpenAPIObject, value: T | ReferenceObject): T {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.slice(2).split('/');
  const target = steps.reduce<unknown>((node, step) => (node as Json | undefined)?.[step], document);
  if (!target) throw new Error(`There is no ${value.$ref}`);
  return resolve(document, target as T | ReferenceObject);
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

/** In these the keys are names that somebody chose, not keywords. */
function isFieldMap(where: string): boolean {
  return /\/(properties|schemas|mapping)$/.test(where);
}

function nested(where: string, schema: Json | undefined, isNamed: boolean): ReturnType<typeof schemasOf> {
  if (!schema) return [];
  const lists = ['oneOf', 'anyOf', 'allOf', 'prefixItems'].flatMap((keyword) =>
    ((schema[keyword] ?? []) as Json[]).map((part, at) => [`${where} ${keyword}[${at}]`, part] as const),
  );
  const single = ['items', 'additionalProperties', 'contentSchema', 'not'].flatMap((keyword) =>
    typeof schema[keyword] === 'object' ? [[`${where} ${keyword}`, schema[keyword] as Json] as const] : [],
  );
  const fields = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(
    ([name, field]) => [`${where}.${name}`, field] as const,
  );
  const deeper = [...lists, ...single, ...fields].flatMap(([place, part]) => nested(place, part, false));
  return [{ where, value: schema, isNamed }, ...deeper];
}
