import type { AuditEntry } from './audit.ts';
import type { NewOwner, NewWorkspace } from './workspaces.ts';

/** A person who can sign in, member of any number of workspaces. */
export type User = {
  readonly id: string;
  /** Lower case. */
  readonly email: string;
  /** PHC string; empty while the person has no password and cannot sign in. */
  readonly passwordHash: string;
  readonly createdAt: number;
};

/** The password of somebody becomes another one. */
export type PasswordChange = {
  readonly userId: string;
  /** The hash that the caller has verified; absent when an operator sets a new password. */
  readonly from?: string;
  readonly to: string;
  /** The session that goes on, under a new token; all others of the user end. */
  readonly keep?: { readonly sessionId: string; readonly tokenHash: string; readonly atMillis: number };
  /** The row of each workspace that the user belongs to; pure, runs within the step. */
  readonly audit: (workspaceId: string, memberId: string) => AuditEntry;
};

export type SetUp = {
  readonly tokenHash: string;
  readonly nowMillis: number;
  readonly workspace: NewWorkspace;
  readonly owner: NewOwner;
  readonly audit: AuditEntry;
  /** How the owner joins a workspace that has no members; pure, runs within the step. */
  readonly adopt: (workspaceId: string) => { readonly memberId: string; readonly audit: AuditEntry };
};

export type SetupLink = { readonly expiresAt: number };

export type Users = {
  /** Whether there is anybody at all; until then the set-up link works. */
  any(): Promise<boolean>;
  find(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  /** 'conflict' when the password is not the verified one any more, 'gone' when the user or the session to keep is. */
  changePassword(change: PasswordChange): Promise<'changed' | 'conflict' | 'gone'>;
  /** Stores the same password under other parameters, unless it has changed meanwhile. */
  rehash(userId: string, from: string, to: string): Promise<void>;
  /** A one-time link that makes the first owner. Links that expired are dropped. */
  addSetupLink(tokenHash: string, expiresAt: number, nowMillis: number): Promise<void>;
  /** Undefined when the link is unknown, expired or used. */
  findSetupLink(tokenHash: string, nowMillis: number): Promise<SetupLink | undefined>;
  /**
   * Creates the first workspace with its owner, who becomes owner of every workspace that has no members too (the demo). 'gone' when
   * somebody is there already, or the link is unknown or expired. All links are void afterwards.
   */
  setUp(setUp: SetUp): Promise<'set_up' | 'gone' | 'app_id_taken'>;
};
