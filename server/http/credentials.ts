import { LIMITS } from '../../contract/limits.ts';
import type { Route } from '../../contract/route.ts';
import type { Clock } from '../clock.ts';
import { refuse } from '../refuse.ts';
import type { Store } from '../storage/store.ts';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import { resolveKey } from './api-key-caller.ts';
import { resolveMember, resolveSession, resolveVisitor } from './caller.ts';
import type { HttpExchange } from './exchange.ts';
import type { Admission, Caller, KeyCaller, MemberCaller, SessionCaller, VisitorCaller } from './handler.ts';
import type { Drawer, Limiter } from './limiter.ts';

/** Who calls: the facts of a route say which credential, which role and how fresh a password it asks for. */

export type CredentialNeeds = {
  readonly admission: Admission;
  readonly store: Pick<Store, 'sessions' | 'memberships' | 'workspaces' | 'apiKeys' | 'in'>;
  readonly tokens: VisitorTokens;
  readonly limiter: Limiter;
  readonly clock: Clock;
};

/** The caller that the route asks for; undefined where it asks for none, or also answers callers without one. */
export async function knowCaller(
  route: Route,
  exchange: HttpExchange,
  params: { readonly tenantId?: string },
  needs: CredentialNeeds,
): Promise<Caller | undefined> {
  const { credential, firstParty } = route.metadata;
  if (firstParty && route.method !== 'GET') requireFirstParty(exchange);
  if (credential === 'visitor') return knowVisitor(route, exchange, needs);
  if (credential === 'session') return knowPerson(route, exchange, params.tenantId, needs);
  return credential === 'api-key' ? knowKey(route, exchange, needs) : undefined;
}

/** Counts the request against the buckets of those who may make it. */
export async function drawFor(
  { metadata }: Route,
  exchange: HttpExchange,
  caller: Caller | undefined,
  { limiter }: CredentialNeeds,
): Promise<void> {
  if (metadata.credential !== 'none' && !caller) return;
  await limiter.draw(metadata.limits, drawerOf(exchange, caller), exchange.quota);
}

async function knowVisitor(
  { metadata }: Route,
  exchange: HttpExchange,
  needs: CredentialNeeds,
): Promise<VisitorCaller | undefined> {
  const resolved = await resolveVisitor(exchange.headers, needs);
  if (resolved.ok) return resolved.caller;
  const { clientAddress, quota } = exchange;
  await needs.limiter.draw(metadata.limitsWithoutCredential, { clientAddress }, quota);
  if (!metadata.unauthorized) return undefined;
  return refuse(resolved.expired ? 'jwt_expired' : metadata.unauthorized, resolved.because);
}

async function knowKey(
  { metadata }: Route,
  { headers, clientAddress, quota }: HttpExchange,
  { store, clock, limiter }: CredentialNeeds,
): Promise<KeyCaller> {
  const resolved = await resolveKey(headers, store, clock);
  if (!resolved.ok) {
    await limiter.draw(metadata.limitsWithoutCredential, { clientAddress }, quota);
    return refuse(metadata.unauthorized!, resolved.because);
  }
  if (metadata.scope && !resolved.scopes.includes(metadata.scope)) return refuse('export/insufficient_scope');
  return resolved.caller;
}

/** The signed-in person, as a member where the route asks for a role. */
async function knowPerson(
  { metadata }: Route,
  exchange: HttpExchange,
  tenantId: string | undefined,
  { store, clock, limiter }: CredentialNeeds,
): Promise<SessionCaller | MemberCaller> {
  const { roles, freshPassword } = metadata;
  const person = await resolveSession(exchange, store, clock);
  if (!person) {
    const { clientAddress, quota } = exchange;
    await limiter.draw(metadata.limitsWithoutCredential, { clientAddress }, quota);
    return refuse(metadata.unauthorized!, 'no session');
  }
  const caller = roles ? await resolveMember(person, tenantId ?? '', store) : person;
  if (!caller) return refuse('tenant/not_found');
  if (caller.kind === 'member' && !roles!.includes(caller.role)) return refuse('tenant/role_required');
  if (freshPassword && clock.now() - caller.confirmedAt > LIMITS.freshPasswordSeconds * 1000) {
    return refuse('session/password_needed');
  }
  return caller;
}

/**
 * Against forged requests from other sites: browsers say where a request comes from, and what they do not say is not believed. A sibling
 * subdomain is another site too.
 */
function requireFirstParty({ headers, ownOrigin }: HttpExchange): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === ownOrigin : site === 'same-origin';
  if (!isOwn) refuse('session/cross_site', `sec-fetch-site ${site}, origin ${headers.origin}`);
}

function drawerOf({ clientAddress }: HttpExchange, caller: Caller | undefined): Drawer {
  if (caller === undefined) return { clientAddress };
  if (caller.kind === 'visitor') {
    return { clientAddress, visitorId: caller.visitorId, workspaceId: caller.workspace.id };
  }
  if (caller.kind === 'key') return { clientAddress, keyId: caller.keyId, workspaceId: caller.workspace.id };
  if (caller.kind === 'session') return { clientAddress, account: caller.userId };
  const { userId, memberId, workspace } = caller;
  return { clientAddress, account: userId, memberId, workspaceId: workspace.id };
}
