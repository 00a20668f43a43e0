import type { ServerResponse } from 'node:http';
import { LIMITS } from '../../contract/limits.ts';
import { CORS_EXPOSED } from './cors.ts';
import type { StreamReply } from './handler.ts';

/** Answers with JSON. Own code instead of res.json: no etag, no charset guessing, head and body in one write. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}

/**
 * Streams frames as Server-Sent Events. Headers go out at once; frames that are ready together go out in one write, the first with the
 * headers; a comment line keeps silent connections open; a reader that is too slow makes the stream wait. Resolves when the stream has
 * ended or the reader has hung up.
 */
export async function sendStream(response: ServerResponse, reply: StreamReply): Promise<void> {
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
