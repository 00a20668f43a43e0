-- Where finished turns and conversations stand for whoever exports them. A place is taken in the commit that makes a row readable, behind
-- all places that were taken before, and leaves with its row.
CREATE TABLE export_marks (
  workspace_id TEXT PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
  at_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE conversation_places (
  workspace_id TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  conversation_id TEXT NOT NULL UNIQUE REFERENCES conversations (id) ON DELETE CASCADE,
  PRIMARY KEY (workspace_id, at_millis, conversation_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE turn_places (
  workspace_id TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  message_id TEXT NOT NULL UNIQUE REFERENCES turns (message_id) ON DELETE CASCADE,
  PRIMARY KEY (workspace_id, at_millis, message_id)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO conversation_places SELECT workspace_id, started_at, id FROM conversations;
--> statement-breakpoint
INSERT INTO turn_places SELECT workspace_id, finished_at, message_id FROM turns WHERE finished_at IS NOT NULL;
--> statement-breakpoint
INSERT INTO export_marks
  SELECT workspace_id, max(at_millis) FROM (
    SELECT workspace_id, at_millis FROM conversation_places UNION ALL SELECT workspace_id, at_millis FROM turn_places
  ) GROUP BY workspace_id;
--> statement-breakpoint
-- Each takes the next place: its own time, or the millisecond behind the last place. A place that is more than ten minutes ahead came from a
-- wrong clock, and nothing waits for it.
CREATE TRIGGER conversations_take_a_place AFTER INSERT ON conversations
BEGIN
  INSERT INTO export_marks VALUES (NEW.workspace_id, NEW.started_at)
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis =
    CASE WHEN at_millis > excluded.at_millis + 600000 THEN excluded.at_millis ELSE max(at_millis + 1, excluded.at_millis) END;
  INSERT INTO conversation_places
    SELECT workspace_id, at_millis, NEW.id FROM export_marks WHERE workspace_id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER turns_take_a_place AFTER UPDATE OF finished_at ON turns WHEN NEW.finished_at IS NOT NULL
BEGIN
  INSERT INTO export_marks VALUES (NEW.workspace_id, NEW.finished_at)
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis =
    CASE WHEN at_millis > excluded.at_millis + 600000 THEN excluded.at_millis ELSE max(at_millis + 1, excluded.at_millis) END;
  INSERT OR REPLACE INTO turn_places
    SELECT workspace_id, at_millis, NEW.message_id FROM export_marks WHERE workspace_id = NEW.workspace_id;
END;
--> statement-breakpoint
CREATE TRIGGER turns_leave_their_place AFTER UPDATE OF finished_at ON turns
WHEN NEW.finished_at IS NULL AND OLD.finished_at IS NOT NULL
BEGIN DELETE FROM turn_places WHERE message_id = NEW.message_id; END;
--> statement-breakpoint
-- A turn that comes in finished belongs to a workspace that nobody reads yet.
CREATE TRIGGER turns_bring_their_place AFTER INSERT ON turns WHEN NEW.finished_at IS NOT NULL
BEGIN INSERT INTO turn_places VALUES (NEW.workspace_id, NEW.finished_at, NEW.message_id); END;
--> statement-breakpoint
-- What may be kept from now on is new to everybody who reads: it takes its place when its visitor decided so.
CREATE TRIGGER conversations_come_into_sight AFTER UPDATE OF delete_after_millis ON conversations
WHEN OLD.delete_after_millis IS NOT NULL AND NEW.delete_after_millis IS NULL
BEGIN
  INSERT INTO export_marks
    SELECT NEW.workspace_id, coalesce(max(decided_at), (SELECT at_millis FROM export_marks WHERE workspace_id = NEW.workspace_id))
    FROM consent_standing WHERE workspace_id = NEW.workspace_id AND visitor_id = NEW.visitor_id
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis =
    CASE WHEN at_millis > excluded.at_millis + 600000 THEN excluded.at_millis ELSE max(at_millis + 1, excluded.at_millis) END;
  UPDATE conversation_places SET at_millis = (SELECT at_millis FROM export_marks WHERE workspace_id = NEW.workspace_id)
    WHERE conversation_id = NEW.id;
  UPDATE turn_places SET at_millis = (SELECT at_millis FROM export_marks WHERE workspace_id = NEW.workspace_id)
    WHERE message_id IN (SELECT message_id FROM turns WHERE conversation_id = NEW.id);
END;
