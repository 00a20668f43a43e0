import { throwApiError } from '../http/errors.ts';
import type { RequestContext } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { InvitationLinks } from '../storage/invitations.ts';
import type { Store } from '../storage/store.ts';
import type { User } from '../storage/users.ts';
import { hashToken } from '../tokens/session-cookie.ts';
import { accountOf } from './account-of-link.ts';
import { refuseBadPassword } from './new-password.ts';
import { hashPassword } from './password.ts';
import type { SessionDeps } from './session.ts';
import { limitPasswordAttempts, type Opened, openSession, verified } from './sign-in.ts';

type Deps = SessionDeps & { readonly store: Pick<Store, 'invitations'> };
type Joined = { readonly user: Pick<User, 'id' | 'email'>; readonly opened: Opened };
type Found = NonNullable<Awaited<ReturnType<InvitationLinks['find']>>>;

/** Uses a link up: its holder joins the workspace and is signed in. */
export async function acceptInvitation(
  { token, password }: { readonly token: string; readonly password: string },
  ctx: RequestContext,
  deps: Deps,
): Promise<Joined> {
  const { invitations } = deps.store;
  const tokenHash = hashToken(token);
  for (;;) {
    const nowMillis = deps.clock.now();
    // Nobody makes the service hash passwords without a link.
    const invitation = await invitations.find(tokenHash, nowMillis);
    if (!invitation) return throwApiError('invitation/not_found');
    const proven = await proveAccount(invitation, password, ctx, deps);
    const member = await invitations.accept({
      ...proven,
      tokenHash,
      nowMillis,
      freshMemberId: newId('mem'),
      newUserId: newId('usr'),
      auditId: newId('aud'),
    });
    if (member === 'gone') return throwApiError('invitation/not_found', 'somebody was faster');
    // Somebody has given the address a password meanwhile: that is the one to ask for.
    if (member === 'conflict') continue;
    const { userId: id, email } = member;
    const { passwordHash } = proven;
    return { user: { id, email }, opened: await openSession({ id, passwordHash }, ctx, deps) };
  }
}

/** The password of the account, verified; or a new one for an address that has none. */
async function proveAccount(
  invitation: Found,
  password: string,
  ctx: RequestContext,
  deps: Deps,
): Promise<{ readonly passwordHash: string; readonly verifiedHash?: string }> {
  const account = await accountOf(deps.store, invitation);
  const { email, workspaceName } = invitation;
  if (!account) {
    await refuseBadPassword(password, [email, workspaceName], 'body.password');
    return { passwordHash: await hashPassword(password) };
  }
  await limitPasswordAttempts(email, ctx, deps.consumeRateLimit);
  const { passwordHash } = await verified(account, password, deps);
  return { passwordHash, verifiedHash: passwordHash };
}
