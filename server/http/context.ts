import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from 'proxy-addr';
import type { Route } from '../../contract/route.ts';
import { toNetwork } from '../base/network.ts';
import type { Caller, RequestContext } from './handler.ts';
import { RateLimitState } from './rate-limit.ts';
import type { Owners, Reservation } from './resource-limits.ts';

export type TrustsProxy = (address: string, hop: number) => boolean;

/** A request that has its context attached; every request gets one before Express sees it. */
export type ContextRequest = IncomingMessage & { ctx: HttpRequestContext; body?: unknown };

declare global {
  namespace Express {
    interface Request {
      ctx: HttpRequestContext;
    }
  }
}

/**
 * The pipeline's state of a request. A class, because V8 gives each object literal with a getter its own hidden class, which keeps the request in
 * memory until the next full collection.
 */
export class HttpRequestContext implements RequestContext {
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly peerTrusted: boolean;
  readonly rateLimits = new RateLimitState();
  /** Set once the router has matched. */
  route: Route | undefined = undefined;
  caller: Caller | undefined = undefined;
  /** The trace that this request belongs to, for its log line. */
  traceId: string | undefined = undefined;
  /** The memory reserved for a body that is large or of undeclared length. */
  bodyReservation: Reservation | undefined = undefined;
  /** False for paths that pages of other origins never call. */
  isCorsEnabled = true;
  readonly #publicOrigin: string | undefined;
  /** Kept, because a socket forgets it when it closes. */
  readonly #peer: string;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #trustsProxy: TrustsProxy | undefined;
  #clientAddress: string | undefined;
  #disconnect: AbortController | undefined;

  constructor(
    id: string,
    request: IncomingMessage,
    response: ServerResponse,
    trustsProxy: TrustsProxy | undefined,
    publicOrigin: string | undefined,
  ) {
    this.id = id;
    this.headers = request.headers;
    this.#peer = request.socket.remoteAddress ?? '';
    this.peerTrusted = trustsProxy?.(this.#peer, 0) ?? false;
    this.#trustsProxy = trustsProxy;
    this.#publicOrigin = publicOrigin;
    this.#request = request;
    this.#response = response;
  }

  /** Found at its first use: most refusals under overload need none. */
  get clientAddress(): string {
    this.#clientAddress ??=
      this.peerTrusted && this.#trustsProxy ? forwardedAddress(this.#request, this.#trustsProxy) : this.#peer;
    return this.#clientAddress;
  }

  get isSecure(): boolean {
    if (this.#publicOrigin?.startsWith('https:')) return true;
    const forwarded = this.peerTrusted ? this.headers['x-forwarded-proto'] : undefined;
    return /^https\s*(,|$)/i.test(String(forwarded ?? ''));
  }

  /**
   * Whether pages of this origin are the service's own. Without a public URL these are the pages that were reached at the address of the
   * connection: clients choose the Host header, so it proves nothing.
   */
  isOwnOrigin(origin: string | undefined): boolean {
    if (this.#publicOrigin !== undefined) return origin === this.#publicOrigin;
    const { localAddress = '', localPort } = this.#request.socket;
    const address = localAddress.replace(/^::ffff:/, '');
    const hosts = [address.includes(':') ? `[${address}]` : address, 'localhost', '127.0.0.1', '[::1]'];
    return hosts.some((host) => URL.parse(`http://${host}:${localPort}`)?.origin === origin);
  }

  /** The owners that this request's resources count against. */
  get owners(): Owners {
    const network = toNetwork(this.clientAddress);
    if (this.caller === undefined || this.caller.kind === 'session') return { network };
    const workspace = this.caller.workspace.id;
    return this.caller.kind === 'visitor'
      ? { network, workspace, visitor: this.caller.visitorId }
      : { network, workspace };
  }

  /** Calls back when the response has been sent or the client has disconnected; at once if that has already happened. */
  onClose(callback: () => void): void {
    if (this.#response.destroyed) callback();
    else this.#response.on('close', callback);
  }

  /** Created on first use, since few handlers need it. */
  get signal(): AbortSignal {
    if (!this.#disconnect) {
      const controller = new AbortController();
      if (this.#response.destroyed) controller.abort();
      // A response that was sent completely emits 'close' too, and is no disconnect.
      this.#response.on('close', () => {
        if (!this.#response.writableFinished) controller.abort();
      });
      this.#disconnect = controller;
    }
    return this.#disconnect.signal;
  }
}

export function attachContext(message: IncomingMessage, ctx: HttpRequestContext): ContextRequest {
  const request = message as ContextRequest;
  request.ctx = ctx;
  return request;
}

/** Returns the client's address behind trusted proxies. Drops a port, which would make each connection a new client. */
function forwardedAddress(request: IncomingMessage, trustsProxy: TrustsProxy): string {
  const isTrusted = (address: string, hop: number) => trustsProxy(withoutPort(address), hop);
  return withoutPort(proxyAddr(request, isTrusted));
}

function withoutPort(address: string): string {
  if (!address.includes(':')) return address;
  return (
    /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d{1,5}$/, '$1')
  );
}
