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

type NamedServersOptions = Omit<GuardOptions, 'isPublicAllowed' | 'resolve'> & {
  resolve?: ResolveName | undefined;
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

export type NamedServers = ReturnType<typeof createNamedServers>;

/** Tells which servers members may name: public ones over https, and those in networks that the operator allows, over http too. */
export function createNamedServers({ resolve = resolveByDns, ...settings }: NamedServersOptions) {
  const { networks } = settings;
  const guards = {
    'https:': createAddressGuard({ ...settings, resolve, isPublicAllowed: true }),
    'http:': createAddressGuard({ ...settings, resolve, isPublicAllowed: false }),
  };
  const getGuard = ({ protocol }: URL) => guards[protocol as keyof typeof guards];

  /** Resolves a name now. One without an address is not refused. */
  async function isRefused(url: URL): Promise<boolean> {
    if (isIP(toLiteral(url.hostname))) return getGuard(url).checkLiteral(url) !== undefined;
    const addresses = (await resolve(url.hostname).catch(() => [])).map(({ address }) => address);
    return getGuard(url).check(url.hostname, addresses) !== undefined;
  }

  return {
    getGuard,
    isRefused,
    /** Opens connections that check the names they resolve, for each protocol. */
    openConnections: <C>(open: (lookup: LookupFunction) => C) =>
      new Map(Object.entries(guards).map(([protocol, { lookup }]) => [protocol, open(lookup)])),
    /** Returns the address in canonical form; undefined for one that may not be used. */
    async parse(text: string): Promise<string | undefined> {
      const url = URL.parse(text);
      if (!url || !getGuard(url)) return undefined;
      const isPlain = url.username === '' && url.password === '' && url.hash === '';
      const isAllowed = url.protocol === 'https:' || networks.length > 0;
      return isPlain && isAllowed && !(await isRefused(url)) ? url.href : undefined;
    },
  };
}
