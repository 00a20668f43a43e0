import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Stream } from 'node:stream';
import type { z } from 'zod';
import { ERROR_CODES } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { newId } from '../ids.ts';
import { type ApiError, toErrorBody } from './errors.ts';
import type { AudioResponse, LinesResponse, SseResponse } from './handler.ts';

/**
 * A response body that writes itself. ts-rest calls `pipe(response)` on a body that is a `Stream` and leaves the rest to it; this way JSON
 * is serialized once and event streams keep their own framing and backpressure.
 */
export class ResponseBody extends Stream {
  readonly #write: (response: ServerResponse) => void;

  constructor(write: (response: ServerResponse) => void) {
    super();
    this.#write = write;
  }

  override pipe<T extends NodeJS.WritableStream>(response: T): T {
    this.#write(response as unknown as ServerResponse);
    return response;
  }
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendJsonText(response, status, JSON.stringify(value));
}

/** Writes the response by hand, because res.json costs more than the rest of a small request. */
export function sendJsonText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}

/** Writes a message of a protocol; an empty text is an acknowledgement without a body. */
export function sendProtocolText(response: ServerResponse, status: number, text: string): void {
  if (text === '') response.writeHead(status, { 'content-length': 0, 'cache-control': 'no-store' }).end();
  else sendJsonText(response, status, text);
}

const LINGER_MILLIS = 250;

/** Writes the error. Closes the connection if the request body was not read to its end, or if the response has already begun. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
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
  sendJson(response, error.status, toErrorBody(error, requestId));
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
const SHED_MESSAGE = ERROR_CODES['server/overloaded'].message;

/** Sends a 503 before anything has handled the request. Any page may read it: it says nothing about a workspace. */
export function sendShed(request: IncomingMessage, response: ServerResponse, retryAfterSec: number): void {
  const { headers } = request;
  const requestId = newId('req');
  const text = `{"error":"server/overloaded","message":"${SHED_MESSAGE}","request_id":"${requestId}","retryAfterSec":${retryAfterSec}}`;
  const isDiscarded =
    headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > DISCARDED_BYTES_MAX);
  response.writeHead(503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
    'cache-control': 'no-store',
    'retry-after': String(retryAfterSec),
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'Retry-After, x-request-id',
    ...(isDiscarded ? {} : { connection: 'close' }),
  });
  if (!isDiscarded) closeAfterLinger(request.socket);
  response.end(text);
}

/** Validates a response body and serializes it, so nothing undeclared reaches the wire. */
export function serializeResponse(schema: z.ZodType, body: unknown): string {
  return JSON.stringify(schema.parse(body));
}

/** Proxies must neither buffer nor compress the stream. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Sends Server-Sent Events. Headers go out at once; events of one tick go out in one write; comment lines keep silent connections open;
 * a slow client makes the stream wait. Resolves when the stream has ended or the client has disconnected.
 */
export async function sendEvents(response: ServerResponse, result: SseResponse): Promise<void> {
  response.writeHead(result.status, { ...EVENT_STREAM_HEADERS, ...result.headers });

  let buffered = '';
  let hasBegun = false;
  let isFlushing = false;
  const flush = () => {
    isFlushing = false;
    if (response.destroyed) return;
    if (buffered !== '') response.write(buffered);
    else if (!hasBegun) response.flushHeaders();
    hasBegun = true;
    buffered = '';
  };
  const put = (text: string) => {
    buffered += text;
    if (isFlushing) return;
    isFlushing = true;
    process.nextTick(flush);
  };
  put('');
  const keepAlive = setInterval(() => put(': keep-alive\n\n'), LIMITS.streamKeepAliveSeconds * 1000);

  try {
    for await (const frame of result.stream) {
      if (response.destroyed) break;
      const name = 'id' in frame ? `event: ${frame.event}\nid: ${frame.id}\n` : '';
      put(`${name}data: ${frame.data}\n\n`);
      keepAlive.refresh();
      if (response.writableNeedDrain) await waitForDrain(response);
    }
  } finally {
    clearInterval(keepAlive);
    hasBegun = true;
    response.end(buffered);
    buffered = '';
  }
}

const LINES_CHARS_PER_WRITE = 64 * 1024;

/** Sends a download at the pace of the client. Destroys the connection on an error, so the client sees that it is incomplete. */
export async function sendLines(response: ServerResponse, result: LinesResponse): Promise<void> {
  response.writeHead(result.status, {
    'content-type': result.isCsv
      ? 'text/csv; charset=utf-8; header=present'
      : 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="${result.fileName}"`,
    'cache-control': 'no-store',
  });
  let buffered = '';
  try {
    for await (const line of result.lines) {
      if (response.destroyed) return;
      buffered += result.isCsv ? `${line}\r\n` : `${line}\n`;
      if (buffered.length < LINES_CHARS_PER_WRITE) continue;
      if (!response.write(buffered)) await waitForDrain(response);
      buffered = '';
    }
    response.end(buffered);
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/**
 * Sends audio at the pace of the client. Destroys the connection on an error, because a clean end would look
 * like complete audio.
 */
export async function sendAudio(response: ServerResponse, result: AudioResponse): Promise<void> {
  response.writeHead(result.status, {
    'content-type': result.mime,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...result.headers,
  });
  try {
    for await (const bytes of result.audio) {
      if (response.destroyed) return;
      if (!response.write(bytes)) await waitForDrain(response);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves when the client has caught up or disconnected. */
function waitForDrain(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
