import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddr from 'proxy-addr';
import type { RequestContext } from './handler.ts';
import { Quota } from './quota.ts';

/**
 * What is known of a request before anything has been looked at. A class, since each object literal with a getter gets a shape of its
 * own from V8, and that shape keeps the request in memory until the next full collection.
 */
/** Some proxies name the port as well, which would make every connection somebody else. */
function addressBehind(
  request: IncomingMessage,
  trustsProxy: (address: string, hop: number) => boolean,
): string {
  const isTrusted = (address: string, hop: number) => trustsProxy(withoutPort(address), hop);
  return withoutPort(proxyAddr(request, isTrusted));
}

function withoutPort(address: string): string {
  if (!address.includes(':')) return address;
  return (
    /^\[([0-9a-f:.]+)\](?::\d{1,5})?$/i.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d{1,5}$/, '$1')
  );
}

export class HttpRequestContext implements RequestContext {
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly clientAddress: string;
  readonly peerTrusted: boolean;
  readonly quota = new Quota();
  readonly #publicOrigin: string | undefined;
  readonly #response: ServerResponse;
  #hangUp: AbortController | undefined;

  constructor(
    id: string,
    request: IncomingMessage,
    response: ServerResponse,
    trustsProxy: ((address: string, hop: number) => boolean) | undefined,
    publicUrl: string | undefined,
  ) {
    const peer = request.socket.remoteAddress ?? '';
    this.id = id;
    this.headers = request.headers;
    this.peerTrusted = trustsProxy?.(peer, 0) ?? false;
    this.clientAddress = this.peerTrusted && trustsProxy ? addressBehind(request, trustsProxy) : peer;
    this.#publicOrigin = publicUrl;
    this.#response = response;
  }

  get ownOrigin(): string {
    if (this.#publicOrigin !== undefined) return new URL(this.#publicOrigin).origin;
    const said = this.peerTrusted ? this.headers['x-forwarded-proto'] : undefined;
    return `${said === 'https' ? 'https' : 'http'}://${this.headers.host ?? ''}`;
  }

  /** Tells when the answer has gone out or the caller has hung up; at once where that has happened. */
  onClose(tell: () => void): void {
    if (this.#response.destroyed) tell();
    else this.#response.on('close', tell);
  }

  /** Made only for those who listen to it. */
  get signal(): AbortSignal {
    if (!this.#hangUp) {
      const controller = new AbortController();
      if (this.#response.destroyed) controller.abort();
      // An answer that went out whole closes as well; nobody hung up then.
      this.#response.on('close', () => {
        if (!this.#response.writableFinished) controller.abort();
      });
      this.#hangUp = controller;
    }
    return this.#hangUp.signal;
  }
}
