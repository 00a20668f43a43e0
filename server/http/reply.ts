import type { ServerResponse } from 'node:http';
import { LIMITS } from '../../contract/limits.ts';
import { CORS_EXPOSED } from './cors.ts';
import type { AudioResponse, LinesResponse, SseResponse } from './handler.ts';

/** Answers with JSON. Own code instead of res.json: no etag, no charset guessing, head and body in one write. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value));
}

/** The same with what is JSON text already. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  if (leaving.push({ response, text }) === 1) setImmediate(sendLeaving);
}

/**
 * Answers that are ready in the same turn of the event loop leave together: a write each in between wakes the other side for each, which
 * costs a third of a boot.
 */
let leaving: { readonly response: ServerResponse; readonly text: string }[] = [];
function sendLeaving(): void {
  const ready = leaving;
  leaving = [];
  for (const { response, text } of ready) response.end(text);
}

/**
 * Streams frames as Server-Sent Events. Headers go out at once; frames that are ready together go out in one write, the first with the
 * headers; a comment line keeps silent connections open; a reader that is too slow makes the stream wait. Resolves when the stream has
 * ended or the reader has hung up.
 */
export async function sendStream(response: ServerResponse, reply: SseResponse): Promise<void> {
  response.writeHead(reply.status, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });

  let ready = '';
  let begun = false;
  let flushing = false;
  const flush = () => {
    flushing = false;
    if (response.destroyed) return;
    if (ready !== '') response.write(ready);
    else if (!begun) response.flushHeaders();
    begun = true;
    ready = '';
  };
  const put = (text: string) => {
    ready += text;
    if (flushing) return;
    flushing = true;
    process.nextTick(flush);
  };
  put('');
  const keepAlive = setInterval(() => put(': keep-alive\n\n'), LIMITS.streamKeepAliveSeconds * 1000);

  try {
    for await (const frame of reply.stream) {
      if (response.destroyed) break;
      put(`event: ${frame.event}\nid: ${frame.id}\ndata: ${frame.data}\n\n`);
      keepAlive.refresh();
      if (response.writableNeedDrain) await drained(response);
    }
  } finally {
    clearInterval(keepAlive);
    begun = true;
    response.end(ready);
    ready = '';
  }
}

const LINES_CHARS_AT_ONCE = 64 * 1024;

/**
 * Sends a download line by line, at the pace of its reader. One that breaks off is cut, since only an answer without an end tells the
 * reader that it is not whole.
 */
export async function sendLines(response: ServerResponse, reply: LinesResponse): Promise<void> {
  response.writeHead(reply.status, {
    'content-type': reply.isCsv
      ? 'text/csv; charset=utf-8; header=present'
      : 'application/x-ndjson; charset=utf-8',
    'content-disposition': `attachment; filename="${reply.fileName}"`,
    'cache-control': 'no-store',
  });
  let ready = '';
  try {
    for await (const line of reply.lines) {
      if (response.destroyed) return;
      ready += reply.isCsv ? `${line}\r\n` : `${line}\n`;
      if (ready.length < LINES_CHARS_AT_ONCE) continue;
      if (!response.write(ready)) await drained(response);
      ready = '';
    }
    response.end(ready);
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Sends audio as it comes, at the pace of its listener; what breaks off is cut, since its end would look like the end of the speech. */
export async function sendAudio(response: ServerResponse, reply: AudioResponse): Promise<void> {
  response.writeHead(reply.status, {
    'content-type': reply.mime,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...reply.headers,
  });
  try {
    for await (const bytes of reply.audio) {
      if (response.destroyed) return;
      if (!response.write(bytes)) await drained(response);
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves when the reader has caught up, or is gone. */
function drained(response: ServerResponse): Promise<void> {
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

/** Lets the page that asked read the answer. */
export function allowOrigin(response: ServerResponse, originHeader: string): void {
  response.setHeader('access-control-allow-origin', originHeader);
  response.setHeader('access-control-expose-headers', CORS_EXPOSED);
}
