/**
 * The server that the model would be, in a process of its own, so that either end of an answer has the files of its process to itself.
 * It is told the pace of the next answers, and says where it listens and how many answers are open.
 */
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { certified } from '../test/tls/front.ts';
import { nowMillis, wordOf } from './llm-words.ts';

export type Pace = {
  /** Before the first text. */
  readonly waitMillis: number;
  readonly chunks: number;
  readonly everyMillis: number;
  /** Whether the answer stays open after its last chunk. */
  readonly stays: boolean;
};
export type ToUpstream = { readonly pace: Pace } | 'open';
export type FromUpstream =
  | { readonly plainPort: number; readonly securePort: number }
  | { readonly open: number };

let pace: Pace = { waitMillis: 0, chunks: 1, everyMillis: 1, stays: false };
let open = 0;

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', created: 1, model: 'bench', choices })}\n\n`;
}

/** What an answer needs of a response, whichever version it is of. */
type Response = {
  writeHead(status: number, headers: Record<string, string>): unknown;
  write(text: string): unknown;
  end(text: string): unknown;
  on(event: 'close', listener: () => void): unknown;
};
type Request = { resume(): unknown; on(event: 'end', listener: () => void): unknown };

function answer(response: Response, { waitMillis, chunks, everyMillis, stays }: Pace): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  let sent = 0;
  let isGone = false;
  response.on('close', () => {
    isGone = true;
  });
  const say = () => {
    if (isGone) return;
    if (sent < chunks) {
      sent += 1;
      response.write(chunk({ content: `${sent === 1 ? '' : ' '}${wordOf(nowMillis())}` }));
      setTimeout(say, everyMillis);
    } else if (!stays) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  setTimeout(say, waitMillis);
}

function serve(request: Request, response: Response): void {
  request.resume();
  request.on('end', () => answer(response, pace));
  open += 1;
  response.on('close', () => {
    open -= 1;
  });
}

const listening = (server: Server) =>
  new Promise<number>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
      resolve((server.address() as AddressInfo).port),
    );
  });
const tell = (message: FromUpstream) => process.send?.(message);
process.on('message', (message: ToUpstream) => {
  if (message === 'open') tell({ open });
  else pace = message.pace;
});
process.on('disconnect', () => process.exit());
// Each connection of HTTP/2 carries as many answers as those of hosted models do.
const secure = createSecureServer({ ...certified(), settings: { maxConcurrentStreams: 100 } }, serve);
tell({ plainPort: await listening(createServer(serve)), securePort: await listening(secure) });
