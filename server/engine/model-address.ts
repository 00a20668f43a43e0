import { createNamedServers, type ResolveName } from '../base/address-guard.ts';
import type { LlmSettings } from '../settings/model.ts';

/**
 * Which servers the models of workspaces may have: public ones over https, and those in networks that the operator allows, over
 * http too. Names are checked when the connection is made.
 */
type ModelAddresses = {
  /** Returns the address in canonical form; undefined for one that may not be used. */
  parse(baseUrl: string): string | undefined;
  /** Resolves and checks names on this address. */
  getLookup(baseUrl: string): NonNullable<LlmSettings['lookup']>;
};

export function createModelAddresses(networks: readonly string[], resolve: ResolveName): ModelAddresses {
  const { getGuard } = createNamedServers({ networks, setting: 'LLM_NETWORKS', resolve });
  return {
    parse(baseUrl) {
      const url = new URL(baseUrl);
      const { protocol, username, password, search, hash } = url;
      const isPlain = username === '' && password === '' && search === '' && hash === '';
      const isAllowed = protocol === 'https:' || networks.length > 0;
      return isPlain && isAllowed && !getGuard(url).checkLiteral(url)
        ? url.href.replace(/\/+$/, '')
        : undefined;
    },
    getLookup: (baseUrl) => getGuard(new URL(baseUrl)).lookup,
  };
}
