-- What may never be deleted on its own may be deleted once its workspace is removed, a few rows at a time.
DROP TRIGGER consent_policies_remain;
--> statement-breakpoint
CREATE TRIGGER consent_policies_remain BEFORE DELETE ON consent_policies
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id AND removed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'consent_policies are immutable'); END;
--> statement-breakpoint
DROP TRIGGER consent_records_remain;
--> statement-breakpoint
CREATE TRIGGER consent_records_remain BEFORE DELETE ON consent_records
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id AND removed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'consent_records are append-only'); END;
--> statement-breakpoint
DROP TRIGGER audit_remains;
--> statement-breakpoint
CREATE TRIGGER audit_remains BEFORE DELETE ON audit
WHEN EXISTS (SELECT 1 FROM workspaces WHERE id = OLD.workspace_id AND removed_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'audit is append-only'); END;
--> statement-breakpoint
DROP TRIGGER article_revisions_remain;
--> statement-breakpoint
CREATE TRIGGER article_revisions_remain BEFORE DELETE ON article_revisions
WHEN EXISTS (
  SELECT 1 FROM articles JOIN workspaces ON workspaces.id = articles.workspace_id
  WHERE articles.id = OLD.article_id AND removed_at IS NULL
)
BEGIN SELECT RAISE(ABORT, 'article_revisions are immutable'); END;
--> statement-breakpoint
DROP TRIGGER translation_revisions_remain;
--> statement-breakpoint
CREATE TRIGGER translation_revisions_remain BEFORE DELETE ON translation_revisions
WHEN EXISTS (
  SELECT 1 FROM translations JOIN workspaces ON workspaces.id = translations.workspace_id
  WHERE translations.id = OLD.translation_id AND removed_at IS NULL
)
BEGIN SELECT RAISE(ABORT, 'translation_revisions are immutable'); END;
