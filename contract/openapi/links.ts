import type {
  LinkObject,
  OpenAPIObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { listPlacedOperations, type PlacedOperation, resolve, resolveParameters } from './document.ts';

/**
 * Adds OpenAPI links: from a create response to the operations on the new item; from a page to the operations on its
 * first item, if no operation creates items there; and from each page to the next.
 */
export function addLinks(document: OpenAPIObject): OpenAPIObject {
  const linked = structuredClone(document);
  const operations = listPlacedOperations(linked);
  for (const from of operations) {
    const links = [...listItemLinks(from, operations, linked), ...listNextPageLinks(from, linked)];
    if (links.length > 0) getSuccessResponse(from).links = Object.fromEntries(links);
  }
  return linked;
}

type Link = readonly [name: string, link: LinkObject];

function listItemLinks(
  from: PlacedOperation,
  all: readonly PlacedOperation[],
  document: OpenAPIObject,
): Link[] {
  const pointer = pointToId(from, all, document);
  if (!pointer) return [];
  return all.flatMap((to): Link[] => {
    const parameters = fillItemPath(from, to, pointer);
    const operationId = to.operation.operationId!;
    return parameters ? [[operationId, { operationId, parameters }]] : [];
  });
}

/** Returns a JSON pointer to an item's id in the response of an operation on a collection; undefined without any. */
function pointToId(
  from: PlacedOperation,
  all: readonly PlacedOperation[],
  document: OpenAPIObject,
): string | undefined {
  const creates = ({ method, operation }: PlacedOperation) =>
    method === 'post' && '201' in operation.responses!;
  if (creates(from)) return '/id';
  const isCreated = all.some((each) => each.path === from.path && creates(each));
  const { data } = getResponseFields(from, document);
  const { items } = (data ?? {}) as SchemaObject;
  const hasId = items && 'id' in (resolve<SchemaObject>(document, items).properties ?? {});
  return hasId && !isCreated ? '/data/0/id' : undefined;
}

/** Returns the path parameters of an operation on an item, or one step below it; undefined for other operations. */
function fillItemPath(
  from: PlacedOperation,
  to: PlacedOperation,
  pointer: string,
): Record<string, string> | undefined {
  if (!to.path.startsWith(`${from.path}/{`)) return undefined;
  const [item, ...below] = to.path.slice(from.path.length + 1).split('/');
  if (below.length > 1 || below.some((part) => part.startsWith('{'))) return undefined;
  return { ...toPathParameters(from.path), [item!.slice(1, -1)]: `$response.body#${pointer}` };
}

function toPathParameters(path: string): Record<string, string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return Object.fromEntries(names.map((name) => [name, `$request.path.${name}`]));
}

function listNextPageLinks(from: PlacedOperation, document: OpenAPIObject): Link[] {
  const { path, operation } = from;
  const takesCursor = resolveParameters(document, operation).some(({ name }) => name === 'cursor');
  const fields = getResponseFields(from, document);
  const next = ['nextCursor', 'next_cursor'].find((name) => name in fields);
  if (!takesCursor || !next) return [];
  const parameters = { ...toPathParameters(path), cursor: `$response.body#/${next}` };
  return [['nextPage', { operationId: operation.operationId!, parameters }]];
}

/** Returns the fields of an operation's response. */
function getResponseFields(
  from: PlacedOperation,
  document: OpenAPIObject,
): Record<string, SchemaObject | ReferenceObject> {
  const { schema = {} } = getSuccessResponse(from).content?.['application/json'] ?? {};
  return resolve<SchemaObject>(document, schema).properties ?? {};
}

function getSuccessResponse({ operation }: Pick<PlacedOperation, 'operation'>): ResponseObject {
  const [status] = Object.keys(operation.responses!);
  return operation.responses![status!] as ResponseObject;
}
