import { connect, type Socket } from 'node:net';
import { ORIGIN, USER_AGENT } from './harness.ts';

/** A connection that writes given bytes and records what comes back. */
export type RawConnection = {
  socket: Socket;
  /** Everything received so far. */
  received: () => string;
  isClosed: () => boolean;
  /** Resolves with everything received when the server has closed the connection, or after the time. */
  closed(withinMillis?: number): Promise<string>;
  /** Resolves when the pattern has been received; rejects after the time. */
  until(pattern: RegExp, withinMillis?: number): Promise<string>;
};

export function connectTo(baseUrl: string): RawConnection {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let text = '';
  let closed = false;
  let notify = () => {};
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    notify();
  });
  // A server that closes a connection while the client writes resets it, which is allowed.
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
    notify();
  });
  const wait = (isOver: () => boolean, millis: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, millis);
      notify = () => {
        if (!isOver()) return;
        clearTimeout(timer);
        resolve();
      };
      notify();
    });
  return {
    socket,
    received: () => text,
    isClosed: () => closed,
    async closed(withinMillis = 2000) {
      await wait(() => closed, withinMillis);
      return text;
    },
    async until(pattern, withinMillis = 2000) {
      await wait(() => pattern.test(text) || closed, withinMillis);
      if (!pattern.test(text)) throw new Error(`${pattern} did not come back, but ${JSON.stringify(text)}`);
      return text;
    },
  };
}

/** Sends the bytes on a new connection; resolves with everything received when the server closes or falls silent. */
export async function sendRaw(baseUrl: string, bytes: string, quietMillis = 100): Promise<string> {
  const connection = connectTo(baseUrl);
  connection.socket.write(bytes, 'latin1');
  // A busy machine may need a while for the first byte, so silence counts only after it.
  await connection.until(/./).catch(() => {});
  await connection.closed(quietMillis);
  connection.socket.destroy();
  return connection.received();
}

/** The head of a request as sent over the wire. */
export function head(first: string, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${[first, 'host: localhost', ...lines].join('\r\n')}\r\n\r\n`;
}

/** The headers that a browser on the workspace's page sends with JSON. */
export const jsonHeaders = { origin: ORIGIN, 'content-type': 'application/json', 'user-agent': USER_AGENT };
