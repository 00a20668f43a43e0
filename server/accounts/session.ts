import { LINK_HEADER } from '../../contract/fields.ts';
import { LIMITS } from '../../contract/limits.ts';
import { MEMBERSHIPS_SHOWN_MAX, type session as router, type SessionState } from '../../contract/session.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { throwApiError } from '../http/errors.ts';
import type { ConsumeRateLimit, Handlers } from '../http/handler.ts';
import type { Session } from '../storage/sessions.ts';
import type { Store } from '../storage/store.ts';
import type { User } from '../storage/users.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { changePassword } from './change-password.ts';
import { pageOfList } from './list-page.ts';
import { findSetupLink, setUp } from './setup.ts';
import { signIn, verifyAgain } from './sign-in.ts';

export type SessionDeps = {
  readonly store: Pick<Store, 'users' | 'sessions' | 'memberships'>;
  readonly clock: Clock;
  readonly consumeRateLimit: ConsumeRateLimit;
};

/** Signing in and out, one's own sessions, and the first owner. */
export function sessionHandlers(deps: SessionDeps): Handlers<typeof router> {
  const { store, clock } = deps;
  return {
    async signIn({ body, ctx }) {
      const { user, opened } = await signIn(body, ctx, deps);
      return { status: 200, body: await stateOf(user, opened.session, store), session: opened };
    },

    async readSession({ caller }) {
      const session = await store.sessions.find(caller.sessionId);
      if (!session) return throwApiError('session/unauthorized', 'ended meanwhile');
      return { status: 200, body: await stateOf(personOf(caller), session, store) };
    },

    async signOut({ caller }) {
      await store.sessions.end(caller.userId, caller.sessionId);
      return { status: 200, body: { ok: true }, session: 'ended' };
    },

    async confirmPassword({ caller, body, ctx }) {
      const user = await verifyAgain(caller, body.password, ctx, deps);
      const token = makeSessionToken();
      const session = await store.sessions.confirm(caller.sessionId, {
        tokenHash: hashToken(token),
        atMillis: clock.now(),
        verifiedHash: user.passwordHash,
      });
      if (!session) return throwApiError('session/unauthorized', 'ended meanwhile');
      return {
        status: 200,
        body: await stateOf(user, session, store),
        session: { token, expiresAt: session.expiresAt },
      };
    },

    async listSessions({ caller, query }) {
      const own = await store.sessions.list(caller.userId, clock.now(), LIMITS.sessionIdleSeconds * 1000);
      const { data, ...more } = pageOfList(own, query, 'newest_first');
      return { status: 200, body: { data: data.map((one) => shown(one, caller.sessionId)), ...more } };
    },

    async revokeSession({ caller, params: { sessionId } }) {
      if ((await store.sessions.end(caller.userId, sessionId)) === 'gone')
        return throwApiError('session/not_found');
      const isOwn = sessionId === caller.sessionId;
      return { status: 200, body: { ok: true }, ...(isOwn ? { session: 'ended' } : {}) };
    },

    async changePassword({ caller, body, ctx }) {
      const session = await changePassword(caller, body, ctx, deps);
      return { status: 200, body: { ok: true }, session };
    },

    async readSetupLink({ headers }) {
      const { expiresAt } = await findSetupLink(headers[LINK_HEADER], deps);
      return { status: 200, body: { expiresAt: toIsoString(expiresAt) } };
    },

    async setUp({ body, ctx }) {
      const { user, opened } = await setUp(body, ctx, deps);
      return { status: 201, body: await stateOf(user, opened.session, store), session: opened };
    },
  };
}

const personOf = ({ userId: id, email }: { readonly userId: string; readonly email: string }) => ({
  id,
  email,
});

export async function stateOf(
  { id: userId, email }: Pick<User, 'id' | 'email'>,
  { id: sessionId, createdAt, expiresAt, confirmedAt }: Session,
  { memberships }: Pick<Store, 'memberships'>,
): Promise<SessionState> {
  const belongs = await memberships.ofUser(userId);
  return {
    userId,
    email,
    sessionId,
    createdAt: toIsoString(createdAt),
    expiresAt: toIsoString(expiresAt),
    freshUntil: toIsoString(confirmedAt + LIMITS.freshPasswordSeconds * 1000),
    memberships: belongs
      .slice(0, MEMBERSHIPS_SHOWN_MAX)
      .map(({ id: memberId, workspaceId: tenantId, workspaceName: name, appId, role }) => ({
        tenantId,
        appId,
        name,
        memberId,
        role,
      })),
  };
}

function shown({ id, device, createdAt, lastSeenAt, expiresAt }: Session, currentId: string) {
  return {
    id,
    device,
    createdAt: toIsoString(createdAt),
    lastSeenAt: toIsoString(lastSeenAt),
    expiresAt: toIsoString(expiresAt),
    current: id === currentId,
  };
}
