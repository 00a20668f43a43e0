import type { AuditEntry } from './audit.ts';
import type { Member, MemberRole } from './members.ts';
import type { PasswordChange } from './users.ts';

/** A one-time link that lets one email address join one workspace. */
export type Invitation = {
  readonly id: string;
  readonly workspaceId: string;
  /** Lower case. */
  readonly email: string;
  readonly role: MemberRole;
  /** SHA-256 of the token in the link, in hex. */
  readonly tokenHash: string;
  /** A member id. */
  readonly invitedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** True when an operator's command made the link, which the operator hands to the owner of the address. */
  readonly provesAddress: boolean;
};

export type Acceptance = {
  readonly tokenHash: string;
  readonly nowMillis: number;
  readonly freshMemberId: string;
  /** The id of the account to create. */
  readonly newUserId: string;
  /** The proved account that joins, whose password the caller verified; otherwise a password for the account of this workspace alone. */
  readonly account: { readonly verifiedHash: string } | { readonly passwordHash: string };
  readonly auditId: string;
  /** Builds the audit row for each workspace of an account whose password the link resets. Must be pure; runs inside the transaction. */
  readonly auditReset: PasswordChange['audit'];
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
  find(
    tokenHash: string,
    nowMillis: number,
  ): Promise<(Invitation & { readonly workspaceName: string }) | undefined>;
  /**
   * Accepts the invitation and uses up the link; a member with another role cannot accept. A link that proves the address makes one
   * account of all accounts of the address, as `proveAddress` does. Any other link adds the proved account whose password was verified,
   * or an account of this workspace alone. Returns 'conflict' when the verified password has changed meanwhile.
   */
  accept(acceptance: Acceptance): Promise<Member | 'conflict' | 'gone'>;
};
