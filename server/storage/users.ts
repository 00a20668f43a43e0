import type { AuditEntry } from './audit.ts';
import type { NewOwner, NewWorkspace } from './workspaces.ts';

/**
 * A person who can sign in. An address has at most one proved account, a member of any number of workspaces, and for each workspace at
 * most one unproved account that an invitation or an import made.
 */
export type User = {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  /** PHC string; empty while the user has no password and cannot sign in. */
  readonly passwordHash: string;
  readonly createdAt: number;
  /** When an operator, or a link of an operator's command, proved that the address is the user's; absent until then. */
  readonly addressProvedAt?: number;
  /** The only workspace of an account whose address is unproved. */
  readonly workspaceId?: string;
};

/** A password change. */
export type PasswordChange = {
  readonly userId: string;
  /** The hash that the caller verified. */
  readonly from: string;
  readonly to: string;
  /** The session that continues under a new token; all others of the user end. */
  readonly keep: { readonly sessionId: string; readonly tokenHash: string; readonly atMillis: number };
  /**
   * Builds the audit row for each of the user's workspaces. Must be pure; runs inside the
   * transaction.
   */
  readonly audit: (workspaceId: string, memberId: string) => AuditEntry;
};

/** An address that an operator vouches for, with its new password. */
export type AddressProof = {
  readonly email: string;
  /** PHC string. */
  readonly passwordHash: string;
  readonly nowMillis: number;
  /** As in `PasswordChange`. */
  readonly audit: PasswordChange['audit'];
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
  /** Lists the accounts of an address: the proved one first, then the unproved ones, oldest first. */
  listByEmail(email: string): Promise<readonly User[]>;
  /**
   * Returns 'conflict' when the hash is no longer the verified one, and 'gone' when the user or the
   * session to keep is.
   */
  changePassword(change: PasswordChange): Promise<'changed' | 'conflict' | 'gone'>;
  /**
   * Makes one proved account of all accounts of the address: it gets the password and their memberships, and all their sessions end.
   * Returns undefined when the address has no account.
   */
  proveAddress(proof: AddressProof): Promise<User | undefined>;
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
