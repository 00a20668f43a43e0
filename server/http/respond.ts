import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, pipeline, Readable, Stream } from 'node:stream';
import type { Response } from 'express';
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { isImmutable } from '../base/cache.ts';
import type { ContextRequest } from './context.ts';
import { type ApiError, toErrorBody } from './errors.ts';
import type { AudioResponse, LinesResponse, ProtocolResponse, SseResponse } from './handler.ts';

/** A body that is JSON already: ts-rest lets a `Stream` write itself, where `res.json` would serialize it again. */
export class JsonText extends Stream {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    const response = destination as unknown as ServerResponse;
    response.writeHead(response.statusCode, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(this.#text),
      'cache-control': 'no-store',
    });
    response.end(this.#text);
    return destination;
  }
}

/**
 * Validates a response body and serializes it, so nothing undeclared reaches the wire. Immutable members
 * (`makeImmutable`) are validated and serialized once.
 */
export function serializeResponse(schema: z.ZodType, body: unknown): string {
  if (!(schema instanceof z.ZodObject) || !hasImmutables(body)) return JSON.stringify(schema.parse(body));
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>);
  // Throws for a field that is not declared.
  if (Object.keys(body).some((name) => !(name in schema.shape))) schema.parse(body);
  const members = fields.flatMap(([name, field]) => {
    const value = body[name];
    const text = isImmutable(value) ? serializeImmutable(field, value) : JSON.stringify(field.parse(value));
    return text === undefined ? [] : `"${name}":${text}`;
  });
  return `{${members.join()}}`;
}

function hasImmutables(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && Object.values(body).some(isImmutable);
}

const textsOfImmutables = new WeakMap<object, { schema: z.ZodType; text: string }>();

function serializeImmutable(schema: z.ZodType, value: object): string {
  const known = textsOfImmutables.get(value);
  if (known?.schema === schema) return known.text;
  const text = JSON.stringify(schema.parse(value));
  textsOfImmutables.set(value, { schema, text });
  return text;
}

let loopTurn: Promise<void> | undefined;

/**
 * Resolves at the end of this turn of the event loop. Responses of one turn are then written together: separate writes wake the client
 * for each, a quarter of the cost of a boot (docs/adr/0013-batched-responses.md).
 */
export function endOfLoopTurn(): Promise<void> {
  loopTurn ??= new Promise((resolve) => {
    setImmediate(() => {
      loopTurn = undefined;
      resolve();
    });
  });
  return loopTurn;
}

const LINGER_MILLIS = 250;

/** Writes the error. Closes the connection if the request body was not read to its end, or if the response has already begun. */
export function sendError(
  request: ContextRequest,
  response: Response,
  error: ApiError,
  requestId: string,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { retryAfterSec } = error.details;
  if (retryAfterSec !== undefined) response.setHeader('retry-after', String(retryAfterSec));
  // Node completes requests without a body only after this turn of the loop.
  if (!request.complete && announcesBody(request)) {
    response.setHeader('connection', 'close');
    closeAfterLinger(request.socket);
  }
  response.setHeader('cache-control', 'no-store');
  response.status(error.status);
  if (wantsPage(request) && !request.ctx.route)
    response.type('html').send(renderError(error.code, requestId));
  else response.json(toErrorBody(error, requestId));
}

/** Whether a person opens an address in a browser. */
const wantsPage = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers.accept?.includes('text/html') === true;

/** An error as a page, in the browser's own style. The messages have no HTML. */
function renderError(code: ErrorCode, requestId: string): string {
  const message =
    code === 'rate_limit/exceeded'
      ? 'Too many requests. Please try again in a minute.'
      : ERROR_CODES[code].message;
  return (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<meta name="color-scheme" content="light dark"><title>${message}</title><h1>${message}</h1><p>${requestId}</p>\n`
  );
}

export function announcesBody({ headers }: IncomingMessage): boolean {
  const declared = headers['content-length'];
  return (declared !== undefined && declared !== '0') || headers['transfer-encoding'] !== undefined;
}

/** Gives the client time to read the response: closing while the client still sends resets the connection. */
function closeAfterLinger(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MILLIS).unref();
  };
}

const DISCARDED_BYTES_MAX = 16 * 1024;

/** Sends a 503 before anything has handled the request. Any page may read it: it says nothing about a workspace. */
export function sendUnavailable(
  request: ContextRequest,
  response: ServerResponse,
  code: 'server/overloaded' | 'server/shutting_down',
  retryAfterSec: number,
): void {
  const { headers, ctx } = request;
  const isPage = wantsPage(request);
  const text = isPage
    ? renderError(code, ctx.id)
    : `{"error":"${code}","message":"${ERROR_CODES[code].message}","request_id":"${ctx.id}","retryAfterSec":${retryAfterSec}}`;
  const isDiscarded =
    headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > DISCARDED_BYTES_MAX);
  response.writeHead(503, {
    'content-type': isPage ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'content-length': text.length,
    'cache-control': 'no-store',
    'retry-after': String(retryAfterSec),
    'x-request-id': ctx.id,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After, x-request-id',
    ...(isDiscarded ? {} : { connection: 'close' }),
  });
  if (!isDiscarded) closeAfterLinger(request.socket);
  response.end(text);
}

/** Proxies must neither buffer nor compress the stream. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** A response that is not JSON: the stream of its body, read at the pace of the client. */
type StreamedBody = { headers: Readonly<Record<string, string>>; body: Readable };

/** Events as Server-Sent Events; comment lines keep silent connections open. */
export function streamEvents({ stream, headers }: SseResponse): StreamedBody {
  const body = new PassThrough();
  const keepAlive = setInterval(() => {
    if (!body.writableEnded) body.write(': keep-alive\n\n');
  }, CHAT_LIMITS.streamKeepAliveSeconds * 1000);
  body.on('close', () => clearInterval(keepAlive));
  const writeFrames = async function* () {
    for await (const event of stream) {
      keepAlive.refresh();
      const name = 'id' in event ? `event: ${event.event}\nid: ${event.id}\n` : '';
      yield `${name}data: ${event.data}\n\n`;
    }
  };
  // An error of the source reaches the body, too.
  pipeline(writeFrames, body, () => {});
  return { headers: { ...EVENT_STREAM_HEADERS, ...headers }, body };
}

const LINES_CHARS_PER_CHUNK = 64 * 1024;

/** A download. */
export function streamLines({ lines, fileName, isCsv }: LinesResponse): StreamedBody {
  const joinLines = async function* () {
    let chunk = '';
    for await (const line of lines) {
      chunk += isCsv ? `${line}\r\n` : `${line}\n`;
      if (chunk.length < LINES_CHARS_PER_CHUNK) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  };
  return {
    headers: {
      'content-type': isCsv
        ? 'text/csv; charset=utf-8; header=present'
        : 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="${fileName}"`,
      'cache-control': 'no-store',
    },
    body: Readable.from(joinLines()),
  };
}

export function streamAudio({ audio, mime, headers }: AudioResponse): StreamedBody {
  const audioHeaders = { 'content-type': mime, 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  return { headers: { ...audioHeaders, ...headers }, body: Readable.from(audio) };
}

/** A message of a protocol; an empty text is an acknowledgement without a body. */
export function streamProtocol({ text }: ProtocolResponse): StreamedBody {
  return {
    headers: {
      ...(text === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-store',
    },
    body: Readable.from(text === '' ? [] : [text]),
  };
}
