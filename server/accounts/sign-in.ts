import { LIMITS } from '../../contract/limits.ts';
import { throwApiError } from '../http/errors.ts';
import type { ConsumeRateLimit, RequestContext, SessionCaller } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { Session } from '../storage/sessions.ts';
import type { User } from '../storage/users.ts';
import { hashToken, makeSessionToken, sessionTokenIn } from '../tokens/session-cookie.ts';
import { deviceOf } from './device.ts';
import { hashPassword, needsRehash, verifyPassword } from './password.ts';
import type { SessionDeps } from './session.ts';

/** Who may sign in, and how a session begins. */

export type Opened = { readonly session: Session; readonly token: string; readonly expiresAt: number };

/** Checks address and password; whatever is wrong, the answer and the time that it takes are the same. */
export async function signIn(
  { email: given, password }: { readonly email: string; readonly password: string },
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<{ readonly user: User; readonly opened: Opened }> {
  const email = given.toLowerCase();
  await limitPasswordAttempts(email, ctx, deps.consumeRateLimit);
  const user = await verified(await deps.store.users.findByEmail(email), password, deps);
  const opened = await openSession(user, ctx, deps);
  return { user, opened };
}

/** Checks the password of somebody who is signed in. */
export async function verifyAgain(
  caller: SessionCaller,
  password: string,
  ctx: RequestContext,
  deps: SessionDeps,
): Promise<User> {
  await limitPasswordAttempts(caller.email, ctx, deps.consumeRateLimit);
  return verified(await deps.store.users.find(caller.userId), password, deps);
}

/** Guessing is counted for the address, whether anybody has it or not, before any work is done. */
export function limitPasswordAttempts(
  email: string,
  { clientAddress }: RequestContext,
  consumeRateLimit: ConsumeRateLimit,
): Promise<void> {
  return consumeRateLimit(['session/sign-in', 'session/account-sign-in'], { clientAddress, account: email });
}

export async function verified(
  user: User | undefined,
  password: string,
  { store }: SessionDeps,
): Promise<User> {
  const stored = user?.passwordHash;
  const isRight = await verifyPassword(password, stored);
  if (!user || !stored || !isRight) return throwApiError('session/wrong_credentials');
  if (!needsRehash(stored)) return user;
  const passwordHash = await hashPassword(password);
  await store.users.rehash(user.id, stored, passwordHash);
  return { ...user, passwordHash };
}

/** Begins a session for somebody whose password was given just now. The one that the browser had before ends. */
export async function openSession(
  { id: userId, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
  { headers, ownOrigin }: Pick<RequestContext, 'headers' | 'ownOrigin'>,
  { store: { sessions }, clock }: Pick<SessionDeps, 'store' | 'clock'>,
): Promise<Opened> {
  const token = makeSessionToken();
  const now = clock.now();
  const expiresAt = now + LIMITS.sessionSeconds * 1000;
  const session: Session = {
    id: newId('ses'),
    userId,
    tokenHash: hashToken(token),
    createdAt: now,
    lastSeenAt: now,
    expiresAt,
    confirmedAt: now,
    device: deviceOf(headers['user-agent']),
  };
  const opened = await sessions.open(session, LIMITS.sessionsPerAccountMax, passwordHash);
  if (opened !== 'opened')
    return throwApiError('session/wrong_credentials', 'the password changed meanwhile');
  const earlierToken = sessionTokenIn(headers.cookie, ownOrigin);
  const earlier = earlierToken && (await sessions.findByToken(hashToken(earlierToken)));
  if (earlier) await sessions.end(earlier.userId, earlier.id);
  return { session, token, expiresAt };
}
