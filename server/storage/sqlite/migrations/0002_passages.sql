CREATE TABLE passage_partition (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL,
  locale TEXT NOT NULL,
  articles INTEGER NOT NULL DEFAULT 0,
  sources INTEGER NOT NULL DEFAULT 0,
  windows INTEGER NOT NULL DEFAULT 0,
  sentences INTEGER NOT NULL DEFAULT 0,
  words INTEGER NOT NULL DEFAULT 0,
  grams INTEGER NOT NULL DEFAULT 0,
  UNIQUE (workspace_id, locale)
) STRICT;
--> statement-breakpoint
CREATE TABLE passage (
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
  labels BLOB NOT NULL,
  UNIQUE (workspace_id, article_id, locale)
) STRICT;
--> statement-breakpoint
CREATE TABLE passage_window (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  passage_id INTEGER NOT NULL REFERENCES passage (id),
  ordinal INTEGER NOT NULL,
  sentences INTEGER NOT NULL,
  words INTEGER NOT NULL,
  grams INTEGER NOT NULL,
  folded BLOB NOT NULL,
  terms BLOB NOT NULL,
  UNIQUE (passage_id, ordinal)
) STRICT;
--> statement-breakpoint
CREATE TABLE passage_term (
  partition_id INTEGER NOT NULL,
  term INTEGER NOT NULL,
  windows INTEGER NOT NULL,
  PRIMARY KEY (partition_id, term)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE passage_meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE VIRTUAL TABLE passage_words USING fts5 (terms, content='', contentless_delete=1, tokenize='ascii', detail=none);
