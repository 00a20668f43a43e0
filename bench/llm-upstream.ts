/**
 * The server that the model would be, in a process of its own, so that either end of an answer has the files of its process to itself.
 * It is told the pace of the next answers, and says where it listens and how many answers are open.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
export type FromUpstream = { readonly port: number } | { readonly open: number };

let pace: Pace = { waitMillis: 0, chunks: 1, everyMillis: 1, stays: false };
let open = 0;

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', created: 1, model: 'bench', choices })}\n\n`;
}

function answer(response: ServerResponse, { waitMillis, chunks, everyMillis, stays }: Pace): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  let sent = 0;
  const say = () => {
    if (response.destroyed) return;
    if (sent < chunks) {
      sent += 1;
      response.write(chunk({ content: `${sent === 1 ? '' : ' '}${wordOf(nowMillis())}` }));
      setTimeout(say, everyMillis);
    } else if (!stays) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  setTimeout(say, waitMillis);
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => answer(response, pace));
  open += 1;
  response.on('close', () => {
    open -= 1;
  });
});
const tell = (message: FromUpstream) => process.send?.(message);
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () =>
  tell({ port: (server.address() as AddressInfo).port }),
);
process.on('message', (message: ToUpstream) => {
  if (message === 'open') tell({ open });
  else pace = message.pace;
});
process.on('disconnect', () => process.exit());
