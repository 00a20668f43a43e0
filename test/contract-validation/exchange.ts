import { appendFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Route } from '../../contract/route.ts';

/** A request of the suite and its response, as they went over the wire. */
export type Exchange = {
  operationId: string;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  status: number;
  contentType: string;
  response: string;
};

/** Matches a number, or a string with the colon that makes it a name. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;
const REPEATED_ITEMS = /(\{[^{}[\]]*\},)\1+/g;
const REPEATED_VALUES = /([sn]),(?:[sn],)*(?=[sn])/g;

/** Returns a text of the operation, status, fields and kinds of values: the same if exchanges differ only in values. */
export function toShape(exchange: Exchange): string {
  const { operationId, url, headers, body, status, response } = exchange;
  const responseShape = omitValues(response);
  // Only the response is validated, and operations share their errors.
  if (status >= 400 && ![400, 409, 415].includes(status)) return [status, responseShape].join(' ');
  const query = url.includes('?') ? [...new URLSearchParams(url.split('?')[1]).keys()].sort().join() : '';
  return [operationId, status, query, headers['content-type'], omitValues(body), responseShape].join(' ');
}

/** Returns the text of a JSON value without its values, and with one item of each kind. */
export function omitValues(text: string): string {
  return text
    .replace(STRING_OR_NUMBER, (found, colon) => (colon ? found : found.startsWith('"') ? 's' : 'n'))
    .replace(REPEATED_VALUES, '')
    .replace(REPEATED_ITEMS, '$1');
}

/** Returns whether the body is multipart; media types are case-insensitive. */
export function isForm(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/') ?? false;
}

/** Exchanges that each process records of those that differ only in values, to keep validation short. */
const RECORDED_PER_SHAPE_MAX = 2;
const EXAMINED_PER_STATUS_MAX = 200;
const BODY_BYTES_MAX = 32 * 1024;

const folder = process.env.TRAFFIC_SEEN_DIR;
const file = folder && join(folder, `${process.pid}.jsonl`);
const examinedByStatus = new Map<string, number>();
const recordedByShape = new Map<string, number>();

/** Records what a test's server receives and sends, to be validated after the suite. */
export function recordTraffic(server: Server): void {
  if (!file) return;
  server.prependListener('request', (request, response) => {
    const received = recordChunks(request, 'push');
    const sent = recordChunks(response, 'write', 'end');
    response.on('finish', () => {
      const exchange = toExchange(request, response, received, sent);
      if (exchange && isNew(exchange)) appendFileSync(file, `${JSON.stringify(exchange)}\n`);
    });
  });
}

type Recorded = { chunks: Buffer[]; bytes: number };

/** Copies the chunks that these methods receive. */
function recordChunks<T extends object>(target: T, ...methods: readonly (keyof T)[]): Recorded {
  const recorded: Recorded = { chunks: [], bytes: 0 };
  for (const method of methods) {
    const original = target[method] as (...args: unknown[]) => unknown;
    target[method] = function record(this: T, ...args: unknown[]) {
      const [chunk, encoding] = args;
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) append(recorded, chunk, encoding);
      return original.apply(this, args);
    } as T[typeof method];
  }
  return recorded;
}

function append(recorded: Recorded, chunk: string | Uint8Array, encoding: unknown): void {
  const bytes =
    typeof chunk === 'string'
      ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(chunk);
  recorded.bytes += bytes.length;
  if (recorded.bytes <= BODY_BYTES_MAX) recorded.chunks.push(bytes);
}

/** Returns undefined for requests outside the contract and for large bodies. */
function toExchange(
  request: IncomingMessage,
  response: ServerResponse,
  received: Recorded,
  sent: Recorded,
): Exchange | undefined {
  const { route } = (request as IncomingMessage & { ctx?: { route?: Route } }).ctx ?? {};
  // HEAD is allowed wherever GET is, and no document lists it.
  if (!route || request.method !== route.method) return undefined;
  if (received.bytes > BODY_BYTES_MAX || sent.bytes > BODY_BYTES_MAX) return undefined;
  const { operationId, protocol } = route.metadata;
  const text = Buffer.concat(sent.chunks).toString();
  // The protocol defines its own acknowledgements and errors.
  if (protocol && response.statusCode !== 200 && !text.startsWith('{"error":')) return undefined;
  const group = `${operationId} ${response.statusCode}`;
  const examined = examinedByStatus.get(group) ?? 0;
  examinedByStatus.set(group, examined + 1);
  if (examined >= EXAMINED_PER_STATUS_MAX) return undefined;
  const headers = request.headers as Record<string, string>;
  const contentType = String(response.getHeader('content-type') ?? '');
  return {
    operationId,
    method: request.method ?? '',
    url: request.url ?? '',
    headers,
    body: isForm(headers) ? 'a form' : Buffer.concat(received.chunks).toString(),
    status: response.statusCode,
    contentType,
    // Only JSON bodies are validated.
    response: contentType.startsWith('application/json') ? text : '',
  };
}

function isNew(exchange: Exchange): boolean {
  const shape = toShape(exchange);
  const recorded = recordedByShape.get(shape) ?? 0;
  recordedByShape.set(shape, recorded + 1);
  return recorded < RECORDED_PER_SHAPE_MAX;
}
