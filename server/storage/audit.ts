/** Who did what. Append-only. */
export type AuditEntry = {
  readonly id: string;
  readonly atMillis: number;
  /** A member id, or `operator` for what came from the command line. */
  readonly actor: string;
  /** Such as article.imported, workspace.disabled, api_key.created. */
  readonly action: string;
  /** The id of what it was done to. */
  readonly subject: string;
  /** What changed, without secrets and without personal data of visitors. */
  readonly details: Readonly<Record<string, unknown>>;
};

export type Audit = {
  append(entry: AuditEntry): Promise<void>;
  /** Newest first, after the cursor id when one is given. */
  list(limit: number, beforeId?: string): Promise<readonly AuditEntry[]>;
};
