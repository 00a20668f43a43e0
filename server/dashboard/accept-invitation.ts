import type { Exchange } from '../http/handler.ts';
import { newId } from '../ids.ts';
import { refuse } from '../refuse.ts';
import type { InvitationLinks } from '../storage/invitations.ts';
import type { Store } from '../storage/store.ts';
import type { User } from '../storage/users.ts';
import { hashToken } from '../tokens/session-cookie.ts';
import { accountOf } from './account-of-link.ts';
import { refuseBadPassword } from './new-password.ts';
import { hashPassword } from './password.ts';
import type { SessionNeeds } from './session.ts';
import { drawForPassword, type Opened, openSession, verified } from './sign-in.ts';

type Needs = SessionNeeds & { readonly store: Pick<Store, 'invitations'> };
type Joined = { readonly user: Pick<User, 'id' | 'email'>; readonly opened: Opened };
type Found = NonNullable<Awaited<ReturnType<InvitationLinks['find']>>>;

/** Uses a link up: its holder joins the workspace and is signed in. */
export async function acceptInvitation(
  { token, password }: { readonly token: string; readonly password: string },
  exchange: Exchange,
  needs: Needs,
): Promise<Joined> {
  const { invitations } = needs.store;
  const tokenHash = hashToken(token);
  for (;;) {
    const nowMillis = needs.clock.now();
    // Nobody makes the service hash passwords without a link.
    const invitation = await invitations.find(tokenHash, nowMillis);
    if (!invitation) return refuse('invitation/not_found');
    const proven = await proveAccount(invitation, password, exchange, needs);
    const member = await invitations.accept({
      ...proven,
      tokenHash,
      nowMillis,
      freshMemberId: newId('mem'),
      freshUserId: newId('usr'),
      auditId: newId('aud'),
    });
    if (member === 'gone') return refuse('invitation/not_found', 'somebody was faster');
    // Somebody has given the address a password meanwhile: that is the one to ask for.
    if (member === 'conflict') continue;
    const { userId: id, email } = member;
    const { passwordHash } = proven;
    return { user: { id, email }, opened: await openSession({ id, passwordHash }, exchange, needs) };
  }
}

/** The password of the account, verified; or a new one for an address that has none. */
async function proveAccount(
  invitation: Found,
  password: string,
  exchange: Exchange,
  needs: Needs,
): Promise<{ readonly passwordHash: string; readonly verifiedHash?: string }> {
  const account = await accountOf(needs.store, invitation);
  const { email, workspaceName } = invitation;
  if (!account) {
    await refuseBadPassword(password, [email, workspaceName], 'body.password');
    return { passwordHash: await hashPassword(password) };
  }
  await drawForPassword(email, exchange, needs.draw);
  const { passwordHash } = await verified(account, password, needs);
  return { passwordHash, verifiedHash: passwordHash };
}
