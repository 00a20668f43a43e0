import type { AuditEntry } from './audit.ts';

export type MemberRole = 'owner' | 'admin' | 'member';

export type Member = {
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly createdAt: number;
};

/** A member as the workspace sees them. */
export type ListedMember = Member & { readonly addressProved: boolean };

export type Membership = Member & { readonly workspaceName: string; readonly appId: string };

/** A member that an operator adds without an invitation. */
export type NewMember = Omit<Member, 'id' | 'userId'> & {
  readonly freshMemberId: string;
  /** The id of the account to create. */
  readonly newUserId: string;
  /** PHC string of the new proved account; absent to add the proved account that the address has. */
  readonly passwordHash?: string;
};

/** A new account was wanted where the address has one, or the other way round. */
export type AccountProblem = 'account_exists' | 'no_account';

/** Memberships across all workspaces. */
export type Memberships = {
  /** Lists the memberships of a user, oldest first. */
  ofUser(userId: string): Promise<readonly Membership[]>;
  find(workspaceId: string, userId: string): Promise<Member | undefined>;
  /** Adds the member. Returns 'gone' when the workspace does not exist. */
  add(member: NewMember, audit: AuditEntry): Promise<Member | AccountProblem | 'already_member' | 'gone'>;
};

/** Members of one workspace. */
export type Members = {
  /** Lists members, oldest first. */
  list(): Promise<readonly ListedMember[]>;
  find(memberId: string): Promise<ListedMember | undefined>;
  /**
   * Changes the role if the member still has the one that the caller read; otherwise 'conflict'.
   * Returns 'last_owner' when the workspace would
   * lose its only owner. Revokes open invitations by the member and to their address.
   */
  changeRole(
    memberId: string,
    change: { readonly from: MemberRole; readonly to: MemberRole },
    audit: AuditEntry,
  ): Promise<'changed' | 'conflict' | 'last_owner' | 'gone'>;
  /** Removes the member under the same conditions, and their account if it belongs to this workspace alone. */
  remove(
    memberId: string,
    from: MemberRole,
    audit: AuditEntry,
  ): Promise<'removed' | 'conflict' | 'last_owner' | 'gone'>;
};
