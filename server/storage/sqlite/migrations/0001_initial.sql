CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  settings TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
-- The allowed origins of the settings once more, to be found by.
CREATE TABLE workspace_origins (
  origin TEXT NOT NULL,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  PRIMARY KEY (origin, workspace_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX workspace_origins_by_workspace ON workspace_origins (workspace_id);
--> statement-breakpoint
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, user_id)
) STRICT;
--> statement-breakpoint
CREATE INDEX members_by_user ON members (user_id);
--> statement-breakpoint
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  public_id TEXT NOT NULL UNIQUE,
  secret_hash TEXT NOT NULL,
  last_four TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
--> statement-breakpoint
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, created_at);
--> statement-breakpoint
CREATE TABLE switches (
  name TEXT PRIMARY KEY,
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE rate_windows (
  key TEXT PRIMARY KEY,
  points INTEGER NOT NULL,
  expires_at_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX rate_windows_by_expiry ON rate_windows (expires_at_millis);
--> statement-breakpoint
CREATE TABLE consent_policies (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  version TEXT NOT NULL,
  document TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, version)
) STRICT;
--> statement-breakpoint
CREATE TRIGGER consent_policies_stay BEFORE UPDATE ON consent_policies
BEGIN SELECT RAISE(ABORT, 'consent_policies are immutable'); END;
--> statement-breakpoint
-- What may never be deleted on its own goes with its workspace all the same: by then the parent row is gone.
CREATE TRIGGER consent_policies_remain BEFORE DELETE ON consent_policies
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id)
BEGIN SELECT RAISE(ABORT, 'consent_policies are immutable'); END;
--> statement-breakpoint
-- Who hides behind the pseudonym of the evidence. Deleting the row is what erases the visitor from the evidence.
CREATE TABLE consent_subjects (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  visitor_id TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, visitor_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE consent_records (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position > 0),
  id TEXT NOT NULL UNIQUE,
  subject_id TEXT NOT NULL,
  content TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (workspace_id, position)
) STRICT;
--> statement-breakpoint
CREATE INDEX consent_records_by_subject ON consent_records (workspace_id, subject_id, position);
--> statement-breakpoint
CREATE TRIGGER consent_records_stay BEFORE UPDATE ON consent_records
BEGIN SELECT RAISE(ABORT, 'consent_records are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER consent_records_remain BEFORE DELETE ON consent_records
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id)
BEGIN SELECT RAISE(ABORT, 'consent_records are append-only'); END;
--> statement-breakpoint
CREATE TABLE consent_standing (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  visitor_id TEXT NOT NULL,
  decision TEXT NOT NULL,
  mode TEXT NOT NULL,
  policy_version TEXT NOT NULL,
  region_code TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, visitor_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  visitor_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  next_turn_idx INTEGER NOT NULL,
  turn_count INTEGER NOT NULL,
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
  delete_after_millis INTEGER
) STRICT;
--> statement-breakpoint
CREATE INDEX conversations_by_visitor ON conversations (workspace_id, visitor_id);
--> statement-breakpoint
CREATE INDEX conversations_by_deadline ON conversations (delete_after_millis) WHERE delete_after_millis IS NOT NULL;
--> statement-breakpoint
CREATE TABLE turns (
  message_id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  visitor_id TEXT NOT NULL,
  turn_idx INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'complete', 'interrupted', 'failed')),
  finish_reason TEXT,
  requested_locale TEXT NOT NULL,
  idempotency_key TEXT,
  payload_hash TEXT,
  asked_at INTEGER NOT NULL,
  finished_at INTEGER,
  question TEXT NOT NULL,
  answer TEXT NOT NULL,
  frames TEXT NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX turns_by_conversation ON turns (conversation_id, asked_at, message_id);
--> statement-breakpoint
CREATE UNIQUE INDEX turns_by_key ON turns (workspace_id, visitor_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
--> statement-breakpoint
CREATE INDEX turns_running ON turns (asked_at) WHERE state = 'running';
--> statement-breakpoint
CREATE TABLE feedback (
  message_id TEXT PRIMARY KEY REFERENCES turns (message_id) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  visitor_id TEXT NOT NULL,
  rating TEXT NOT NULL CHECK (rating IN ('up', 'down')),
  comment TEXT,
  at_millis INTEGER NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX feedback_by_visitor ON feedback (workspace_id, visitor_id);
--> statement-breakpoint
CREATE TABLE events (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  at_millis INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  visitor_id TEXT,
  conversation_id TEXT,
  data TEXT NOT NULL,
  PRIMARY KEY (workspace_id, at_millis, id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX events_by_visitor ON events (workspace_id, visitor_id) WHERE visitor_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX events_by_conversation ON events (workspace_id, conversation_id) WHERE conversation_id IS NOT NULL;
--> statement-breakpoint
CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  id TEXT NOT NULL UNIQUE,
  at_millis INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX audit_by_workspace ON audit (workspace_id, sequence);
--> statement-breakpoint
CREATE TRIGGER audit_stays BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_remains BEFORE DELETE ON audit
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id)
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
-- `revision` is the newest one, which may be a draft; `live_revision` is the one that visitors see.
CREATE TABLE articles (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  slug TEXT NOT NULL,
  locale TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'published', 'unpublished')),
  revision INTEGER NOT NULL,
  live_revision INTEGER,
  live_published_at INTEGER,
  live_published_by TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (workspace_id, slug),
  FOREIGN KEY (id, live_revision) REFERENCES article_revisions (article_id, revision) DEFERRABLE INITIALLY DEFERRED
) STRICT;
--> statement-breakpoint
CREATE TABLE article_revisions (
  article_id TEXT NOT NULL REFERENCES articles (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  revision INTEGER NOT NULL,
  event TEXT NOT NULL,
  locale TEXT NOT NULL,
  title TEXT NOT NULL,
  answer TEXT NOT NULL,
  aliases TEXT NOT NULL,
  url TEXT,
  content_hash TEXT NOT NULL,
  search_summary TEXT NOT NULL,
  author_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (article_id, revision)
) STRICT;
--> statement-breakpoint
CREATE TRIGGER article_revisions_stay BEFORE UPDATE ON article_revisions
BEGIN SELECT RAISE(ABORT, 'article_revisions are immutable'); END;
--> statement-breakpoint
CREATE TRIGGER article_revisions_remain BEFORE DELETE ON article_revisions
WHEN EXISTS (SELECT 1 FROM articles WHERE id = OLD.article_id)
BEGIN SELECT RAISE(ABORT, 'article_revisions are immutable'); END;
--> statement-breakpoint
-- The source hashes say which content of the source a text translates: it is stale when the source's differs by now.
CREATE TABLE translations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  article_id TEXT NOT NULL REFERENCES articles (id) ON DELETE CASCADE,
  locale TEXT NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('draft', 'in_review', 'changes_requested', 'approved', 'published', 'archived')),
  revision INTEGER NOT NULL,
  source_revision INTEGER NOT NULL,
  source_hash TEXT NOT NULL,
  live_revision INTEGER,
  live_source_revision INTEGER,
  live_source_hash TEXT,
  live_published_at INTEGER,
  live_published_by TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (article_id, locale),
  FOREIGN KEY (id, live_revision) REFERENCES translation_revisions (translation_id, revision)
    DEFERRABLE INITIALLY DEFERRED
) STRICT;
--> statement-breakpoint
CREATE INDEX translations_by_workspace ON translations (workspace_id);
--> statement-breakpoint
CREATE TABLE translation_revisions (
  translation_id TEXT NOT NULL REFERENCES translations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  revision INTEGER NOT NULL,
  event TEXT NOT NULL,
  status TEXT NOT NULL,
  source_revision INTEGER NOT NULL,
  source_hash TEXT NOT NULL,
  title TEXT NOT NULL,
  answer TEXT NOT NULL,
  aliases TEXT NOT NULL,
  url TEXT,
  content_hash TEXT NOT NULL,
  search_summary TEXT NOT NULL,
  author_id TEXT NOT NULL,
  reviewer_id TEXT,
  review_note TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (translation_id, revision)
) STRICT;
--> statement-breakpoint
CREATE TRIGGER translation_revisions_stay BEFORE UPDATE ON translation_revisions
BEGIN SELECT RAISE(ABORT, 'translation_revisions are immutable'); END;
--> statement-breakpoint
CREATE TRIGGER translation_revisions_remain BEFORE DELETE ON translation_revisions
WHEN EXISTS (SELECT 1 FROM translations WHERE id = OLD.translation_id)
BEGIN SELECT RAISE(ABORT, 'translation_revisions are immutable'); END;
--> statement-breakpoint
-- Written and emptied again to find out whether anything can be stored.
CREATE TABLE write_probe (
  filler BLOB NOT NULL
) STRICT;
