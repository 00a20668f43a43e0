/**
 * The tables, stated once: `make generate` writes both engines' first migration from them, and rows, inserts and the lines of
 * archives derive from them. Column names are the snake case of the keys. Tables come after those that they refer to.
 */

import { isNotNull, isNull, sql } from 'drizzle-orm';
import {
  type AnySQLiteColumn,
  blob,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

/** A reference to a row that this row is deleted with. */
const partOf = (column: () => AnySQLiteColumn) =>
  text().notNull().references(column, { onDelete: 'cascade' });
const ofWorkspace = () => partOf(() => workspaces.id);

export const workspaces = sqliteTable(
  'workspaces',
  {
    id: text().primaryKey(),
    appId: text().notNull().unique(),
    name: text().notNull(),
    enabled: integer({ mode: 'boolean' }).notNull(),
    settings: text().notNull(),
    version: integer().notNull(),
    createdAt: integer().notNull(),
    updatedAt: integer().notNull(),
    removedAt: integer(),
  },
  (table) => [
    // Removed workspaces are invisible at once; their rows are deleted step by step.
    index('workspaces_removed').on(table.removedAt).where(isNotNull(table.removedAt)),
  ],
);

/** The allowed origins of the settings, indexed for look-ups by origin. */
export const workspaceOrigins = sqliteTable(
  'workspace_origins',
  {
    origin: text().notNull(),
    workspaceId: ofWorkspace(),
  },
  (table) => [
    primaryKey({ columns: [table.origin, table.workspaceId] }),
    index('workspace_origins_by_workspace').on(table.workspaceId),
  ],
);

export const users = sqliteTable(
  'users',
  {
    id: text().primaryKey(),
    /** Lower case. */
    email: text().notNull(),
    /** PHC string; empty while the user has no password and cannot sign in. */
    passwordHash: text().notNull(),
    createdAt: integer().notNull(),
    /** An account with an unproved address belongs to one workspace and never to another. */
    workspaceId: text().references(() => workspaces.id, { onDelete: 'cascade' }),
    /** When an operator's password or link proved that the address is the user's; absent until then. */
    addressProvedAt: integer(),
  },
  (table) => [
    check('users', sql`(${table.workspaceId} IS NULL) = (${table.addressProvedAt} IS NOT NULL)`),
    uniqueIndex('users_by_email').on(table.email, sql`coalesce(${table.workspaceId}, '')`),
    index('users_by_workspace').on(table.workspaceId).where(isNotNull(table.workspaceId)),
  ],
);

export const members = sqliteTable(
  'members',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    userId: partOf(() => users.id),
    role: text({ enum: ['owner', 'admin', 'member'] }).notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [unique().on(table.workspaceId, table.userId), index('members_by_user').on(table.userId)],
);

export const sessions = sqliteTable(
  'sessions',
  {
    id: text().primaryKey(),
    userId: partOf(() => users.id),
    /** SHA-256 of the token, in hex; the token itself is not stored. */
    tokenHash: text().notNull().unique(),
    createdAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    /** Absolute expiry, independent of activity. */
    expiresAt: integer().notNull(),
    /** When the user last entered the password. */
    confirmedAt: integer().notNull(),
    /** Browser and operating system, derived from the User-Agent header. */
    device: text().notNull(),
  },
  (table) => [
    index('sessions_by_user').on(table.userId, table.createdAt),
    index('sessions_by_expiry').on(table.expiresAt),
  ],
);

/** What the sessions with these ids may do. A row outlives its session, because it names the actor of earlier changes. */
export const automationSessions = sqliteTable(
  'automation_sessions',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    /** The owner that created the session. The session ends with this membership. */
    memberId: text().notNull(),
    name: text().notNull(),
    /** The highest role of the session; the role of its member may be lower by now. */
    role: text({ enum: ['owner', 'admin', 'member'] }).notNull(),
    /** A JSON array. */
    areas: text().notNull(),
    /** A JSON array of CIDR blocks; empty if every address is allowed. */
    allowedNetworks: text().notNull(),
    /** Whether the session may approve translations that it wrote. */
    mayApproveOwn: integer({ mode: 'boolean' }).notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [index('automation_sessions_by_workspace').on(table.workspaceId, table.createdAt)],
);

/** The first answer to each Idempotency-Key of a session; no status while it is being made. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    sessionId: partOf(() => sessions.id),
    /** The key as the client sent it. */
    key: text().notNull(),
    workspaceId: ofWorkspace(),
    payloadHash: text().notNull(),
    startedAt: integer().notNull(),
    expiresAt: integer().notNull(),
    status: integer(),
    body: text(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.key] }),
    index('idempotency_keys_by_workspace').on(table.workspaceId),
    index('idempotency_keys_by_expiry').on(table.expiresAt),
  ],
);

export const setupLinks = sqliteTable('setup_links', {
  tokenHash: text().primaryKey(),
  expiresAt: integer().notNull(),
});

export const invitations = sqliteTable(
  'invitations',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    /** Lower case. */
    email: text().notNull(),
    role: text({ enum: ['owner', 'admin', 'member'] }).notNull(),
    /** SHA-256 of the token in the link, in hex. */
    tokenHash: text().notNull().unique(),
    /** A member id. */
    invitedBy: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
    /** True when an operator's command made the link; the operator hands it to the owner of the address. */
    provesAddress: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    unique().on(table.workspaceId, table.email),
    index('invitations_by_expiry').on(table.expiresAt),
  ],
);

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    /** The eight public characters of the key, used to look it up. */
    publicId: text().notNull().unique(),
    /** SHA-256 of the secret part, in hex. */
    secretHash: text().notNull(),
    lastFour: text().notNull(),
    /** The display name that its creator chose. */
    name: text().notNull(),
    scopes: text().notNull(),
    /** A member id, or `operator`. */
    createdBy: text().notNull(),
    createdAt: integer().notNull(),
    revokedAt: integer(),
    lastUsedAt: integer(),
    /** When the key stops working. A rotation may bring this forward. */
    expiresAt: integer(),
    /** A JSON array of CIDR blocks; empty if every address is allowed. */
    allowedNetworks: text().notNull(),
    /** The truncated address of the last use. */
    lastUsedNetwork: text(),
    /** A JSON array of the newest networks that the key was used from. */
    knownNetworks: text().notNull(),
    /** The key that a rotation created for the same purpose. */
    replacedBy: text(),
  },
  (table) => [index('api_keys_by_workspace').on(table.workspaceId, table.createdAt)],
);

export const featureFlags = sqliteTable('feature_flags', {
  name: text().primaryKey(),
  isOn: integer({ mode: 'boolean' }).notNull(),
  changedAt: integer().notNull(),
});

export const rateWindows = sqliteTable(
  'rate_windows',
  {
    key: text().primaryKey(),
    points: integer().notNull(),
    expiresAtMillis: integer().notNull(),
  },
  (table) => [index('rate_windows_by_expiry').on(table.expiresAtMillis)],
);

export const consentPolicies = sqliteTable(
  'consent_policies',
  {
    workspaceId: ofWorkspace(),
    version: text().notNull(),
    /** Canonical JSON of the rule table, the workspace's settings and the purposes. */
    document: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.version] })],
);

/** Maps visitors to their pseudonyms in the consent log. Deleting a row erases the visitor from the log. */
export const consentSubjects = sqliteTable(
  'consent_subjects',
  {
    workspaceId: ofWorkspace(),
    visitorId: text().notNull(),
    subjectId: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.visitorId] })],
);

/** What is kept of erased visitors: a keyed hash, by which /boot recognizes ids that must not be accepted again. */
export const erasedVisitors = sqliteTable(
  'erased_visitors',
  {
    workspaceId: ofWorkspace(),
    mark: text().notNull(),
    atMillis: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.mark] }),
    index('erased_visitors_by_time').on(table.atMillis),
  ],
);

export const consentRecords = sqliteTable(
  'consent_records',
  {
    workspaceId: ofWorkspace(),
    /** Counts from 1 in each workspace, without gaps. */
    position: integer().notNull(),
    id: text().notNull().unique(),
    subjectId: text().notNull(),
    content: text().notNull(),
    previousHash: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [
    check('consent_records_position', sql`${table.position} > 0`),
    primaryKey({ columns: [table.workspaceId, table.position] }),
    index('consent_records_by_subject').on(table.workspaceId, table.subjectId, table.position),
  ],
);

export const consentCurrent = sqliteTable(
  'consent_current',
  {
    workspaceId: ofWorkspace(),
    visitorId: text().notNull(),
    decision: text().notNull(),
    /** The consent mode that the visitor was shown. */
    mode: text().notNull(),
    policyVersion: text().notNull(),
    regionCode: text().notNull(),
    decidedAt: integer().notNull(),
    /** Whether a privacy signal (GPC) came with the decision. */
    gpc: integer({ mode: 'boolean' }).notNull(),
    /** The region that the visitor claimed; set only if it did not relax the rules. */
    claimedRegion: text(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.visitorId] })],
);

/** Clients choose conversation ids, so each workspace has its own. */
export const conversations = sqliteTable(
  'conversations',
  {
    id: text().notNull(),
    workspaceId: ofWorkspace(),
    visitorId: text().notNull(),
    startedAt: integer().notNull(),
    nextTurnIdx: integer().notNull(),
    turnCount: integer().notNull(),
    ended: integer({ mode: 'boolean' }).notNull(),
    deleteAfterMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index('conversations_by_time').on(table.workspaceId, table.startedAt, table.id),
    index('conversations_by_visitor').on(table.workspaceId, table.visitorId),
    index('conversations_by_deadline').on(table.deleteAfterMillis).where(isNotNull(table.deleteAfterMillis)),
  ],
);

export const turns = sqliteTable(
  'turns',
  {
    /** The id of the answer. */
    messageId: text().primaryKey(),
    workspaceId: text().notNull(),
    conversationId: text().notNull(),
    visitorId: text().notNull(),
    turnIdx: integer().notNull(),
    state: text({ enum: ['running', 'complete', 'interrupted', 'failed'] }).notNull(),
    finishReason: text(),
    requestedLocale: text().notNull(),
    /** Identifies retries of the same request. */
    idempotencyKey: text(),
    payloadHash: text(),
    askedAt: integer().notNull(),
    finishedAt: integer(),
    question: text().notNull(),
    answer: text().notNull(),
    /** The streamed events in order, as JSON texts. */
    frames: text().notNull(),
    /** The run that may close the turn; each restart claims the next one. */
    attempt: integer().notNull(),
  },
  (table) => [
    check('turns_attempt', sql`${table.attempt} > 0`),
    foreignKey({
      columns: [table.workspaceId, table.conversationId],
      foreignColumns: [conversations.workspaceId, conversations.id],
    }).onDelete('cascade'),
    index('turns_by_conversation').on(
      table.workspaceId,
      table.conversationId,
      table.askedAt,
      table.messageId,
    ),
    uniqueIndex('turns_by_key')
      .on(table.workspaceId, table.visitorId, table.idempotencyKey)
      .where(isNotNull(table.idempotencyKey)),
    index('turns_running').on(table.askedAt).where(sql`${table.state} = 'running'`),
    index('turns_by_outcome')
      .on(table.workspaceId, table.finishReason, table.askedAt, table.messageId)
      .where(isNotNull(table.finishReason)),
  ],
);

export const feedback = sqliteTable(
  'feedback',
  {
    messageId: text()
      .primaryKey()
      .references(() => turns.messageId, { onDelete: 'cascade' }),
    id: text().notNull().unique(),
    workspaceId: text().notNull(),
    visitorId: text().notNull(),
    rating: text({ enum: ['up', 'down'] }).notNull(),
    comment: text(),
    /** The codes of the reasons, as a JSON array. */
    reasons: text(),
    atMillis: integer().notNull(),
  },
  (table) => [
    index('feedback_by_visitor').on(table.workspaceId, table.visitorId),
    index('feedback_by_time').on(table.workspaceId, table.atMillis, table.messageId),
  ],
);

export const events = sqliteTable(
  'events',
  {
    workspaceId: ofWorkspace(),
    atMillis: integer().notNull(),
    id: text().notNull(),
    type: text().notNull(),
    visitorId: text(),
    conversationId: text(),
    data: text().notNull(),
    /** The time of the row, if the row had to be listed at another time. */
    happenedMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.atMillis, table.id] }),
    // Rows from after the clock was set back: listed behind all earlier rows, so at a later time than their own.
    index('events_displaced').on(table.workspaceId, table.atMillis).where(isNotNull(table.happenedMillis)),
    index('events_displaced_by_time')
      .on(table.workspaceId, table.happenedMillis)
      .where(isNotNull(table.happenedMillis)),
    index('events_by_visitor').on(table.workspaceId, table.visitorId).where(isNotNull(table.visitorId)),
    index('events_by_conversation')
      .on(table.workspaceId, table.conversationId)
      .where(isNotNull(table.conversationId)),
  ],
);

/** The newest position that was given out before rows were deleted: later rows are listed behind it. */
export const eventWatermarks = sqliteTable('event_watermarks', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  atMillis: integer().notNull(),
  id: text().notNull(),
});

export const audit = sqliteTable(
  'audit',
  {
    sequence: integer().primaryKey({ autoIncrement: true }),
    workspaceId: ofWorkspace(),
    id: text().notNull().unique(),
    atMillis: integer().notNull(),
    /** A member id, an API key's id, `operator` for the command line, or `unknown` for a sign-in that failed. */
    actor: text().notNull(),
    /** For example article.imported, workspace.disabled or api_key.created. */
    action: text().notNull(),
    /** The id of the resource that changed. */
    subject: text().notNull(),
    details: text().notNull(),
    /** Browser and operating system. Absent for the command line. */
    device: text(),
    /** The truncated client address, such as `203.0.113.0/24`. Absent for the command line. */
    network: text(),
    previousHash: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [index('audit_by_workspace').on(table.workspaceId, table.sequence)],
);

export const collections = sqliteTable(
  'collections',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    name: text().notNull(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
  },
  (table) => [unique().on(table.workspaceId, table.name)],
);

/**
 * `title_key` and `search_text` derive from the newest revision. `tags` is a JSON array.
 * `revision` is the newest one, possibly a draft; visitors see `live_revision`.
 */
export const articles = sqliteTable(
  'articles',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    slug: text().notNull(),
    locale: text().notNull(),
    status: text({ enum: ['draft', 'published', 'unpublished'] }).notNull(),
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
    collectionId: text().references(() => collections.id, { onDelete: 'set null' }),
    /** A JSON array; null if there are none. */
    tags: text(),
    /** The title's sort key in the newest revision. */
    titleKey: text().notNull(),
    /** Title, slug and aliases of the newest revision, normalized; lists are searched in it. */
    searchText: text().notNull(),
    sourceId: text(),
    sourcePlace: text(),
  },
  (table) => [
    unique().on(table.workspaceId, table.slug),
    foreignKey({
      columns: [table.id, table.liveRevision],
      foreignColumns: [articleRevisions.articleId, articleRevisions.revision],
    }),
    index('articles_by_workspace').on(table.workspaceId, table.id),
    index('articles_by_update').on(table.workspaceId, table.updatedAt, table.id),
    index('articles_by_title').on(table.workspaceId, table.titleKey, table.id),
    index('articles_by_collection').on(table.collectionId),
    uniqueIndex('articles_by_source').on(table.sourceId, table.sourcePlace).where(isNotNull(table.sourceId)),
  ],
);

export const articleRevisions = sqliteTable(
  'article_revisions',
  {
    articleId: partOf((): AnySQLiteColumn => articles.id),
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
  (table) => [
    primaryKey({ columns: [table.articleId, table.revision] }),
    // Finds the texts that show images without reading the others.
    index('article_revisions_with_images')
      .on(table.articleId, table.revision)
      .where(sql`${table.answer} LIKE '%/images/img_%'`),
  ],
);

/** A translation is stale when `source_hash` differs from the hash of its source. Without a review decision there is no review. */
export const translations = sqliteTable(
  'translations',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    articleId: partOf(() => articles.id),
    locale: text().notNull(),
    status: text({
      enum: ['draft', 'in_review', 'changes_requested', 'approved', 'published', 'archived'],
    }).notNull(),
    revision: integer().notNull(),
    sourceRevision: integer().notNull(),
    sourceHash: text().notNull(),
    liveRevision: integer(),
    liveSourceRevision: integer(),
    liveSourceHash: text(),
    livePublishedAt: integer(),
    livePublishedBy: text(),
    reviewDecision: text({ enum: ['approve', 'request_changes'] }),
    reviewRevision: integer(),
    reviewAuthorId: text(),
    reviewerId: text(),
    reviewNote: text(),
    reviewedAt: integer(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
    updatedAt: integer().notNull(),
    updatedBy: text().notNull(),
  },
  (table) => [
    unique().on(table.articleId, table.locale),
    foreignKey({
      columns: [table.id, table.liveRevision],
      foreignColumns: [translationRevisions.translationId, translationRevisions.revision],
    }),
    index('translations_by_workspace').on(table.workspaceId),
  ],
);

export const translationRevisions = sqliteTable(
  'translation_revisions',
  {
    translationId: partOf((): AnySQLiteColumn => translations.id),
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
  (table) => [
    primaryKey({ columns: [table.translationId, table.revision] }),
    // Finds the texts that show images without reading the others.
    index('translation_revisions_with_images')
      .on(table.translationId, table.revision)
      .where(sql`${table.answer} LIKE '%/images/img_%'`),
  ],
);

/**
 * Export positions of finished turns and conversations. A position is assigned in the commit that makes a row readable, behind
 * all positions assigned before, and is deleted with its row.
 */
export const exportWatermarks = sqliteTable('export_watermarks', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  atMillis: integer().notNull(),
});

export const conversationPositions = sqliteTable(
  'conversation_positions',
  {
    workspaceId: text().notNull(),
    atMillis: integer().notNull(),
    conversationId: text().notNull(),
    happenedMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.atMillis, table.conversationId] }),
    unique().on(table.workspaceId, table.conversationId),
    foreignKey({
      columns: [table.workspaceId, table.conversationId],
      foreignColumns: [conversations.workspaceId, conversations.id],
    }).onDelete('cascade'),
    index('conversation_positions_displaced')
      .on(table.workspaceId, table.atMillis)
      .where(isNotNull(table.happenedMillis)),
    index('conversation_positions_displaced_by_time')
      .on(table.workspaceId, table.happenedMillis)
      .where(isNotNull(table.happenedMillis)),
  ],
);

export const turnPositions = sqliteTable(
  'turn_positions',
  {
    workspaceId: text().notNull(),
    atMillis: integer().notNull(),
    messageId: text()
      .notNull()
      .unique()
      .references(() => turns.messageId, { onDelete: 'cascade' }),
    happenedMillis: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.atMillis, table.messageId] }),
    index('turn_positions_displaced')
      .on(table.workspaceId, table.atMillis)
      .where(isNotNull(table.happenedMillis)),
    index('turn_positions_displaced_by_time')
      .on(table.workspaceId, table.happenedMillis)
      .where(isNotNull(table.happenedMillis)),
  ],
);

/** Seconds of voice that are set aside; settling deletes the row. */
export const voiceReservations = sqliteTable(
  'voice_reservations',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    visitorId: text().notNull(),
    kind: text({ enum: ['realtime', 'transcribe', 'speech'] }).notNull(),
    provider: text().notNull(),
    /** The month that it counts towards, such as 2026-11. */
    period: text().notNull(),
    seconds: integer().notNull(),
    /** The charge if the actual use is never reported; the rest is refunded. */
    defaultChargeSeconds: integer().notNull(),
    openedAt: integer().notNull(),
    /** When it closes. A closed reservation can still be settled, for at most the reserved seconds. */
    closesAt: integer().notNull(),
    /** When it expires: if it is not settled by then, the default charge applies. */
    purgeAt: integer().notNull(),
    /** Whether an event row may record the use. */
    isRecordable: integer({ mode: 'boolean' }).notNull(),
    /** SHA-256 of the token by which a usage report of the visitor identifies it. */
    tokenHash: text(),
  },
  (table) => [
    check('voice_reservations_seconds', sql`${table.seconds} >= 0`),
    check(
      'voice_reservations_default_charge_seconds',
      sql`${table.defaultChargeSeconds} BETWEEN 0 AND ${table.seconds}`,
    ),
    index('voice_reservations_by_visitor').on(table.workspaceId, table.visitorId, table.kind),
    index('voice_reservations_by_purge').on(table.purgeAt),
  ],
);

/** Seconds used in a month, reservations included. */
export const voiceMonths = sqliteTable(
  'voice_months',
  {
    workspaceId: ofWorkspace(),
    period: text().notNull(),
    seconds: integer().notNull(),
  },
  (table) => [
    check('voice_months_seconds', sql`${table.seconds} >= 0`),
    primaryKey({ columns: [table.workspaceId, table.period] }),
  ],
);

/** Language model tokens used in a month. */
export const tokenMonths = sqliteTable(
  'token_months',
  {
    workspaceId: ofWorkspace(),
    period: text().notNull(),
    tokens: integer().notNull(),
  },
  (table) => [
    check('token_months_tokens', sql`${table.tokens} >= 0`),
    primaryKey({ columns: [table.workspaceId, table.period] }),
  ],
);

/** The newest origin that booted the guide under each allowed domain. */
export const installations = sqliteTable(
  'installations',
  {
    workspaceId: ofWorkspace(),
    /** The allowed domain as written in the settings. */
    domain: text().notNull(),
    origin: text().notNull(),
    atMillis: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.domain] })],
);

/** Pictures of articles. The content comes last, so that the other columns are read without it. */
export const images = sqliteTable(
  'images',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    name: text().notNull(),
    mediaType: text()
      .$type<'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif'>()
      .notNull(),
    width: integer().notNull(),
    height: integer().notNull(),
    contentBytes: integer().notNull(),
    /** SHA-256 of the content, in hex. */
    contentHash: text().notNull(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
    content: blob().$type<Uint8Array>().notNull(),
  },
  (table) => [
    unique().on(table.workspaceId, table.contentHash),
    index('images_by_time').on(table.workspaceId, table.createdAt, table.id),
  ],
);

/** Dictionaries learned from the translations of a workspace. Derived from its passages; only synonyms have spellings. */
export const dictionaries = sqliteTable(
  'dictionaries',
  {
    workspaceId: ofWorkspace(),
    fromLocale: text().notNull(),
    toLocale: text().notNull(),
    content: blob().$type<Uint8Array>().notNull(),
    spellings: text(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.fromLocale, table.toLocale] })],
);

/** The state of the passages that a workspace's dictionaries were learned from, and how they were learned. */
export const dictionaryBuilds = sqliteTable('dictionary_builds', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  fingerprint: text().notNull(),
  version: text().notNull(),
});

/** Vectors of the chunks of a published text, derived from its passage, and what they were made from. */
export const embeddings = sqliteTable(
  'embeddings',
  {
    workspaceId: ofWorkspace(),
    articleId: text().notNull(),
    locale: text().notNull(),
    passageId: integer().notNull(),
    model: text().notNull(),
    contentHash: text().notNull(),
    dimensions: integer().notNull(),
    /** One vector for each part of the text, with its position; opaque to the store. */
    vectors: blob().$type<Uint8Array>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.articleId, table.locale] }),
    index('embeddings_by_model').on(table.workspaceId, table.model),
  ],
);

/** Tokens of the texts that were embedded in a month. */
export const embeddingMonths = sqliteTable(
  'embedding_months',
  {
    workspaceId: ofWorkspace(),
    period: text().notNull(),
    tokens: integer().notNull(),
  },
  (table) => [
    check('embedding_months_tokens', sql`${table.tokens} >= 0`),
    primaryKey({ columns: [table.workspaceId, table.period] }),
  ],
);

/**
 * Questions that were not answered well, in groups of similar ones. A group exists while it has questions: triggers count them. No text
 * is copied, so erasing a turn erases it from here.
 */
export const inboxGroups = sqliteTable(
  'inbox_groups',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    state: text({ enum: ['open', 'resolved', 'dismissed'] }).notNull(),
    /** Number of its questions. */
    asked: integer().notNull(),
    lastAskedAt: integer().notNull(),
    assigneeId: text().references(() => members.id, { onDelete: 'set null' }),
    /** The article that answers the questions. */
    articleId: text().references(() => articles.id, { onDelete: 'set null' }),
    /** The article closest to the newest question at the time of its arrival. */
    nearestArticleId: text().references(() => articles.id, { onDelete: 'set null' }),
    /** When it was resolved last; kept when a later question opens it again. */
    resolvedAt: integer(),
    /** When its questions were last asked again, how many, and how many of them were answered. */
    askedAgainAt: integer(),
    askedAgain: integer(),
    answeredAgain: integer(),
  },
  (table) => [
    check('inbox_groups_asked', sql`${table.asked} >= 0`),
    index('inbox_groups_by_time').on(table.workspaceId, table.lastAskedAt, table.id),
    index('inbox_groups_by_count').on(table.workspaceId, table.asked, table.id),
    index('inbox_groups_by_assignee').on(table.assigneeId).where(isNotNull(table.assigneeId)),
    index('inbox_groups_by_article').on(table.articleId).where(isNotNull(table.articleId)),
    index('inbox_groups_by_nearest_article')
      .on(table.nearestArticleId)
      .where(isNotNull(table.nearestArticleId)),
  ],
);

/**
 * `kinds` is a sum: 1 unanswered, 2 rated down, 4 low confidence. `confidence` is in thousandths. `signature` is what questions are
 * compared by; only a few questions of each group have one.
 */
export const inboxQuestions = sqliteTable(
  'inbox_questions',
  {
    messageId: text()
      .primaryKey()
      .references(() => turns.messageId, { onDelete: 'cascade' }),
    workspaceId: text().notNull(),
    groupId: partOf(() => inboxGroups.id),
    kinds: integer().notNull(),
    askedAt: integer().notNull(),
    confidence: integer(),
    signature: text(),
  },
  (table) => [
    check('inbox_questions_kinds', sql`${table.kinds} > 0`),
    index('inbox_questions_by_group').on(table.groupId, table.askedAt, table.messageId, table.kinds),
    index('inbox_questions_by_workspace').on(table.workspaceId),
  ],
);

/** How far the turns and ratings of a workspace have been read into its inbox. */
export const inboxProgress = sqliteTable('inbox_progress', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  turnAt: integer().notNull(),
  messageId: text().notNull(),
  ratedAt: integer().notNull(),
});

/** Where articles come from. `website` and `files` are JSON documents; `token` proves that an origin belongs to the workspace. */
export const sources = sqliteTable(
  'sources',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    name: text().notNull(),
    type: text({ enum: ['website', 'files'] }).notNull(),
    /** A JSON document; null for files. */
    website: text(),
    /** A JSON document; null for websites. */
    files: text(),
    mode: text({ enum: ['review', 'publish'] }).notNull(),
    schedule: text({ enum: ['manual', 'hourly', 'daily', 'weekly'] }).notNull(),
    paused: integer({ mode: 'boolean' }).notNull(),
    /** Names the file by which an origin proves that it belongs to the workspace. */
    token: text().notNull(),
    /** When the schedule starts the next run. */
    nextRunAt: integer(),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
  },
  (table) => [
    index('sources_by_workspace').on(table.workspaceId, table.createdAt, table.id),
    index('sources_by_schedule').on(table.nextRunAt).where(isNotNull(table.nextRunAt)),
  ],
);

/** `done` and `total` are the progress in the run's current state. */
export const sourceRuns = sqliteTable(
  'source_runs',
  {
    id: text().primaryKey(),
    workspaceId: text().notNull(),
    sourceId: partOf(() => sources.id),
    state: text({
      enum: ['queued', 'reading', 'ready', 'applying', 'done', 'failed', 'cancelled'],
    }).notNull(),
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
  },
  (table) => [
    index('source_runs_by_source').on(table.sourceId, table.createdAt, table.id),
    index('source_runs_by_workspace').on(table.workspaceId),
    // A source has at most one unfinished run.
    uniqueIndex('source_runs_under_way').on(table.sourceId).where(isNull(table.finishedAt)),
  ],
);

/** What a run did, or will do, with the text of each place. `root` is the place of the article that a translation belongs to. */
export const sourceRunItems = sqliteTable(
  'source_run_items',
  {
    runId: partOf(() => sourceRuns.id),
    place: text().notNull(),
    workspaceId: text().notNull(),
    /** Place of the article that a translation belongs to; else `place`. */
    root: text().notNull(),
    outcome: text({ enum: ['added', 'changed', 'removed', 'refused', 'conflict'] }).notNull(),
    locale: text(),
    title: text(),
    reason: text(),
    detail: text(),
    articleId: text(),
    translationId: text(),
    applied: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.place] }),
    index('source_run_items_by_workspace').on(table.workspaceId),
    index('source_run_items_to_apply')
      .on(table.runId, table.root, table.place)
      .where(sql`${table.applied} = 0`),
  ],
);

/** The texts of a source that were applied last. `conflict` is a text that waits for a person's choice, as JSON. */
export const sourceDocuments = sqliteTable(
  'source_documents',
  {
    sourceId: partOf(() => sources.id),
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
  (table) => [
    primaryKey({ columns: [table.sourceId, table.place] }),
    index('source_documents_by_workspace').on(table.workspaceId),
    index('source_documents_by_url').on(table.sourceId, table.readUrl).where(isNotNull(table.readUrl)),
    index('source_documents_in_conflict').on(table.sourceId, table.place).where(isNotNull(table.conflict)),
  ],
);

/** Texts that were read but not applied yet: by the unfinished run, or from uploads that wait for a run. */
export const sourceReadings = sqliteTable(
  'source_readings',
  {
    sourceId: partOf(() => sources.id),
    place: text().notNull(),
    workspaceId: text().notNull(),
    kind: text({ enum: ['document', 'unchanged', 'refused', 'gone'] }).notNull(),
    /** Name of the uploaded file; empty for websites. */
    upload: text().notNull(),
    readUrl: text(),
    locale: text(),
    title: text(),
    translationOf: text(),
    /** Hash of title, answer and aliases, as for articles. */
    contentHash: text(),
    url: text(),
    /** The name that the document itself states. */
    slug: text(),
    etag: text(),
    lastModified: text(),
    reason: text(),
    detail: text(),
    contentBytes: integer().notNull(),
    content: text(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.place] }),
    index('source_readings_by_workspace').on(table.workspaceId),
    index('source_readings_by_upload').on(table.sourceId, table.upload, table.kind, table.contentBytes),
  ],
);

/** Uploads that wait for a run, or are read by one. An upload that was cut off is not complete. */
export const sourceUploads = sqliteTable(
  'source_uploads',
  {
    sourceId: partOf(() => sources.id),
    name: text().notNull(),
    workspaceId: text().notNull(),
    complete: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sourceId, table.name] }),
    index('source_uploads_by_workspace').on(table.workspaceId),
  ],
);

/** The addresses of a run, in the order in which they were found. */
export const sourceFrontier = sqliteTable(
  'source_frontier',
  {
    runId: partOf(() => sourceRuns.id),
    url: text().notNull(),
    workspaceId: text().notNull(),
    position: integer().notNull(),
    settled: integer({ mode: 'boolean' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runId, table.url] }),
    index('source_frontier_by_workspace').on(table.workspaceId),
    index('source_frontier_to_read').on(table.runId, table.position).where(sql`${table.settled} = 0`),
  ],
);

/**
 * What the files beside the database are compared with; one row. `commits` counts on at most once a second while
 * there are commits. `key_ring_id` names the key ring that visitors' ids and tokens were made with;
 * `sealed_keys` is the ring itself, encrypted, where nodes share it.
 */
export const databaseMarks = sqliteTable(
  'database_marks',
  {
    id: integer().primaryKey(),
    commits: integer().notNull(),
    keyRingId: text(),
    sealedKeys: text(),
  },
  (table) => [check('database_marks_id', sql`${table.id} = 1`)],
);

/** Tables of short rows, which SQLite stores in the index of their key. */
export const CLUSTERED = new Set<unknown>([
  workspaceOrigins,
  idempotencyKeys,
  setupLinks,
  featureFlags,
  rateWindows,
  consentSubjects,
  erasedVisitors,
  consentCurrent,
  events,
  eventWatermarks,
  exportWatermarks,
  conversationPositions,
  turnPositions,
  voiceMonths,
  tokenMonths,
  installations,
  dictionaryBuilds,
  embeddingMonths,
  inboxProgress,
]);
