/** An action in a workspace. */
export type AuditEntry = {
  id: string;
  atMillis: number;
  /** A member id, an API key's id, `operator` for the command line, or `unknown` for a sign-in that failed. */
  actor: string;
  /** For example article.imported, workspace.disabled or api_key.created. */
  action: string;
  /** The id of the resource that changed. */
  subject: string;
  /** The changes, without secrets and without visitors' personal data. */
  details: Readonly<Record<string, unknown>>;
  /** Browser and operating system. Absent for the command line. */
  device?: string;
  /** The truncated client address, such as `203.0.113.0/24`. Absent for the command line. */
  network?: string;
};

/** The append-only audit log of a workspace. Each row is sealed with the hash of the row before it. */
export type Audit = {
  append(entry: AuditEntry): Promise<void>;
  /** Lists rows newest first, starting after the given id. */
  list(limit: number, beforeId?: string): Promise<readonly AuditEntry[]>;
};

/** Builds the audit row for one membership of a user. Must be pure; runs inside the transaction. */
export type MembershipAudit = (workspaceId: string, memberId: string) => AuditEntry;
