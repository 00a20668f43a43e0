import { request } from 'undici';
import { openConnections, type ProxySettings } from '../base/proxy.ts';
import type { AddressCheck } from '../sources/public-addresses.ts';
import { readBody } from '../sources/website/fetch.ts';

/** Undefined if there is no such file. */
export type ReadProofFile = (url: string) => Promise<string | undefined>;

const BYTES_MAX = 1024;
const MILLIS_MAX = 8_000;

/**
 * Reads files that prove domains, from public addresses over https: without a certificate, anybody on the way could answer. A
 * redirect proves nothing, because many sites lead anywhere.
 */
export function createProofFileReader(
  { find, lookup }: Pick<AddressCheck, 'find' | 'lookup'>,
  proxy: ProxySettings | undefined,
  tls: { ca?: string } = {},
): ReadProofFile {
  return async (url) => {
    // Domains are proved rarely, so no connection is kept.
    const dispatcher = openConnections(proxy, { connect: { lookup, ...tls }, allowH2: false });
    try {
      // A proxy resolves names by itself, so they are checked before.
      if (await find(new URL(url))) return undefined;
      const signal = AbortSignal.timeout(MILLIS_MAX);
      const { statusCode, body } = await request(url, { dispatcher, signal });
      const bytes = await readBody(body, 'identity', BYTES_MAX, signal);
      return statusCode === 200 ? Buffer.from(bytes).toString() : undefined;
    } catch {
      return undefined;
    } finally {
      void dispatcher.destroy();
    }
  };
}
