-- Written by `make generate` from the schema and the objects of this engine.

CREATE TABLE workspaces (
  id text COLLATE "C" PRIMARY KEY,
  app_id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  enabled bigint NOT NULL CHECK (enabled IN (0, 1)),
  settings text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  removed_at bigint
);

CREATE INDEX workspaces_removed ON workspaces (removed_at) WHERE removed_at is not null;

CREATE TABLE anonymous_questions (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  asked_at bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  question text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  nearest_article_id text COLLATE "C",
  results bigint,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX anonymous_questions_by_time ON anonymous_questions (workspace_id, asked_at);

CREATE TABLE answer_test_runs (
  workspace_id text COLLATE "C" PRIMARY KEY,
  fingerprint text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE answer_tests (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  question text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  article_id text COLLATE "C",
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  waiting bigint NOT NULL CHECK (waiting IN (0, 1)),
  ran_at bigint,
  outcome text COLLATE "C" CHECK (outcome IN ('passed', 'failed')),
  passages text COLLATE "C",
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX answer_tests_by_question ON answer_tests (workspace_id, locale, question);

CREATE INDEX answer_tests_by_article ON answer_tests (article_id) WHERE article_id is not null;

CREATE INDEX answer_tests_waiting ON answer_tests (workspace_id, waiting);

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  public_id text COLLATE "C" NOT NULL UNIQUE,
  secret_hash text COLLATE "C" NOT NULL,
  last_four text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  scopes text COLLATE "C" NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint,
  last_used_at bigint,
  expires_at bigint,
  allowed_networks text COLLATE "C" NOT NULL,
  last_used_network text COLLATE "C",
  known_networks text COLLATE "C" NOT NULL,
  replaced_by text COLLATE "C",
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, created_at);

CREATE TABLE articles (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('draft', 'published', 'unpublished')),
  revision bigint NOT NULL,
  live_revision bigint,
  live_published_at bigint,
  live_published_by text COLLATE "C",
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  updated_by text COLLATE "C" NOT NULL,
  dismissed_aliases text COLLATE "C",
  collection_id text COLLATE "C",
  tags text COLLATE "C",
  audience text COLLATE "C",
  title_key text COLLATE "C" NOT NULL,
  search_text text COLLATE "C" NOT NULL,
  source_id text COLLATE "C",
  source_place text COLLATE "C",
  scheduled_at bigint,
  scheduled_by text COLLATE "C",
  verify_after bigint,
  checked_at bigint,
  checked_by text COLLATE "C",
  UNIQUE (workspace_id, slug),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX articles_by_workspace ON articles (workspace_id, id);

CREATE INDEX articles_by_update ON articles (workspace_id, updated_at, id);

CREATE INDEX articles_by_title ON articles (workspace_id, title_key, id);

CREATE INDEX articles_by_audience ON articles (workspace_id, id) WHERE audience is not null;

CREATE INDEX articles_by_collection ON articles (collection_id);

CREATE UNIQUE INDEX articles_by_source ON articles (source_id, source_place) WHERE source_id is not null;

CREATE INDEX articles_by_publication ON articles (workspace_id, locale, live_published_at) WHERE live_published_at is not null;

CREATE INDEX articles_by_schedule ON articles (scheduled_at) WHERE scheduled_at is not null;

CREATE TABLE article_addresses (
  workspace_id text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  article_id text COLLATE "C" NOT NULL,
  is_current bigint NOT NULL CHECK (is_current IN (0, 1)),
  PRIMARY KEY (workspace_id, slug, locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE
);

CREATE INDEX article_addresses_by_article ON article_addresses (article_id, locale);

CREATE TABLE article_revisions (
  article_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  answer text COLLATE "C" NOT NULL,
  aliases text COLLATE "C" NOT NULL,
  url text COLLATE "C",
  content_hash text COLLATE "C" NOT NULL,
  search_summary text COLLATE "C" NOT NULL,
  author_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (article_id, revision),
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX article_revisions_with_images ON article_revisions (article_id, revision) WHERE answer LIKE '%/images/img_%';

CREATE TABLE audit (
  sequence bigint PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL UNIQUE,
  at_millis bigint NOT NULL,
  actor text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  details text COLLATE "C" NOT NULL,
  device text COLLATE "C",
  network text COLLATE "C",
  previous_hash text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX audit_by_workspace ON audit (workspace_id, sequence);

CREATE TABLE users (
  id text COLLATE "C" PRIMARY KEY,
  email text COLLATE "C" NOT NULL,
  password_hash text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  workspace_id text COLLATE "C",
  address_proved_at bigint,
  locale text COLLATE "C",
  CHECK ((workspace_id IS NULL) = (address_proved_at IS NOT NULL)),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX users_by_email ON users (email, coalesce(workspace_id, ''));

CREATE INDEX users_by_workspace ON users (workspace_id) WHERE workspace_id is not null;

CREATE TABLE authenticator_apps (
  user_id text COLLATE "C" PRIMARY KEY,
  sealed_secret text COLLATE "C" NOT NULL,
  last_period bigint NOT NULL,
  created_at bigint NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE automation_sessions (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  member_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  areas text COLLATE "C" NOT NULL,
  allowed_networks text COLLATE "C" NOT NULL,
  may_approve_own bigint NOT NULL CHECK (may_approve_own IN (0, 1)),
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX automation_sessions_by_workspace ON automation_sessions (workspace_id, created_at);

CREATE TABLE collections (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  earlier_slugs text COLLATE "C",
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  UNIQUE (workspace_id, name),
  UNIQUE (workspace_id, slug),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE consent_current (
  workspace_id text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C" NOT NULL,
  decision text COLLATE "C" NOT NULL,
  mode text COLLATE "C" NOT NULL,
  policy_version text COLLATE "C" NOT NULL,
  region_code text COLLATE "C" NOT NULL,
  decided_at bigint NOT NULL,
  gpc bigint NOT NULL CHECK (gpc IN (0, 1)),
  claimed_region text COLLATE "C",
  PRIMARY KEY (workspace_id, visitor_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE consent_policies (
  workspace_id text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  document text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (workspace_id, version),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE consent_records (
  workspace_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  id text COLLATE "C" NOT NULL UNIQUE,
  subject_id text COLLATE "C" NOT NULL,
  content text COLLATE "C" NOT NULL,
  previous_hash text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace_id, position),
  CHECK (position > 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX consent_records_by_subject ON consent_records (workspace_id, subject_id, position);

CREATE TABLE consent_subjects (
  workspace_id text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace_id, visitor_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE conversations (
  id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  next_turn_idx bigint NOT NULL,
  turn_count bigint NOT NULL,
  ended bigint NOT NULL CHECK (ended IN (0, 1)),
  delete_after_millis bigint,
  PRIMARY KEY (workspace_id, id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX conversations_by_time ON conversations (workspace_id, started_at, id);

CREATE INDEX conversations_by_visitor ON conversations (workspace_id, visitor_id);

CREATE INDEX conversations_by_deadline ON conversations (delete_after_millis) WHERE delete_after_millis is not null;

CREATE TABLE conversation_notes (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  text text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
);

CREATE INDEX conversation_notes_by_conversation ON conversation_notes (workspace_id, conversation_id, id);

CREATE TABLE conversation_positions (
  workspace_id text COLLATE "C" NOT NULL,
  at_millis bigint NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  happened_millis bigint,
  PRIMARY KEY (workspace_id, at_millis, conversation_id),
  UNIQUE (workspace_id, conversation_id),
  FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
);

CREATE INDEX conversation_positions_displaced ON conversation_positions (workspace_id, at_millis) WHERE happened_millis is not null;

CREATE INDEX conversation_positions_displaced_by_time ON conversation_positions (workspace_id, happened_millis) WHERE happened_millis is not null;

CREATE TABLE customer_keys (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('secret', 'key_set')),
  sealed_secret text COLLATE "C",
  url text COLLATE "C",
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX customer_keys_by_workspace ON customer_keys (workspace_id, created_at);

CREATE TABLE database_marks (
  id bigint PRIMARY KEY,
  commits bigint NOT NULL,
  key_ring_id text COLLATE "C",
  sealed_keys text COLLATE "C",
  CHECK (id = 1)
);

CREATE TABLE dictionaries (
  workspace_id text COLLATE "C" NOT NULL,
  from_locale text COLLATE "C" NOT NULL,
  to_locale text COLLATE "C" NOT NULL,
  content bytea NOT NULL,
  spellings text COLLATE "C",
  PRIMARY KEY (workspace_id, from_locale, to_locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE dictionary_builds (
  workspace_id text COLLATE "C" PRIMARY KEY,
  fingerprint text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE members (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at bigint NOT NULL,
  UNIQUE (workspace_id, user_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE digests (
  member_id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  off_since bigint,
  sent_at bigint,
  FOREIGN KEY (member_id) REFERENCES members (id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX digests_by_workspace ON digests (workspace_id);

CREATE TABLE embedding_months (
  workspace_id text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  tokens bigint NOT NULL,
  PRIMARY KEY (workspace_id, period),
  CHECK (tokens >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE embeddings (
  workspace_id text COLLATE "C" NOT NULL,
  article_id text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  passage_id bigint NOT NULL,
  model text COLLATE "C" NOT NULL,
  content_hash text COLLATE "C" NOT NULL,
  dimensions bigint NOT NULL,
  vectors bytea NOT NULL,
  PRIMARY KEY (workspace_id, article_id, locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX embeddings_by_model ON embeddings (workspace_id, model, passage_id);

CREATE TABLE erased_visitors (
  workspace_id text COLLATE "C" NOT NULL,
  mark text COLLATE "C" NOT NULL,
  at_millis bigint NOT NULL,
  PRIMARY KEY (workspace_id, mark),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX erased_visitors_by_time ON erased_visitors (at_millis);

CREATE TABLE event_watermarks (
  workspace_id text COLLATE "C" PRIMARY KEY,
  at_millis bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE events (
  workspace_id text COLLATE "C" NOT NULL,
  at_millis bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C",
  conversation_id text COLLATE "C",
  data text COLLATE "C" NOT NULL,
  happened_millis bigint,
  PRIMARY KEY (workspace_id, at_millis, id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX events_displaced ON events (workspace_id, at_millis) WHERE happened_millis is not null;

CREATE INDEX events_displaced_by_time ON events (workspace_id, happened_millis) WHERE happened_millis is not null;

CREATE INDEX events_by_visitor ON events (workspace_id, visitor_id) WHERE visitor_id is not null;

CREATE INDEX events_by_conversation ON events (workspace_id, conversation_id) WHERE conversation_id is not null;

CREATE TABLE export_watermarks (
  workspace_id text COLLATE "C" PRIMARY KEY,
  at_millis bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE factor_challenges (
  token_hash text COLLATE "C" PRIMARY KEY,
  purpose text COLLATE "C" NOT NULL CHECK (purpose IN ('passkey_sign_in', 'second_step', 'add_passkey', 'add_app')),
  user_id text COLLATE "C",
  challenge text COLLATE "C" NOT NULL,
  verified_hash text COLLATE "C",
  is_new_device bigint NOT NULL CHECK (is_new_device IN (0, 1)),
  expires_at bigint NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX factor_challenges_by_user ON factor_challenges (user_id);

CREATE INDEX factor_challenges_by_expiry ON factor_challenges (expires_at);

CREATE TABLE feature_flags (
  name text COLLATE "C" PRIMARY KEY,
  is_on bigint NOT NULL CHECK (is_on IN (0, 1)),
  changed_at bigint NOT NULL
);

CREATE TABLE turns (
  message_id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C" NOT NULL,
  turn_idx bigint NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'complete', 'interrupted', 'failed')),
  finish_reason text COLLATE "C",
  requested_locale text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C",
  payload_hash text COLLATE "C",
  asked_at bigint NOT NULL,
  finished_at bigint,
  question text COLLATE "C" NOT NULL,
  answer text COLLATE "C" NOT NULL,
  frames bytea NOT NULL,
  attempt bigint NOT NULL,
  CHECK (attempt > 0),
  FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations (workspace_id, id) ON DELETE CASCADE
);

CREATE INDEX turns_by_conversation ON turns (workspace_id, conversation_id, asked_at, message_id);

CREATE UNIQUE INDEX turns_by_key ON turns (workspace_id, visitor_id, idempotency_key) WHERE idempotency_key is not null;

CREATE INDEX turns_running ON turns (asked_at) WHERE state = 'running';

CREATE INDEX turns_by_outcome ON turns (workspace_id, finish_reason, asked_at, message_id) WHERE finish_reason is not null;

CREATE TABLE feedback (
  message_id text COLLATE "C" PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  workspace_id text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C" NOT NULL,
  rating text COLLATE "C" NOT NULL CHECK (rating IN ('up', 'down')),
  comment text COLLATE "C",
  reasons text COLLATE "C",
  at_millis bigint NOT NULL,
  FOREIGN KEY (message_id) REFERENCES turns (message_id) ON DELETE CASCADE
);

CREATE INDEX feedback_by_visitor ON feedback (workspace_id, visitor_id);

CREATE INDEX feedback_by_time ON feedback (workspace_id, at_millis, message_id);

CREATE TABLE handovers (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C",
  payload_hash text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'answered', 'closed')),
  message text COLLATE "C" NOT NULL,
  name text COLLATE "C",
  email text COLLATE "C" NOT NULL,
  page_url text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  conversation_id text COLLATE "C",
  transcript text COLLATE "C",
  summary text COLLATE "C",
  assignee_id text COLLATE "C",
  created_at bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (assignee_id) REFERENCES members (id) ON DELETE SET NULL
);

CREATE INDEX handovers_by_state ON handovers (workspace_id, state, created_at, id);

CREATE INDEX handovers_by_time ON handovers (workspace_id, created_at, id);

CREATE INDEX handovers_by_visitor ON handovers (workspace_id, visitor_id, created_at);

CREATE UNIQUE INDEX handovers_by_key ON handovers (workspace_id, visitor_id, idempotency_key) WHERE idempotency_key is not null;

CREATE INDEX handovers_by_assignee ON handovers (assignee_id) WHERE assignee_id is not null;

CREATE TABLE handover_notes (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  handover_id text COLLATE "C" NOT NULL,
  text text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (handover_id) REFERENCES handovers (id) ON DELETE CASCADE
);

CREATE INDEX handover_notes_by_handover ON handover_notes (handover_id, id);

CREATE INDEX handover_notes_by_workspace ON handover_notes (workspace_id, id);

CREATE TABLE handover_replies (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  handover_id text COLLATE "C" NOT NULL,
  text text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (handover_id) REFERENCES handovers (id) ON DELETE CASCADE
);

CREATE INDEX handover_replies_by_handover ON handover_replies (handover_id, id);

CREATE INDEX handover_replies_by_workspace ON handover_replies (workspace_id, id);

CREATE TABLE help_domains (
  workspace_id text COLLATE "C" PRIMARY KEY,
  domain text COLLATE "C" NOT NULL,
  proved_at bigint,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX help_domains_proved ON help_domains (domain) WHERE proved_at is not null;

CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  created_at bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  confirmed_at bigint NOT NULL,
  signed_in_with text COLLATE "C" CHECK (signed_in_with IN ('password', 'oidc', 'passkey')),
  factor text COLLATE "C" CHECK (factor IN ('passkey', 'totp', 'recovery_code', 'provider')),
  identity_provider text COLLATE "C",
  device text COLLATE "C" NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE idempotency_keys (
  session_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  payload_hash text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  status bigint,
  body text COLLATE "C",
  PRIMARY KEY (session_id, key),
  FOREIGN KEY (session_id) REFERENCES sessions (id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX idempotency_keys_by_workspace ON idempotency_keys (workspace_id);

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);

CREATE TABLE identities (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C",
  issuer text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX identities_by_subject ON identities (issuer, client_id, subject, coalesce(workspace_id, ''));

CREATE UNIQUE INDEX identities_by_user ON identities (user_id, issuer, client_id, coalesce(workspace_id, ''));

CREATE INDEX identities_by_workspace ON identities (workspace_id) WHERE workspace_id is not null;

CREATE TABLE identity_providers (
  workspace_id text COLLATE "C" PRIMARY KEY,
  issuer text COLLATE "C" NOT NULL,
  client_id text COLLATE "C" NOT NULL,
  sealed_secret text COLLATE "C" NOT NULL,
  mode text COLLATE "C" NOT NULL CHECK (mode IN ('off', 'optional', 'required')),
  default_role text COLLATE "C" NOT NULL CHECK (default_role IN ('admin', 'member')),
  groups_claim text COLLATE "C" NOT NULL,
  group_roles text COLLATE "C" NOT NULL,
  changed_at bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE images (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  media_type text COLLATE "C" NOT NULL,
  width bigint NOT NULL,
  height bigint NOT NULL,
  content_bytes bigint NOT NULL,
  content_hash text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  content bytea NOT NULL,
  UNIQUE (workspace_id, content_hash),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX images_by_time ON images (workspace_id, created_at, id);

CREATE TABLE inbox_groups (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('open', 'resolved', 'dismissed')),
  asked bigint NOT NULL,
  last_asked_at bigint NOT NULL,
  assignee_id text COLLATE "C",
  article_id text COLLATE "C",
  nearest_article_id text COLLATE "C",
  resolved_at bigint,
  asked_again_at bigint,
  asked_again bigint,
  answered_again bigint,
  CHECK (asked >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (assignee_id) REFERENCES members (id) ON DELETE SET NULL,
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE SET NULL,
  FOREIGN KEY (nearest_article_id) REFERENCES articles (id) ON DELETE SET NULL
);

CREATE INDEX inbox_groups_by_time ON inbox_groups (workspace_id, last_asked_at, id);

CREATE INDEX inbox_groups_by_count ON inbox_groups (workspace_id, asked, id);

CREATE INDEX inbox_groups_by_assignee ON inbox_groups (assignee_id) WHERE assignee_id is not null;

CREATE INDEX inbox_groups_by_article ON inbox_groups (article_id) WHERE article_id is not null;

CREATE INDEX inbox_groups_by_nearest_article ON inbox_groups (nearest_article_id) WHERE nearest_article_id is not null;

CREATE TABLE inbox_progress (
  workspace_id text COLLATE "C" PRIMARY KEY,
  turn_at bigint NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  rated_at bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE inbox_questions (
  message_id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  kinds bigint NOT NULL,
  asked_at bigint NOT NULL,
  confidence bigint,
  signature text COLLATE "C",
  CHECK (kinds > 0),
  FOREIGN KEY (message_id) REFERENCES turns (message_id) ON DELETE CASCADE,
  FOREIGN KEY (group_id) REFERENCES inbox_groups (id) ON DELETE CASCADE
);

CREATE INDEX inbox_questions_by_group ON inbox_questions (group_id, asked_at, message_id, kinds);

CREATE INDEX inbox_questions_by_workspace ON inbox_questions (workspace_id);

CREATE TABLE installations (
  workspace_id text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  origin text COLLATE "C" NOT NULL,
  at_millis bigint NOT NULL,
  PRIMARY KEY (workspace_id, domain),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE invitations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  email text COLLATE "C" NOT NULL,
  role text COLLATE "C" NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  token_hash text COLLATE "C" NOT NULL UNIQUE,
  invited_by text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  proves_address bigint NOT NULL CHECK (proves_address IN (0, 1)),
  UNIQUE (workspace_id, email),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX invitations_by_expiry ON invitations (expires_at);

CREATE TABLE mails (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C",
  visitor_id text COLLATE "C",
  template text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  sealed_content text COLLATE "C",
  state text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'sent', 'failed')),
  attempts bigint NOT NULL,
  next_attempt_at bigint,
  last_error text COLLATE "C",
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX mails_waiting ON mails (next_attempt_at) WHERE state = 'waiting';

CREATE INDEX mails_by_workspace ON mails (workspace_id) WHERE workspace_id is not null;

CREATE INDEX mails_by_visitor ON mails (workspace_id, visitor_id) WHERE visitor_id is not null;

CREATE INDEX mails_by_expiry ON mails (expires_at);

CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY,
  user_id text COLLATE "C" NOT NULL,
  credential_id text COLLATE "C" NOT NULL UNIQUE,
  public_key text COLLATE "C" NOT NULL,
  counter bigint NOT NULL,
  transports text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  last_used_at bigint,
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);

CREATE TABLE password_resets (
  token_hash text COLLATE "C" PRIMARY KEY,
  email text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL
);

CREATE INDEX password_resets_by_email ON password_resets (email);

CREATE INDEX password_resets_by_expiry ON password_resets (expires_at);

CREATE TABLE rate_windows (
  key text COLLATE "C" PRIMARY KEY,
  points bigint NOT NULL,
  expires_at_millis bigint NOT NULL
);

CREATE INDEX rate_windows_by_expiry ON rate_windows (expires_at_millis);

CREATE TABLE recovery_codes (
  user_id text COLLATE "C" NOT NULL,
  code_hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (user_id, code_hash),
  FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE setup_links (
  token_hash text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL
);

CREATE TABLE sign_in_domains (
  workspace_id text COLLATE "C" NOT NULL,
  domain text COLLATE "C" NOT NULL,
  proved_at bigint,
  PRIMARY KEY (workspace_id, domain),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE UNIQUE INDEX sign_in_domains_proved ON sign_in_domains (domain) WHERE proved_at is not null;

CREATE TABLE sources (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL CHECK (type IN ('website', 'files', 'zendesk', 'notion')),
  website text COLLATE "C",
  files text COLLATE "C",
  zendesk text COLLATE "C",
  sealed_token text COLLATE "C",
  mode text COLLATE "C" NOT NULL CHECK (mode IN ('review', 'publish')),
  schedule text COLLATE "C" NOT NULL CHECK (schedule IN ('manual', 'hourly', 'daily', 'weekly')),
  paused bigint NOT NULL CHECK (paused IN (0, 1)),
  token text COLLATE "C" NOT NULL,
  next_run_at bigint,
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX sources_by_workspace ON sources (workspace_id, created_at, id);

CREATE INDEX sources_by_schedule ON sources (next_run_at) WHERE next_run_at is not null;

CREATE TABLE source_documents (
  source_id text COLLATE "C" NOT NULL,
  place text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  translation_of text COLLATE "C",
  content_hash text COLLATE "C" NOT NULL,
  url text COLLATE "C",
  upload text COLLATE "C" NOT NULL,
  read_url text COLLATE "C",
  etag text COLLATE "C",
  last_modified text COLLATE "C",
  removed bigint NOT NULL CHECK (removed IN (0, 1)),
  conflict text COLLATE "C",
  conflict_at bigint,
  PRIMARY KEY (source_id, place),
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
);

CREATE INDEX source_documents_by_workspace ON source_documents (workspace_id);

CREATE INDEX source_documents_by_url ON source_documents (source_id, read_url) WHERE read_url is not null;

CREATE INDEX source_documents_in_conflict ON source_documents (source_id, place) WHERE conflict is not null;

CREATE TABLE source_runs (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  source_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('queued', 'reading', 'ready', 'applying', 'done', 'failed', 'cancelled')),
  preview bigint NOT NULL CHECK (preview IN (0, 1)),
  scheduled bigint NOT NULL CHECK (scheduled IN (0, 1)),
  done bigint NOT NULL,
  total bigint NOT NULL,
  added bigint NOT NULL,
  changed bigint NOT NULL,
  unchanged bigint NOT NULL,
  removed bigint NOT NULL,
  refused bigint NOT NULL,
  conflicts bigint NOT NULL,
  failure text COLLATE "C",
  detail text COLLATE "C",
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  started_at bigint,
  finished_at bigint,
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
);

CREATE INDEX source_runs_by_source ON source_runs (source_id, created_at, id);

CREATE INDEX source_runs_by_workspace ON source_runs (workspace_id);

CREATE UNIQUE INDEX source_runs_under_way ON source_runs (source_id) WHERE finished_at is null;

CREATE TABLE source_frontier (
  run_id text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  settled bigint NOT NULL CHECK (settled IN (0, 1)),
  PRIMARY KEY (run_id, url),
  FOREIGN KEY (run_id) REFERENCES source_runs (id) ON DELETE CASCADE
);

CREATE INDEX source_frontier_by_workspace ON source_frontier (workspace_id);

CREATE INDEX source_frontier_to_read ON source_frontier (run_id, position) WHERE settled = 0;

CREATE TABLE source_readings (
  source_id text COLLATE "C" NOT NULL,
  place text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('document', 'unchanged', 'refused', 'gone')),
  upload text COLLATE "C" NOT NULL,
  read_url text COLLATE "C",
  locale text COLLATE "C",
  title text COLLATE "C",
  translation_of text COLLATE "C",
  content_hash text COLLATE "C",
  url text COLLATE "C",
  slug text COLLATE "C",
  etag text COLLATE "C",
  last_modified text COLLATE "C",
  reason text COLLATE "C",
  detail text COLLATE "C",
  content_bytes bigint NOT NULL,
  content text COLLATE "C",
  PRIMARY KEY (source_id, place),
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
);

CREATE INDEX source_readings_by_workspace ON source_readings (workspace_id);

CREATE INDEX source_readings_by_upload ON source_readings (source_id, upload, kind, content_bytes);

CREATE TABLE source_run_items (
  run_id text COLLATE "C" NOT NULL,
  place text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  root text COLLATE "C" NOT NULL,
  outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('added', 'changed', 'removed', 'refused', 'conflict')),
  locale text COLLATE "C",
  title text COLLATE "C",
  reason text COLLATE "C",
  detail text COLLATE "C",
  article_id text COLLATE "C",
  translation_id text COLLATE "C",
  applied bigint NOT NULL CHECK (applied IN (0, 1)),
  PRIMARY KEY (run_id, place),
  FOREIGN KEY (run_id) REFERENCES source_runs (id) ON DELETE CASCADE
);

CREATE INDEX source_run_items_by_workspace ON source_run_items (workspace_id);

CREATE INDEX source_run_items_to_apply ON source_run_items (run_id, root, place) WHERE applied = 0;

CREATE TABLE source_uploads (
  source_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  complete bigint NOT NULL CHECK (complete IN (0, 1)),
  PRIMARY KEY (source_id, name),
  FOREIGN KEY (source_id) REFERENCES sources (id) ON DELETE CASCADE
);

CREATE INDEX source_uploads_by_workspace ON source_uploads (workspace_id);

CREATE TABLE token_months (
  workspace_id text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  tokens bigint NOT NULL,
  PRIMARY KEY (workspace_id, period),
  CHECK (tokens >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE translations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  article_id text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('draft', 'in_review', 'changes_requested', 'approved', 'published', 'archived')),
  revision bigint NOT NULL,
  source_revision bigint NOT NULL,
  source_hash text COLLATE "C" NOT NULL,
  live_revision bigint,
  live_source_revision bigint,
  live_source_hash text COLLATE "C",
  live_published_at bigint,
  live_published_by text COLLATE "C",
  review_decision text COLLATE "C" CHECK (review_decision IN ('approve', 'request_changes')),
  review_revision bigint,
  review_author_id text COLLATE "C",
  reviewer_id text COLLATE "C",
  review_note text COLLATE "C",
  reviewed_at bigint,
  scheduled_at bigint,
  scheduled_by text COLLATE "C",
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  updated_by text COLLATE "C" NOT NULL,
  UNIQUE (article_id, locale),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE
);

CREATE INDEX translations_by_workspace ON translations (workspace_id);

CREATE INDEX translations_by_publication ON translations (workspace_id, locale, live_published_at) WHERE live_published_at is not null;

CREATE INDEX translations_by_schedule ON translations (scheduled_at) WHERE scheduled_at is not null;

CREATE TABLE translation_revisions (
  translation_id text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  event text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  source_revision bigint NOT NULL,
  source_hash text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  answer text COLLATE "C" NOT NULL,
  aliases text COLLATE "C" NOT NULL,
  url text COLLATE "C",
  content_hash text COLLATE "C" NOT NULL,
  search_summary text COLLATE "C" NOT NULL,
  author_id text COLLATE "C" NOT NULL,
  reviewer_id text COLLATE "C",
  review_note text COLLATE "C",
  created_at bigint NOT NULL,
  PRIMARY KEY (translation_id, revision),
  FOREIGN KEY (translation_id) REFERENCES translations (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX translation_revisions_with_images ON translation_revisions (translation_id, revision) WHERE answer LIKE '%/images/img_%';

CREATE TABLE turn_positions (
  workspace_id text COLLATE "C" NOT NULL,
  at_millis bigint NOT NULL,
  message_id text COLLATE "C" NOT NULL UNIQUE,
  happened_millis bigint,
  PRIMARY KEY (workspace_id, at_millis, message_id),
  FOREIGN KEY (message_id) REFERENCES turns (message_id) ON DELETE CASCADE
);

CREATE INDEX turn_positions_displaced ON turn_positions (workspace_id, at_millis) WHERE happened_millis is not null;

CREATE INDEX turn_positions_displaced_by_time ON turn_positions (workspace_id, happened_millis) WHERE happened_millis is not null;

CREATE TABLE voice_months (
  workspace_id text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  seconds bigint NOT NULL,
  PRIMARY KEY (workspace_id, period),
  CHECK (seconds >= 0),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE voice_reservations (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('realtime', 'transcribe', 'speech')),
  provider text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  seconds bigint NOT NULL,
  default_charge_seconds bigint NOT NULL,
  opened_at bigint NOT NULL,
  closes_at bigint NOT NULL,
  purge_at bigint NOT NULL,
  is_recordable bigint NOT NULL CHECK (is_recordable IN (0, 1)),
  token_hash text COLLATE "C",
  CHECK (seconds >= 0),
  CHECK (default_charge_seconds BETWEEN 0 AND seconds),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX voice_reservations_by_visitor ON voice_reservations (workspace_id, visitor_id, kind);

CREATE INDEX voice_reservations_by_purge ON voice_reservations (purge_at);

CREATE TABLE webhooks (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  events text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('active', 'disabled', 'paused')),
  paused_at bigint,
  sealed_secret text COLLATE "C" NOT NULL,
  secret_set_at bigint NOT NULL,
  sealed_old_secret text COLLATE "C",
  old_secret_until bigint,
  created_at bigint NOT NULL,
  created_by text COLLATE "C" NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX webhooks_by_workspace ON webhooks (workspace_id);

CREATE TABLE webhook_events (
  id text COLLATE "C" PRIMARY KEY,
  workspace_id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  visitor_id text COLLATE "C",
  payload text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX webhook_events_by_time ON webhook_events (workspace_id, created_at);

CREATE INDEX webhook_events_by_visitor ON webhook_events (workspace_id, visitor_id) WHERE visitor_id is not null;

CREATE TABLE webhook_deliveries (
  id text COLLATE "C" PRIMARY KEY,
  sequence bigint NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('waiting', 'delivered')),
  attempts bigint NOT NULL,
  next_attempt_at bigint NOT NULL,
  attempted_at bigint,
  error text COLLATE "C",
  response_status bigint,
  response text COLLATE "C",
  response_millis bigint,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE,
  FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE,
  FOREIGN KEY (event_id) REFERENCES webhook_events (id) ON DELETE CASCADE
);

CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, sequence);

CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id);

CREATE INDEX webhook_deliveries_by_workspace ON webhook_deliveries (workspace_id, sequence);

CREATE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_id, subject, sequence) WHERE state = 'waiting';

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'waiting';

CREATE TABLE workspace_models (
  workspace_id text COLLATE "C" PRIMARY KEY,
  provider text COLLATE "C" NOT NULL CHECK (provider IN ('openai', 'anthropic')),
  base_url text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  rewrite_model text COLLATE "C",
  sealed_key text COLLATE "C" NOT NULL,
  key_set_at bigint NOT NULL,
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE TABLE workspace_origins (
  origin text COLLATE "C" NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (origin, workspace_id),
  FOREIGN KEY (workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);

CREATE INDEX workspace_origins_by_workspace ON workspace_origins (workspace_id);

ALTER TABLE answer_tests ADD FOREIGN KEY (article_id) REFERENCES articles (id) ON DELETE CASCADE;

ALTER TABLE articles ADD FOREIGN KEY (collection_id) REFERENCES collections (id) ON DELETE SET NULL;

ALTER TABLE articles ADD FOREIGN KEY (id, live_revision) REFERENCES article_revisions (article_id, revision) DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE translations ADD FOREIGN KEY (id, live_revision) REFERENCES translation_revisions (translation_id, revision) DEFERRABLE INITIALLY DEFERRED;

-- The tables of the SQLite store, with the same names and columns. Text compares by its bytes, as there.
-- The functions let both engines run the same statements.

CREATE DOMAIN plain_text AS text COLLATE "C";

-- The elements of a JSON array, with their positions from 0.
CREATE FUNCTION json_each(json text) RETURNS TABLE (key bigint, value plain_text)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20
AS $$ SELECT ordinality - 1, element FROM json_array_elements_text(json::json) WITH ORDINALITY AS each (element, ordinality) $$;

-- A member of a JSON object: `$.name`. The type jsonb would refuse texts with an escaped NUL.
CREATE FUNCTION json_extract(json text, path text) RETURNS plain_text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT json::json #>> string_to_array(substr(path, 3), '.') $$;

-- The one format that is used: a time in UTC with milliseconds.
CREATE FUNCTION strftime(format text, seconds numeric, unit text) RETURNS plain_text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT to_char(timestamp '1970-01-01' + seconds * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

CREATE FUNCTION substr(number bigint, first integer) RETURNS plain_text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$ SELECT substr(number::text, first) $$;

CREATE TABLE passage_partitions (
  id integer PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
  workspace_id text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  articles bigint NOT NULL DEFAULT 0,
  sources bigint NOT NULL DEFAULT 0,
  chunks bigint NOT NULL DEFAULT 0,
  sentences bigint NOT NULL DEFAULT 0,
  words bigint NOT NULL DEFAULT 0,
  ngrams bigint NOT NULL DEFAULT 0,
  UNIQUE (workspace_id, locale)
);

CREATE TABLE passages (
  id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
  partition_id integer NOT NULL,
  workspace_id text COLLATE "C" NOT NULL,
  article_id text COLLATE "C" NOT NULL,
  translation_id text COLLATE "C",
  slug text COLLATE "C" NOT NULL,
  locale text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  source_revision bigint NOT NULL,
  title text COLLATE "C" NOT NULL,
  answer text COLLATE "C" NOT NULL,
  aliases text COLLATE "C" NOT NULL,
  url text COLLATE "C",
  stale bigint NOT NULL,
  titles bytea NOT NULL,
  UNIQUE (workspace_id, article_id, locale)
);

CREATE TABLE passage_chunks (
  id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY,
  workspace_id text COLLATE "C" NOT NULL,
  passage_id bigint NOT NULL REFERENCES passages (id),
  ordinal bigint NOT NULL,
  sentences bigint NOT NULL,
  words bigint NOT NULL,
  ngrams bigint NOT NULL,
  normalized bytea NOT NULL,
  terms integer[] NOT NULL,
  UNIQUE (passage_id, ordinal)
);

-- The word index: which windows contain a term.
CREATE TABLE passage_words (
  partition_id integer NOT NULL,
  term integer NOT NULL,
  chunk_id bigint NOT NULL,
  PRIMARY KEY (partition_id, term, chunk_id)
);

CREATE TABLE passage_terms (
  partition_id integer NOT NULL,
  term integer NOT NULL,
  chunks bigint NOT NULL,
  PRIMARY KEY (partition_id, term)
);

CREATE TABLE passage_metadata (
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);

ALTER TABLE images ALTER COLUMN content SET STORAGE EXTERNAL;

INSERT INTO database_marks (id, commits) VALUES (1, 0);

-- Whole-row inserts bind NULL to a number that the database assigns.
CREATE SEQUENCE audit_sequence OWNED BY audit.sequence;

CREATE FUNCTION assign_sequence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.sequence := coalesce(NEW.sequence, nextval('audit_sequence'));
  RETURN NEW;
END $$;

CREATE TRIGGER audit_assign_sequence BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION assign_sequence();

-- Immutable rows: no update, and no delete unless the workspace is removed.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', TG_TABLE_NAME || TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM workspaces WHERE id = OLD.workspace_id AND removed_at IS NULL) THEN
    RAISE EXCEPTION '%', TG_TABLE_NAME || TG_ARGV[0] USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE FUNCTION refuse_article_revision_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM articles JOIN workspaces ON workspaces.id = articles.workspace_id
    WHERE articles.id = OLD.article_id AND removed_at IS NULL
  ) THEN
    RAISE EXCEPTION 'article_revisions are immutable' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE FUNCTION refuse_translation_revision_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM translations JOIN workspaces ON workspaces.id = translations.workspace_id
    WHERE translations.id = OLD.translation_id AND removed_at IS NULL
  ) THEN
    RAISE EXCEPTION 'translation_revisions are immutable' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER consent_policies_no_update BEFORE UPDATE ON consent_policies
FOR EACH ROW EXECUTE FUNCTION refuse_change(' are immutable');
CREATE TRIGGER consent_policies_no_delete BEFORE DELETE ON consent_policies
FOR EACH ROW EXECUTE FUNCTION refuse_delete(' are immutable');
CREATE TRIGGER consent_records_no_update BEFORE UPDATE ON consent_records
FOR EACH ROW EXECUTE FUNCTION refuse_change(' are append-only');
CREATE TRIGGER consent_records_no_delete BEFORE DELETE ON consent_records
FOR EACH ROW EXECUTE FUNCTION refuse_delete(' are append-only');
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
FOR EACH ROW EXECUTE FUNCTION refuse_change(' is append-only');
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
FOR EACH ROW EXECUTE FUNCTION refuse_delete(' is append-only');
CREATE TRIGGER article_revisions_no_update BEFORE UPDATE ON article_revisions
FOR EACH ROW EXECUTE FUNCTION refuse_change(' are immutable');
CREATE TRIGGER article_revisions_no_delete BEFORE DELETE ON article_revisions
FOR EACH ROW EXECUTE FUNCTION refuse_article_revision_delete();
CREATE TRIGGER translation_revisions_no_update BEFORE UPDATE ON translation_revisions
FOR EACH ROW EXECUTE FUNCTION refuse_change(' are immutable');
CREATE TRIGGER translation_revisions_no_delete BEFORE DELETE ON translation_revisions
FOR EACH ROW EXECUTE FUNCTION refuse_translation_revision_delete();

-- The sweep deletes rows of a workspace beside that workspace's own writes: the mark never goes back.
CREATE FUNCTION keep_newest_watermark() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.at_millis, NEW.id) < (OLD.at_millis, OLD.id) THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER event_watermarks_never_back BEFORE UPDATE ON event_watermarks
FOR EACH ROW EXECUTE FUNCTION keep_newest_watermark();

-- The next position: the row's own time, or one millisecond behind the last position. Where that is more than a second later, the
-- clock was set back, and the row keeps its own time beside its position.
CREATE FUNCTION assign_conversation_position() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE assigned bigint;
BEGIN
  INSERT INTO export_watermarks AS marks VALUES (NEW.workspace_id, NEW.started_at)
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis = greatest(marks.at_millis + 1, excluded.at_millis)
  RETURNING at_millis INTO assigned;
  INSERT INTO conversation_positions (workspace_id, at_millis, conversation_id, happened_millis)
  VALUES (NEW.workspace_id, assigned, NEW.id, CASE WHEN assigned > NEW.started_at + 1000 THEN NEW.started_at END);
  RETURN NULL;
END $$;

CREATE TRIGGER conversations_assign_position AFTER INSERT ON conversations
FOR EACH ROW EXECUTE FUNCTION assign_conversation_position();

CREATE FUNCTION assign_turn_position() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE assigned bigint;
BEGIN
  INSERT INTO export_watermarks AS marks VALUES (NEW.workspace_id, NEW.finished_at)
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis = greatest(marks.at_millis + 1, excluded.at_millis)
  RETURNING at_millis INTO assigned;
  INSERT INTO turn_positions (workspace_id, at_millis, message_id, happened_millis)
  VALUES (NEW.workspace_id, assigned, NEW.message_id, CASE WHEN assigned > NEW.finished_at + 1000 THEN NEW.finished_at END)
  ON CONFLICT (message_id) DO UPDATE SET at_millis = excluded.at_millis, happened_millis = excluded.happened_millis;
  RETURN NULL;
END $$;

CREATE TRIGGER turns_assign_position AFTER UPDATE OF finished_at ON turns
FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION assign_turn_position();

CREATE FUNCTION clear_turn_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM turn_positions WHERE message_id = NEW.message_id;
  RETURN NULL;
END $$;

CREATE TRIGGER turns_clear_position AFTER UPDATE OF finished_at ON turns
FOR EACH ROW WHEN (NEW.finished_at IS NULL AND OLD.finished_at IS NOT NULL) EXECUTE FUNCTION clear_turn_position();

-- Finished turns are inserted only by an import, into a workspace that is not readable yet.
CREATE FUNCTION import_turn_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO turn_positions VALUES (NEW.workspace_id, NEW.finished_at, NEW.message_id, NULL);
  RETURN NULL;
END $$;

CREATE TRIGGER turns_import_position AFTER INSERT ON turns
FOR EACH ROW WHEN (NEW.finished_at IS NOT NULL) EXECUTE FUNCTION import_turn_position();

-- A conversation that may be kept from now on becomes readable: it and its turns move to the time of that decision.
CREATE FUNCTION reassign_conversation_position() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  decided bigint;
  assigned bigint;
  happened bigint;
BEGIN
  SELECT decided_at INTO decided FROM consent_current
  WHERE workspace_id = NEW.workspace_id AND visitor_id = NEW.visitor_id;
  INSERT INTO export_watermarks AS marks
  VALUES (NEW.workspace_id, coalesce(decided, (SELECT at_millis FROM export_watermarks WHERE workspace_id = NEW.workspace_id)))
  ON CONFLICT (workspace_id) DO UPDATE SET at_millis = greatest(marks.at_millis + 1, excluded.at_millis)
  RETURNING at_millis INTO assigned;
  happened := CASE WHEN assigned > decided + 1000 THEN decided END;
  UPDATE conversation_positions SET at_millis = assigned, happened_millis = happened
  WHERE workspace_id = NEW.workspace_id AND conversation_id = NEW.id;
  UPDATE turn_positions SET at_millis = assigned, happened_millis = happened
  WHERE message_id IN (
    SELECT message_id FROM turns WHERE workspace_id = NEW.workspace_id AND conversation_id = NEW.id
  );
  RETURN NULL;
END $$;

CREATE TRIGGER conversations_reassign_position AFTER UPDATE OF delete_after_millis ON conversations
FOR EACH ROW WHEN (OLD.delete_after_millis IS NOT NULL AND NEW.delete_after_millis IS NULL)
EXECUTE FUNCTION reassign_conversation_position();

-- The indexer may not be running when an article is deleted.
CREATE FUNCTION delete_embeddings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM embeddings WHERE workspace_id = OLD.workspace_id AND article_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER articles_delete_embeddings AFTER DELETE ON articles
FOR EACH ROW EXECUTE FUNCTION delete_embeddings();

CREATE FUNCTION count_inbox_question() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE inbox_groups SET asked = asked + 1, last_asked_at = greatest(last_asked_at, NEW.asked_at) WHERE id = NEW.group_id;
  RETURN NULL;
END $$;

CREATE TRIGGER inbox_questions_count AFTER INSERT ON inbox_questions
FOR EACH ROW EXECUTE FUNCTION count_inbox_question();

CREATE FUNCTION uncount_inbox_question() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE inbox_groups SET asked = asked - 1 WHERE id = OLD.group_id;
  DELETE FROM inbox_groups WHERE id = OLD.group_id AND asked = 0;
  RETURN NULL;
END $$;

CREATE TRIGGER inbox_questions_uncount AFTER DELETE ON inbox_questions
FOR EACH ROW EXECUTE FUNCTION uncount_inbox_question();

-- The questions of a conversation leave the inbox as soon as it gets a deletion deadline.
CREATE FUNCTION leave_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM inbox_questions WHERE message_id IN (
    SELECT message_id FROM turns WHERE workspace_id = NEW.workspace_id AND conversation_id = NEW.id
  );
  RETURN NULL;
END $$;

CREATE TRIGGER conversations_leave_inbox AFTER UPDATE OF delete_after_millis ON conversations
FOR EACH ROW WHEN (OLD.delete_after_millis IS NULL AND NEW.delete_after_millis IS NOT NULL)
EXECUTE FUNCTION leave_inbox();

-- A second wall between workspaces: each transaction names the one whose rows it sees, or * for statements across workspaces.
-- The owner of the tables is held to it too.
CREATE FUNCTION may_see(workspace_id text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT current_setting('guidepost.workspace', true) IN (workspace_id, '*') $$;

DO $$
DECLARE
  name text;
  condition text;
BEGIN
  FOR name IN
    SELECT columns.table_name FROM information_schema.columns AS columns
    WHERE columns.table_schema = current_schema() AND columns.column_name = 'workspace_id'
      AND columns.table_name <> 'users'
    UNION VALUES ('workspaces'), ('article_revisions'), ('translation_revisions')
  LOOP
    condition := CASE name
      WHEN 'workspaces' THEN 'may_see(id)'
      WHEN 'article_revisions' THEN 'EXISTS (SELECT FROM articles WHERE articles.id = article_id)'
      WHEN 'translation_revisions' THEN 'EXISTS (SELECT FROM translations WHERE translations.id = translation_id)'
      ELSE 'may_see(workspace_id)'
    END;
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY one_workspace ON %I USING (%s)', name, condition);
  END LOOP;
END $$;
