import type { KeyObject } from 'node:crypto';
import type { identityProviders as router, SignInSettings } from '../../contract/identity-providers.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { hasRecord, type ResolveTexts, toDomainRecord } from '../base/domain-proof.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { ComposeMail } from '../people/compose-mail.ts';
import { composeLossNotices } from '../people/workspace-notices.ts';
import type { Store } from '../storage/store.ts';
import type { SecretBox } from '../tokens/sealed-text.ts';
import { createMemberAudit } from '../workspaces/audit-trail.ts';
import { type ProviderClient, ProviderUnusable } from './provider-client.ts';

/** The identity providers of workspaces. Their secrets are written and never read back. */

export type ProviderDeps = {
  store: Pick<Store, 'in' | 'workspaces' | 'signInDomains'>;
  composeMail: ComposeMail;
  clock: Clock;
  secrets: SecretBox;
  providerClient: ProviderClient;
  domainKey: KeyObject;
  resolveTexts: ResolveTexts;
  baseUrl: () => string;
};

type ProviderRoutes = Pick<
  typeof router,
  | 'readIdentityProvider'
  | 'setIdentityProvider'
  | 'removeIdentityProvider'
  | 'tryIdentityProvider'
  | 'proveSignInDomain'
>;

export const toCallbackUrl = (baseUrl: string) => `${baseUrl}/dashboard/sign-in/callback`;

/** Another workspace, issuer or client cannot use the secret. */
export const toProviderOwner = (workspaceId: string, issuer: string, clientId: string) =>
  `identity provider of ${workspaceId} at ${issuer} as ${clientId}`;

export function identityProviderHandlers(deps: ProviderDeps): Handlers<ProviderRoutes> {
  const { store, clock, secrets, providerClient } = deps;
  const toAudit = createMemberAudit(clock);

  async function describe(workspaceId: string): Promise<SignInSettings> {
    const callbackUrl = toCallbackUrl(deps.baseUrl());
    const stored = await store.in(workspaceId).identityProvider.find();
    if (!stored) return { callbackUrl, domains: [] };
    const { issuer, clientId, sealedSecret, mode, defaultRole, groupsClaim } = stored;
    const owner = toProviderOwner(workspaceId, issuer, clientId);
    return {
      callbackUrl,
      provider: {
        ...{ issuer, clientId, mode, defaultRole, groupsClaim },
        groupRoles: JSON.parse(stored.groupRoles),
        hasSecret: (await secrets.open(sealedSecret, owner)) !== undefined,
        changedAt: toIsoString(stored.changedAt),
      },
      domains: stored.domains.map(({ domain, provedAt }) => ({
        domain,
        record: toDomainRecord('sign-in domain', workspaceId, domain, deps.domainKey),
        ...(provedAt !== undefined && { provedAt: toIsoString(provedAt) }),
      })),
    };
  }

  return {
    readIdentityProvider: async ({ caller }) => ({ status: 200, body: await describe(caller.workspace.id) }),

    async setIdentityProvider({ caller, body, ctx }) {
      const { id } = caller.workspace;
      const { clientSecret, domains, groupRoles, ...provider } = body;
      const { issuer, clientId } = provider;
      const sealedSecret = await sealSecret(id, { issuer, clientId, clientSecret }, deps);
      const stored = {
        ...{ ...provider, sealedSecret, changedAt: clock.now() },
        groupRoles: JSON.stringify(groupRoles),
      };
      const names = [...new Set(domains)];
      const isNewSecret = clientSecret === undefined ? {} : { clientSecret: 'changed' };
      const audit = toAudit(caller, ctx, 'identity_provider.changed', id, {
        ...{ ...provider, groupRoles, domains: names, ...isNewSecret },
      });
      const outcome = await store.in(id).identityProvider.set(stored, names, audit);
      if (outcome === 'no_proof') throwApiError('identity_provider/no_proved_domain');
      return { status: 200, body: await describe(id) };
    },

    async removeIdentityProvider({ caller, ctx }) {
      const { id } = caller.workspace;
      const outcome = await store
        .in(id)
        .identityProvider.remove(toAudit(caller, ctx, 'identity_provider.removed', id));
      if (outcome === 'gone') throwApiError('identity_provider/not_found');
      return { status: 200, body: { ok: true } };
    },

    async tryIdentityProvider({ body: { issuer } }) {
      const provider = { issuer, clientId: 'trial', clientSecret: 'trial', isOfOperator: false };
      try {
        const server = (await providerClient.check(provider)).serverMetadata();
        return { status: 200, body: { signInUrl: server.authorization_endpoint!.slice(0, URL_CHARS_MAX) } };
      } catch (error) {
        if (!(error instanceof ProviderUnusable)) throw error;
        const { problem, status, statedIssuer } = error;
        return { status: 200, body: { problem, status, statedIssuer } };
      }
    },

    async proveSignInDomain({ caller, body: { domain }, ctx }) {
      const { id } = caller.workspace;
      const known = await store.in(id).identityProvider.find();
      if (!known?.domains.some((each) => each.domain === domain))
        throwApiError('identity_provider/domain_not_found');
      const record = toDomainRecord('sign-in domain', id, domain, deps.domainKey);
      if (!(await hasRecord(record, deps.resolveTexts))) throwApiError('identity_provider/record_not_found');
      const audit = toAudit(caller, ctx, 'identity_provider.domain_proved', id, { domain });
      const loser = await store.signInDomains.findOther(id, domain);
      const values = { domain, taken: domain };
      const notices = loser && (await composeLossNotices('sign_in_domain_lost', loser, values, deps));
      const outcome = await store.signInDomains.prove(id, domain, clock.now(), audit, notices);
      if (outcome === 'gone') throwApiError('identity_provider/domain_not_found');
      return { status: 200, body: await describe(id) };
    },
  };
}

const URL_CHARS_MAX = 2048;

/** Seals a new secret, or keeps the stored one if it is for this issuer and client id. */
async function sealSecret(
  workspaceId: string,
  { issuer, clientId, clientSecret }: { issuer: string; clientId: string; clientSecret: string | undefined },
  { store, secrets }: ProviderDeps,
): Promise<string> {
  const owner = toProviderOwner(workspaceId, issuer, clientId);
  if (clientSecret !== undefined) return secrets.seal(clientSecret, owner);
  const stored = await store.in(workspaceId).identityProvider.find();
  if (stored && (await secrets.open(stored.sealedSecret, owner)) !== undefined) return stored.sealedSecret;
  const message = 'Send the secret: none is stored for this issuer and client id.';
  return throwInvalidRequest({ path: 'body.clientSecret', code: 'secret_required', message });
}
