import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isInNetworks, isPublicAddress } from './network.ts';

/** Keeps connections to addresses that users name away from networks that are not public. */

type FoundAddress = { address: string; family: number };

export type ResolveName = (hostname: string) => Promise<readonly FoundAddress[]>;

/** The name or address leads to a network that is not public. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  readonly code = 'PRIVATE_ADDRESS';
}

export type AddressGuard = {
  /** Whether the host of a URL is an IP address that may not be connected to. Names are checked by `lookup`. */
  refuses(url: URL): boolean;
  /** Resolves names for `connect`. Fails with `PrivateAddress`. */
  lookup: LookupFunction;
};

/** Asks name servers without a thread, so that nobody waits for the silent ones of others. Does not read the file of hosts. */
export const resolveByDns: ResolveName = async (hostname) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return found.flatMap((answer, at) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
      : [],
  );
};

export function createAddressGuard({
  networks,
  isPublicAllowed = true,
  resolve,
}: {
  /** Address blocks that are allowed although they are not public. */
  networks: readonly string[];
  isPublicAllowed?: boolean;
  resolve: ResolveName;
}): AddressGuard {
  const isPermitted = (address: string) =>
    (isPublicAllowed && isPublicAddress(address)) || isInNetworks(address, networks);
  return {
    refuses({ hostname }) {
      const literal = hostname.replace(/^\[|\]$/g, '');
      return isIP(literal) !== 0 && !isPermitted(literal);
    },
    // Connect to the address that was checked, so that DNS cannot change it in between.
    lookup: (async (hostname, options, callback) => {
      try {
        const addresses = await resolve(hostname);
        const privateAddress = addresses.find(({ address }) => !isPermitted(address));
        if (privateAddress) throw new PrivateAddress(hostname);
        if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
        if (options.all) callback(null, [...addresses]);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      } catch (error) {
        callback(error as NodeJS.ErrnoException, []);
      }
    }) as LookupFunction,
  };
}
