import { memoizeWithTtl } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { HELP_PATH } from '../base/help-paths.ts';
import type { HelpDomainTable } from '../http/help-domains.ts';
import type { HelpDomains } from '../settings/help.ts';
import type { Store } from '../storage/store.ts';

/** Where the pages of a workspace are: on its domain, or below the address of the service. */
export type HelpPlace = {
  /** For readers, such as `https://guide.example.com`. */
  origin: string;
  /** Where they begin: `/help/gp_…`, or nothing on a domain of its own. */
  basePath: string;
};

export type HelpDomainReader = ReturnType<typeof createHelpDomains>;

/** Changes of another node count after this. */
const CACHE_MILLIS = 500;

/** Knows the domains that the operator has given to workspaces, and those that workspaces have proved. */
export function createHelpDomains({
  provedHelpDomains,
  clock,
  given,
  baseUrl,
}: {
  provedHelpDomains: Pick<Store['provedHelpDomains'], 'list'>;
  clock: Clock;
  given: HelpDomains;
  baseUrl: () => string;
}) {
  const givenTo = new Map([...given].map(([domain, appId]) => [appId, domain]));
  const isAvailable = (domain: string) => !given.has(domain) && domain !== new URL(baseUrl()).hostname;
  const chooseDomain = (appId: string, proved: string | undefined) =>
    givenTo.get(appId) ?? (proved !== undefined && isAvailable(proved) ? proved : undefined);

  let domains = given;
  let domainOf: ReadonlyMap<string, string> = givenTo;
  const table: HelpDomainTable = {
    findAppId: (domain) => domains.get(domain),
    findDomain: (appId) => domainOf.get(appId),
  };
  const load = memoizeWithTtl(clock, CACHE_MILLIS, async () => {
    const proved = (await provedHelpDomains.list()).filter(
      ({ domain, appId }) => chooseDomain(appId, domain) === domain,
    );
    domains = new Map([...proved.map(({ domain, appId }) => [domain, appId] as const), ...given]);
    domainOf = new Map([...domains].map(([domain, appId]) => [appId, domain]));
  });

  return {
    /** The table as it was read last. */
    table,
    /** Reads the table. While the database does not answer, it stays as it was. */
    async read(): Promise<HelpDomainTable> {
      await load('').catch(() => undefined);
      return table;
    },
    /** Whether workspaces may have the domain. */
    isAvailable,
    isGiven: (appId: string) => givenTo.has(appId),
    /** Returns where the pages of a workspace are that has proved this domain, or none. */
    findPlace(appId: string, proved: string | undefined): HelpPlace {
      const domain = chooseDomain(appId, proved);
      return domain === undefined
        ? { origin: new URL(baseUrl()).origin, basePath: `${HELP_PATH}/${appId}` }
        : { origin: `https://${domain}`, basePath: '' };
    },
  };
}
