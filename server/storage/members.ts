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

export type Membership = Member & { readonly workspaceName: string; readonly appId: string };

/** Somebody who joins without an invitation, because an operator says so. */
export type NewMember = Omit<Member, 'id' | 'userId'> & {
  readonly freshMemberId: string;
  /** Used when nobody has the address yet. */
  readonly newUserId: string;
  /** PHC string; used when nobody has the address yet, or has no password. */
  readonly passwordHash: string;
};

/** Who belongs where, over all workspaces. */
export type Memberships = {
  /** The memberships of one person, oldest first. */
  ofUser(userId: string): Promise<readonly Membership[]>;
  find(workspaceId: string, userId: string): Promise<Member | undefined>;
  /** An address that is known keeps the password that it has. 'gone' when there is no such workspace. */
  add(member: NewMember, audit: AuditEntry): Promise<Member | 'already_member' | 'gone'>;
};

/** The members of one workspace. */
export type Members = {
  /** Oldest first. */
  list(): Promise<readonly Member[]>;
  find(memberId: string): Promise<Member | undefined>;
  /**
   * Acts only while the member has the role that the caller has looked at; 'conflict' otherwise. 'last_owner' when nobody else would own the
   * workspace. Open invitations by the member, and to the address of the member, lapse with the role that they were made under.
   */
  changeRole(
    memberId: string,
    change: { readonly from: MemberRole; readonly to: MemberRole },
    audit: AuditEntry,
  ): Promise<'changed' | 'conflict' | 'last_owner' | 'gone'>;
  /** The same for leaving. */
  remove(
    memberId: string,
    from: MemberRole,
    audit: AuditEntry,
  ): Promise<'removed' | 'conflict' | 'last_owner' | 'gone'>;
};
