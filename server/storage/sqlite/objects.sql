-- Immutable rows: no update, no delete unless the workspace is removed, and no REPLACE, which would delete without firing
-- delete triggers on connections without recursive_triggers.
CREATE TRIGGER consent_policies_no_update BEFORE UPDATE ON consent_policies
BEGIN SELECT RAISE(ABORT, 'consent_policies are immutable'); END;

CREATE TRIGGER consent_policies_no_delete BEFORE DELETE ON consent_policies
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id AND removed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'consent_policies are immutable'); END;

-- Two processes may publish the same policy at once.
CREATE TRIGGER consent_policies_ignore_duplicate BEFORE INSERT ON consent_policies
WHEN EXISTS (SELECT 1 FROM consent_policies WHERE workspace_id = NEW.workspace_id AND version = NEW.version)
BEGIN SELECT RAISE(IGNORE); END;

CREATE TRIGGER consent_records_no_update BEFORE UPDATE ON consent_records
BEGIN SELECT RAISE(ABORT, 'consent_records are append-only'); END;

CREATE TRIGGER consent_records_no_delete BEFORE DELETE ON consent_records
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id AND removed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'consent_records are append-only'); END;

CREATE TRIGGER consent_records_no_replace BEFORE INSERT ON consent_records
WHEN EXISTS (SELECT 1 FROM consent_records WHERE id = NEW.id OR (workspace_id = NEW.workspace_id AND position = NEW.position))
BEGIN SELECT RAISE(ABORT, 'consent_records are append-only'); END;

CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;

CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id AND removed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;

CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;

CREATE TRIGGER article_revisions_no_update BEFORE UPDATE ON article_revisions
BEGIN SELECT RAISE(ABORT, 'article_revisions are immutable'); END;

CREATE TRIGGER article_revisions_no_delete BEFORE DELETE ON article_revisions
WHEN EXISTS (
  SELECT 1 FROM articles JOIN workspaces ON workspaces.id = articles.workspace_id
  WHERE articles.id = OLD.article_id AND removed_at IS NULL
)
BEGIN SELECT RAISE(ABORT, 'article_revisions are immutable'); END;

CREATE TRIGGER article_revisions_no_replace BEFORE INSERT ON article_revisions
WHEN EXISTS (SELECT 1 FROM article_revisions WHERE article_id = NEW.article_id AND revision = NEW.revision)
BEGIN SELECT RAISE(ABORT, 'article_revisions are immutable'); END;

CREATE TRIGGER translation_revisions_no_update BEFORE UPDATE ON translation_revisions
BEGIN SELECT RAISE(ABORT, 'translation_revisions are immutable'); END;

CREATE TRIGGER translation_revisions_no_delete BEFORE DELETE ON translation_revisions
WHEN EXISTS (
  SELECT 1 FROM translations JOIN workspaces ON workspaces.id = translations.workspace_id
  WHERE translations.id = OLD.translation_id AND removed_at IS NULL
)
BEGIN SELECT RAISE(ABORT, 'translation_revisions are immutable'); END;

CREATE TRIGGER translation_revisions_no_replace BEFORE INSERT ON translation_revisions
WHEN EXISTS (
  SELECT 1 FROM translation_revisions WHERE translation_id = NEW.translation_id AND revision = NEW.revision
)
BEGIN SELECT RAISE(ABORT, 'translation_revisions are immutable'); END;

-- The next position: the row's own time, or one millisecond behind the last position. Where that is more than a second later, the
-- clock was set back, and the row keeps its own time beside its position.
CREATE TRIGGER conversations_assign_position AFTER INSERT ON conversations
BEGIN
  INSERT INTO export_watermarks VALUES (NEW.workspace_id, NEW.started_at)
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis = max(at_millis + 1, excluded.at_millis);
  INSERT INTO conversation_positions (workspace_id, at_millis, conversation_id, happened_millis)
    SELECT workspace_id, at_millis, NEW.id, CASE WHEN at_millis > NEW.started_at + 1000 THEN NEW.started_at END
    FROM export_watermarks WHERE workspace_id = NEW.workspace_id;
END;

CREATE TRIGGER turns_assign_position AFTER UPDATE OF finished_at ON turns WHEN NEW.finished_at IS NOT NULL
BEGIN
  INSERT INTO export_watermarks VALUES (NEW.workspace_id, NEW.finished_at)
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis = max(at_millis + 1, excluded.at_millis);
  INSERT OR REPLACE INTO turn_positions (workspace_id, at_millis, message_id, happened_millis)
    SELECT workspace_id, at_millis, NEW.message_id, CASE WHEN at_millis > NEW.finished_at + 1000 THEN NEW.finished_at END
    FROM export_watermarks WHERE workspace_id = NEW.workspace_id;
END;

CREATE TRIGGER turns_clear_position AFTER UPDATE OF finished_at ON turns
WHEN NEW.finished_at IS NULL AND OLD.finished_at IS NOT NULL
BEGIN DELETE FROM turn_positions WHERE message_id = NEW.message_id; END;

-- Finished turns are inserted only by an import, into a workspace that is not readable yet.
CREATE TRIGGER turns_import_position AFTER INSERT ON turns WHEN NEW.finished_at IS NOT NULL
BEGIN INSERT INTO turn_positions VALUES (NEW.workspace_id, NEW.finished_at, NEW.message_id, NULL); END;

-- A conversation that may be kept from now on becomes readable: it and its turns move to the time of that decision.
CREATE TRIGGER conversations_reassign_position AFTER UPDATE OF delete_after_millis ON conversations
WHEN OLD.delete_after_millis IS NOT NULL AND NEW.delete_after_millis IS NULL
BEGIN
  INSERT INTO export_watermarks
    SELECT NEW.workspace_id, coalesce(max(decided_at), (SELECT at_millis FROM export_watermarks WHERE workspace_id = NEW.workspace_id))
    FROM consent_current WHERE workspace_id = NEW.workspace_id AND visitor_id = NEW.visitor_id
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis = max(at_millis + 1, excluded.at_millis);
  UPDATE conversation_positions SET (at_millis, happened_millis) = (
      SELECT marks.at_millis, CASE WHEN marks.at_millis > decided_at + 1000 THEN decided_at END
      FROM export_watermarks AS marks
      LEFT JOIN consent_current AS decided ON decided.workspace_id = NEW.workspace_id AND decided.visitor_id = NEW.visitor_id
      WHERE marks.workspace_id = NEW.workspace_id
    )
    WHERE workspace_id = NEW.workspace_id AND conversation_id = NEW.id;
  UPDATE turn_positions SET (at_millis, happened_millis) = (
      SELECT at_millis, happened_millis FROM conversation_positions
      WHERE workspace_id = NEW.workspace_id AND conversation_id = NEW.id
    )
    WHERE message_id IN (
      SELECT message_id FROM turns WHERE workspace_id = NEW.workspace_id AND conversation_id = NEW.id
    );
END;

CREATE TABLE passage_partitions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL,
  locale TEXT NOT NULL,
  articles INTEGER NOT NULL DEFAULT 0,
  sources INTEGER NOT NULL DEFAULT 0,
  chunks INTEGER NOT NULL DEFAULT 0,
  sentences INTEGER NOT NULL DEFAULT 0,
  words INTEGER NOT NULL DEFAULT 0,
  ngrams INTEGER NOT NULL DEFAULT 0,
  UNIQUE (workspace_id, locale)
) STRICT;

CREATE TABLE passages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  partition_id INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  translation_id TEXT,
  slug TEXT NOT NULL,
  locale TEXT NOT NULL,
  revision INTEGER NOT NULL,
  source_revision INTEGER NOT NULL,
  title TEXT NOT NULL,
  answer TEXT NOT NULL,
  aliases TEXT NOT NULL,
  url TEXT,
  stale INTEGER NOT NULL,
  titles BLOB NOT NULL,
  UNIQUE (workspace_id, article_id, locale)
) STRICT;

CREATE TABLE passage_chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  passage_id INTEGER NOT NULL REFERENCES passages (id),
  ordinal INTEGER NOT NULL,
  sentences INTEGER NOT NULL,
  words INTEGER NOT NULL,
  ngrams INTEGER NOT NULL,
  normalized BLOB NOT NULL,
  terms BLOB NOT NULL,
  UNIQUE (passage_id, ordinal)
) STRICT;

CREATE TABLE passage_terms (
  partition_id INTEGER NOT NULL,
  term INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  PRIMARY KEY (partition_id, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE passage_metadata (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE passage_index USING fts5 (terms, content='', contentless_delete=1, tokenize='ascii', detail=none);

-- The indexer may not be running when an article is deleted.
CREATE TRIGGER articles_delete_embeddings AFTER DELETE ON articles
BEGIN DELETE FROM embeddings WHERE workspace_id = OLD.workspace_id AND article_id = OLD.id; END;

CREATE TRIGGER inbox_questions_count AFTER INSERT ON inbox_questions
BEGIN
  UPDATE inbox_groups SET asked = asked + 1, last_asked_at = max(last_asked_at, NEW.asked_at) WHERE id = NEW.group_id;
END;

CREATE TRIGGER inbox_questions_uncount AFTER DELETE ON inbox_questions
BEGIN
  UPDATE inbox_groups SET asked = asked - 1 WHERE id = OLD.group_id;
  DELETE FROM inbox_groups WHERE id = OLD.group_id AND asked = 0;
END;

-- The questions of a conversation leave the inbox as soon as it gets a deletion deadline.
CREATE TRIGGER conversations_leave_inbox AFTER UPDATE OF delete_after_millis ON conversations
WHEN OLD.delete_after_millis IS NULL AND NEW.delete_after_millis IS NOT NULL
BEGIN
  DELETE FROM inbox_questions WHERE message_id IN (
    SELECT message_id FROM turns WHERE workspace_id = NEW.workspace_id AND conversation_id = NEW.id
  );
END;

-- Written and emptied again to check that the database accepts writes.
CREATE TABLE write_probe (
  filler BLOB NOT NULL
) STRICT;

INSERT INTO database_marks (id, commits) VALUES (1, 0);
