import { appendFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Route } from '../../contract/route.ts';
import { isForm, type SeenExchange, shapeOf } from './exchange.ts';

/**
 * Writes down what goes through a test's server, for the oracle at the end of the suite. Of exchanges that differ in values only, a process
 * keeps two; it looks at no more than so many of one operation with one status, and at no body that is larger than this.
 */
const KEPT_OF_A_SHAPE = 2;
const LOOKED_AT = 200;
const BYTES_KEPT_MAX = 32 * 1024;

const folder = process.env.TRAFFIC_SEEN_DIR;
const file = folder && join(folder, `${process.pid}.jsonl`);
const lookedAt = new Map<string, number>();
const kept = new Map<string, number>();

export function recordTraffic(server: Server): void {
  if (!file) return;
  server.prependListener('request', (request, response) => {
    const sent = tee(request, 'push');
    const answered = tee(response, 'write', 'end');
    response.on('finish', () => {
      const seen = seenIn(request, response, sent, answered);
      if (seen && isNew(seen)) appendFileSync(file, `${JSON.stringify(seen)}\n`);
    });
  });
}

type Heard = { readonly pieces: Buffer[]; bytes: number };

/** Listens to what is handed to these methods, without taking anything away. */
function tee<T extends object>(target: T, ...methods: readonly (keyof T)[]): Heard {
  const heard: Heard = { pieces: [], bytes: 0 };
  for (const method of methods) {
    const original = target[method] as (...words: unknown[]) => unknown;
    target[method] = function hear(this: T, ...words: unknown[]) {
      const [piece, encoding] = words;
      if (typeof piece === 'string' || piece instanceof Uint8Array) keep(heard, piece, encoding);
      return original.apply(this, words);
    } as T[typeof method];
  }
  return heard;
}

function keep(heard: Heard, piece: string | Uint8Array, encoding: unknown): void {
  const bytes =
    typeof piece === 'string'
      ? Buffer.from(piece, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(piece);
  heard.bytes += bytes.length;
  if (heard.bytes <= BYTES_KEPT_MAX) heard.pieces.push(bytes);
}

/** Undefined for what is no operation of the contract, or too large to be kept. */
function seenIn(
  request: IncomingMessage,
  response: ServerResponse,
  sent: Heard,
  answered: Heard,
): SeenExchange | undefined {
  const { route } = (request as IncomingMessage & { ctx?: { route?: Route } }).ctx ?? {};
  // HEAD may be used wherever GET is, and no document lists it.
  if (!route || request.method !== route.method) return undefined;
  if (sent.bytes > BYTES_KEPT_MAX || answered.bytes > BYTES_KEPT_MAX) return undefined;
  const { operationId } = route.metadata;
  const group = `${operationId} ${response.statusCode}`;
  const looked = lookedAt.get(group) ?? 0;
  lookedAt.set(group, looked + 1);
  if (looked >= LOOKED_AT) return undefined;
  const headers = request.headers as Record<string, string>;
  const contentType = String(response.getHeader('content-type') ?? '');
  return {
    operationId,
    method: request.method ?? '',
    url: request.url ?? '',
    headers,
    body: isForm(headers) ? 'a form' : Buffer.concat(sent.pieces).toString(),
    status: response.statusCode,
    contentType,
    // Only JSON bodies are validated.
    answer: contentType.startsWith('application/json') ? Buffer.concat(answered.pieces).toString() : '',
  };
}

function isNew(seen: SeenExchange): boolean {
  const shape = shapeOf(seen);
  const count = kept.get(shape) ?? 0;
  kept.set(shape, count + 1);
  return count < KEPT_OF_A_SHAPE;
}
