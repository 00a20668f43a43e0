import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { createServer as createListener, type Server as Listener, type Socket } from 'node:net';
import type { Express } from 'express';
import { newId } from '../base/ids.ts';
import { toBaseUrl, toNetwork } from '../base/network.ts';
import { attachContext, type ContextRequest, HttpRequestContext, type TrustsProxy } from './context.ts';
import type { Metrics } from './metrics.ts';
import { OverloadGuard } from './overload.ts';
import type { ResourceLimits } from './resource-limits.ts';
import { sendUnavailable } from './respond.ts';
import type { OverloadClass } from './router.ts';
import type { TurnQueue } from './turn-queue.ts';

export type HttpServerOptions = {
  loopDelayMillisMax: number;
  host: string;
  port: number;
  /** Where browsers reach the service behind a proxy. */
  publicUrl: string | undefined;
  trustsProxy: TrustsProxy | undefined;
  /** How long a whole request, its body included, may take to arrive. */
  bodyMillisMax: number;
  timeouts?: Partial<typeof TIMEOUTS> | undefined;
  /** Connections still open after this are closed. */
  shutdownMillis: number;
};

export type HttpServer = {
  server: Server;
  /** Returns the configured URL, else the one that is known once the server listens. */
  baseUrl(): string;
  serve(metrics: Metrics, classify: (request: IncomingMessage) => OverloadClass): void;
  /** Returns the port. */
  listen(): Promise<number>;
  isShuttingDown(): boolean;
  /** Stops accepting connections, ends open streams and waits until every request is done. */
  drain(endStreams: () => Promise<void>): Promise<void>;
};

/** Node closes connections at the first check after their time, so heads get at most 15 s and idle connections at most a minute. */
const TIMEOUTS = { headMillis: 12_000, idleMillis: 50_000, stalledMillis: 60_000, checkMillis: 2_000 };
/** As many as Linux accepts by default: a burst of new connections must not keep health checks from connecting. */
const BACKLOG = 4096;
/**
 * Listeners that share the port. Node accepts one connection of each in a turn of the event loop; with a single one, new
 * connections would wait for seconds under load. Other systems cannot share a port.
 */
const LISTENERS = process.platform === 'linux' ? 128 : 1;
/** At shutdown, bodies that are still arriving get this long. */
const UNREAD_BODY_MILLIS = 1_000;
const SHUTDOWN_RETRY_SECONDS = 2;
/** A year. Other hosts of the domain are not this service's responsibility. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';
/** For responses other than pages: they load nothing and are shown in no frame. Pages set their own policies. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const DRAIN_CHECK_MILLIS = 50;
/** Consecutive checks without a request before idle keep-alive connections are closed. */
const QUIET_CHECKS = 2;

export function createHttpServer(
  app: Express,
  options: HttpServerOptions,
  { resourceLimits, turnQueue }: { resourceLimits: ResourceLimits; turnQueue: TurnQueue },
): HttpServer {
  const publicOrigin = options.publicUrl === undefined ? undefined : new URL(options.publicUrl).origin;
  const headers = listSecurityHeaders(publicOrigin);
  const server = createNodeServer(options, headers);
  server.on('connection', (socket) => reserveConnection(socket, options.trustsProxy, resourceLimits));
  server.on('timeout', closeStalled);
  server.on('clientError', (error, socket) => rejectUnreadable(error, socket as ResponseSocket, headers));
  const more = Array.from({ length: LISTENERS - 1 }, () => createSharingListener(server));
  const openRequests = new Map<ContextRequest, ServerResponse>();
  let isShuttingDown = false;

  const port = () => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : options.port;
  };

  return {
    server,
    isShuttingDown: () => isShuttingDown,
    baseUrl: () => toBaseUrl(options, port()),
    serve(metrics, classify) {
      const guard = new OverloadGuard({ delayMillisMax: options.loopDelayMillisMax });
      const hasTime = (overloadClass: OverloadClass, ctx: HttpRequestContext) =>
        overloadClass === 'always served' ||
        (overloadClass === 'turn' ? turnQueue.expect(ctx) : guard.accepts(openRequests.size));
      server.on('close', guard.start());
      server.on('request', (message, response) => {
        const ctx = new HttpRequestContext(
          newId('req'),
          message,
          response,
          options.trustsProxy,
          publicOrigin,
        );
        const request = attachContext(message, ctx);
        // Refuse before anything else: a refusal has to cost much less than a response.
        if (!hasTime(classify(request), ctx)) {
          metrics.recordOverload();
          return sendUnavailable(request, response, 'server/overloaded', guard.refuse());
        }
        guard.countAccepted();
        openRequests.set(request, response);
        response.on('close', () => {
          openRequests.delete(request);
          turnQueue.forget(ctx);
        });
        metrics.observe(request, response);
        if (isShuttingDown) response.setHeader('connection', 'close');
        (app as unknown as RequestListener)(request, response);
      });
    },
    async listen() {
      await listenExclusively(options);
      await startListening(server, options);
      for (const listener of more) await startListening(listener, { ...options, port: port() });
      return port();
    },
    async drain(endStreams) {
      isShuttingDown = true;
      if (!server.listening) return;
      const closed = Promise.all([server, ...more].map(stopListening));
      const closeTimer = setTimeout(() => server.closeAllConnections(), options.shutdownMillis);
      const bodyTimer = setTimeout(() => rejectUnfinished(openRequests), UNREAD_BODY_MILLIS);
      server.closeIdleConnections();
      // An engine that ignores its abort signal must not keep the process alive.
      await Promise.race([endStreams(), closed]);
      const check = closeQuietConnections(server, () => openRequests.size === 0);
      await closed;
      clearTimeout(closeTimer);
      clearTimeout(bodyTimer);
      clearInterval(check);
    },
  };
}

function createNodeServer(options: HttpServerOptions, headers: Headers): Server {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const server = createServer({
    // Joining makes a repeated header one value that matches nothing, instead of picking one of the two.
    joinDuplicateHeaders: true,
    headersTimeout: Math.min(timeouts.headMillis, options.bodyMillisMax),
    requestTimeout: options.bodyMillisMax,
    keepAliveTimeout: timeouts.idleMillis,
    connectionsCheckingInterval: timeouts.checkMillis,
    ServerResponse: createResponseClass(headers),
  });
  server.timeout = timeouts.stalledMillis;
  return server;
}

/** Creates another listener for the same port, whose connections the server serves. */
const createSharingListener = (server: Server): Listener =>
  createListener({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));

type Address = Pick<HttpServerOptions, 'host' | 'port'>;

/** Fails if another program listens on the port, which listeners that share it would not notice. */
async function listenExclusively(address: Address): Promise<void> {
  const listener = createListener();
  await startListening(listener, address, false);
  await stopListening(listener);
}

const startListening = (listener: Listener, { host, port }: Address, reusePort = LISTENERS > 1) =>
  new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen({ port, host, backlog: BACKLOG, reusePort }, () => {
      listener.off('error', reject);
      resolve();
    });
  });

const stopListening = (listener: Listener) =>
  new Promise<void>((resolve) => void listener.close(() => resolve()));

/**
 * Closes the connection at once if its network, or all networks together, hold too many. Connections of a trusted proxy
 * count only in total, because its clients share them.
 */
function reserveConnection(
  socket: Socket,
  trustsProxy: TrustsProxy | undefined,
  resourceLimits: ResourceLimits,
): void {
  const peer = socket.remoteAddress ?? '';
  const reservation = resourceLimits.open(
    'connections',
    trustsProxy?.(peer, 0) ? {} : { network: toNetwork(peer) },
  );
  if (reservation.add(1)) socket.destroy();
  else socket.on('close', reservation.release);
}

/** Closes all connections once no request is left: Node never counts the spare connections of browsers as idle. */
function closeQuietConnections(server: Server, isQuiet: () => boolean): NodeJS.Timeout {
  let quietChecks = 0;
  return setInterval(() => {
    quietChecks = isQuiet() ? quietChecks + 1 : 0;
    if (quietChecks > QUIET_CHECKS) server.closeAllConnections();
    else server.closeIdleConnections();
  }, DRAIN_CHECK_MILLIS);
}

/**
 * Closes a connection that has been idle too long, or whose client has taken no byte of a response for as long. Other
 * responses, such as answers for which a model still thinks, may pause.
 */
function closeStalled(socket: ResponseSocket): void {
  if (!socket._httpMessage || socket.writableLength > 0) socket.destroy();
}

/** Rejects the requests whose bodies have not arrived. */
function rejectUnfinished(openRequests: ReadonlyMap<ContextRequest, ServerResponse>): void {
  for (const [request, response] of openRequests) {
    if (request.complete) continue;
    if (!response.headersSent)
      sendUnavailable(request, response, 'server/shutting_down', SHUTDOWN_RETRY_SECONDS);
    request.socket.destroySoon();
  }
}

type Headers = readonly (readonly [name: string, value: string])[];

/** Headers of every response. */
function listSecurityHeaders(publicOrigin: string | undefined): Headers {
  const headers: [string, string][] = [
    ['x-content-type-options', 'nosniff'],
    ['content-security-policy', CONTENT_SECURITY_POLICY],
  ];
  if (publicOrigin?.startsWith('https:'))
    headers.push(['strict-transport-security', STRICT_TRANSPORT_SECURITY]);
  return headers;
}

/** Node's own fields: the response of the socket's current request, and whether its head is on the wire. */
type ResponseSocket = Socket & { _httpMessage?: { _headerSent: boolean } | null };

const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Responds as Node does to malformed or slow requests, but with our headers. A response that has begun is cut off instead. */
function rejectUnreadable(error: Error & { code?: string }, socket: ResponseSocket, headers: Headers): void {
  if (socket.writable && !socket._httpMessage?._headerSent) {
    const status = STATUS_LINES[error.code ?? ''] ?? '400 Bad Request';
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n${lines}\r\n`);
  }
  socket.destroy(error);
}

/** Responses have these headers from the start, because Node sends some responses itself. */
function createResponseClass(headers: Headers) {
  return class extends ServerResponse {
    constructor(...request: ConstructorParameters<typeof ServerResponse>) {
      super(...request);
      for (const [name, value] of headers) this.setHeader(name, value);
    }
  };
}
