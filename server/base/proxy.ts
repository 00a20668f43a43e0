import { Agent, type Dispatcher, EnvHttpProxyAgent, fetch as fetchBy } from 'undici';

/**
 * Connections to servers of other companies, through the proxy of the network if one is set. Sources do not use them: they
 * check the addresses that they connect to themselves.
 */

export type ProxySettings = {
  /** Address for http requests, with its credentials; empty for none. So are the others. */
  httpProxy: string;
  /** Address for https requests. Without it, those use `httpProxy` too. */
  httpsProxy: string;
  /** Hosts that are reached directly, separated by commas. */
  noProxy: string;
};

export function openConnections(proxy: ProxySettings | undefined, options: Agent.Options): Dispatcher {
  return proxy ? new EnvHttpProxyAgent({ ...options, ...proxy }) : new Agent(options);
}

/** Returns a `fetch` that goes through the proxy. */
export function openFetch(proxy: ProxySettings): typeof fetch {
  const dispatcher = openConnections(proxy, {});
  const fetchThrough = async (url: string, init: object) => {
    try {
      return await fetchBy(url, { ...init, dispatcher });
    } catch (error) {
      const status = readProxyRefusal((error as Error).cause);
      throw status ? Object.assign(new Error('refused'), { code: `PROXY_STATUS_${status}` }) : error;
    }
  };
  return fetchThrough as unknown as typeof fetch;
}

/** undici names the status of a proxy that refuses a request in its message only. */
const REFUSAL = /^Proxy (?:response \((\d{3})\)|Authentication Required \((407)\))/;

/** Returns the status with which the proxy has refused to pass a request on. */
export function readProxyRefusal(error: unknown): string | undefined {
  const [, status, authentication] = error instanceof Error ? (REFUSAL.exec(error.message) ?? []) : [];
  return status ?? authentication;
}
