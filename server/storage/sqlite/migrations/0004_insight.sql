-- Where the newest event row of a workspace stood when rows were deleted: no later row may take a place before it.
CREATE TABLE event_marks (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  at_millis INTEGER NOT NULL,
  id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX turns_by_outcome ON turns (workspace_id, finish_reason, asked_at, message_id)
  WHERE finish_reason IS NOT NULL;
