import type { AuditEntry } from './audit.ts';
import type { Automation, Session } from './users.ts';

export type AutomationSession = Automation & {
  id: string;
  createdAt: number;
  expiresAt: number;
  /** Absent when the session has ended. */
  lastSeenAt?: number;
};

/** The automation sessions of a workspace. */
export type AutomationSessions = {
  /** Returns 'too_many' when `activeMax` sessions are still active, and 'gone' when the member no longer exists. */
  create(
    session: Session,
    automation: Automation,
    activeMax: number,
    audit: AuditEntry,
  ): Promise<'created' | 'too_many' | 'gone'>;
  /** Lists the sessions newest first, including ended ones. */
  list(): Promise<readonly AutomationSession[]>;
};
