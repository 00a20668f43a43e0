import type { AuditEntry, MembershipAudit } from './audit.ts';
import type { MemberRole } from './members.ts';
import type { NewOwner, NewWorkspace } from './workspaces.ts';

/**
 * A person who can sign in. An address has at most one proved account, which may be a member of any number of
 * workspaces, and for each workspace at most one unproved account, made by an invitation or an import.
 */
export type User = {
  id: string;
  /** Lower case. */
  email: string;
  /** PHC string; empty while the user has no password and cannot sign in. */
  passwordHash: string;
  createdAt: number;
  /** When an operator's password or link proved that the address is the user's; absent until then. */
  addressProvedAt?: number;
  /** The only workspace of an account whose address is unproved. */
  workspaceId?: string;
};

export type PasswordChange = {
  userId: string;
  /** The hash that the caller verified. */
  from: string;
  to: string;
  /** The session that continues under a new token; all others of the user end. */
  keep: { sessionId: string; tokenHash: string; atMillis: number };
  /** For each of the user's workspaces. */
  audit: MembershipAudit;
};

/** An address that an operator vouches for, with its new password. */
type AddressProof = {
  email: string;
  /** PHC string. */
  passwordHash: string;
  nowMillis: number;
  /** For each of the user's workspaces. */
  audit: MembershipAudit;
};

export type SetUp = {
  tokenHash: string;
  nowMillis: number;
  workspace: NewWorkspace;
  owner: NewOwner;
  audit: AuditEntry;
  /**
   * Builds the owner's membership in a workspace without members. Must be pure; runs inside the
   * transaction.
   */
  adopt: (workspaceId: string) => { memberId: string; audit: AuditEntry };
};

export type SetupLink = { expiresAt: number };

export type Users = {
  /** Returns whether any user exists; until then the setup link works. */
  hasAny(): Promise<boolean>;
  find(id: string): Promise<User | undefined>;
  /** Lists the accounts of an address: the proved one first, then the unproved ones, oldest first. */
  listByEmail(email: string): Promise<readonly User[]>;
  /**
   * Returns 'conflict' when the hash is no longer the verified one, and 'gone' when the user or the
   * session to keep no longer exists.
   */
  changePassword(change: PasswordChange): Promise<'changed' | 'conflict' | 'gone'>;
  /**
   * Merges all accounts of the address into one proved account, which gets the password and all memberships; all
   * sessions end. Returns undefined when the address has no account.
   */
  proveAddress(proof: AddressProof): Promise<User | undefined>;
  /** Stores the same password under new hash parameters, unless it has changed meanwhile. */
  rehash(userId: string, from: string, to: string): Promise<void>;
  /** Stores a one-time link that creates the first owner, and deletes expired links. */
  addSetupLink(tokenHash: string, expiresAt: number, nowMillis: number): Promise<void>;
  /** Returns undefined when the link is unknown, expired or used. */
  findSetupLink(tokenHash: string, nowMillis: number): Promise<SetupLink | undefined>;
  /**
   * Creates the first workspace with its owner, who also becomes owner of every workspace without
   * members (the demo), and deletes all setup links. Returns 'gone' when a user exists already, or
   * the link is unknown or expired.
   */
  setUp(setUp: SetUp): Promise<'set_up' | 'gone' | 'app_id_taken'>;
};

/** A user's sign-in on one device. */
export type Session = {
  id: string;
  userId: string;
  /** SHA-256 of the token, in hex; the token itself is not stored. */
  tokenHash: string;
  createdAt: number;
  lastSeenAt: number;
  /** Absolute expiry, independent of activity. */
  expiresAt: number;
  /** When the user last entered the password. */
  confirmedAt: number;
  /** Browser and operating system, derived from the User-Agent header. */
  device: string;
};

/** The permissions of a program's session. It acts in the name of a member, within these limits. */
export type Automation = {
  workspaceId: string;
  /** The owner who created the session, which ends with this membership. */
  memberId: string;
  name: string;
  /** The highest role of the session; the role of its member may be lower by now. */
  role: MemberRole;
  areas: readonly AutomationArea[];
  /** Canonical CIDR blocks; empty if every address is allowed. */
  allowedNetworks: readonly string[];
  /** Whether the session may approve translations that it wrote. */
  mayApproveOwn: boolean;
};

export type AutomationArea = 'articles' | 'translations' | 'review' | 'settings';

/** `automation` has the permissions of a program's session; people's sessions have none. */
export type ListedSession = Session & { automation?: Automation };

type SessionWithUser = ListedSession & { email: string };

export type Sessions = {
  /**
   * Starts a session and keeps only the user's newest `sessionsMax`, not counting automation sessions. Returns
   * 'conflict' when the password hash is no longer the one that the caller verified.
   */
  open(session: Session, sessionsMax: number, verifiedHash?: string): Promise<'opened' | 'conflict' | 'gone'>;
  find(id: string): Promise<Session | undefined>;
  findByToken(tokenHash: string): Promise<SessionWithUser | undefined>;
  /** Records activity of the session. */
  recordUse(id: string, atMillis: number): Promise<void>;
  /**
   * Continues the session under a new token after the password was entered again. Undefined when
   * the session is gone or the hash is not the verified one.
   */
  confirm(
    id: string,
    confirmation: { tokenHash: string; atMillis: number; verifiedHash: string },
  ): Promise<Session | undefined>;
  /** Lists the user's unexpired sessions, newest first. `idleMillis` does not apply to automation sessions. */
  list(userId: string, nowMillis: number, idleMillis: number): Promise<readonly ListedSession[]>;
  end(userId: string, id: string): Promise<'ended' | 'gone'>;
};
