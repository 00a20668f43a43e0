/**
 * The tables for queries. `migrations/` creates them, and a test compares the two. Column names are
 * the snake case of
 * the keys. Optional values are null in the database and absent in the port.
 */
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { MemberRole } from '../members.ts';

export const workspaces = sqliteTable('workspaces', {
  id: text().primaryKey(),
  appId: text().notNull(),
  name: text().notNull(),
  enabled: integer({ mode: 'boolean' }).notNull(),
  settings: text().notNull(),
  version: integer().notNull(),
  createdAt: integer().notNull(),
  updatedAt: integer().notNull(),
  removedAt: integer(),
});

export const workspaceOrigins = sqliteTable(
  'workspace_origins',
  { origin: text().notNull(), workspaceId: text().notNull() },
  (table) => [primaryKey({ columns: [table.origin, table.workspaceId] })],
);

export const users = sqliteTable('users', {
  id: text().primaryKey(),
  email: text().notNull(),
  passwordHash: text().notNull(),
  createdAt: integer().notNull(),
  workspaceId: text(),
  addressProvedAt: integer(),
});

export const members = sqliteTable('members', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  userId: text().notNull(),
  role: text().$type<MemberRole>().notNull(),
  createdAt: integer().notNull(),
});

export const apiKeys = sqliteTable('api_keys', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  publicId: text().notNull(),
  secretHash: text().notNull(),
  lastFour: text().notNull(),
  name: text().notNull(),
  scopes: text().notNull(),
  createdBy: text().notNull(),
  createdAt: integer().notNull(),
  revokedAt: integer(),
  lastUsedAt: integer(),
  expiresAt: integer(),
  /** A JSON array of CIDR blocks; empty if every address is allowed. */
  allowedNetworks: text().notNull(),
  lastUsedNetwork: text(),
  /** A JSON array of the newest networks that the key was used from. */
  knownNetworks: text().notNull(),
  replacedBy: text(),
});

export const sessions = sqliteTable('sessions', {
  id: text().primaryKey(),
  userId: text().notNull(),
  tokenHash: text().notNull(),
  createdAt: integer().notNull(),
  lastSeenAt: integer().notNull(),
  expiresAt: integer().notNull(),
  confirmedAt: integer().notNull(),
  device: text().notNull(),
});

export const setupLinks = sqliteTable('setup_links', {
  tokenHash: text().primaryKey(),
  expiresAt: integer().notNull(),
});

export const invitations = sqliteTable('invitations', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  email: text().notNull(),
  role: text().$type<MemberRole>().notNull(),
  tokenHash: text().notNull(),
  invitedBy: text().notNull(),
  createdAt: integer().notNull(),
  expiresAt: integer().notNull(),
  provesAddress: integer({ mode: 'boolean' }).notNull(),
});

export const featureFlags = sqliteTable('feature_flags', {
  name: text().primaryKey(),
  isOn: integer({ mode: 'boolean' }).notNull(),
  changedAt: integer().notNull(),
});

export const rateWindows = sqliteTable('rate_windows', {
  key: text().primaryKey(),
  points: integer().notNull(),
  expiresAtMillis: integer().notNull(),
});

export const consentPolicies = sqliteTable(
  'consent_policies',
  {
    workspaceId: text().notNull(),
    version: text().notNull(),
    document: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.version] })],
);

export const erasedVisitors = sqliteTable(
  'erased_visitors',
  { workspaceId: text().notNull(), mark: text().notNull(), atMillis: integer().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.mark] })],
);

export const consentSubjects = sqliteTable(
  'consent_subjects',
  { workspaceId: text().notNull(), visitorId: text().notNull(), subjectId: text().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.visitorId] })],
);

export const consentRecords = sqliteTable(
  'consent_records',
  {
    workspaceId: text().notNull(),
    position: integer().notNull(),
    id: text().notNull(),
    subjectId: text().notNull(),
    content: text().notNull(),
    previousHash: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.position] })],
);

export const consentCurrent = sqliteTable(
  'consent_current',
  {
    workspaceId: text().notNull(),
    visitorId: text().notNull(),
    decision: text().notNull(),
    mode: text().notNull(),
    policyVersion: text().notNull(),
    regionCode: text().notNull(),
    decidedAt: integer().notNull(),
    gpc: integer({ mode: 'boolean' }).notNull(),
    claimedRegion: text(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.visitorId] })],
);

export const conversations = sqliteTable(
  'conversations',
  {
    id: text().notNull(),
    workspaceId: text().notNull(),
    visitorId: text().notNull(),
    startedAt: integer().notNull(),
    nextTurnIdx: integer().notNull(),
    turnCount: integer().notNull(),
    ended: integer({ mode: 'boolean' }).notNull(),
    deleteAfterMillis: integer(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const turns = sqliteTable('turns', {
  messageId: text().primaryKey(),
  workspaceId: text().notNull(),
  conversationId: text().notNull(),
  visitorId: text().notNull(),
  turnIdx: integer().notNull(),
  state: text().$type<'running' | 'complete' | 'interrupted' | 'failed'>().notNull(),
  finishReason: text(),
  requestedLocale: text().notNull(),
  idempotencyKey: text(),
  payloadHash: text(),
  askedAt: integer().notNull(),
  finishedAt: integer(),
  question: text().notNull(),
  answer: text().notNull(),
  frames: text().notNull(),
  /** The run that may close the turn; each restart claims the next one. */
  attempt: integer().notNull(),
});

export const feedback = sqliteTable('feedback', {
  messageId: text().primaryKey(),
  id: text().notNull(),
  workspaceId: text().notNull(),
  visitorId: text().notNull(),
  rating: text().$type<'up' | 'down'>().notNull(),
  comment: text(),
  atMillis: integer().notNull(),
});

export const events = sqliteTable(
  'events',
  {
    workspaceId: text().notNull(),
    atMillis: integer().notNull(),
    id: text().notNull(),
    type: text().notNull(),
    visitorId: text(),
    conversationId: text(),
    data: text().notNull(),
    /** Set where the row could not be listed at its time. */
    happenedMillis: integer(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.atMillis, table.id] })],
);

export const eventWatermarks = sqliteTable('event_watermarks', {
  workspaceId: text().primaryKey(),
  atMillis: integer().notNull(),
  id: text().notNull(),
});

export const audit = sqliteTable('audit', {
  sequence: integer().primaryKey({ autoIncrement: true }),
  workspaceId: text().notNull(),
  id: text().notNull(),
  atMillis: integer().notNull(),
  actor: text().notNull(),
  action: text().notNull(),
  subject: text().notNull(),
  details: text().notNull(),
  device: text(),
  network: text(),
  previousHash: text().notNull(),
  hash: text().notNull(),
});

export const articles = sqliteTable('articles', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  slug: text().notNull(),
  locale: text().notNull(),
  status: text().$type<'draft' | 'published' | 'unpublished'>().notNull(),
  revision: integer().notNull(),
  liveRevision: integer(),
  livePublishedAt: integer(),
  livePublishedBy: text(),
  createdAt: integer().notNull(),
  createdBy: text().notNull(),
  updatedAt: integer().notNull(),
  updatedBy: text().notNull(),
  /** A JSON array; null if none was dismissed. */
  dismissedAliases: text(),
});

export const articleRevisions = sqliteTable(
  'article_revisions',
  {
    articleId: text().notNull(),
    revision: integer().notNull(),
    event: text().notNull(),
    locale: text().notNull(),
    title: text().notNull(),
    answer: text().notNull(),
    aliases: text().notNull(),
    url: text(),
    contentHash: text().notNull(),
    searchSummary: text().notNull(),
    authorId: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.articleId, table.revision] })],
);

export const translations = sqliteTable('translations', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  articleId: text().notNull(),
  locale: text().notNull(),
  status: text()
    .$type<'draft' | 'in_review' | 'changes_requested' | 'approved' | 'published' | 'archived'>()
    .notNull(),
  revision: integer().notNull(),
  sourceRevision: integer().notNull(),
  sourceHash: text().notNull(),
  liveRevision: integer(),
  liveSourceRevision: integer(),
  liveSourceHash: text(),
  livePublishedAt: integer(),
  livePublishedBy: text(),
  reviewDecision: text().$type<'approve' | 'request_changes'>(),
  reviewRevision: integer(),
  reviewAuthorId: text(),
  reviewerId: text(),
  reviewNote: text(),
  reviewedAt: integer(),
  createdAt: integer().notNull(),
  createdBy: text().notNull(),
  updatedAt: integer().notNull(),
  updatedBy: text().notNull(),
});

export const translationRevisions = sqliteTable(
  'translation_revisions',
  {
    translationId: text().notNull(),
    revision: integer().notNull(),
    event: text().notNull(),
    status: text().notNull(),
    sourceRevision: integer().notNull(),
    sourceHash: text().notNull(),
    title: text().notNull(),
    answer: text().notNull(),
    aliases: text().notNull(),
    url: text(),
    contentHash: text().notNull(),
    searchSummary: text().notNull(),
    authorId: text().notNull(),
    reviewerId: text(),
    reviewNote: text(),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.translationId, table.revision] })],
);

export const voiceReservations = sqliteTable('voice_reservations', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  visitorId: text().notNull(),
  kind: text().$type<'realtime' | 'transcribe' | 'speech'>().notNull(),
  provider: text().notNull(),
  period: text().notNull(),
  seconds: integer().notNull(),
  defaultChargeSeconds: integer().notNull(),
  openedAt: integer().notNull(),
  closesAt: integer().notNull(),
  purgeAt: integer().notNull(),
  counted: integer({ mode: 'boolean' }).notNull(),
  tokenHash: text(),
});

export const voiceMonths = sqliteTable(
  'voice_months',
  { workspaceId: text().notNull(), period: text().notNull(), seconds: integer().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.period] })],
);

export const tokenMonths = sqliteTable(
  'token_months',
  { workspaceId: text().notNull(), period: text().notNull(), tokens: integer().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.period] })],
);

export const installations = sqliteTable(
  'installations',
  {
    workspaceId: text().notNull(),
    domain: text().notNull(),
    origin: text().notNull(),
    atMillis: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.domain] })],
);

export const dictionaries = sqliteTable(
  'dictionaries',
  {
    workspaceId: text().notNull(),
    fromLocale: text().notNull(),
    toLocale: text().notNull(),
    content: blob().$type<Uint8Array>().notNull(),
    spellings: text(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.fromLocale, table.toLocale] })],
);

export const dictionaryBuilds = sqliteTable('dictionary_builds', {
  workspaceId: text().primaryKey(),
  fingerprint: text().notNull(),
  version: text().notNull(),
});

export const embeddings = sqliteTable(
  'embeddings',
  {
    workspaceId: text().notNull(),
    articleId: text().notNull(),
    locale: text().notNull(),
    passageId: integer().notNull(),
    model: text().notNull(),
    contentHash: text().notNull(),
    dimensions: integer().notNull(),
    vectors: blob().$type<Uint8Array>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.articleId, table.locale] })],
);

export const embeddingMonths = sqliteTable(
  'embedding_months',
  { workspaceId: text().notNull(), period: text().notNull(), tokens: integer().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.period] })],
);

export const writeProbe = sqliteTable('write_probe', { filler: blob().$type<Uint8Array>().notNull() });

export const databaseMarks = sqliteTable('database_marks', {
  id: integer().primaryKey(),
  commits: integer().notNull(),
  keyRingId: text(),
  sealedKeys: text(),
});
