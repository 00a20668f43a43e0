-- Seconds of voice that are set aside; a row is gone once they are settled.
CREATE TABLE voice_holds (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  visitor_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('realtime', 'transcribe', 'speech')),
  provider TEXT NOT NULL,
  period TEXT NOT NULL,
  seconds INTEGER NOT NULL CHECK (seconds >= 0),
  silent_seconds INTEGER NOT NULL CHECK (silent_seconds BETWEEN 0 AND seconds),
  opened_at INTEGER NOT NULL,
  closes_at INTEGER NOT NULL,
  forgotten_at INTEGER NOT NULL,
  counted INTEGER NOT NULL CHECK (counted IN (0, 1)),
  token_hash TEXT UNIQUE
) STRICT;
--> statement-breakpoint
CREATE INDEX voice_holds_by_visitor ON voice_holds (workspace_id, visitor_id, kind);
--> statement-breakpoint
CREATE INDEX voice_holds_by_end ON voice_holds (forgotten_at);
--> statement-breakpoint
-- What a month has counted: what was used, and what is set aside.
CREATE TABLE voice_months (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  period TEXT NOT NULL,
  seconds INTEGER NOT NULL CHECK (seconds >= 0),
  PRIMARY KEY (workspace_id, period)
) STRICT, WITHOUT ROWID;
