import type { MediaTypeObject, OpenAPIObject, OperationObject } from 'openapi3-ts/oas31';
import { eachObject, type Json, selectReferenced } from './document.ts';

/** The published document as OpenAPI 3.0, and the part of it that one audience needs. */

/** Returns the document as OpenAPI 3.0, for generators that do not read 3.1. */
export function toOpenapi30(document: OpenAPIObject): OpenAPIObject {
  const { webhooks: _, ...variant } = structuredClone(document);
  variant.openapi = '3.0.3';
  const { securitySchemes = {}, ...components } = variant.components!;
  // 3.0 has no webhooks, so nothing may refer to their schemas.
  variant.components = {
    ...selectReferenced(variant.paths, components as Record<string, Json>),
    securitySchemes,
  };
  eachObject(variant, replaceConst);
  eachObject(variant, replaceNull);
  eachObject(variant, wrapReference);
  eachObject(variant, replaceWideInteger);
  eachObject(variant, keepDefaultAudio);
  eachObject(variant, replaceStream);
  return variant;
}

/**
 * Who calls an operation: a page's front end, a program with an API key, or the dashboard. `integration` is what third
 * parties need: the operations of the first two, and those on translations.
 */
export const AUDIENCES = ['integration', 'visitor', 'export', 'management'] as const;
type Audience = (typeof AUDIENCES)[number];

/** Returns the operations of one audience, with the components that they need. */
export function toAudience(document: OpenAPIObject, audience: Audience): OpenAPIObject {
  const { paths = {}, webhooks, components, tags = [], ...head } = structuredClone(document);
  const kept = Object.entries(paths).flatMap(([path, item]) => {
    const methods = Object.entries(item).filter(([, operation]) => isFor(audience, operation));
    return methods.length > 0 ? [[path, Object.fromEntries(methods)] as const] : [];
  });
  const operations = kept.flatMap(([, item]) => Object.values(item) as OperationObject[]);
  const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
  const schemes = new Set(operations.flatMap(({ security = [] }) => security.flatMap(Object.keys)));
  const securitySchemes = Object.fromEntries(
    Object.entries(components?.securitySchemes ?? {}).filter(([name]) => schemes.has(name)),
  );
  const sent = audience === 'management' && webhooks ? { webhooks } : {};
  return {
    ...head,
    ...selectExtensions(head, operations, Object.values(securitySchemes)),
    info: { ...head.info, title: `${head.info.title} (${audience})` },
    tags: tags.filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(kept),
    ...sent,
    components: {
      ...selectReferenced([kept, sent], components as Record<string, Json>),
      securitySchemes,
    },
  };
}

/** Selects, from the top of the document, the rate limits and error statuses that these operations use. */
function selectExtensions(head: Json, operations: readonly object[], schemes: readonly object[]): Json {
  const listAt = (extension: string, parts: readonly object[]) =>
    new Set(parts.flatMap((part) => (Reflect.get(part, extension) ?? []) as string[]));
  const buckets = listAt('x-guidepost-buckets', operations);
  const errors = listAt('x-guidepost-errors', [head, ...schemes, ...operations]);
  const sizes = Object.entries(head['x-guidepost-buckets'] as Json);
  const statuses = Object.entries(head['x-guidepost-error-statuses'] as Record<string, string[]>);
  const returned = statuses.map(
    ([status, codes]) => [status, codes.filter((code) => errors.has(code))] as const,
  );
  return {
    'x-guidepost-buckets': Object.fromEntries(sizes.filter(([name]) => buckets.has(name))),
    'x-guidepost-error-statuses': Object.fromEntries(returned.filter(([, codes]) => codes.length > 0)),
  };
}

function isFor(audience: Audience, operation: OperationObject): boolean {
  const isForPages = operation['x-guidepost-cross-origin'] === true;
  const schemes = (operation.security ?? []).flatMap(Object.keys);
  const takesApiKey = !isForPages && schemes.some((name) => name.startsWith('apiKey'));
  const isOnTranslations = (operation.tags ?? []).includes('Translations');
  const answers: Record<Audience, boolean> = {
    integration: isForPages || takesApiKey || isOnTranslations,
    visitor: isForPages,
    export: takesApiKey,
    management: !(isForPages || takesApiKey),
  };
  return answers[audience];
}

/** Keeps only the default media type of audio, because generators for 3.0 support one per response. */
function keepDefaultAudio(object: Json): void {
  const content = (object.content ?? {}) as Record<string, unknown>;
  const [first, ...others] = Object.keys(content);
  if (!first?.startsWith('audio/')) return;
  for (const mediaType of others) delete content[mediaType];
}

/** Replaces a constant, which 3.0 lacks, with an enum of one value. */
function replaceConst(object: Json): void {
  if (object.const === undefined || object.type === undefined) return;
  object.enum = [object.const];
  delete object.const;
}

/** Replaces a list of types with `nullable`, as 3.0 has it. */
function replaceNull(object: Json): void {
  if (!Array.isArray(object.type)) return;
  object.type = object.type[0];
  object.nullable = true;
}

/** Wraps a reference that has a description: 3.0 ignores the siblings of a reference. */
function wrapReference(object: Json): void {
  if (typeof object.$ref !== 'string' || object.description === undefined) return;
  object.allOf = [{ $ref: object.$ref }];
  delete object.$ref;
}

/** Gives integers that may exceed 32 bits a format: without one, Java and Kotlin make 32-bit integers of them. */
function replaceWideInteger(object: Json): void {
  if (object['x-int64'] !== true) return;
  object.format = 'int64';
  delete object['x-int64'];
}

const STREAMS = ['text/event-stream', 'application/x-ndjson'];

/** Declares a stream as text, because generators for 3.0 expect one value. The schema of its events stands beside it. */
function replaceStream(object: Json): void {
  const content = (object.content ?? {}) as Record<string, MediaTypeObject>;
  for (const type of STREAMS) {
    const { schema, ...rest } = content[type] ?? {};
    if (schema) content[type] = { schema: { type: 'string' }, 'x-event-schema': schema, ...rest };
  }
}
