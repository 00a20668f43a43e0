import { Converter } from '@apiture/openapi-down-convert';
import type { ExampleObject, MediaTypeObject, OpenAPIObject, SchemaObject } from 'openapi3-ts/oas31';
import { eachObject, type Json } from './schema-override.ts';

/** The document as OpenAPI 3.0, for older tools. */
export function toOpenapi30(document: OpenAPIObject): OpenAPIObject {
  const variant = new Converter(document, { allOfTransform: true }).convert() as OpenAPIObject;
  eachObject(variant, replaceConst);
  eachObject(variant, keepDefaultAudio);
  return variant;
}

/** The document as OpenAPI 3.2, which can describe the frames of an event stream. */
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
    schemas[name] = frameSchema(event);
    content['text/event-stream'] = frameMedia(`#/components/schemas/${name}`, stream);
  });
  variant.components!.schemas = Object.fromEntries(
    Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return variant;
}

/** Generators for 3.0 support one media type per response: keep the default. */
function keepDefaultAudio(object: Json): void {
  const content = (object.content ?? {}) as Record<string, unknown>;
  const [first, ...others] = Object.keys(content);
  if (!first?.startsWith('audio/')) return;
  for (const mediaType of others) delete content[mediaType];
}

/** The converter ignores `const: false` and `const: 0`. */
function replaceConst(object: Json): void {
  if (object.const === undefined || object.type === undefined) return;
  object.enum = [object.const];
  delete object.const;
}

function frameSchema(event: string): SchemaObject {
  const schema = {
    type: 'object',
    description: 'One frame of the event stream. Comment lines between frames keep the connection open.',
    properties: {
      id: {
        type: 'string',
        pattern: '^[!-~]+$',
        maxLength: 128,
        description: 'Id of the frame. Send it as Last-Event-ID to resume after it.',
        examples: ['msg_01kakv2fxse7wtg6x5r0h8rjbm:0'],
      },
      event: {
        type: 'string',
        pattern: '^[a-z_]+$',
        maxLength: 64,
        description: 'Type of the event, the same as the `type` field of its data.',
        examples: ['message_start'],
      },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { $ref: event },
        pattern: '^[^\\r\\n]*$',
        maxLength: 2_000_000,
        description: 'The event as JSON on one line.',
        examples: ['{"type":"status","seq":1,"phase":"retrieving"}'],
      },
    },
    required: ['id', 'event', 'data'],
    additionalProperties: false,
  };
  return schema as unknown as SchemaObject;
}

/** Converts one example per event into an example of a stream, both as values and as sent. */
function frameMedia($ref: string, stream: MediaTypeObject): MediaTypeObject {
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
