import type { Invitation } from '../storage/invitations.ts';
import type { Store } from '../storage/store.ts';
import type { User } from '../storage/users.ts';

/**
 * The account that the holder of a link has to prove to be theirs; undefined where the link itself is proof enough: nobody has the address,
 * or its person has no password and belongs nowhere else. Who belongs elsewhere is not for this workspace to let in: whoever makes a link
 * could take the account over.
 */
export async function accountOf(
  { users, memberships }: Pick<Store, 'users' | 'memberships'>,
  { email, workspaceId }: Pick<Invitation, 'email' | 'workspaceId'>,
): Promise<User | undefined> {
  const user = await users.findByEmail(email);
  if (user?.passwordHash !== '') return user;
  const belongsTo = await memberships.ofUser(user.id);
  return belongsTo.some((membership) => membership.workspaceId !== workspaceId) ? user : undefined;
}
