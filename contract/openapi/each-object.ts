export type Json = Record<string, unknown>;

/** Visits every object of a document, parents first. */
export function eachObject(node: unknown, visit: (object: Json) => void): void {
  if (node === null || typeof node !== 'object') return;
  if (!Array.isArray(node)) visit(node as Json);
  for (const child of Object.values(node)) eachObject(child, visit);
}
