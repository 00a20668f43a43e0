import { createProviderClient, ProviderUnusable } from '../accounts/provider-client.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../settings/config.ts';
import { createAddressCheck } from '../sources/public-addresses.ts';
import type { Store } from '../storage/store.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** What is wrong with an identity provider, and what to do. */
const REPAIRS: Readonly<Record<ProviderUnusable['problem'], string>> = {
  address_not_allowed: 'is at no public https address: correct the issuer',
  unreachable: 'does not answer: check its address, its certificate and the network',
  no_document: 'has no discovery document: correct the issuer',
  wrong_issuer: 'calls itself otherwise: enter the issuer exactly as it states it',
  no_code_flow: 'does not offer the authorization code flow: turn it on there',
  no_endpoint: 'leaves out an address that is needed: look at its discovery document',
  no_keys: 'does not show the keys with which it signs: look at its `jwks_uri`',
};

/** Reads what each identity provider publishes, as a sign-in does. */
export async function* checkSignIn(
  { oidc, proxy, sourceNetworks: networks }: Config,
  store: Pick<Store, 'signInDomains'> | undefined,
  clock: Clock,
): AsyncGenerator<Finding> {
  const ofWorkspaces = (await store?.signInDomains.providers()) ?? [];
  const providers = [
    ...(oidc ? [{ issuer: oidc.issuer, name: 'of OIDC_ISSUER', isOfOperator: true }] : []),
    ...ofWorkspaces.map(({ issuer, workspaceId }) => ({
      ...{ issuer, name: `of the workspace ${workspaceId}`, isOfOperator: false },
    })),
  ];
  if (providers.length === 0)
    yield ok`sign-in: There is no identity provider: people sign in with passwords and passkeys.`;
  const client = createProviderClient({
    addressCheck: createAddressCheck({ networks }),
    networks,
    proxy,
    clock,
  });
  try {
    for (const { issuer, name, isOfOperator } of providers) {
      try {
        await client.check({ issuer, isOfOperator, clientId: 'trial', clientSecret: 'trial' });
        yield ok`sign-in: The identity provider ${issuer} ${name} can be used.`;
      } catch (error) {
        if (!(error instanceof ProviderUnusable)) throw error;
        const write = isOfOperator ? problem : warning;
        yield write`sign-in: The identity provider ${issuer} ${name} ${REPAIRS[error.problem]} (${error.message}).`;
      }
    }
  } finally {
    client.close();
  }
}
