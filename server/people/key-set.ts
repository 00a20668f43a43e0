import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { Agent, request } from 'undici';
import { CUSTOMER_LIMITS } from '../../contract/limits/customers.ts';
import { KIB } from '../../contract/limits/units.ts';
import type { NamedServers } from '../base/address-guard.ts';
import { readBody } from '../sources/website/fetch.ts';

const KEY_SET_BYTES_MAX = 256 * KIB;

/** Reads the key sets of sites. Each is kept for a while, and asked again for an unknown key. */
export function createKeySets(servers: NamedServers) {
  const connections = servers.openConnections((lookup) => new Agent({ connect: { lookup }, allowH2: false }));
  const keySets = new Map<string, JWTVerifyGetKey>();

  async function read(address: string, signal: AbortSignal): Promise<Response> {
    const url = new URL(address);
    const refused = servers.getGuard(url).checkLiteral(url);
    if (refused) throw refused;
    const dispatcher = connections.get(url.protocol)!;
    const { statusCode, body } = await request(url, { dispatcher, signal });
    const bytes = await readBody(body, 'identity', KEY_SET_BYTES_MAX, signal);
    return new Response(Buffer.from(bytes), { status: statusCode });
  }

  return (url: string): JWTVerifyGetKey => {
    const known = keySets.get(url);
    if (known) return known;
    const keySet = createRemoteJWKSet(new URL(url), {
      timeoutDuration: CUSTOMER_LIMITS.keySetMillisMax,
      cacheMaxAge: CUSTOMER_LIMITS.keySetKeptMillis,
      cooldownDuration: CUSTOMER_LIMITS.keySetPauseMillis,
      [customFetch]: (address, { signal }) => read(address, signal),
    });
    keySets.set(url, keySet);
    return keySet;
  };
}
