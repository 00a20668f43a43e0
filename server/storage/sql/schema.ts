/**
 * The tables for queries. `migrations/` creates them, and a test compares the two. Column names are
 * the snake case of the keys, unless given. Optional values are null in the database and absent in the port.
 */
import { blob, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { ImageMediaType } from '../images.ts';
import type { MemberRole } from '../members.ts';
import type {
  ItemOutcome,
  ReadingKind,
  RunState,
  SourceMode,
  SourceSchedule,
  SourceType,
} from '../sources.ts';

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

export const automationSessions = sqliteTable('automation_sessions', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  memberId: text().notNull(),
  name: text().notNull(),
  role: text().$type<MemberRole>().notNull(),
  /** A JSON array. */
  areas: text().notNull(),
  /** A JSON array of CIDR blocks; empty if every address is allowed. */
  allowedNetworks: text().notNull(),
  mayApproveOwn: integer({ mode: 'boolean' }).notNull(),
  createdAt: integer().notNull(),
  expiresAt: integer().notNull(),
});

export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    sessionId: text().notNull(),
    key: text().notNull(),
    workspaceId: text().notNull(),
    payloadHash: text().notNull(),
    startedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    status: integer(),
    body: text(),
  },
  (table) => [primaryKey({ columns: [table.sessionId, table.key] })],
);

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
  reasons: text(),
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
    /** The time of the row, if the row had to be listed at another time. */
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

export const collections = sqliteTable('collections', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  name: text().notNull(),
  createdAt: integer().notNull(),
  createdBy: text().notNull(),
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
  collectionId: text(),
  /** A JSON array; null if there are none. */
  tags: text(),
  /** The title's sort key in the newest revision. */
  titleKey: text().notNull(),
  /** Title, slug and aliases of the newest revision, normalized; lists are searched in it. */
  searchText: text().notNull(),
  sourceId: text(),
  sourcePlace: text(),
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

export const images = sqliteTable('images', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  name: text().notNull(),
  mediaType: text().$type<ImageMediaType>().notNull(),
  width: integer().notNull(),
  height: integer().notNull(),
  contentBytes: integer().notNull(),
  /** SHA-256 of the content, in hex. */
  contentHash: text().notNull(),
  createdAt: integer().notNull(),
  createdBy: text().notNull(),
  content: blob().$type<Uint8Array>().notNull(),
});

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
  isRecordable: integer({ mode: 'boolean' }).notNull(),
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

export const inboxGroups = sqliteTable('inbox_groups', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  state: text().$type<'open' | 'resolved' | 'dismissed'>().notNull(),
  asked: integer().notNull(),
  lastAskedAt: integer().notNull(),
  assigneeId: text(),
  articleId: text(),
  nearestArticleId: text(),
  resolvedAt: integer(),
  askedAgainAt: integer(),
  askedAgain: integer(),
  answeredAgain: integer(),
});

export const inboxQuestions = sqliteTable('inbox_questions', {
  messageId: text().primaryKey(),
  workspaceId: text().notNull(),
  groupId: text().notNull(),
  kinds: integer().notNull(),
  askedAt: integer().notNull(),
  confidence: integer(),
  signature: text(),
});

export const inboxProgress = sqliteTable('inbox_progress', {
  workspaceId: text().primaryKey(),
  turnAt: integer().notNull(),
  messageId: text().notNull(),
  ratedAt: integer().notNull(),
});

export const sources = sqliteTable('sources', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  name: text().notNull(),
  type: text().$type<SourceType>().notNull(),
  /** A JSON document; null for files. */
  website: text(),
  /** A JSON document; null for websites. */
  files: text(),
  mode: text().$type<SourceMode>().notNull(),
  schedule: text().$type<SourceSchedule>().notNull(),
  paused: integer({ mode: 'boolean' }).notNull(),
  token: text().notNull(),
  nextRunAt: integer(),
  createdAt: integer().notNull(),
  createdBy: text().notNull(),
});

export const sourceRuns = sqliteTable('source_runs', {
  id: text().primaryKey(),
  workspaceId: text().notNull(),
  sourceId: text().notNull(),
  state: text().$type<RunState>().notNull(),
  preview: integer({ mode: 'boolean' }).notNull(),
  scheduled: integer({ mode: 'boolean' }).notNull(),
  done: integer().notNull(),
  total: integer().notNull(),
  added: integer().notNull(),
  changed: integer().notNull(),
  unchanged: integer().notNull(),
  removed: integer().notNull(),
  refused: integer().notNull(),
  conflicts: integer().notNull(),
  failure: text(),
  detail: text(),
  createdAt: integer().notNull(),
  createdBy: text().notNull(),
  startedAt: integer(),
  finishedAt: integer(),
});

export const sourceRunItems = sqliteTable(
  'source_run_items',
  {
    runId: text().notNull(),
    place: text().notNull(),
    workspaceId: text().notNull(),
    root: text().notNull(),
    outcome: text().$type<ItemOutcome>().notNull(),
    locale: text(),
    title: text(),
    reason: text(),
    detail: text(),
    articleId: text(),
    translationId: text(),
    applied: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.place] })],
);

export const sourceDocuments = sqliteTable(
  'source_documents',
  {
    sourceId: text().notNull(),
    place: text().notNull(),
    workspaceId: text().notNull(),
    locale: text().notNull(),
    translationOf: text(),
    contentHash: text().notNull(),
    url: text(),
    upload: text().notNull(),
    readUrl: text(),
    etag: text(),
    lastModified: text(),
    removed: integer({ mode: 'boolean' }).notNull(),
    conflict: text(),
    conflictAt: integer(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.place] })],
);

export const sourceReadings = sqliteTable(
  'source_readings',
  {
    sourceId: text().notNull(),
    place: text().notNull(),
    workspaceId: text().notNull(),
    kind: text().$type<ReadingKind>().notNull(),
    upload: text().notNull(),
    readUrl: text(),
    locale: text(),
    title: text(),
    translationOf: text(),
    contentHash: text(),
    url: text(),
    slug: text(),
    etag: text(),
    lastModified: text(),
    reason: text(),
    detail: text(),
    contentBytes: integer().notNull(),
    content: text(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.place] })],
);

export const sourceUploads = sqliteTable(
  'source_uploads',
  {
    sourceId: text().notNull(),
    name: text().notNull(),
    workspaceId: text().notNull(),
    complete: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.name] })],
);

export const sourceFrontier = sqliteTable(
  'source_frontier',
  {
    runId: text().notNull(),
    url: text().notNull(),
    workspaceId: text().notNull(),
    position: integer().notNull(),
    settled: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.url] })],
);

export const writeProbe = sqliteTable('write_probe', { filler: blob().$type<Uint8Array>().notNull() });

export const databaseMarks = sqliteTable('database_marks', {
  id: integer().primaryKey(),
  commits: integer().notNull(),
  keyRingId: text(),
  sealedKeys: text(),
});
