import { LINK_HEADER } from '../../contract/fields.ts';
import { ACCOUNT_LIMITS } from '../../contract/limits/accounts.ts';
import { lowerRole } from '../../contract/route.ts';
import type { session as router, SessionState } from '../../contract/session.ts';
import type { SecondFactor, SecondFactorProof } from '../../contract/sign-in-factors.ts';
import { toIsoString } from '../base/clock.ts';
import { paginate } from '../http/cursor.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Handlers, RequestContext, SessionCaller } from '../http/handler.ts';
import type { Automation } from '../storage/automation-sessions.ts';
import type { ListedSession, User } from '../storage/users.ts';
import { hashToken, isFresh, makeSessionToken } from '../tokens/session-cookie.ts';
import { createAccountAudit } from '../workspaces/audit-trail.ts';
import { toAutomationBody } from './automation-sessions.ts';
import { composeNotice } from './notices.ts';
import { assertStrongPassword, hashPassword } from './password.ts';
import { findStep, proveCode, provePasskey } from './prove-factor.ts';
import { findSetupLink, setUp } from './setup.ts';
import { type SessionDeps, signIn, toSessionState, toSignInFields, verifyCaller } from './sign-in.ts';

export function sessionHandlers(deps: SessionDeps): Handlers<typeof router> {
  const { store } = deps;
  return {
    async signIn({ body, ctx }) {
      const { user, opened } = await signIn(body, ctx, deps);
      return { status: 200, body: await toSessionState(user, opened.session, deps), session: opened };
    },

    async readSession({ caller }) {
      const session = await store.sessions.find(caller.sessionId);
      if (!session) return throwApiError('session/unauthorized', 'session ended during the request');
      const user = { id: caller.userId, email: caller.email };
      const state = await toSessionState(user, session, deps);
      return { status: 200, body: caller.automation ? restrict(state, caller.automation) : state };
    },

    async signOut({ caller, ctx }) {
      const { userId, sessionId, automation } = caller;
      await store.sessions.end(userId, sessionId);
      if (automation) await auditEnd(automation, sessionId, ctx, deps);
      return { status: 200, body: { ok: true }, session: 'ended' };
    },

    async confirmPassword({ caller, body, ctx }) {
      const { user, session, token } = await confirm(caller, body, ctx, deps);
      const { expiresAt } = session;
      const device = deps.devices.issue(user);
      const state = await toSessionState(user, session, deps);
      return { status: 200, body: state, session: { token, expiresAt, device } };
    },

    ...sessionListHandlers(deps),

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
      return { status: 201, body: await toSessionState(user, opened.session, deps), session: opened };
    },
  };
}

/** Creates the handlers that list and revoke the user's sessions on all devices. */
function sessionListHandlers(
  deps: SessionDeps,
): Pick<Handlers<typeof router>, 'listSessions' | 'revokeSession'> {
  const { store, clock } = deps;
  const listOwn = ({ userId }: SessionCaller) =>
    store.sessions.list(userId, clock.now(), ACCOUNT_LIMITS.sessionIdleSeconds * 1000);
  return {
    async listSessions({ caller, query }) {
      const { data, ...page } = paginate(await listOwn(caller), query, 'newest_first');
      return {
        status: 200,
        body: { data: data.map((session) => toBody(session, caller.sessionId)), ...page },
      };
    },

    async revokeSession({ caller, params: { sessionId }, ctx }) {
      const automation = (await listOwn(caller)).find(({ id }) => id === sessionId)?.automation;
      if ((await store.sessions.end(caller.userId, sessionId)) === 'gone')
        return throwApiError('session/not_found');
      if (automation) await auditEnd(automation, sessionId, ctx, deps);
      const isOwn = sessionId === caller.sessionId;
      return { status: 200, body: { ok: true }, ...(isOwn ? { session: 'ended' } : {}) };
    },
  };
}

/** Restricts the state to the workspace of the automation session, with the role that the session has there. */
function restrict(state: SessionState, automation: Automation): SessionState {
  const { workspaceId, memberId, role } = automation;
  const memberships = state.memberships
    .filter((membership) => membership.tenantId === workspaceId && membership.memberId === memberId)
    .map((membership) => ({
      ...membership,
      role: lowerRole(role, membership.role),
      needsSecondFactor: false,
    }));
  return { ...state, memberships, automation: toAutomationBody(automation) };
}

async function auditEnd(
  { workspaceId, memberId, name }: Automation,
  sessionId: string,
  ctx: RequestContext,
  { audit }: Pick<SessionDeps, 'audit'>,
): Promise<void> {
  const by = { workspaceId, id: memberId };
  await audit.record({ action: 'automation_session.ended', by, subject: sessionId, details: { name } }, ctx);
}

type Confirmation = { password?: string | undefined } & SecondFactorProof;

/** Verifies who uses the session. It continues under the returned token. */
async function confirm(caller: SessionCaller, body: Confirmation, ctx: RequestContext, deps: SessionDeps) {
  const { user, factor, verifiedHash } = await verifyAgain(caller, body, ctx, deps);
  const token = makeSessionToken();
  const session = await deps.store.sessions.confirm(caller.sessionId, {
    tokenHash: hashToken(token),
    atMillis: deps.clock.now(),
    verifiedHash,
    factor,
  });
  if (!session) return throwApiError('session/unauthorized', 'session ended during the request');
  return { user, session, token };
}

/**
 * Takes a passkey alone, or else the password with a code if the account has a second factor. Who signed in at a provider
 * may have no password, so a code is enough for them.
 */
async function verifyAgain(
  caller: SessionCaller,
  { password, code, passkey }: Confirmation,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<{ user: User; factor?: SecondFactor; verifiedHash?: string }> {
  const { userId, sessionId } = caller;
  if (passkey && password === undefined && code === undefined) {
    const step = await findStep('passkey_sign_in', ctx, deps);
    await step.take();
    await provePasskey(passkey, { challenge: step.challenge, userId }, ctx, deps);
    return { user: await findUser(userId, deps), factor: 'passkey' };
  }
  const mayOmitPassword = caller.signedInWith === 'oidc' && code !== undefined;
  if (passkey || (password === undefined && !mayOmitPassword)) {
    const message = 'Expected a password, a password and a code, or a passkey alone.';
    return throwInvalidRequest({ path: 'body', code: 'custom', message });
  }
  // A code alone counts as an attempt; with a password, the password does.
  const subject = { clientAddress: ctx.clientAddress, account: userId, device: sessionId };
  if (password === undefined) await deps.consumeRateLimit(['session/device-sign-in'], subject, ctx);
  const user =
    password === undefined ? await findUser(userId, deps) : await verifyCaller(caller, password, ctx, deps);
  const verifiedHash = password === undefined ? {} : { verifiedHash: user.passwordHash };
  if (code !== undefined) return { user, factor: await proveCode(userId, code, ctx, deps), ...verifiedHash };
  if ((await deps.store.factors.ofUser(userId)).hasAny) throwApiError('session/second_factor_needed');
  return { user, ...verifiedHash };
}

async function findUser(userId: string, { store }: SessionDeps): Promise<User> {
  return (await store.users.find(userId)) ?? throwApiError('session/unauthorized', 'user removed');
}

/** Changes the password and ends the user's other sessions. This session continues under the returned token. */
async function changePassword(
  caller: SessionCaller,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<{ token: string; expiresAt: number; device: string }> {
  const { users, sessions, memberships, factors } = deps.store;
  const { userId, sessionId, email } = caller;
  // The current password proves no second factor.
  const hasProvedFactor = caller.factor && isFresh(caller, deps.clock.now());
  if (!hasProvedFactor && (await factors.ofUser(userId)).hasAny) throwApiError('session/password_needed');
  const user = await verifyCaller(caller, currentPassword, ctx, deps);
  const names = (await memberships.ofUser(userId)).map(({ workspaceName }) => workspaceName);
  await assertStrongPassword(newPassword, [email, ...names], 'body.newPassword');
  const newHash = await hashPassword(newPassword, user.passwordHash);
  const token = makeSessionToken();
  const atMillis = deps.clock.now();
  const mail = await composeNotice('password_changed', user, ctx, deps);
  const changed = await users.changePassword({
    userId,
    from: user.passwordHash,
    to: newHash,
    keep: { sessionId, tokenHash: hashToken(token), atMillis },
    mail,
    audit: createAccountAudit(deps.clock)(caller, ctx, 'password.changed'),
  });
  if (changed === 'conflict')
    return throwApiError('session/wrong_credentials', 'password changed by another request');
  const session = changed === 'changed' && (await sessions.find(sessionId));
  if (!session) return throwApiError('session/unauthorized', 'session ended during the request');
  const device = deps.devices.issue({ id: userId, passwordHash: newHash });
  return { token, expiresAt: session.expiresAt, device };
}

function toBody(
  { id, device, createdAt, lastSeenAt, expiresAt, automation, ...session }: ListedSession,
  currentId: string,
) {
  return {
    id,
    device,
    createdAt: toIsoString(createdAt),
    lastSeenAt: toIsoString(lastSeenAt),
    expiresAt: toIsoString(expiresAt),
    ...toSignInFields(session),
    current: id === currentId,
    ...(automation ? { automation: toAutomationBody(automation) } : {}),
  };
}
