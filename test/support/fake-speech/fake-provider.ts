import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** A fake provider on a free port. It implements the real protocol and every way to fail. */

export type Fault =
  | 'unauthorized'
  | 'out of money'
  | 'busy'
  | 'broken'
  | 'not understood'
  | 'redirects'
  /** Accepts the request and never responds. */
  | 'hangs'
  /** Returns 200 with an invalid body. */
  | 'garbage'
  /** Starts a response, then drops the connection. */
  | 'cut'
  /** Starts a response, then stalls. */
  | 'stalls'
  /** Repeats its response until the caller disconnects. */
  | 'endless';

export type Seen = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

export type Given = {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  parts: readonly (string | Uint8Array)[];
};

/** The protocol of one provider. */
export type Protocol = {
  /** The environment variables that select the provider. */
  key: string;
  /** The credential that a request must carry. */
  credentialOf(seen: Seen): string | undefined;
  /** The provider's response to a request; undefined for unknown paths. */
  answer(seen: Seen, credential: string): Given | undefined;
  /** Real providers quote a rejected key in the error. */
  error(status: number, quoted: string): unknown;
  /** Whether a credential is accepted besides the key. */
  knows?(credential: string): boolean;
};

export type FakeProvider = {
  url: string;
  server: Server;
  seen: readonly Seen[];
  fault: Fault | undefined;
  /** Resolves when a caller has disconnected before the response was complete. */
  callerDisconnected: () => Promise<void>;
  /** The number of such callers. */
  countDisconnects: () => number;
  close(): Promise<void>;
};

/** Part of every faulty response; no error may quote it. */
export const FORBIDDEN_TEXT = 'text of the visitor, which the provider repeats';
export const RETRY_AFTER_SECONDS = 7;

const STATUS: Partial<Record<Fault, number>> = {
  unauthorized: 401,
  'out of money': 402,
  busy: 429,
  broken: 500,
  'not understood': 422,
};

export async function openFakeProvider(protocol: Protocol): Promise<FakeProvider> {
  const seen: Seen[] = [];
  const waiting: (() => void)[] = [];
  let countDisconnects = 0;
  const server = createServer(async (request, response) => {
    const recorded = await seenIn(request);
    seen.push(recorded);
    let isOurDoing = false;
    response.on('close', () => {
      if (response.writableFinished || isOurDoing) return;
      countDisconnects += 1;
      for (const resolve of waiting.splice(0)) resolve();
    });
    isOurDoing = (await answer(protocol, fake.fault, recorded, response)) === 'cut';
    if (isOurDoing) response.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen,
    fault: undefined,
    countDisconnects: () => countDisconnects,
    callerDisconnected: () =>
      countDisconnects > 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return fake;
}

async function answer(
  protocol: Protocol,
  fault: Fault | undefined,
  recorded: Seen,
  response: ServerResponse,
): Promise<'cut' | 'done'> {
  const credential = protocol.credentialOf(recorded);
  const status = fault && STATUS[fault];
  const quoted = `${credential} ${FORBIDDEN_TEXT}`;
  if (status) return throwApiError(response, status, protocol.error(status, quoted));
  if (fault === 'hangs') return 'done';
  if (fault === 'redirects') {
    response.writeHead(307, { location: `/elsewhere?key=${credential}` }).end();
    return 'done';
  }
  const isKnown = credential === protocol.key || (credential && protocol.knows?.(credential));
  if (!credential || !isKnown) return throwApiError(response, 401, protocol.error(401, quoted));
  const given = protocol.answer(recorded, credential);
  if (!given) return throwApiError(response, 404, protocol.error(404, quoted));
  response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
  if (fault === 'garbage') {
    response.end(`<html>${quoted}</html>`);
    return 'done';
  }
  const [first = '', ...rest] = given.parts;
  if (fault === 'cut' || fault === 'stalls') {
    const bytes = Buffer.from(first);
    // Truncated JSON is invalid anyway, but the first part of the audio must arrive.
    response.write(rest.length === 0 ? bytes.subarray(0, bytes.length / 2) : bytes);
    await new Promise((resolve) => setTimeout(resolve, 20));
    return fault === 'cut' ? 'cut' : 'done';
  }
  for (const part of fault === 'endless' ? repeat(given.parts) : given.parts) {
    if (response.destroyed) return 'done';
    if (!response.write(part)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    await yieldToEventLoop();
  }
  response.end();
  return 'done';
}

function* repeat<T>(parts: readonly T[]): Generator<T> {
  for (;;) yield* parts;
}

function throwApiError(response: ServerResponse, status: number, body: unknown): 'done' {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'req_of_a_fake',
    ...(status === 429 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
  });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
  return 'done';
}

async function seenIn(request: IncomingMessage): Promise<Seen> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake');
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return {
    method: request.method ?? '',
    path: pathname,
    query: searchParams,
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

/** Parses a JSON body. */
export function jsonIn(seen: Seen): Record<string, unknown> {
  return JSON.parse(seen.body.toString()) as Record<string, unknown>;
}

export function json(value: unknown): Given {
  return { parts: [JSON.stringify(value)] };
}

export function bearerOf({ headers }: Seen): string | undefined {
  return /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
}

/**
 * Silent MP3 with the spoken text in bytes that players skip, so a test can check what was said.
 */

const FORMATS = {
  /** MPEG 1, 44.1 kHz, 128 kbit/s. */
  128: { header: [0xff, 0xfb, 0x90, 0xc4], bytes: 417 },
  /** MPEG 2, 24 kHz, 48 kbit/s. */
  48: { header: [0xff, 0xf3, 0x64, 0xc4], bytes: 144 },
};

/** Bytes of the frame header and the side information of a silent frame. */
const SILENCE_BYTES = 40;
const WORDS_BYTES = 16;

/** Returns MP3 frames that contain the text, one part per frame. */
export function mp3Saying(text: string, kilobits: keyof typeof FORMATS): Buffer[] {
  const { header, bytes } = FORMATS[kilobits];
  const words = Buffer.from(text);
  const frames: Buffer[] = [];
  for (let at = 0; at < words.length; at += WORDS_BYTES) {
    const frame = Buffer.alloc(bytes);
    frame.set(header);
    words.copy(frame, SILENCE_BYTES, at, at + WORDS_BYTES);
    frames.push(frame);
  }
  return frames;
}

/** Reads the text back, frame by frame. */
export function readSpokenText(mp3: Uint8Array): string {
  const bytes = Buffer.from(mp3);
  const words: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const format = Object.values(FORMATS).find(({ header }) =>
      Buffer.from(header).equals(bytes.subarray(at, at + 4)),
    );
    if (!format) throw new Error(`there is no frame at ${at}`);
    words.push(bytes.subarray(at + SILENCE_BYTES, at + SILENCE_BYTES + WORDS_BYTES));
    at += format.bytes;
  }
  return Buffer.concat(words).toString().replaceAll('\0', '');
}
