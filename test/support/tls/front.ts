import { readFileSync } from 'node:fs';
import { request as ask, type ClientRequest } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { fileURLToPath } from 'node:url';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** A published key for localhost only, made by `openssl req -x509 -newkey ec -days 36500`. */
export const CERTIFICATE_FILE = here('certificate.pem');
export const certified = () => ({ cert: readFileSync(CERTIFICATE_FILE), key: readFileSync(here('key.pem')) });

/** Makes this process trust the certificate. Returns what ends that, which `beforeAll` calls after the tests. */
export function trustCertificate(): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, readFileSync(CERTIFICATE_FILE, 'utf8')]);
  return () => setDefaultCACertificates(before);
}

export type Front = {
  origin: string;
  /** Number of connections that were made to the front. */
  connections(): number;
  /** Drops all connections, as a power failure would. */
  cut(): void;
  close(): Promise<void>;
};

/**
 * Opens an HTTPS proxy, as hosted models have, for a server that speaks plain HTTP. `versions` are the ALPN protocols;
 * `streamsMax` limits the concurrent streams of an HTTP/2 connection.
 */
export async function openFront(
  target: string,
  { versions = ['h2', 'http/1.1'], streamsMax = 100 }: { versions?: string[]; streamsMax?: number } = {},
): Promise<Front> {
  const server = createSecureServer(
    {
      ...certified(),
      allowHTTP1: true,
      ALPNProtocols: versions,
      settings: { maxConcurrentStreams: streamsMax },
    },
    (request, response) => pass(target, request, response),
  );
  const sockets = new Set<{ destroy(): void }>();
  let connectionCount = 0;
  server.on('secureConnection', (socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    connections: () => connectionCount,
    cut,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cut();
      await closed;
    },
  };
}

function pass(target: string, request: Http2ServerRequest, response: Http2ServerResponse): void {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !name.startsWith(':')),
  );
  const forwarded: ClientRequest = ask(target + request.url, { method: request.method, headers });
  forwarded.on('response', (answer) => {
    const { connection, 'transfer-encoding': _, 'keep-alive': __, ...rest } = answer.headers;
    response.writeHead(answer.statusCode ?? 502, rest);
    answer.on('data', (piece) => response.write(piece));
    answer.on('end', () => response.end());
    answer.on('error', () => breakOff(response));
  });
  forwarded.on('error', () => breakOff(response));
  response.on('close', () => forwarded.destroy());
  request.pipe(forwarded);
}

function breakOff(response: Http2ServerResponse): void {
  if (response.stream) response.stream.close(2);
  else (response as unknown as { destroy(): void }).destroy();
}
