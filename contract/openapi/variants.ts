import type {
  ExampleObject,
  MediaTypeObject,
  OpenAPIObject,
  OperationObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { eachObject, type Json, selectReferenced, sortByName } from './document.ts';

/** The published document in other versions of OpenAPI, and the part of it that one audience needs. */

/** Returns the document as OpenAPI 3.0, for older tools. */
export function toOpenapi30(document: OpenAPIObject): OpenAPIObject {
  const variant = structuredClone(document);
  variant.openapi = '3.0.3';
  eachObject(variant, replaceConst);
  eachObject(variant, replaceNull);
  eachObject(variant, wrapReference);
  eachObject(variant, keepDefaultAudio);
  return variant;
}

/** Returns the document as OpenAPI 3.2, which can describe the frames of an event stream. */
export function toOpenapi32(document: OpenAPIObject): OpenAPIObject {
  const variant = structuredClone(document);
  variant.openapi = '3.2.0';
  const schemas = variant.components!.schemas!;
  eachObject(variant, (object) => {
    const content = object.content as Record<string, MediaTypeObject> | undefined;
    const stream = content?.['text/event-stream'];
    const event = (stream?.schema as { $ref?: string } | undefined)?.$ref;
    if (!content || !stream || !event) return;
    const name = `${event.split('/').at(-1)}Frame`;
    schemas[name] = createFrameSchema(event);
    content['text/event-stream'] = createFrameMedia(`#/components/schemas/${name}`, stream);
  });
  variant.components!.schemas = sortByName(schemas);
  return variant;
}

/** Callers of an operation: a page's front end, the dashboard (or a script instead), or an export with an API key. */
export const AUDIENCES = ['visitor', 'management', 'export'] as const;
export type Audience = (typeof AUDIENCES)[number];

/** Returns the operations of one audience, with the components that they need. */
export function toAudience(document: OpenAPIObject, audience: Audience): OpenAPIObject {
  const { paths = {}, components, tags = [], ...head } = structuredClone(document);
  const kept = Object.entries(paths).flatMap(([path, item]) => {
    const methods = Object.entries(item).filter(([, operation]) => getAudience(operation) === audience);
    return methods.length > 0 ? [[path, Object.fromEntries(methods)] as const] : [];
  });
  const operations = kept.flatMap(([, item]) => Object.values(item) as OperationObject[]);
  const used = new Set(operations.flatMap((operation) => operation.tags ?? []));
  const schemes = new Set(operations.flatMap(({ security = [] }) => security.flatMap(Object.keys)));
  const securitySchemes = Object.fromEntries(
    Object.entries(components!.securitySchemes!).filter(([name]) => schemes.has(name)),
  );
  return {
    ...head,
    ...selectExtensions(head, operations, Object.values(securitySchemes)),
    info: { ...head.info, title: `${head.info.title} (${audience})` },
    tags: tags.filter(({ name }) => used.has(name)),
    paths: Object.fromEntries(kept),
    components: {
      ...selectReferenced(kept, components as Record<string, Json>),
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

function getAudience(operation: OperationObject): Audience {
  if (operation['x-guidepost-cross-origin']) return 'visitor';
  const schemes = (operation.security ?? []).flatMap(Object.keys);
  return schemes.some((name) => name.startsWith('apiKey')) ? 'export' : 'management';
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

function createFrameSchema(event: string): SchemaObject {
  const schema = {
    type: 'object',
    description: 'One frame of the event stream. Comment lines between frames keep the connection open.',
    properties: {
      id: {
        type: 'string',
        description: 'Id of the frame. Send it as Last-Event-ID to resume after it.',
        examples: ['msg_01kakv2fxse7wtg6x5r0h8rjbm:0'],
      },
      event: {
        type: 'string',
        description: 'Type of the event, the same as the `type` field of its data.',
        examples: ['message_start'],
      },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { $ref: event },
        description: 'The event as JSON on one line.',
        examples: ['{"type":"status","seq":1,"phase":"retrieving"}'],
      },
    },
    required: ['id', 'event', 'data'],
  };
  return schema as unknown as SchemaObject;
}

/** Converts one example per event into an example of a stream, both as values and as sent. */
function createFrameMedia($ref: string, stream: MediaTypeObject): MediaTypeObject {
  const events = Object.values(stream.examples ?? {}) as ExampleObject[];
  const frames = events.map(({ value }, seq) => ({
    id: `msg_01kakv2fxse7wtg6x5r0h8rjbm:${seq}`,
    event: value.type as string,
    data: JSON.stringify({ ...value, seq }),
  }));
  const wire = frames.map((frame) => `id: ${frame.id}\nevent: ${frame.event}\ndata: ${frame.data}\n\n`);
  const example = {
    summary: 'One frame of each type. A real stream ends with `message_end` or `error`.',
    dataValue: frames,
    serializedValue: wire.join(''),
  };
  return { itemSchema: { $ref }, examples: { frames: example } } as unknown as MediaTypeObject;
}
