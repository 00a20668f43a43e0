import type { IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '../../contract/errors.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { lowerRole, type Route } from '../../contract/route.ts';
import type { Clock } from '../base/clock.ts';
import { isInNetworks, truncateAddress } from '../base/network.ts';
import type { ApiKey } from '../storage/api-keys.ts';
import type { Store } from '../storage/store.ts';
import { API_KEY_PATTERN, parseApiKey, secretMatches } from '../tokens/api-key.ts';
import { hashToken, isFresh, readSessionToken } from '../tokens/session-cookie.ts';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import type { HttpRequestContext } from './context.ts';
import { throwApiError } from './errors.ts';
import type {
  AuditTrail,
  KeyCaller,
  MemberCaller,
  SessionCaller,
  VisitorCaller,
  WorkspaceResolver,
} from './handler.ts';
import type { Limiter } from './rate-limit.ts';
import { isClosedTo } from './required-provider.ts';

/** Authentication: the route's metadata names the credential, role and scope that it requires. */

export type AuthDeps = {
  workspaceResolver: WorkspaceResolver;
  store: Pick<Store, 'sessions' | 'memberships' | 'workspaces' | 'apiKeys'>;
  tokens: VisitorTokens;
  erasedVisitors: { has: (erasureKey: string) => boolean };
  limiter: Limiter;
  clock: Clock;
  audit: AuditTrail;
  /** Whether the installation requires its identity provider. */
  isProviderRequired: boolean;
};

/** How often the last use of a session or an API key is stored. */
const LAST_USE_EVERY_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;

/**
 * Sets the caller. It stays unset if the route takes no credential, or if the route accepts callers without one and the
 * credential is missing or invalid.
 */
export async function authenticate(
  ctx: HttpRequestContext,
  route: Route,
  params: { tenantId?: string },
  deps: AuthDeps,
): Promise<void> {
  const { credential, firstParty } = route.metadata;
  if (firstParty && route.method !== 'GET') requireFirstParty(ctx);
  if (credential === 'visitor') ctx.caller = await authenticateVisitor(ctx, route, deps);
  else if (credential === 'session') {
    ctx.caller = await authenticateSession(ctx, route, params.tenantId, deps);
    authorizeSession(ctx, ctx.caller, route, deps.clock);
  } else if (credential === 'api-key') await authenticateKey(ctx, route, deps);
}

/**
 * Returns the `WWW-Authenticate` of a 401 (RFC 9110, RFC 6750). `Cookie` stands for a session: no browser knows the
 * scheme, so none opens its own sign-in dialog.
 */
export function buildChallenge({ headers }: HttpRequestContext, route: Route | undefined): string {
  const credential = route?.metadata.credential;
  if (credential !== 'visitor' && credential !== 'api-key') return 'Cookie realm="guidepost"';
  const sent = credential === 'visitor' ? [parseBearerToken(headers.authorization)] : listSentKeys(headers);
  return `Bearer realm="guidepost"${sent.some(Boolean) ? ', error="invalid_token"' : ''}`;
}

/** Errors of authenticated callers that the audit counts. Wrong passwords are counted where they are verified. */
const AUDITED_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'tenant/role_required',
  'tenant/name_mismatch',
  'session/password_needed',
  'session/address_not_allowed',
  'session/area_required',
  'export/unauthorized',
  'export/key_expired',
  'export/address_not_allowed',
  'export/insufficient_scope',
] satisfies ErrorCode[]);

/** Counts an attempt that was refused because of the caller's role, credential or confirmation. */
export function auditDeniedAccess(ctx: HttpRequestContext, code: ErrorCode, audit: AuditTrail): void {
  const { caller, route } = ctx;
  if (!AUDITED_ERRORS.has(code) || (caller?.kind !== 'member' && caller?.kind !== 'key')) return;
  const { id: workspaceId } = caller.workspace;
  const by = { workspaceId, id: caller.kind === 'key' ? caller.keyId : caller.memberId };
  const details = { error: code, operation: route?.metadata.operationId ?? '' };
  audit.count({ action: 'access.refused', by, subject: workspaceId, details }, ctx);
}

/**
 * CSRF protection. Trusts `Sec-Fetch-Site`, then `Origin`, and rejects requests with neither. A sibling subdomain counts as another
 * site.
 */
export function requireFirstParty(ctx: HttpRequestContext): void {
  const { headers } = ctx;
  const site = headers['sec-fetch-site'];
  const isFirstParty = site === undefined ? ctx.isOwnOrigin(headers.origin) : site === 'same-origin';
  if (!isFirstParty) throwApiError('session/cross_site', `sec-fetch-site ${site}, origin ${headers.origin}`);
}

async function authenticateVisitor(
  ctx: HttpRequestContext,
  { metadata }: Route,
  deps: AuthDeps,
): Promise<VisitorCaller | undefined> {
  const resolved = await resolveVisitor(ctx.headers, deps);
  if (resolved.ok) return resolved.caller;
  await consumeWithoutCredential(ctx, metadata, deps);
  if (!metadata.unauthorized) return undefined;
  return throwApiError(resolved.expired ? 'jwt_expired' : metadata.unauthorized, resolved.reason);
}

async function authenticateKey(ctx: HttpRequestContext, { metadata }: Route, deps: AuthDeps): Promise<void> {
  const resolved = await resolveKey(ctx, deps.store, deps.clock);
  ctx.caller = resolved.caller;
  if (!resolved.ok) {
    await consumeWithoutCredential(ctx, metadata, deps);
    return throwApiError(resolved.code ?? metadata.unauthorized!, resolved.reason);
  }
  const { key, caller } = resolved;
  if (metadata.scope && !key.scopes.includes(metadata.scope)) throwApiError('export/insufficient_scope');
  const by = { workspaceId: caller.workspace.id, id: key.id };
  await recordKeyUse(key, by, ctx, deps);
  const details = { operation: metadata.operationId };
  deps.audit.count({ action: 'api_key.exported', by, details, intervalMillis: DAY_MILLIS }, ctx);
}

/** Stores the last use at most once a minute for a network, and audits the first use from a new one. */
async function recordKeyUse(
  key: ApiKey,
  by: { workspaceId: string; id: string },
  ctx: HttpRequestContext,
  { store, clock, audit }: AuthDeps,
): Promise<void> {
  const now = clock.now();
  const network = truncateAddress(ctx.clientAddress);
  const isRecent = now - (key.lastUsedAt ?? 0) < LAST_USE_EVERY_MILLIS;
  if (isRecent && network === key.lastUsedNetwork) return;
  // Exports keep working while storage rejects writes.
  const use = await store.apiKeys.recordUse(key.id, now, network).catch(() => undefined);
  if (use === 'new_network') audit.count({ action: 'api_key.new_network', by }, ctx);
}

/** Returns the signed-in user, as a member of the workspace when the route requires a role. */
async function authenticateSession(
  ctx: HttpRequestContext,
  { metadata }: Route,
  tenantId: string | undefined,
  deps: AuthDeps,
): Promise<SessionCaller | MemberCaller> {
  const { store, clock } = deps;
  const session = await resolveSession(ctx, store, clock);
  if (!session) {
    await consumeWithoutCredential(ctx, metadata, deps);
    return throwApiError(metadata.unauthorized!, 'no session');
  }
  const caller = metadata.roles ? await resolveMember(session, tenantId ?? '', deps) : session;
  return caller ?? throwApiError('tenant/not_found');
}

function authorizeSession(
  { clientAddress }: HttpRequestContext,
  caller: SessionCaller | MemberCaller,
  { metadata: { roles, areas, freshPassword } }: Route,
  clock: Clock,
): void {
  const { automation } = caller;
  const networks = automation?.allowedNetworks ?? [];
  if (networks.length > 0 && !isInNetworks(clientAddress, networks)) {
    throwApiError('session/address_not_allowed');
  }
  if (caller.kind === 'member' && !roles!.includes(caller.role)) throwApiError('tenant/role_required');
  const requiresFactor = caller.kind === 'member' && caller.workspace.settings.requireSecondFactor;
  if (requiresFactor && !automation && !caller.factor) throwApiError('session/second_factor_needed');
  if (automation && !areas.some((area) => automation.areas.includes(area))) {
    throwApiError('session/area_required');
  }
  if (freshPassword && !isFresh(caller, clock.now())) throwApiError('session/password_needed');
}

async function consumeWithoutCredential(
  { clientAddress, rateLimits }: HttpRequestContext,
  { limitsWithoutCredential }: Route['metadata'],
  { limiter }: AuthDeps,
): Promise<void> {
  rateLimits.remember(await limiter.consume(limitsWithoutCredential, { clientAddress }, rateLimits));
}

type ResolvedVisitor = { ok: true; caller: VisitorCaller } | { ok: false; expired: boolean; reason: string };

/** Checks the token's signature and expiry, that its workspace still serves its origin, and that the request has that origin. */
async function resolveVisitor(
  headers: IncomingHttpHeaders,
  deps: Pick<AuthDeps, 'tokens' | 'erasedVisitors' | 'workspaceResolver'>,
): Promise<ResolvedVisitor> {
  const invalid = (reason: string): ResolvedVisitor => ({ ok: false, expired: false, reason });
  const jwt = parseBearerToken(headers.authorization);
  if (!jwt) return invalid('no bearer token');
  const verdict = await deps.tokens.verify(jwt);
  if (!verdict.ok) return verdict;
  const { claims } = verdict;
  if (deps.erasedVisitors.has(claims.erasureKey)) return invalid('erased visitor');
  if (headers.origin !== undefined && !deps.workspaceResolver.isSameOrigin(headers.origin, claims.origin)) {
    return invalid('token used from another origin');
  }
  const workspace = await deps.workspaceResolver.findForOrigin(claims.workspaceId, claims.origin);
  if (!workspace) return invalid('workspace or origin no longer served');
  const { workspaceId: _, expiresAtSeconds: __, ...visitor } = claims;
  return { ok: true, caller: { kind: 'visitor', workspace, ...visitor } };
}

function parseBearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer ([^\s,]+)$/i.exec(authorization ?? '')?.[1];
}

/** Returns undefined when there is no session or it has ended. */
async function resolveSession(
  { headers, isSecure }: HttpRequestContext,
  { sessions }: Pick<Store, 'sessions'>,
  clock: Clock,
): Promise<SessionCaller | undefined> {
  const token = readSessionToken(headers.cookie, isSecure);
  const session = token && (await sessions.findByToken(hashToken(token)));
  if (!session) return undefined;
  const now = clock.now();
  const idleMillis = now - session.lastSeenAt;
  const isIdle = !session.automation && idleMillis >= ACCOUNT_LIMITS.sessionIdleSeconds * 1000;
  if (now >= session.expiresAt || isIdle) return undefined;
  // Reads keep working while storage rejects writes; the session is just not prolonged.
  if (idleMillis >= LAST_USE_EVERY_MILLIS) await sessions.recordUse(session.id, now).catch(() => undefined);
  const { id: sessionId, userId, email, automation } = session;
  const { confirmedAt, signedInWith, factor, identityProvider } = session;
  const proof = { confirmedAt, signedInWith, factor, identityProvider };
  return { kind: 'session', sessionId, userId, email, ...proof, ...(automation ? { automation } : {}) };
}

/** Returns undefined both for a workspace that the user is not in and for a workspace that does not exist. */
async function resolveMember(
  session: SessionCaller,
  workspaceId: string,
  { store: { memberships, workspaces }, isProviderRequired }: Pick<AuthDeps, 'store' | 'isProviderRequired'>,
): Promise<MemberCaller | undefined> {
  const member = await memberships.find(workspaceId, session.userId);
  const workspace = member && (await workspaces.find(workspaceId));
  if (!member || !workspace) return undefined;
  const { automation, identityProvider } = session;
  if (!automation && isClosedTo(identityProvider, member, isProviderRequired))
    throwApiError('session/provider_required');
  if (!automation) return { ...session, kind: 'member', memberId: member.id, role: member.role, workspace };
  if (automation.workspaceId !== workspaceId || automation.memberId !== member.id) return undefined;
  const role = lowerRole(automation.role, member.role);
  return { ...session, kind: 'member', memberId: session.sessionId, role, workspace };
}

type ResolvedKey =
  | { ok: true; caller: KeyCaller; key: ApiKey }
  /** The caller is known if the key is genuine but revoked, expired or used from a network that it does not allow. */
  | {
      ok: false;
      reason: string;
      code?: ErrorCode;
      caller?: KeyCaller;
    };

/** Reads the API key from `x-api-key` or the bearer token; rejects two different keys. */
async function resolveKey(
  { headers, clientAddress }: HttpRequestContext,
  { apiKeys, workspaces }: Pick<Store, 'apiKeys' | 'workspaces'>,
  clock: Clock,
): Promise<ResolvedKey> {
  const invalid = (reason: string): ResolvedKey => ({ ok: false, reason });
  const sentKeys = listSentKeys(headers);
  if (sentKeys.length === 0) return invalid('no API key');
  if (new Set(sentKeys).size > 1) return invalid('two different API keys');
  const key = await verifyKey(sentKeys[0]!, { apiKeys });
  if (!key) return invalid('unknown API key');
  const workspace = await workspaces.find(key.workspaceId);
  if (!workspace) return invalid('workspace removed');
  const caller: KeyCaller = { kind: 'key', keyId: key.id, workspace };
  const reject = (reason: string, code?: ErrorCode): ResolvedKey => ({
    ok: false,
    reason,
    caller,
    ...(code ? { code } : {}),
  });
  if (key.revokedAt !== undefined) return reject('revoked API key');
  if ((key.expiresAt ?? Infinity) <= clock.now()) return reject('expired API key', 'export/key_expired');
  if (key.allowedNetworks.length > 0 && !isInNetworks(clientAddress, key.allowedNetworks)) {
    return reject('address not on the allow-list', 'export/address_not_allowed');
  }
  return { ok: true, caller, key };
}

/** Audits API keys sent in a URL, because URLs end up in logs and histories. Returns whether the URL has any. */
export async function auditKeyInUrl(
  url: string,
  ctx: HttpRequestContext,
  { store, audit }: Pick<AuthDeps, 'store' | 'audit'>,
): Promise<boolean> {
  const keys = url.match(API_KEY_PATTERN) ?? [];
  for (const text of new Set(keys)) {
    const key = await verifyKey(text, store);
    if (!key) continue;
    const by = { workspaceId: key.workspaceId, id: key.id };
    audit.count({ action: 'api_key.sent_in_address', by, details: { lastFour: key.lastFour } }, ctx);
  }
  return keys.length > 0;
}

/** Takes the same time for unknown keys as for known ones. */
async function verifyKey(text: string, { apiKeys }: Pick<Store, 'apiKeys'>): Promise<ApiKey | undefined> {
  const parts = parseApiKey(text);
  const key = parts && (await apiKeys.findByPublicId(parts.publicId));
  return secretMatches(parts?.secret ?? '', key?.secretHash) ? key : undefined;
}

function listSentKeys({ 'x-api-key': apiKeyHeader, authorization }: IncomingHttpHeaders): string[] {
  const bearer = authorization === undefined ? [] : [parseBearerToken(authorization) ?? ''];
  return [...[apiKeyHeader ?? []].flat(), ...bearer];
}
