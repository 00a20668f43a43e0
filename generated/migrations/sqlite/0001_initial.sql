-- Written by `make generate` from the schema and the objects of this engine.

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  settings TEXT NOT NULL,
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  removed_at INTEGER
) STRICT;

CREATE INDEX workspaces_removed ON workspaces (removed_at) WHERE removed_at is not null;

CREATE TABLE anonymous_questions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  key TEXT NOT NULL,
  question TEXT NOT NULL,
  locale TEXT NOT NULL,
  path TEXT NOT NULL,
  nearest_article_id TEXT,
  results INTEGER,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX anonymous_questions_by_time ON anonymous_questions (workspace_id, asked_at);

CREATE TABLE answer_test_runs (
  workspace_id TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE answer_tests (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  question TEXT NOT NULL,
  locale TEXT NOT NULL,
  article_id TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  waiting INTEGER NOT NULL CHECK (waiting IN (0, 1)),
  ran_at INTEGER,
  outcome TEXT CHECK (outcome IN ('passed', 'failed')),
  passages TEXT,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX answer_tests_by_question ON answer_tests (workspace_id, locale, question);

CREATE INDEX answer_tests_by_article ON answer_tests (article_id) WHERE article_id is not null;

CREATE INDEX answer_tests_waiting ON answer_tests (workspace_id, waiting);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  public_id TEXT NOT NULL UNIQUE,
  secret_hash TEXT NOT NULL,
  last_four TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER,
  expires_at INTEGER,
  allowed_networks TEXT NOT NULL,
  last_used_network TEXT,
  known_networks TEXT NOT NULL,
  replaced_by TEXT,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, created_at);

CREATE TABLE articles (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
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
  dismissed_aliases TEXT,
  collection_id TEXT,
  tags TEXT,
  audience TEXT,
  title_key TEXT NOT NULL,
  search_text TEXT NOT NULL,
  source_id TEXT,
  source_place TEXT,
  scheduled_at INTEGER,
  scheduled_by TEXT,
  verify_after INTEGER,
  checked_at INTEGER,
  checked_by TEXT,
  UNIQUE (workspace_id, slug),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (collection_id) REFERENCES collections (id) ON DELETE SET NULL,
  FOREIGN KEY (id, live_revision) REFERENCES article_revisions (article_id, revision) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX articles_by_workspace ON articles (workspace_id, id);

CREATE INDEX articles_by_update ON articles (workspace_id, updated_at, id);

CREATE INDEX articles_by_title ON articles (workspace_id, title_key, id);

CREATE INDEX articles_by_audience ON articles (workspace_id, id) WHERE audience is not null;

CREATE INDEX articles_by_collection ON articles (collection_id);

CREATE UNIQUE INDEX articles_by_source ON articles (source_id, source_place) WHERE source_id is not null;

CREATE INDEX articles_by_publication ON articles (workspace_id, locale, live_published_at) WHERE live_published_at is not null;

CREATE INDEX articles_by_schedule ON articles (scheduled_at) WHERE scheduled_at is not null;

CREATE TABLE article_addresses (
  workspace_id TEXT NOT NULL,
  slug TEXT NOT NULL,
  locale TEXT NOT NULL,
  article_id TEXT NOT NULL,
  is_current INTEGER NOT NULL CHECK (is_current IN (0, 1)),
  PRIMARY KEY (workspace_id, slug, locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX article_addresses_by_article ON article_addresses (article_id, locale);

CREATE TABLE article_revisions (
  article_id TEXT NOT NULL,
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
  PRIMARY KEY (article_id, revision),
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX article_revisions_with_images ON article_revisions (article_id, revision) WHERE answer LIKE '%/images/img_%';

CREATE TABLE audit (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace_id TEXT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  at_millis INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  details TEXT NOT NULL,
  device TEXT,
  network TEXT,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX audit_by_workspace ON audit (workspace_id, sequence);

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  workspace_id TEXT,
  address_proved_at INTEGER,
  locale TEXT,
  CHECK ((workspace_id IS NULL) = (address_proved_at IS NOT NULL)),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX users_by_email ON users (email, coalesce(workspace_id, ''));

CREATE INDEX users_by_workspace ON users (workspace_id) WHERE workspace_id is not null;

CREATE TABLE authenticator_apps (
  user_id TEXT PRIMARY KEY,
  sealed_secret TEXT NOT NULL,
  last_period INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE automation_sessions (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  areas TEXT NOT NULL,
  allowed_networks TEXT NOT NULL,
  may_approve_own INTEGER NOT NULL CHECK (may_approve_own IN (0, 1)),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX automation_sessions_by_workspace ON automation_sessions (workspace_id, created_at);

CREATE TABLE collections (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  earlier_slugs TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  UNIQUE (workspace_id, name),
  UNIQUE (workspace_id, slug),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE consent_current (
  workspace_id TEXT NOT NULL,
  visitor_id TEXT NOT NULL,
  decision TEXT NOT NULL,
  mode TEXT NOT NULL,
  policy_version TEXT NOT NULL,
  region_code TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  gpc INTEGER NOT NULL CHECK (gpc IN (0, 1)),
  claimed_region TEXT,
  PRIMARY KEY (workspace_id, visitor_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE consent_policies (
  workspace_id TEXT NOT NULL,
  version TEXT NOT NULL,
  document TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, version),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE consent_records (
  workspace_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  subject_id TEXT NOT NULL,
  content TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (workspace_id, position),
  CHECK (position > 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX consent_records_by_subject ON consent_records (workspace_id, subject_id, position);

CREATE TABLE consent_subjects (
  workspace_id TEXT NOT NULL,
  visitor_id TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  PRIMARY KEY (workspace_id, visitor_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE conversations (
  id TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  visitor_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  next_turn_idx INTEGER NOT NULL,
  turn_count INTEGER NOT NULL,
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
  delete_after_millis INTEGER,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX conversations_by_time ON conversations (workspace_id, started_at, id);

CREATE INDEX conversations_by_visitor ON conversations (workspace_id, visitor_id);

CREATE INDEX conversations_by_deadline ON conversations (delete_after_millis) WHERE delete_after_millis is not null;

CREATE TABLE conversation_notes (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX conversation_notes_by_conversation ON conversation_notes (workspace_id, conversation_id, id);

CREATE TABLE conversation_positions (
  workspace_id TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  conversation_id TEXT NOT NULL,
  happened_millis INTEGER,
  PRIMARY KEY (workspace_id, at_millis, conversation_id),
  UNIQUE (workspace_id, conversation_id),
  FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX conversation_positions_displaced ON conversation_positions (workspace_id, at_millis) WHERE happened_millis is not null;

CREATE INDEX conversation_positions_displaced_by_time ON conversation_positions (workspace_id, happened_millis) WHERE happened_millis is not null;

CREATE TABLE customer_keys (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('secret', 'key_set')),
  sealed_secret TEXT,
  url TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX customer_keys_by_workspace ON customer_keys (workspace_id, created_at);

CREATE TABLE database_marks (
  id INTEGER PRIMARY KEY,
  commits INTEGER NOT NULL,
  key_ring_id TEXT,
  sealed_keys TEXT,
  CHECK (id = 1)
) STRICT;

CREATE TABLE dictionaries (
  workspace_id TEXT NOT NULL,
  from_locale TEXT NOT NULL,
  to_locale TEXT NOT NULL,
  content BLOB NOT NULL,
  spellings TEXT,
  PRIMARY KEY (workspace_id, from_locale, to_locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE dictionary_builds (
  workspace_id TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  version TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at INTEGER NOT NULL,
  UNIQUE (workspace_id, user_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE digests (
  member_id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  off_since INTEGER,
  sent_at INTEGER,
  FOREIGN KEY (member_id) REFERENCES members (id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX digests_by_workspace ON digests (workspace_id);

CREATE TABLE embedding_months (
  workspace_id TEXT NOT NULL,
  period TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, period),
  CHECK (tokens >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE embeddings (
  workspace_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  locale TEXT NOT NULL,
  passage_id INTEGER NOT NULL,
  model TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  vectors BLOB NOT NULL,
  PRIMARY KEY (workspace_id, article_id, locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX embeddings_by_model ON embeddings (workspace_id, model, passage_id);

CREATE TABLE erased_visitors (
  workspace_id TEXT NOT NULL,
  mark TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, mark),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX erased_visitors_by_time ON erased_visitors (at_millis);

CREATE TABLE event_watermarks (
  workspace_id TEXT PRIMARY KEY,
  at_millis INTEGER NOT NULL,
  id TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  workspace_id TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  visitor_id TEXT,
  conversation_id TEXT,
  data TEXT NOT NULL,
  happened_millis INTEGER,
  PRIMARY KEY (workspace_id, at_millis, id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX events_displaced ON events (workspace_id, at_millis) WHERE happened_millis is not null;

CREATE INDEX events_displaced_by_time ON events (workspace_id, happened_millis) WHERE happened_millis is not null;

CREATE INDEX events_by_visitor ON events (workspace_id, visitor_id) WHERE visitor_id is not null;

CREATE INDEX events_by_conversation ON events (workspace_id, conversation_id) WHERE conversation_id is not null;

CREATE TABLE export_watermarks (
  workspace_id TEXT PRIMARY KEY,
  at_millis INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE factor_challenges (
  token_hash TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('passkey_sign_in', 'second_step', 'add_passkey', 'add_app')),
  user_id TEXT,
  challenge TEXT NOT NULL,
  verified_hash TEXT,
  is_new_device INTEGER NOT NULL CHECK (is_new_device IN (0, 1)),
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX factor_challenges_by_user ON factor_challenges (user_id);

CREATE INDEX factor_challenges_by_expiry ON factor_challenges (expires_at);

CREATE TABLE feature_flags (
  name TEXT PRIMARY KEY,
  is_on INTEGER NOT NULL CHECK (is_on IN (0, 1)),
  changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  message_id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
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
  frames BLOB NOT NULL,
  attempt INTEGER NOT NULL,
  CHECK (attempt > 0),
  FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
) STRICT;

CREATE INDEX turns_by_conversation ON turns (workspace_id, conversation_id, asked_at, message_id);

CREATE UNIQUE INDEX turns_by_key ON turns (workspace_id, visitor_id, idempotency_key) WHERE idempotency_key is not null;

CREATE INDEX turns_running ON turns (asked_at) WHERE state = 'running';

CREATE INDEX turns_by_outcome ON turns (workspace_id, finish_reason, asked_at, message_id) WHERE finish_reason is not null;

CREATE TABLE feedback (
  message_id TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  visitor_id TEXT NOT NULL,
  rating TEXT NOT NULL CHECK (rating IN ('up', 'down')),
  comment TEXT,
  reasons TEXT,
  at_millis INTEGER NOT NULL,
  FOREIGN KEY (message_id) REFERENCES turns (message_id) ON DELETE CASCADE
) STRICT;

CREATE INDEX feedback_by_visitor ON feedback (workspace_id, visitor_id);

CREATE INDEX feedback_by_time ON feedback (workspace_id, at_millis, message_id);

CREATE TABLE handovers (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  visitor_id TEXT NOT NULL,
  idempotency_key TEXT,
  payload_hash TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'answered', 'closed')),
  message TEXT NOT NULL,
  name TEXT,
  email TEXT NOT NULL,
  page_url TEXT NOT NULL,
  locale TEXT NOT NULL,
  conversation_id TEXT,
  transcript TEXT,
  summary TEXT,
  assignee_id TEXT,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (assignee_id) REFERENCES members (id) ON DELETE SET NULL
) STRICT;

CREATE INDEX handovers_by_state ON handovers (workspace_id, state, created_at, id);

CREATE INDEX handovers_by_time ON handovers (workspace_id, created_at, id);

CREATE INDEX handovers_by_visitor ON handovers (workspace_id, visitor_id, created_at);

CREATE UNIQUE INDEX handovers_by_key ON handovers (workspace_id, visitor_id, idempotency_key) WHERE idempotency_key is not null;

CREATE INDEX handovers_by_assignee ON handovers (assignee_id) WHERE assignee_id is not null;

CREATE TABLE handover_notes (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  handover_id TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (handover_id) REFERENCES handovers (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX handover_notes_by_handover ON handover_notes (handover_id, id);

CREATE INDEX handover_notes_by_workspace ON handover_notes (workspace_id, id);

CREATE TABLE handover_replies (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  handover_id TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (handover_id) REFERENCES handovers (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX handover_replies_by_handover ON handover_replies (handover_id, id);

CREATE INDEX handover_replies_by_workspace ON handover_replies (workspace_id, id);

CREATE TABLE help_domains (
  workspace_id TEXT PRIMARY KEY,
  domain TEXT NOT NULL,
  proved_at INTEGER,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX help_domains_proved ON help_domains (domain) WHERE proved_at is not null;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  confirmed_at INTEGER NOT NULL,
  signed_in_with TEXT CHECK (signed_in_with IN ('password', 'oidc', 'passkey')),
  factor TEXT CHECK (factor IN ('passkey', 'totp', 'recovery_code', 'provider')),
  identity_provider TEXT,
  device TEXT NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE idempotency_keys (
  session_id TEXT NOT NULL,
  key TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  payload_hash TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status INTEGER,
  body TEXT,
  PRIMARY KEY (session_id, key),
  FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_workspace ON idempotency_keys (workspace_id);

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

CREATE TABLE identities (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  workspace_id TEXT,
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX identities_by_subject ON identities (issuer, client_id, subject, coalesce(workspace_id, ''));

CREATE UNIQUE INDEX identities_by_user ON identities (user_id, issuer, client_id, coalesce(workspace_id, ''));

CREATE INDEX identities_by_workspace ON identities (workspace_id) WHERE workspace_id is not null;

CREATE TABLE identity_providers (
  workspace_id TEXT PRIMARY KEY,
  issuer TEXT NOT NULL,
  client_id TEXT NOT NULL,
  sealed_secret TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('off', 'optional', 'required')),
  default_role TEXT NOT NULL CHECK (default_role IN ('admin', 'member')),
  groups_claim TEXT NOT NULL,
  group_roles TEXT NOT NULL,
  changed_at INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE images (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  content_bytes INTEGER NOT NULL,
  content_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  content BLOB NOT NULL,
  UNIQUE (workspace_id, content_hash),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX images_by_time ON images (workspace_id, created_at, id);

CREATE TABLE inbox_groups (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'resolved', 'dismissed')),
  asked INTEGER NOT NULL,
  last_asked_at INTEGER NOT NULL,
  assignee_id TEXT,
  article_id TEXT,
  nearest_article_id TEXT,
  resolved_at INTEGER,
  asked_again_at INTEGER,
  asked_again INTEGER,
  answered_again INTEGER,
  CHECK (asked >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (assignee_id) REFERENCES members (id) ON DELETE SET NULL,
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE SET NULL,
  FOREIGN KEY (nearest_article_id) REFERENCES articles (id) ON DELETE SET NULL
) STRICT;

CREATE INDEX inbox_groups_by_time ON inbox_groups (workspace_id, last_asked_at, id);

CREATE INDEX inbox_groups_by_count ON inbox_groups (workspace_id, asked, id);

CREATE INDEX inbox_groups_by_assignee ON inbox_groups (assignee_id) WHERE assignee_id is not null;

CREATE INDEX inbox_groups_by_article ON inbox_groups (article_id) WHERE article_id is not null;

CREATE INDEX inbox_groups_by_nearest_article ON inbox_groups (nearest_article_id) WHERE nearest_article_id is not null;

CREATE TABLE inbox_progress (
  workspace_id TEXT PRIMARY KEY,
  turn_at INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  rated_at INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE inbox_questions (
  message_id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  kinds INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  confidence INTEGER,
  signature TEXT,
  CHECK (kinds > 0),
  FOREIGN KEY (message_id) REFERENCES turns (message_id) ON DELETE CASCADE,
  FOREIGN KEY (group_id) REFERENCES inbox_groups (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX inbox_questions_by_group ON inbox_questions (group_id, asked_at, message_id, kinds);

CREATE INDEX inbox_questions_by_workspace ON inbox_questions (workspace_id);

CREATE TABLE installations (
  workspace_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  origin TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, domain),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  token_hash TEXT NOT NULL UNIQUE,
  invited_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  proves_address INTEGER NOT NULL CHECK (proves_address IN (0, 1)),
  UNIQUE (workspace_id, email),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX invitations_by_expiry ON invitations (expires_at);

CREATE TABLE mails (
  id TEXT PRIMARY KEY,
  workspace_id TEXT,
  visitor_id TEXT,
  template TEXT NOT NULL,
  locale TEXT NOT NULL,
  sealed_content TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  last_error TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX mails_waiting ON mails (next_attempt_at) WHERE state = 'waiting';

CREATE INDEX mails_by_workspace ON mails (workspace_id) WHERE workspace_id is not null;

CREATE INDEX mails_by_visitor ON mails (workspace_id, visitor_id) WHERE visitor_id is not null;

CREATE INDEX mails_by_expiry ON mails (expires_at);

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  user_id TEXT NOT NULL,
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);

CREATE TABLE password_resets (
  token_hash TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX password_resets_by_email ON password_resets (email);

CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

CREATE TABLE rate_windows (
  key TEXT PRIMARY KEY,
  points INTEGER NOT NULL,
  expires_at_millis INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX rate_windows_by_expiry ON rate_windows (expires_at_millis);

CREATE TABLE recovery_codes (
  user_id TEXT NOT NULL,
  code_hash TEXT NOT NULL,
  PRIMARY KEY (user_id, code_hash),
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE setup_links (
  token_hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_in_domains (
  workspace_id TEXT NOT NULL,
  domain TEXT NOT NULL,
  proved_at INTEGER,
  PRIMARY KEY (workspace_id, domain),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX sign_in_domains_proved ON sign_in_domains (domain) WHERE proved_at is not null;

CREATE TABLE sources (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('website', 'files', 'zendesk', 'notion')),
  website TEXT,
  files TEXT,
  zendesk TEXT,
  sealed_token TEXT,
  mode TEXT NOT NULL CHECK (mode IN ('review', 'publish')),
  schedule TEXT NOT NULL CHECK (schedule IN ('manual', 'hourly', 'daily', 'weekly')),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  token TEXT NOT NULL,
  next_run_at INTEGER,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX sources_by_workspace ON sources (workspace_id, created_at, id);

CREATE INDEX sources_by_schedule ON sources (next_run_at) WHERE next_run_at is not null;

CREATE TABLE source_documents (
  source_id TEXT NOT NULL,
  place TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  locale TEXT NOT NULL,
  translation_of TEXT,
  content_hash TEXT NOT NULL,
  url TEXT,
  upload TEXT NOT NULL,
  read_url TEXT,
  etag TEXT,
  last_modified TEXT,
  removed INTEGER NOT NULL CHECK (removed IN (0, 1)),
  conflict TEXT,
  conflict_at INTEGER,
  PRIMARY KEY (source_id, place),
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX source_documents_by_workspace ON source_documents (workspace_id);

CREATE INDEX source_documents_by_url ON source_documents (source_id, read_url) WHERE read_url is not null;

CREATE INDEX source_documents_in_conflict ON source_documents (source_id, place) WHERE conflict is not null;

CREATE TABLE source_runs (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  source_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'reading', 'ready', 'applying', 'done', 'failed', 'cancelled')),
  preview INTEGER NOT NULL CHECK (preview IN (0, 1)),
  scheduled INTEGER NOT NULL CHECK (scheduled IN (0, 1)),
  done INTEGER NOT NULL,
  total INTEGER NOT NULL,
  added INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  unchanged INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  conflicts INTEGER NOT NULL,
  failure TEXT,
  detail TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX source_runs_by_source ON source_runs (source_id, created_at, id);

CREATE INDEX source_runs_by_workspace ON source_runs (workspace_id);

CREATE UNIQUE INDEX source_runs_under_way ON source_runs (source_id) WHERE finished_at is null;

CREATE TABLE source_frontier (
  run_id TEXT NOT NULL,
  url TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
  PRIMARY KEY (run_id, url),
  FOREIGN KEY (run_id) REFERENCES source_runs (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX source_frontier_by_workspace ON source_frontier (workspace_id);

CREATE INDEX source_frontier_to_read ON source_frontier (run_id, position) WHERE settled = 0;

CREATE TABLE source_readings (
  source_id TEXT NOT NULL,
  place TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('document', 'unchanged', 'refused', 'gone')),
  upload TEXT NOT NULL,
  read_url TEXT,
  locale TEXT,
  title TEXT,
  translation_of TEXT,
  content_hash TEXT,
  url TEXT,
  slug TEXT,
  etag TEXT,
  last_modified TEXT,
  reason TEXT,
  detail TEXT,
  content_bytes INTEGER NOT NULL,
  content TEXT,
  PRIMARY KEY (source_id, place),
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX source_readings_by_workspace ON source_readings (workspace_id);

CREATE INDEX source_readings_by_upload ON source_readings (source_id, upload, kind, content_bytes);

CREATE TABLE source_run_items (
  run_id TEXT NOT NULL,
  place TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  root TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('added', 'changed', 'removed', 'refused', 'conflict')),
  locale TEXT,
  title TEXT,
  reason TEXT,
  detail TEXT,
  article_id TEXT,
  translation_id TEXT,
  applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
  PRIMARY KEY (run_id, place),
  FOREIGN KEY (run_id) REFERENCES source_runs (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX source_run_items_by_workspace ON source_run_items (workspace_id);

CREATE INDEX source_run_items_to_apply ON source_run_items (run_id, root, place) WHERE applied = 0;

CREATE TABLE source_uploads (
  source_id TEXT NOT NULL,
  name TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  PRIMARY KEY (source_id, name),
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX source_uploads_by_workspace ON source_uploads (workspace_id);

CREATE TABLE token_months (
  workspace_id TEXT NOT NULL,
  period TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, period),
  CHECK (tokens >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE translations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  article_id TEXT NOT NULL,
  locale TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'in_review', 'changes_requested', 'approved', 'published', 'archived')),
  revision INTEGER NOT NULL,
  source_revision INTEGER NOT NULL,
  source_hash TEXT NOT NULL,
  live_revision INTEGER,
  live_source_revision INTEGER,
  live_source_hash TEXT,
  live_published_at INTEGER,
  live_published_by TEXT,
  review_decision TEXT CHECK (review_decision IN ('approve', 'request_changes')),
  review_revision INTEGER,
  review_author_id TEXT,
  reviewer_id TEXT,
  review_note TEXT,
  reviewed_at INTEGER,
  scheduled_at INTEGER,
  scheduled_by TEXT,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT NOT NULL,
  UNIQUE (article_id, locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE,
  FOREIGN KEY (id, live_revision) REFERENCES translation_revisions (translation_id, revision) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX translations_by_workspace ON translations (workspace_id);

CREATE INDEX translations_by_publication ON translations (workspace_id, locale, live_published_at) WHERE live_published_at is not null;

CREATE INDEX translations_by_schedule ON translations (scheduled_at) WHERE scheduled_at is not null;

CREATE TABLE translation_revisions (
  translation_id TEXT NOT NULL,
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
  PRIMARY KEY (translation_id, revision),
  FOREIGN KEY (translation_id) REFERENCES translations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX translation_revisions_with_images ON translation_revisions (translation_id, revision) WHERE answer LIKE '%/images/img_%';

CREATE TABLE turn_positions (
  workspace_id TEXT NOT NULL,
  at_millis INTEGER NOT NULL,
  message_id TEXT NOT NULL UNIQUE,
  happened_millis INTEGER,
  PRIMARY KEY (workspace_id, at_millis, message_id),
  FOREIGN KEY (message_id) REFERENCES turns (message_id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX turn_positions_displaced ON turn_positions (workspace_id, at_millis) WHERE happened_millis is not null;

CREATE INDEX turn_positions_displaced_by_time ON turn_positions (workspace_id, happened_millis) WHERE happened_millis is not null;

CREATE TABLE voice_months (
  workspace_id TEXT NOT NULL,
  period TEXT NOT NULL,
  seconds INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, period),
  CHECK (seconds >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE voice_reservations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  visitor_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('realtime', 'transcribe', 'speech')),
  provider TEXT NOT NULL,
  period TEXT NOT NULL,
  seconds INTEGER NOT NULL,
  default_charge_seconds INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  closes_at INTEGER NOT NULL,
  purge_at INTEGER NOT NULL,
  is_recordable INTEGER NOT NULL CHECK (is_recordable IN (0, 1)),
  token_hash TEXT,
  CHECK (seconds >= 0),
  CHECK (default_charge_seconds BETWEEN 0 AND seconds),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX voice_reservations_by_visitor ON voice_reservations (workspace_id, visitor_id, kind);

CREATE INDEX voice_reservations_by_purge ON voice_reservations (purge_at);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'disabled', 'paused')),
  paused_at INTEGER,
  sealed_secret TEXT NOT NULL,
  secret_set_at INTEGER NOT NULL,
  sealed_old_secret TEXT,
  old_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  created_by TEXT NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX webhooks_by_workspace ON webhooks (workspace_id);

CREATE TABLE webhook_events (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject TEXT NOT NULL,
  visitor_id TEXT,
  payload TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX webhook_events_by_time ON webhook_events (workspace_id, created_at);

CREATE INDEX webhook_events_by_visitor ON webhook_events (workspace_id, visitor_id) WHERE visitor_id is not null;

CREATE TABLE webhook_deliveries (
  id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  workspace_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  subject TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'delivered')),
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  attempted_at INTEGER,
  error TEXT,
  response_status INTEGER,
  response TEXT,
  response_millis INTEGER,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE,
  FOREIGN KEY (event_id) REFERENCES webhook_events (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, sequence);

CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);

CREATE INDEX webhook_deliveries_by_workspace ON webhook_deliveries (workspace_id, sequence);

CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, subject, sequence) WHERE state = 'waiting';

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'waiting';

CREATE TABLE workspace_models (
  workspace_id TEXT PRIMARY KEY,
  provider TEXT NOT NULL CHECK (provider IN ('openai', 'anthropic')),
  base_url TEXT NOT NULL,
  model TEXT NOT NULL,
  rewrite_model TEXT,
  sealed_key TEXT NOT NULL,
  key_set_at INTEGER NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT;

CREATE TABLE workspace_origins (
  origin TEXT NOT NULL,
  workspace_id TEXT NOT NULL,
  PRIMARY KEY (origin, workspace_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX workspace_origins_by_workspace ON workspace_origins (workspace_id);

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
