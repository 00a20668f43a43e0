/** The two ends of an answer in one process, and so on one clock: the server that the model would be, and the visitors. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

export type Upstream = {
  readonly url: string;
  /** When the first text of each answer left, in the order of the answers. */
  readonly open: ReadonlySet<ServerResponse>;
  /** What the next answers are like. */
  pace(pace: Pace): void;
  close(): void;
};

export type Pace = {
  /** Before the first text. */
  readonly waitMillis: number;
  readonly chunks: number;
  readonly everyMillis: number;
  /** Whether the answer stays open after its last chunk. */
  readonly stays: boolean;
};

/** A moment as a word, since numbers may look like something that is to be kept from visitors. */
const wordOf = (millis: number) =>
  [...Math.round(millis * 100).toString()].map((digit) => String.fromCharCode(97 + Number(digit))).join('');
const millisOf = (word: string) =>
  Number([...word].map((letter) => letter.charCodeAt(0) - 97).join('')) / 100;

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', created: 1, model: 'bench', choices })}\n\n`;
}

export async function openUpstream(): Promise<Upstream> {
  let pace: Pace = { waitMillis: 0, chunks: 1, everyMillis: 1, stays: false };
  const open = new Set<ServerResponse>();
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response, pace));
    open.add(response);
    response.on('close', () => open.delete(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    open,
    pace(next) {
      pace = next;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function answer(response: ServerResponse, { waitMillis, chunks, everyMillis, stays }: Pace): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: '' }));
  let sent = 0;
  const say = () => {
    if (response.destroyed) return;
    if (sent < chunks) {
      sent += 1;
      response.write(chunk({ content: `${sent === 1 ? '' : ' '}${wordOf(performance.now())}` }));
      setTimeout(say, everyMillis);
    } else if (!stays) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  };
  setTimeout(say, waitMillis);
}

/** What a visitor saw of an answer. */
export type Seen = {
  /** From the moment that each text left the model to the moment that it came. */
  readonly lagMillis: number[];
  /** The longest that nothing came, once something had. */
  longestSilenceMillis: number;
};

/** One turn on a socket of its own. `first` settles with the first text, `whole` with the end. */
export function visit(
  port: number,
  request: string,
): { readonly first: Promise<void>; readonly whole: Promise<Seen>; hangUp(): void } {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const seen: Seen = { lagMillis: [], longestSilenceMillis: 0 };
  const first = Promise.withResolvers<void>();
  const whole = Promise.withResolvers<Seen>();
  let text = '';
  let cameAt = 0;
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(request));
  socket.on('data', (piece: string) => {
    const now = performance.now();
    text += piece;
    if (/^HTTP\/1\.1 [^2]/.test(text)) return fail(new Error(text.slice(0, 1500)));
    const end = text.lastIndexOf('\n\n');
    if (end < 0) return;
    for (const [, delta] of text.slice(0, end).matchAll(/"type":"text_delta"[^\n]*?"delta":"([^"]*)"/g)) {
      if (cameAt > 0) seen.longestSilenceMillis = Math.max(seen.longestSilenceMillis, now - cameAt);
      cameAt = now;
      for (const [, word] of delta!.matchAll(/^ ?([a-j]{5,})$/g)) seen.lagMillis.push(now - millisOf(word!));
      first.resolve();
    }
    if (text.includes('"type":"message_end"')) whole.resolve(seen);
    else if (text.includes('"type":"error"')) fail(new Error(text.slice(0, 1500)));
    text = text.slice(end);
  });
  const fail = (error: Error) => {
    first.reject(error);
    whole.reject(error);
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`a connection was closed: ${text.slice(0, 500)}`)));
  first.promise.catch(() => {});
  whole.promise.catch(() => {});
  return { first: first.promise, whole: whole.promise, hangUp: () => socket.destroy() };
}
