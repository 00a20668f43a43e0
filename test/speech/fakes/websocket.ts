import { createHash } from 'node:crypto';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** A minimal WebSocket server (RFC 6455): whole messages of moderate size, no extensions. */
export type FakeSocket = {
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
export function takeWebSockets(
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
