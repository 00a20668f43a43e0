-- The shape of a database that a pre-release build wrote: eleven migrations, tables under their former names.
CREATE TABLE workspaces (id TEXT PRIMARY KEY, app_id TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;
CREATE TABLE switches (name TEXT PRIMARY KEY, is_on INTEGER NOT NULL, changed_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE passage (id INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL) STRICT;
CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;
INSERT INTO workspaces VALUES ('ws_1', 'gp_1', 'Shop');
INSERT INTO switches VALUES ('kill_switch', 1, 10);
INSERT INTO migrations VALUES
  ('0001_initial', 'a', 1), ('0002_passages', 'b', 1), ('0003_dashboard', 'c', 1), ('0004_insight', 'd', 1),
  ('0005_removal', 'e', 1), ('0006_export_places', 'f', 1), ('0007_voice', 'g', 1), ('0008_tokens', 'h', 1),
  ('0009_installations', 'i', 1), ('0010_consent_signals', 'j', 1), ('0011_replacing', 'k', 1);
