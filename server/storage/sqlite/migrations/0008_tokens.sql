-- Tokens of language models that a workspace has used in a month.
CREATE TABLE token_months (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  period TEXT NOT NULL,
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  PRIMARY KEY (workspace_id, period)
) STRICT, WITHOUT ROWID;
