import type { AuditEntry } from './audit.ts';
import type { Member, MemberRole } from './members.ts';

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
};

export type Acceptance = {
  readonly tokenHash: string;
  readonly nowMillis: number;
  readonly freshMemberId: string;
  /** The user id to use when the invited address is new. */
  readonly newUserId: string;
  /** PHC string; used when the address is new or has no password. */
  readonly passwordHash: string;
  /** The password hash that the caller verified; absent when there was none. */
  readonly verifiedHash?: string;
  readonly auditId: string;
};

/** Invitations of one workspace. */
export type Invitations = {
  /**
   * Replaces an open invitation of the same address. A member without a password can be invited
   * again to set one.
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
   * Accepts the invitation and uses up the link. An existing password stays; a member with another
   * role cannot accept. Returns 'conflict' when the
   * address's password is not the verified one: a concurrent request set it, so ask for it.
   */
  accept(acceptance: Acceptance): Promise<Member | 'conflict' | 'gone'>;
};
