import type { AuditEntry } from './audit.ts';
import type { Member, MemberRole } from './members.ts';

/** A one-time link for one address to join one workspace. */
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
  /** Used when nobody has the address of the invitation yet. */
  readonly newUserId: string;
  /** PHC string; used when nobody has the address yet, or has no password. */
  readonly passwordHash: string;
  /** The hash that the caller has verified the person's password against; absent when there was none. */
  readonly verifiedHash?: string;
  readonly auditId: string;
};

/** The invitations of one workspace. */
export type Invitations = {
  /** Replaces an open invitation of the same address. A member without a password is invited again, to set one. */
  create(invitation: Invitation, audit: AuditEntry): Promise<'created' | 'already_member'>;
  /** Open ones, newest first. */
  list(nowMillis: number): Promise<readonly Invitation[]>;
  withdraw(id: string, audit: AuditEntry): Promise<'withdrawn' | 'gone'>;
};

/** What the holder of a link can do with it, in whichever workspace. */
export type InvitationLinks = {
  /** An open invitation with what its page shows. */
  find(
    tokenHash: string,
    nowMillis: number,
  ): Promise<(Invitation & { readonly workspaceName: string }) | undefined>;
  /**
   * Uses the link up. Who has a password keeps it; who has another role already cannot use the link. 'conflict' when the password of the address is not the
   * one that was verified: somebody was faster, and has to be asked for theirs.
   */
  accept(acceptance: Acceptance): Promise<Member | 'conflict' | 'gone'>;
};
