import { throwApiError } from '../http/errors.ts';
import type { RequestContext, SessionCaller } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { hashToken, makeSessionToken } from '../tokens/session-cookie.ts';
import { refuseBadPassword } from './new-password.ts';
import { hashPassword } from './password.ts';
import type { SessionDeps } from './session.ts';
import { verifyAgain } from './sign-in.ts';

type Change = { readonly currentPassword: string; readonly newPassword: string };

/** Changes the password of the person and ends all other sessions; this one goes on under the token in the answer. */
export async function changePassword(
  caller: SessionCaller,
  { currentPassword, newPassword }: Change,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<{ readonly token: string; readonly expiresAt: number }> {
  const { users, sessions, memberships } = deps.store;
  const { userId, sessionId, email } = caller;
  const user = await verifyAgain(caller, currentPassword, ctx, deps);
  const names = (await memberships.ofUser(userId)).map(({ workspaceName }) => workspaceName);
  await refuseBadPassword(newPassword, [email, ...names], 'body.newPassword');
  const to = await hashPassword(newPassword);
  const token = makeSessionToken();
  const atMillis = deps.clock.now();
  const changed = await users.changePassword({
    userId,
    from: user.passwordHash,
    to,
    keep: { sessionId, tokenHash: hashToken(token), atMillis },
    audit: (_, memberId) => ({
      id: newId('aud'),
      atMillis,
      actor: memberId,
      action: 'password.changed',
      subject: userId,
      details: {},
    }),
  });
  if (changed === 'conflict')
    return throwApiError('session/wrong_credentials', 'the password changed meanwhile');
  const session = changed === 'changed' && (await sessions.find(sessionId));
  if (!session) return throwApiError('session/unauthorized', 'ended meanwhile');
  return { token, expiresAt: session.expiresAt };
}
