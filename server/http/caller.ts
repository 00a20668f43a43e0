import type { IncomingHttpHeaders } from 'node:http';
import { LIMITS } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../storage/store.ts';
import { hashToken, sessionTokenIn } from '../tokens/session-cookie.ts';
import type { VisitorTokens } from '../tokens/visitor-token.ts';
import type {
  MemberCaller,
  RequestContext,
  SessionCaller,
  VisitorCaller,
  WorkspaceResolver,
} from './handler.ts';

export type Resolved =
  | { readonly ok: true; readonly caller: VisitorCaller }
  | { readonly ok: false; readonly expired: boolean; readonly reason: string };

/** Bearer token to visitor: signature, expiry, workspace still serving, origin still allowed and the request's own. */
export async function resolveVisitor(
  headers: IncomingHttpHeaders,
  deps: { readonly tokens: VisitorTokens; readonly workspaceResolver: WorkspaceResolver },
): Promise<Resolved> {
  const invalid = (reason: string): Resolved => ({ ok: false, expired: false, reason });
  const jwt = bearerOf(headers.authorization);
  if (!jwt) return invalid('no bearer token');
  const verdict = await deps.tokens.verify(jwt);
  if (!verdict.ok) return verdict;
  const { claims } = verdict;
  if (headers.origin !== undefined && !deps.workspaceResolver.isSameOrigin(headers.origin, claims.origin)) {
    return invalid('token used from another origin');
  }
  const workspace = await deps.workspaceResolver.findForOrigin(claims.workspaceId, claims.origin);
  if (!workspace) return invalid('workspace or origin no longer served');
  const { workspaceId: _, expiresAtSeconds: __, ...visitor } = claims;
  return { ok: true, caller: { kind: 'visitor', workspace, ...visitor } };
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer ([^\s,]+)$/i.exec(authorization ?? '')?.[1];
}

const SEEN_EVERY_MILLIS = 60_000;

/** Session cookie to the person who is signed in; undefined where there is no session, or it has ended. */
export async function resolveSession(
  { headers, ownOrigin }: Pick<RequestContext, 'headers' | 'ownOrigin'>,
  { sessions }: Pick<Store, 'sessions'>,
  clock: Clock,
): Promise<SessionCaller | undefined> {
  const token = sessionTokenIn(headers.cookie, ownOrigin);
  const session = token && (await sessions.findByToken(hashToken(token)));
  if (!session) return undefined;
  const now = clock.now();
  const idleSince = now - session.lastSeenAt;
  if (now >= session.expiresAt || idleSince >= LIMITS.sessionIdleSeconds * 1000) return undefined;
  // Reading goes on while nothing can be written; then the session is merely not prolonged.
  if (idleSince >= SEEN_EVERY_MILLIS) await sessions.seen(session.id, now).catch(() => undefined);
  const { id: sessionId, userId, email, confirmedAt } = session;
  return { kind: 'session', sessionId, userId, email, confirmedAt };
}

/** The same person as a member of the workspace; undefined alike for a foreign workspace and for one that does not exist. */
export async function resolveMember(
  person: SessionCaller,
  workspaceId: string,
  { memberships, workspaces }: Pick<Store, 'memberships' | 'workspaces'>,
): Promise<MemberCaller | undefined> {
  const member = await memberships.find(workspaceId, person.userId);
  const workspace = member && (await workspaces.find(workspaceId));
  if (!member || !workspace) return undefined;
  return { ...person, kind: 'member', memberId: member.id, role: member.role, workspace };
}
