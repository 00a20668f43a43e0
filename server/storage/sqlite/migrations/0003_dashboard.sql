CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  confirmed_at INTEGER NOT NULL,
  device TEXT NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);
--> statement-breakpoint
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
--> statement-breakpoint
CREATE TABLE setup_links (
  token_hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  token_hash TEXT NOT NULL UNIQUE,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (workspace_id, email)
) STRICT;
--> statement-breakpoint
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
--> statement-breakpoint
ALTER TABLE api_keys ADD COLUMN name TEXT NOT NULL DEFAULT '';
--> statement-breakpoint
ALTER TABLE api_keys ADD COLUMN created_by TEXT NOT NULL DEFAULT 'operator';
--> statement-breakpoint
-- The review of the working copy; without a decision there is none.
ALTER TABLE translations ADD COLUMN review_decision TEXT CHECK (review_decision IN ('approve', 'request_changes'));
--> statement-breakpoint
ALTER TABLE translations ADD COLUMN review_revision INTEGER;
--> statement-breakpoint
ALTER TABLE translations ADD COLUMN review_author_id TEXT;
--> statement-breakpoint
ALTER TABLE translations ADD COLUMN reviewer_id TEXT;
--> statement-breakpoint
ALTER TABLE translations ADD COLUMN review_note TEXT;
--> statement-breakpoint
ALTER TABLE translations ADD COLUMN reviewed_at INTEGER;
--> statement-breakpoint
CREATE INDEX articles_by_workspace ON articles (workspace_id, id);
--> statement-breakpoint
CREATE INDEX conversations_by_time ON conversations (workspace_id, started_at, id);
--> statement-breakpoint
-- Workspaces whose rest is still to be deleted. Their own row is gone from what everybody reads.
ALTER TABLE workspaces ADD COLUMN removed_at INTEGER;
--> statement-breakpoint
CREATE INDEX workspaces_removed ON workspaces (removed_at) WHERE removed_at IS NOT NULL;
--> statement-breakpoint
UPDATE workspaces SET settings =
  json_set(settings, '$.voice', json('{"enabled":true,"monthlySecondsMax":3600,"timeZone":"UTC"}'));
