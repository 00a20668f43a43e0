-- REPLACE deletes the row that is in its way, and where triggers are not recursive nothing would notice.
CREATE TRIGGER consent_records_append BEFORE INSERT ON consent_records
WHEN EXISTS (SELECT 1 FROM consent_records WHERE id = NEW.id OR (workspace_id = NEW.workspace_id AND position = NEW.position))
BEGIN SELECT RAISE(ABORT, 'consent_records are append-only'); END;
--> statement-breakpoint
CREATE TRIGGER audit_appends BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id OR sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER article_revisions_append BEFORE INSERT ON article_revisions
WHEN EXISTS (SELECT 1 FROM article_revisions WHERE article_id = NEW.article_id AND revision = NEW.revision)
BEGIN SELECT RAISE(ABORT, 'article_revisions are immutable'); END;
--> statement-breakpoint
CREATE TRIGGER translation_revisions_append BEFORE INSERT ON translation_revisions
WHEN EXISTS (
  SELECT 1 FROM translation_revisions WHERE translation_id = NEW.translation_id AND revision = NEW.revision
)
BEGIN SELECT RAISE(ABORT, 'translation_revisions are immutable'); END;
--> statement-breakpoint
-- The same policy may be kept twice, by two processes at once.
CREATE TRIGGER consent_policies_keep BEFORE INSERT ON consent_policies
WHEN EXISTS (SELECT 1 FROM consent_policies WHERE workspace_id = NEW.workspace_id AND version = NEW.version)
BEGIN SELECT RAISE(IGNORE); END;
