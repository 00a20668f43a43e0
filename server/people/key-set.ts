import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { Agent, request } from 'undici';
import { CUSTOMER_LIMITS } from '../../contract/limits/customers.ts';
import { KIB } from '../../contract/limits/units.ts';
import type { AddressCheck } from '../sources/public-addresses.ts';
import { readBody } from '../sources/website/fetch.ts';

const KEY_SET_BYTES_MAX = 256 * KIB;

/** Reads the key sets of sites, from public addresses only. Each is kept for a while, and asked again for an unknown key. */
export function createKeySets({ lookup, checkLiteral }: Pick<AddressCheck, 'lookup' | 'checkLiteral'>) {
  const dispatcher = new Agent({ connect: { lookup }, allowH2: false });
  const keySets = new Map<string, JWTVerifyGetKey>();

  async function read(address: string, signal: AbortSignal): Promise<Response> {
    const refused = checkLiteral(new URL(address));
    if (refused) throw refused;
    const { statusCode, body } = await request(address, { dispatcher, signal });
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
