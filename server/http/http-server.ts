import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { newId } from '../ids.ts';
import { toBaseUrl } from '../network.ts';
import { Admission } from './admission.ts';
import { attachContext, type ContextRequest, HttpRequestContext, type TrustsProxy } from './context.ts';
import type { Ledger } from './ledger.ts';
import type { Metrics } from './metrics.ts';
import { toNetwork } from './network.ts';
import { sendShed } from './respond.ts';

export type HttpServerOptions = {
  readonly loopDelayMillisMax: number;
  readonly host: string;
  readonly port: number;
  /** Where browsers reach the service behind a proxy. */
  readonly publicUrl: string | undefined;
  readonly trustsProxy: TrustsProxy | undefined;
  /** How long a whole request, its body included, may take to arrive. */
  readonly bodyMillisMax: number;
  readonly timeouts?: Partial<typeof TIMEOUTS> | undefined;
  /** Connections still open after this are closed. */
  readonly shutdownMillis: number;
};

export type HttpServer = {
  readonly server: Server;
  /** Known once the server listens, unless it is configured. */
  baseUrl(): string;
  /** `sheds` tells which requests may be refused while there is no time for all. */
  serve(metrics: Metrics, sheds: (request: IncomingMessage) => boolean): void;
  /** Returns the port. */
  listen(): Promise<number>;
  isShuttingDown(): boolean;
  /** Stops accepting connections, ends open streams and waits until every request is done. */
  drain(endStreams: () => Promise<void>): Promise<void>;
};

/** Node closes connections at the first check after their time, so heads get at most 15 s and idle connections at most a minute. */
const TIMEOUTS = { headMillis: 12_000, idleMillis: 50_000, checkMillis: 2_000 };
/** A year; other hosts of the domain are not ours to bind. */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';
/** What is no page loads nothing and is shown in no frame. Pages have policies of their own. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const DRAIN_CHECK_MILLIS = 50;
/** Consecutive checks without a request before idle keep-alive connections are closed. */
const QUIET_CHECKS = 2;

export function createHttpServer(app: Express, options: HttpServerOptions, ledger: Ledger): HttpServer {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  // Joining makes a repeated header one value that matches nothing, instead of picking one of the two.
  const server = createServer({
    joinDuplicateHeaders: true,
    headersTimeout: Math.min(timeouts.headMillis, options.bodyMillisMax),
    requestTimeout: options.bodyMillisMax,
    keepAliveTimeout: timeouts.idleMillis,
    connectionsCheckingInterval: timeouts.checkMillis,
    ...createMessageClasses(app),
  });
  server.on('connection', (socket) => claimConnection(socket, options.trustsProxy, ledger));
  const publicOrigin = options.publicUrl === undefined ? undefined : new URL(options.publicUrl).origin;
  const isHttps = publicOrigin?.startsWith('https:') ?? false;
  let openRequests = 0;
  let isShuttingDown = false;

  const port = () => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : options.port;
  };

  return {
    server,
    isShuttingDown: () => isShuttingDown,
    baseUrl: () => toBaseUrl(options, port()),
    serve(metrics, sheds) {
      const admission = new Admission({ delayMillisMax: options.loopDelayMillisMax });
      server.on('close', admission.start());
      server.on('request', (request, response) => {
        const retryAfterSec = admission.refuse();
        // Before anything is created for the request: refusing has to cost much less than serving.
        if (retryAfterSec !== undefined && sheds(request)) {
          metrics.recordShed();
          return sendShed(request, response, retryAfterSec);
        }
        openRequests += 1;
        response.on('close', () => {
          openRequests -= 1;
        });
        attachContext(
          request,
          new HttpRequestContext(newId('req'), request, response, options.trustsProxy, publicOrigin),
        );
        response.setHeader('x-content-type-options', 'nosniff');
        response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
        if (isHttps) response.setHeader('strict-transport-security', STRICT_TRANSPORT_SECURITY);
        metrics.observe(request as ContextRequest, response);
        if (isShuttingDown) response.setHeader('connection', 'close');
        (app as unknown as RequestListener)(request, response);
      });
    },
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(options.port, options.host, () => {
          server.off('error', reject);
          resolve(port());
        });
      }),
    async drain(endStreams) {
      isShuttingDown = true;
      if (!server.listening) return;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cut = setTimeout(() => server.closeAllConnections(), options.shutdownMillis);
      server.closeIdleConnections();
      // An engine that ignores its abort signal must not keep the process alive.
      await Promise.race([endStreams(), closed]);
      const check = closeQuietConnections(server, () => openRequests === 0);
      await closed;
      clearTimeout(cut);
      clearInterval(check);
    },
  };
}

/** Closes the connection at once if its network, or all together, hold too many. The clients of a trusted proxy share its connections. */
function claimConnection(socket: Socket, trustsProxy: TrustsProxy | undefined, ledger: Ledger): void {
  const peer = socket.remoteAddress ?? '';
  const claim = ledger.open('connections', trustsProxy?.(peer, 0) ? {} : { network: toNetwork(peer) });
  if (claim.add(1)) socket.destroy();
  else socket.on('close', claim.release);
}

/** Node never counts the spare connections that browsers open as idle. */
function closeQuietConnections(server: Server, isQuiet: () => boolean): NodeJS.Timeout {
  let quietChecks = 0;
  return setInterval(() => {
    quietChecks = isQuiet() ? quietChecks + 1 : 0;
    if (quietChecks > QUIET_CHECKS) server.closeAllConnections();
    else server.closeIdleConnections();
  }, DRAIN_CHECK_MILLIS);
}

/**
 * Requests and responses of the server are created with the prototypes that Express would give them: changing a prototype with each
 * request is slow.
 */
function createMessageClasses(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
