/**
 * Simulates the model in a process with its own limit of files. Receives the pace of the next answers; reports its
 * ports and the number of open answers.
 */
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { certified } from '../test/support/tls/front.ts';
import { encodeMillis, nowMillis } from './llm-timestamps.ts';

export type Pace = {
  /** Delay before the first text. */
  waitMillis: number;
  chunks: number;
  everyMillis: number;
  /** Whether the answer stays open after its last chunk. */
  staysOpen: boolean;
};
export type ToUpstream = { pace: Pace } | 'open';
export type FromUpstream = { plainPort: number; securePort: number } | { open: number };

let pace: Pace = { waitMillis: 0, chunks: 1, everyMillis: 1, staysOpen: false };
let open = 0;

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', created: 1, model: 'bench', choices })}\n\n`;
}

/** Common to HTTP/1.1 and HTTP/2 responses. */
type Response = {
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(text: string): unknown;
  end(text: string): unknown;
  on(event: 'close', listener: () => void): unknown;
};
type Request = { resume(): unknown; on(event: 'end', listener: () => void): unknown };

function answer(response: Response, { waitMillis, chunks, everyMillis, staysOpen }: Pace): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  let sent = 0;
  let isClosed = false;
  response.on('close', () => {
    isClosed = true;
  });
  const sendNext = () => {
    if (isClosed) return;
    if (sent < chunks) {
      sent += 1;
      // The dash begins the next line, so that this one is complete and can be shown at once.
      response.write(chunk({ content: `${encodeMillis(nowMillis())}\n-` }));
      setTimeout(sendNext, everyMillis);
    } else if (!staysOpen) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  setTimeout(sendNext, waitMillis);
}

function serve(request: Request, response: Response): void {
  request.resume();
  request.on('end', () => answer(response, pace));
  open += 1;
  response.on('close', () => {
    open -= 1;
  });
}

const listen = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
const report = (message: FromUpstream) => process.send?.(message);
process.on('message', (message: ToUpstream) => {
  if (message === 'open') report({ open });
  else pace = message.pace;
});
process.on('disconnect', () => process.exit());
// Hosted models allow about a hundred answers per HTTP/2 connection.
const secure = createSecureServer({ ...certified(), settings: { maxConcurrentStreams: 100 } }, serve);
report({ plainPort: await listen(createServer(serve)), securePort: await listen(secure) });
