import type {
  ContentObject,
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
} from 'openapi3-ts/oas31';

export type Json = Record<string, unknown>;

/** Visits every object of a document, parents first. */
export function eachObject(node: unknown, visit: (object: Json) => void): void {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) visit(node as Json);
  for (const child of Object.values(node)) eachObject(child, visit);
}

/** Resolves a reference. Returns anything else as it is. */
export function resolve<T extends object>(
  document: Pick<OpenAPIObject, 'components'>,
  value: T | ReferenceObject,
): T {
  if (!('$ref' in value)) return value;
  const steps = value.$ref.slice(2).split('/');
  const target = steps.reduce<unknown>((node, step) => (node as Json | undefined)?.[step], document);
  if (!target) throw new Error(`There is no ${value.$ref}`);
  return resolve(document, target as T | ReferenceObject);
}

/** Returns the parameters of an operation, with references to shared parameters resolved. */
export function resolveParameters(
  document: OpenAPIObject,
  { parameters = [] }: Pick<OperationObject, 'parameters'>,
): ParameterObject[] {
  return parameters.map((parameter) => resolve<ParameterObject>(document, parameter));
}

/** Selects the components that a part of the document refers to, directly or through other components. */
export function selectReferenced(
  part: unknown,
  components: Readonly<Record<string, Json>>,
): Record<string, Json> {
  const found = new Set<string>();
  const visit = (node: unknown) =>
    eachObject(node, (object) => {
      const mapped = Object.values((object.mapping ?? {}) as Json);
      for (const reference of [object.$ref, ...mapped]) {
        if (typeof reference !== 'string' || found.has(reference)) continue;
        found.add(reference);
        const [kind, name] = reference.split('/').slice(-2) as [string, string];
        visit(components[kind]?.[name]);
      }
    });
  visit(part);
  const sections = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(Object.entries(named).filter(([name]) => found.has(`#/components/${kind}/${name}`))),
  ]);
  return Object.fromEntries(sections.filter(([, named]) => Object.keys(named as Json).length > 0));
}

/** Lists the bodies of all requests and responses. */
export function listBodies(document: OpenAPIObject): MediaTypeObject[] {
  return listOperations(document).flatMap(({ requestBody, responses = {} }) => {
    const holders = [requestBody, ...Object.values(responses)] as ({ content?: ContentObject } | undefined)[];
    return holders.flatMap((holder) => Object.values(holder?.content ?? {}));
  });
}

type PlacedOperation = {
  path: string;
  method: string;
  operation: OperationObject;
};

export function listPlacedOperations({ paths = {} }: OpenAPIObject): PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method,
      operation: operation as OperationObject,
    })),
  );
}

export function listOperations(document: OpenAPIObject): OperationObject[] {
  return listPlacedOperations(document).map(({ operation }) => operation);
}

export function pascalCase(words: string): string {
  return words.replace(/(?:^|[_/-])([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export function sortByName<T>(named: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)));
}
