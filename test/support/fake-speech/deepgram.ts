import { createHash } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type FakeProvider,
  type Given,
  json,
  jsonIn,
  mp3Saying,
  openFakeProvider,
  type Seen,
} from './fake-provider.ts';

/** A minimal WebSocket server (RFC 6455): whole messages of moderate size, no extensions. */
type FakeSocket = {
  onMessage: (data: Buffer, isText: boolean) => void;
  send(text: string): void;
  close(code: number): void;
};

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/**
 * `accept` returns the subprotocol to select, or undefined to reject; a browser fails unless one of its own is selected.
 */
function takeWebSockets(
  server: Server,
  accept: (request: IncomingMessage, protocols: readonly string[]) => string | 'none' | undefined,
  opened: (socket: FakeSocket, request: IncomingMessage) => void,
): void {
  server.on('upgrade', (request: IncomingMessage, stream: Duplex) => {
    const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((one) => one.trim());
    const selected = accept(request, protocols);
    stream.on('error', () => stream.destroy());
    if (selected === undefined) {
      stream.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    const proof = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    stream.write(
      [
        'HTTP/1.1 101 Switching Protocols',
        'upgrade: websocket',
        'connection: Upgrade',
        `sec-websocket-accept: ${proof}`,
        ...(selected === 'none' ? [] : [`sec-websocket-protocol: ${selected}`]),
        '\r\n',
      ].join('\r\n'),
    );
    const socket = socketOn(stream);
    opened(socket, request);
  });
}

function socketOn(stream: Duplex): FakeSocket {
  let buffered = Buffer.alloc(0);
  const socket: FakeSocket = {
    onMessage: () => {},
    send: (text) => stream.write(frame(TEXT, Buffer.from(text))),
    close(code) {
      const reason = Buffer.alloc(2);
      reason.writeUInt16BE(code);
      stream.end(frame(CLOSE, reason));
    },
  };
  stream.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    for (let read = firstFrame(buffered); read; read = firstFrame(buffered)) {
      buffered = buffered.subarray(read.bytes);
      if (read.kind === TEXT || read.kind === BINARY) socket.onMessage(read.content, read.kind === TEXT);
      if (read.kind === PING) stream.write(frame(PONG, read.content));
      if (read.kind === CLOSE) stream.end(frame(CLOSE, read.content));
    }
  });
  return socket;
}

function frame(kind: number, content: Buffer): Buffer {
  const isShort = content.length < 126;
  const header = Buffer.alloc(isShort ? 2 : 4);
  header[0] = 0x80 | kind;
  header[1] = isShort ? content.length : 126;
  if (!isShort) header.writeUInt16BE(content.length, 2);
  return Buffer.concat([header, content]);
}

function firstFrame(bytes: Buffer): { kind: number; content: Buffer; bytes: number } | undefined {
  if (bytes.length < 2) return undefined;
  const short = bytes[1]! & 0x7f;
  const headerBytes = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < headerBytes + 4) return undefined;
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  const start = headerBytes + 4;
  if (bytes.length < start + length) return undefined;
  const mask = bytes.subarray(headerBytes, start);
  const content = Buffer.from(bytes.subarray(start, start + length).map((byte, at) => byte ^ mask[at % 4]!));
  return { kind: bytes[0]! & 0x0f, content, bytes: start + length };
}

export const DEEPGRAM_KEY = '0123456789abcdef0123456789abcdef01234567';
export const DEEPGRAM_HEARD = 'how do i reset my password';

export type FakeDeepgram = FakeProvider & { env: Readonly<Record<string, string>> };

const GRANT = /^ey[\w-]+\.[\w-]+\.[\w-]+$/;
const SPEECH_CHARS_MAX = 1000;
const BYTES_PER_SECOND = 16_000;

/**
 * Fake Deepgram API: grants, transcription, live sessions over WebSocket, and speech of limited
 * length.
 */
export async function openFakeDeepgram(): Promise<FakeDeepgram> {
  const fake = await openFakeProvider({
    key: DEEPGRAM_KEY,
    credentialOf: ({ headers }) => /^(?:Token|Bearer) (.+)$/i.exec(headers.authorization ?? '')?.[1],
    knows: (credential) => GRANT.test(credential),
    // The three forms of a Deepgram error.
    error: (status, quoted) =>
      status === 401
        ? { err_code: 'INVALID_AUTH', err_msg: `Invalid credentials: ${quoted}`, request_id: 'of-a-fake' }
        : status === 500
          ? `Internal: ${quoted}`
          : { category: 'TOO_MANY_REQUESTS', message: quoted, details: quoted, request_id: 'of-a-fake' },
    answer(seen, credential) {
      if (seen.method !== 'POST') return undefined;
      if (seen.path === '/v1/auth/grant' && credential === DEEPGRAM_KEY) return grant(seen);
      if (seen.path === '/v1/listen') return listen(seen);
      return seen.path === '/v1/speak' ? speech(seen) : undefined;
    },
  });
  takeWebSockets(fake.server, accepted, live);
  return Object.assign(fake, { env: { SPEECH_B_API_KEY: DEEPGRAM_KEY, SPEECH_B_BASE_URL: fake.url } });
}

function grant(seen: Seen): Given {
  const { ttl_seconds = 30 } = seen.body.length > 0 ? (jsonIn(seen) as { ttl_seconds?: number }) : {};
  if (ttl_seconds < 1 || ttl_seconds > 3600) return unacceptable('ttl_seconds');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = [part({ alg: 'HS256' }), part({ sub: crypto.randomUUID() }), 'c2lnbmF0dXJl'].join('.');
  return json({ access_token: token, expires_in: ttl_seconds });
}

function listen(seen: Seen): Given {
  if (seen.headers['content-type']?.includes('json')) return unacceptable('an order to fetch an address');
  if (seen.body.length === 0) return unacceptable('audio');
  const alternatives = [{ transcript: DEEPGRAM_HEARD, confidence: 0.98, words: [] }];
  return json({
    metadata: {
      transaction_key: 'deprecated',
      request_id: 'of-a-fake',
      sha256: '',
      created: new Date().toISOString(),
      duration: 2.5,
      channels: 1,
      models: [],
      model_info: {},
    },
    results: { channels: [{ alternatives, detected_language: 'en' }] },
  });
}

function speech(seen: Seen): Given {
  const { text } = jsonIn(seen);
  const model = seen.query.get('model') ?? 'aura-asteria-en';
  if (!/^aura-/.test(model)) return unacceptable('model');
  if (typeof text !== 'string' || text.trim() === '') return unacceptable('text');
  if (text.length > SPEECH_CHARS_MAX) return { ...unacceptable('text'), status: 413 };
  const parts = mp3Saying(text, 48);
  return { headers: { 'content-type': 'audio/mpeg', 'dg-char-count': String(text.length) }, parts };
}

function unacceptable(what: string): Given {
  const error = { err_code: 'INVALID_QUERY_PARAMETER', err_msg: `Invalid ${what}`, request_id: 'of-a-fake' };
  return { status: 400, parts: [JSON.stringify(error)] };
}

/** Selects the subprotocol: browsers cannot set headers on a WebSocket, so they send the token in one. */
function accepted(request: IncomingMessage, protocols: readonly string[]): string | undefined {
  if (!request.url?.startsWith('/v1/listen?')) return undefined;
  const [scheme = '', token = ''] = protocols;
  if (scheme === 'bearer' && GRANT.test(token)) return 'bearer';
  if (scheme === 'token' && token === DEEPGRAM_KEY) return 'token';
  const { authorization = '' } = request.headers;
  const isOurs =
    authorization === `Token ${DEEPGRAM_KEY}` || GRANT.test(authorization.replace(/^Bearer /, ''));
  return isOurs ? 'none' : undefined;
}

function live(socket: FakeSocket): void {
  let bytes = 0;
  const say = (message: object) => socket.send(JSON.stringify(message));
  const results = (transcript: string, isFinal: boolean) =>
    say({
      type: 'Results',
      channel_index: [0, 1],
      start: 0,
      duration: bytes / BYTES_PER_SECOND,
      is_final: isFinal,
      speech_final: isFinal,
      channel: { alternatives: [{ transcript, confidence: 0.98, words: [] }] },
      metadata: { request_id: 'of-a-fake', model_info: {}, model_uuid: 'of-a-fake' },
    });
  socket.onMessage = (data, isText) => {
    if (!isText) {
      bytes += data.length;
      results(DEEPGRAM_HEARD.split(' ').slice(0, 3).join(' '), false);
      return;
    }
    const { type } = JSON.parse(data.toString()) as { type: string };
    if (type === 'Finalize') results(DEEPGRAM_HEARD, true);
    if (type !== 'CloseStream') return;
    results(DEEPGRAM_HEARD, true);
    const created = new Date().toISOString();
    const duration = bytes / BYTES_PER_SECOND;
    say({ type: 'Metadata', request_id: 'of-a-fake', sha256: '', created, duration, channels: 1 });
    socket.close(1000);
  };
}
