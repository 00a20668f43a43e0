import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { OpenAPIObject } from 'openapi3-ts/oas31';
import { resolve } from '../../../contract/openapi/document.ts';
import { type Json, listResponses, operationsOf } from '../../openapi/walk.ts';

/**
 * The service as a later version that does not break clients: a proxy in front of a real server. Every object in a
 * response has fields that the document does not know, every open enum a value that it does not list, and the event
 * stream has events of an unknown type.
 */

/** Appended to the values of open enums, which scenarios therefore compare by their beginning. */
export const LATER = '_later';

const FIELDS = { added_later: 'text', addedLater: { list: [{ number: 0.5 }], nothing: null } };
const EVENT = { type: `event${LATER}`, ...FIELDS };

type Operation = { method: string; path: RegExp; schemaOf(status: number): Json };

export type NextVersion = {
  baseUrl: string;
  close(): Promise<void>;
};

/** Starts the proxy. The document is the one that clients were generated from. */
export async function openNextVersion(target: string, document: OpenAPIObject): Promise<NextVersion> {
  const baseUrl = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const operations = listOperations(document);
  const proxy = createServer((asked, answer) => {
    const { method, headers, url = '' } = asked;
    const { pathname } = new URL(url, target);
    const operation = operations.find((each) => each.method === method && each.path.test(pathname));
    // The server accepts only its own origin.
    const origin = headers.origin === baseUrl() ? { origin: target } : {};
    const options = { method: method!, headers: { ...headers, ...origin } };
    const forwarded = request(`${target}${url}`, options, (received) => {
      const schema = operation?.schemaOf(received.statusCode ?? 0) ?? {};
      respond(received, answer, (value) => evolve(value, schema, document)).catch(() => answer.destroy());
    });
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: baseUrl(),
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

/** Lists paths with fewer parameters first, because `/articles/search` also matches `/articles/{articleId}`. */
function listOperations(document: OpenAPIObject): Operation[] {
  const parameters = (path: string) => path.split('{').length;
  return operationsOf(document)
    .toSorted((a, b) => parameters(a.path) - parameters(b.path))
    .map((operation) => {
      const responses = Object.fromEntries(listResponses(document, operation));
      return {
        method: operation.where.split(' ')[0]!,
        path: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        schemaOf(status) {
          const { content = {} } = responses[status] ?? responses.default ?? {};
          const media = content['text/event-stream'] ?? content['application/json'];
          // If a status has both a stream and an error, only the error has a schema.
          return ((status < 400 ? media : content['application/json'])?.schema ?? {}) as Json;
        },
      };
    });
}

type Evolve = (value: unknown) => unknown;

async function respond(received: IncomingMessage, answer: ServerResponse, evolve: Evolve): Promise<void> {
  const { 'content-length': _, ...headers } = received.headers;
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json')) {
    const body = JSON.stringify(evolve(JSON.parse(await text(received))));
    answer.writeHead(received.statusCode!, { ...headers, 'content-length': Buffer.byteLength(body) });
    answer.end(body);
    return;
  }
  answer.writeHead(received.statusCode!, received.headers);
  answer.flushHeaders();
  if (!type.startsWith('text/event-stream')) {
    received.pipe(answer);
    return;
  }
  let seq = 0;
  for await (const frame of framesIn(received)) {
    for (const later of toLaterFrames(frame, seq, evolve)) {
      answer.write(`${later}\n\n`);
      if (later.includes('data: ')) seq++;
    }
  }
  answer.end();
}

async function* framesIn(stream: IncomingMessage): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const frames = `${rest}${chunk}`.split('\n\n');
    rest = frames.pop()!;
    yield* frames;
  }
}

/** Adds an unknown event before each known one and renumbers all. */
function toLaterFrames(frame: string, seq: number, evolve: Evolve): string[] {
  const fields = Object.fromEntries(frame.split('\n').map((line) => line.split(/: (.*)/s)));
  if (!fields.data) return [frame];
  const message = fields.id.split(':')[0];
  const write = (event: string, at: number, value: object) =>
    `id: ${message}:${at}\nevent: ${event}\ndata: ${JSON.stringify({ ...value, seq: at })}`;
  const known = evolve(JSON.parse(fields.data)) as object;
  return [write(EVENT.type, seq, EVENT), write(fields.event, seq + 1, known)];
}

/** Returns the value that a later version would send instead. */
function evolve(value: unknown, reference: Json, document: OpenAPIObject): unknown {
  const schema = resolve<Json>(document, reference);
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => evolve(item, (schema.items ?? {}) as Json, document));
  if (typeof value === 'string') return isOpenEnum(schema) ? `${value}${LATER}` : value;
  if (typeof value !== 'object') return value;
  const { properties = {}, additionalProperties } = pickMember(value as Json, schema, document);
  const isMap = typeof additionalProperties === 'object';
  const fields = Object.entries(value).map(([name, field]) => {
    const known = (properties as Json)[name] ?? additionalProperties;
    return [name, typeof known === 'object' ? evolve(field, known as Json, document) : field];
  });
  return { ...Object.fromEntries(fields), ...(isMap ? {} : FIELDS) };
}

function isOpenEnum(schema: Json): boolean {
  return schema['x-extensible-enum'] !== undefined;
}

/** Returns the union member that describes the object. */
function pickMember(value: Json, schema: Json, document: OpenAPIObject): Json {
  const { propertyName, mapping } = (schema.discriminator ?? {}) as {
    propertyName?: string;
    mapping?: Record<string, string>;
  };
  if (propertyName === undefined) return schema;
  const $ref = mapping?.[String(value[propertyName])];
  return $ref ? resolve<Json>(document, { $ref }) : {};
}
