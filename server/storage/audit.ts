/** The append-only audit log of a workspace. */
export type AuditEntry = {
  readonly id: string;
  readonly atMillis: number;
  /** A member id, or `operator` for the command line. */
  readonly actor: string;
  /** For example article.imported, workspace.disabled or api_key.created. */
  readonly action: string;
  /** The id of the resource that changed. */
  readonly subject: string;
  /** What changed, without secrets and without visitors' personal data. */
  readonly details: Readonly<Record<string, unknown>>;
};

export type Audit = {
  append(entry: AuditEntry): Promise<void>;
  /** Lists rows newest first, starting after the given id. */
  list(limit: number, beforeId?: string): Promise<readonly AuditEntry[]>;
};
