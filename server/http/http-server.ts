import type { Server } from 'node:http';

/** How the server begins and ends to listen. */

export type Place = {
  readonly host: string;
  readonly port: number;
  /** Where the world sees it, behind a proxy. */
  readonly publicUrl: string | undefined;
};

/** Where browsers reach it; known once it listens, unless it is configured. */
export function baseUrlOf(place: Place, server: Server): string {
  if (place.publicUrl) return place.publicUrl;
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : place.port;
  const host = place.host.includes(':') ? `[${place.host}]` : place.host;
  return `http://${host}:${port}`;
}

/** Listens and answers with the port. */
export function listen(server: Server, place: Place): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.port, place.host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : place.port);
    });
  });
}

const DRAIN_CHECK_MILLIS = 50;

/** New connections are refused, streams are told and end, what still hangs after the grace is cut. */
export async function drain(
  server: Server,
  endStreams: () => Promise<void>,
  requestsOpen: () => number,
  graceMillis: number,
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const cut = setTimeout(() => server.closeAllConnections(), graceMillis);
  server.closeIdleConnections();
  // An engine that does not stop when it is told to must not keep the process alive.
  await Promise.race([endStreams(), closed]);
  // Browsers open connections ahead of need; one that has asked nothing must not hold up the end.
  let quiet = 0;
  const check = setInterval(() => {
    quiet = requestsOpen() === 0 ? quiet + 1 : 0;
    if (quiet > 2) server.closeAllConnections();
    else server.closeIdleConnections();
  }, DRAIN_CHECK_MILLIS);
  await closed;
  clearTimeout(cut);
  clearInterval(check);
}
