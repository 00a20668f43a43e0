import type { AuditEntry, MembershipAudit } from './audit.ts';

export type MemberRole = 'owner' | 'admin' | 'member';

export type Member = {
  id: string;
  workspaceId: string;
  userId: string;
  email: string;
  role: MemberRole;
  createdAt: number;
};

/** A member as the workspace sees them. */
export type ListedMember = Member & { addressProved: boolean };

type Membership = Member & { workspaceName: string; appId: string };

/** A member that an operator adds without an invitation. */
export type NewMember = Omit<Member, 'id' | 'userId'> & {
  newMemberId: string;
  /** The id of the account to create. */
  newUserId: string;
  /** PHC string of the new proved account; absent to add the proved account that the address has. */
  passwordHash?: string;
};

/** A new account was requested but the address has one, or an existing account but the address has none. */
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
   * Returns 'last_owner' when the workspace would lose its only owner. Revokes open invitations by
   * the member and to their address.
   */
  changeRole(
    memberId: string,
    change: { from: MemberRole; to: MemberRole },
    audit: AuditEntry,
  ): Promise<'changed' | 'conflict' | 'last_owner' | 'gone'>;
  /** Removes the member under the conditions of `changeRole`, and their account if it is of this workspace alone. */
  remove(
    memberId: string,
    from: MemberRole,
    audit: AuditEntry,
  ): Promise<'removed' | 'conflict' | 'last_owner' | 'gone'>;
};

/** A one-time link that lets one email address join one workspace. */
export type Invitation = {
  id: string;
  workspaceId: string;
  /** Lower case. */
  email: string;
  role: MemberRole;
  /** SHA-256 of the token in the link, in hex. */
  tokenHash: string;
  /** A member id. */
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
  /** True when an operator's command made the link; the operator hands it to the owner of the address. */
  provesAddress: boolean;
};

export type Acceptance = {
  tokenHash: string;
  nowMillis: number;
  newMemberId: string;
  /** The id of the account to create. */
  newUserId: string;
  /** The verified password hash of the proved account that joins, or a new password's hash for the joining account. */
  account: { verifiedHash: string } | { passwordHash: string };
  auditId: string;
  /** Builds an audit row for each workspace of an account whose password the link resets. Must be pure. */
  auditReset: MembershipAudit;
};

/** Invitations of one workspace. */
export type Invitations = {
  /**
   * Replaces an open invitation of the same address. A member without a password can be invited
   * again to set one, and any member by an operator.
   */
  create(invitation: Invitation, audit: AuditEntry): Promise<'created' | 'already_member'>;
  /** Lists open invitations, newest first. */
  list(nowMillis: number): Promise<readonly Invitation[]>;
  withdraw(id: string, audit: AuditEntry): Promise<'withdrawn' | 'gone'>;
};

/** Invitations of all workspaces, looked up by the token in the link. */
export type InvitationLinks = {
  /** Finds an open invitation with what its page shows. */
  find(tokenHash: string, nowMillis: number): Promise<(Invitation & { workspaceName: string }) | undefined>;
  /**
   * Accepts the invitation and uses up the link; a member with another role cannot accept. A link that proves the
   * address merges all accounts of the address into one, as `proveAddress` does. Any other link adds the proved account
   * whose password was verified, or an account of this workspace alone. Returns 'conflict' when the verified password
   * has changed meanwhile.
   */
  accept(acceptance: Acceptance): Promise<Member | 'conflict' | 'gone'>;
};
