import type { AuditEntry } from './audit.ts';
import type { NewOwner, NewWorkspace } from './workspaces.ts';

/** A person who can sign in; a member of any number of workspaces. */
export type User = {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  /** PHC string; empty while the user has no password and cannot sign in. */
  readonly passwordHash: string;
  readonly createdAt: number;
};

/** A password change. */
export type PasswordChange = {
  readonly userId: string;
  /** The hash that the caller verified; absent when an operator sets a new password. */
  readonly from?: string;
  readonly to: string;
  /** The session that continues under a new token; all others of the user end. */
  readonly keep?: { readonly sessionId: string; readonly tokenHash: string; readonly atMillis: number };
  /**
   * Builds the audit row for each of the user's workspaces. Must be pure; runs inside the
   * transaction.
   */
  readonly audit: (workspaceId: string, memberId: string) => AuditEntry;
};

export type SetUp = {
  readonly tokenHash: string;
  readonly nowMillis: number;
  readonly workspace: NewWorkspace;
  readonly owner: NewOwner;
  readonly audit: AuditEntry;
  /**
   * Builds the owner's membership in a workspace without members. Must be pure; runs inside the
   * transaction.
   */
  readonly adopt: (workspaceId: string) => { readonly memberId: string; readonly audit: AuditEntry };
};

export type SetupLink = { readonly expiresAt: number };

export type Users = {
  /** Whether any user exists; until then the setup link works. */
  any(): Promise<boolean>;
  find(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  /**
   * Returns 'conflict' when the hash is no longer the verified one, and 'gone' when the user or the
   * session to keep is.
   */
  changePassword(change: PasswordChange): Promise<'changed' | 'conflict' | 'gone'>;
  /** Stores the same password under new hash parameters, unless it has changed meanwhile. */
  rehash(userId: string, from: string, to: string): Promise<void>;
  /** Stores a one-time link that creates the first owner, and deletes expired links. */
  addSetupLink(tokenHash: string, expiresAt: number, nowMillis: number): Promise<void>;
  /** Undefined when the link is unknown, expired or used. */
  findSetupLink(tokenHash: string, nowMillis: number): Promise<SetupLink | undefined>;
  /**
   * Creates the first workspace with its owner, who also becomes owner of every workspace without
   * members (the demo), and deletes all setup links.
   * Returns 'gone' when a user exists already, or the link is unknown or expired.
   */
  setUp(setUp: SetUp): Promise<'set_up' | 'gone' | 'app_id_taken'>;
};
