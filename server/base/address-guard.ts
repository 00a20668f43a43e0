import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isInNetworks, isPublicAddress, LOOPBACK_NETWORKS, toLiteral } from './network.ts';

/** Keeps connections to addresses that users name away from networks that are not public. */

type FoundAddress = { address: string; family: number };

export type ResolveName = (hostname: string) => Promise<readonly FoundAddress[]>;

/** A name or address leads to a network that is not public. */
export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  readonly code = 'PRIVATE_ADDRESS';
  /** The setting that would allow it, such as `SOURCE_NETWORKS=127.0.0.1`. */
  readonly setting: string;
  constructor(hostname: string, setting: string) {
    super(hostname);
    this.setting = setting;
  }
}

/** Asks name servers without a thread, so that a silent one delays no other look-up. Does not read /etc/hosts. */
export const resolveByDns: ResolveName = async (hostname) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return found.flatMap((answer, at) =>
    answer.status === 'fulfilled'
      ? answer.value.map((address) => ({ address, family: at === 0 ? 4 : 6 }))
      : [],
  );
};

type GuardOptions = {
  /** Address blocks that are allowed although they are not public. */
  networks: readonly string[];
  /** Name of the setting with these blocks. */
  setting: 'SOURCE_NETWORKS' | 'LLM_NETWORKS' | 'WEBHOOK_NETWORKS';
  isPublicAllowed: boolean;
  resolve: ResolveName;
};

export function createAddressGuard({ networks, setting, isPublicAllowed, resolve }: GuardOptions) {
  const isPermitted = (address: string) =>
    (isPublicAllowed && isPublicAddress(address)) || isInNetworks(address, networks);

  function check(hostname: string, addresses: readonly string[]): PrivateAddress | undefined {
    const refused = addresses.filter((address) => !isPermitted(address));
    if (refused.length === 0) return undefined;
    // The addresses of other names are not shown: a member could explore the operator's network by them.
    const isKnown = isIP(hostname) || refused.every((address) => isInNetworks(address, LOOPBACK_NETWORKS));
    const added = isKnown ? refused.join(',') : `<address of ${hostname}>`;
    const kept = networks.length === 0 ? '' : '…,';
    return new PrivateAddress(hostname, `${setting}=${kept}${added}`);
  }

  return {
    /** Checks the addresses of a name. */
    check,

    /** Checks an IP address in a URL, which is connected to without a look-up. */
    checkLiteral({ hostname }: URL): PrivateAddress | undefined {
      const literal = toLiteral(hostname);
      return isIP(literal) ? check(literal, [literal]) : undefined;
    },

    /** For `connect`. Connects to the address that was checked, so that DNS cannot change it in between. */
    lookup: (async (hostname, options, callback) => {
      try {
        const addresses = await resolve(hostname);
        const refused = check(
          hostname,
          addresses.map(({ address }) => address),
        );
        if (refused) throw refused;
        if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
        if (options.all) callback(null, [...addresses]);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      } catch (error) {
        callback(error as NodeJS.ErrnoException, []);
      }
    }) as LookupFunction,
  };
}
