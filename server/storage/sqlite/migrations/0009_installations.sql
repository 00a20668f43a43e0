-- Where the guide was seen: for each allowed domain, the newest origin that booted below it.
CREATE TABLE installations (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  domain TEXT NOT NULL,
  origin TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, domain)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX feedback_by_time ON feedback (workspace_id, at_millis, message_id);
