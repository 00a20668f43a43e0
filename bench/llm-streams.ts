/** Both ends of an answer: the simulated model as a child process, and the visitors in this one. */
import { type ChildProcess, fork } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { FromUpstream, Pace, ToUpstream } from './llm-upstream.ts';
import { millisOf, nowMillis } from './llm-words.ts';
import { onCores } from './target.ts';

export type Upstream = {
  /** Over HTTP/1.1 without TLS. */
  readonly plainUrl: string;
  /** Over HTTP/2 with TLS, as hosted models are spoken to. */
  readonly secureUrl: string;
  /** How many answers are open. */
  open(): Promise<number>;
  /** What the next answers are like. */
  pace(pace: Pace): void;
  close(): void;
};

export async function openUpstream(): Promise<Upstream> {
  const [execPath, ...execArgv] = onCores('load', [process.execPath]);
  const child: ChildProcess = fork(fileURLToPath(new URL('llm-upstream.ts', import.meta.url)), {
    execPath: execPath!,
    execArgv,
  });
  const next = () =>
    new Promise<FromUpstream>((resolve, reject) => {
      const ended = () => reject(new Error('the server of the model ended'));
      child.once('exit', ended);
      child.once('message', (message: FromUpstream) => {
        child.off('exit', ended);
        resolve(message);
      });
    });
  const tell = (message: ToUpstream) => void child.send(message);
  const said = await next();
  if (!('plainPort' in said)) throw new Error('the server of the model does not listen');
  return {
    plainUrl: `http://127.0.0.1:${said.plainPort}/v1`,
    secureUrl: `https://localhost:${said.securePort}/v1`,
    async open() {
      tell('open');
      const answer = await next();
      return 'open' in answer ? answer.open : Number.NaN;
    },
    pace: (pace) => tell({ pace }),
    close: () => void child.kill(),
  };
}

/** What a visitor saw of an answer. */
export type Seen = {
  /** From the moment that each text left the model to the moment that it came. */
  readonly lagMillis: number[];
  /** The longest that nothing came, once something had. */
  longestSilenceMillis: number;
};

export type Visit = { readonly first: Promise<void>; readonly whole: Promise<Seen>; hangUp(): void };

/** One turn on a socket of its own. `first` settles with the first text, `whole` with the end. */
export function visit(port: number, request: string): Visit {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const seen: Seen = { lagMillis: [], longestSilenceMillis: 0 };
  const first = Promise.withResolvers<void>();
  const whole = Promise.withResolvers<Seen>();
  let text = '';
  let cameAt = 0;
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(request));
  socket.on('data', (piece: string) => {
    const now = nowMillis();
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
