import { LIMITS } from '../../contract/limits.ts';
import type { Route } from '../../contract/route.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../storage/store.ts';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import { resolveKey } from './api-key-caller.ts';
import { resolveMember, resolveSession, resolveVisitor } from './caller.ts';
import type { HttpRequestContext } from './context.ts';
import { throwApiError } from './errors.ts';
import type {
  Caller,
  KeyCaller,
  MemberCaller,
  SessionCaller,
  VisitorCaller,
  WorkspaceResolver,
} from './handler.ts';
import type { Limiter, RateLimitSubject } from './rate-limit.ts';

/** Who calls: the facts of a route say which credential, which role and how fresh a password it asks for. */

export type CredentialDeps = {
  readonly workspaceResolver: WorkspaceResolver;
  readonly store: Pick<Store, 'sessions' | 'memberships' | 'workspaces' | 'apiKeys' | 'in'>;
  readonly tokens: VisitorTokens;
  readonly limiter: Limiter;
  readonly clock: Clock;
};

/** The caller that the route asks for; undefined where it asks for none, or also answers callers without one. */
export async function authenticate(
  route: Route,
  ctx: HttpRequestContext,
  params: { readonly tenantId?: string },
  deps: CredentialDeps,
): Promise<Caller | undefined> {
  const { credential, firstParty } = route.metadata;
  if (firstParty && route.method !== 'GET') requireFirstParty(ctx);
  if (credential === 'visitor') return authenticateVisitor(route, ctx, deps);
  if (credential === 'session') return authenticateSession(route, ctx, params.tenantId, deps);
  return credential === 'api-key' ? authenticateKey(route, ctx, deps) : undefined;
}

/** Counts the request against the buckets of those who may make it. */
export async function consumeRateLimits(
  { metadata }: Route,
  ctx: HttpRequestContext,
  caller: Caller | undefined,
  { limiter }: CredentialDeps,
): Promise<void> {
  if (metadata.credential !== 'none' && !caller) return;
  await limiter.consumeRateLimit(metadata.limits, toSubject(ctx, caller), ctx.quota);
}

async function authenticateVisitor(
  { metadata }: Route,
  ctx: HttpRequestContext,
  deps: CredentialDeps,
): Promise<VisitorCaller | undefined> {
  const resolved = await resolveVisitor(ctx.headers, deps);
  if (resolved.ok) return resolved.caller;
  const { clientAddress, quota } = ctx;
  await deps.limiter.consumeRateLimit(metadata.limitsWithoutCredential, { clientAddress }, quota);
  if (!metadata.unauthorized) return undefined;
  return throwApiError(resolved.expired ? 'jwt_expired' : metadata.unauthorized, resolved.reason);
}

async function authenticateKey(
  { metadata }: Route,
  { headers, clientAddress, quota }: HttpRequestContext,
  { store, clock, limiter }: CredentialDeps,
): Promise<KeyCaller> {
  const resolved = await resolveKey(headers, store, clock);
  if (!resolved.ok) {
    await limiter.consumeRateLimit(metadata.limitsWithoutCredential, { clientAddress }, quota);
    return throwApiError(metadata.unauthorized!, resolved.reason);
  }
  if (metadata.scope && !resolved.scopes.includes(metadata.scope))
    return throwApiError('export/insufficient_scope');
  return resolved.caller;
}

/** The signed-in person, as a member where the route asks for a role. */
async function authenticateSession(
  { metadata }: Route,
  ctx: HttpRequestContext,
  tenantId: string | undefined,
  { store, clock, limiter }: CredentialDeps,
): Promise<SessionCaller | MemberCaller> {
  const { roles, freshPassword } = metadata;
  const person = await resolveSession(ctx, store, clock);
  if (!person) {
    const { clientAddress, quota } = ctx;
    await limiter.consumeRateLimit(metadata.limitsWithoutCredential, { clientAddress }, quota);
    return throwApiError(metadata.unauthorized!, 'no session');
  }
  const caller = roles ? await resolveMember(person, tenantId ?? '', store) : person;
  if (!caller) return throwApiError('tenant/not_found');
  if (caller.kind === 'member' && !roles!.includes(caller.role)) return throwApiError('tenant/role_required');
  if (freshPassword && clock.now() - caller.confirmedAt > LIMITS.freshPasswordSeconds * 1000) {
    return throwApiError('session/password_needed');
  }
  return caller;
}

/**
 * Against forged requests from other sites: browsers say where a request comes from, and what they do not say is not believed. A sibling
 * subdomain is another site too.
 */
function requireFirstParty({ headers, ownOrigin }: HttpRequestContext): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? headers.origin === ownOrigin : site === 'same-origin';
  if (!isOwn) throwApiError('session/cross_site', `sec-fetch-site ${site}, origin ${headers.origin}`);
}

function toSubject({ clientAddress }: HttpRequestContext, caller: Caller | undefined): RateLimitSubject {
  if (caller === undefined) return { clientAddress };
  if (caller.kind === 'visitor') {
    return { clientAddress, visitorId: caller.visitorId, workspaceId: caller.workspace.id };
  }
  if (caller.kind === 'key') return { clientAddress, keyId: caller.keyId, workspaceId: caller.workspace.id };
  if (caller.kind === 'session') return { clientAddress, account: caller.userId };
  const { userId, memberId, workspace } = caller;
  return { clientAddress, account: userId, memberId, workspaceId: workspace.id };
}
