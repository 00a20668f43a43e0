import { lookup as lookUpName } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { createAddressGuard, type PrivateAddress, type ResolveName } from '../base/address-guard.ts';
import { toLiteral } from '../base/network.ts';

/** Permits connections of sources to public addresses, and to those that the operator allows. */

export type NetworkSettings = {
  /** Address blocks that are allowed although they are not public. */
  networks: readonly string[];
  /** Resolves a name; tests replace it. */
  resolve?: ResolveName;
};

/** A silent name server blocks a libuv thread for seconds; other threads must stay free for hashing and files. */
const LOOK_UPS_MAX = 2;
/** How long a request waits for a name server. */
const FIND_MILLIS_MAX = 3000;
const lookUpQueue = pLimit(LOOK_UPS_MAX);
const resolveName: ResolveName = (hostname) => lookUpName(hostname, { all: true, verbatim: true });

export type AddressCheck = ReturnType<typeof createAddressCheck>;

export function createAddressCheck({ networks, resolve: resolveNow = resolveName }: NetworkSettings) {
  const resolve: ResolveName = (hostname) => lookUpQueue(() => resolveNow(hostname));
  const guard = createAddressGuard({
    networks,
    setting: 'SOURCE_NETWORKS',
    isPublicAllowed: true,
    resolve,
  });
  return {
    ...guard,
    /** Looks up a URL before anything is read. Undefined also for a name that has no address now. */
    async find(url: URL): Promise<PrivateAddress | undefined> {
      if (isIP(toLiteral(url.hostname))) return guard.checkLiteral(url);
      const silence = pause(FIND_MILLIS_MAX, [], { ref: false });
      const found = await Promise.race([resolve(url.hostname), silence]).catch(() => []);
      return guard.check(
        url.hostname,
        found.map(({ address }) => address),
      );
    },
  };
}
