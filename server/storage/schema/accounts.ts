/** People and programs that sign in. */

import { isNotNull, sql } from 'drizzle-orm';
import {
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import { ofWorkspace, partOf, workspaces } from './workspaces.ts';

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
    /** The first language of the browser that signed in last, in which the user gets mail. */
    locale: text(),
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
    /** When the user last proved who they are. */
    confirmedAt: integer().notNull(),
    /** Null for automation sessions. */
    signedInWith: text({ enum: ['password', 'oidc', 'passkey'] }),
    /** What was proved beyond a password or the word of a provider; null if nothing was. */
    factor: text({ enum: ['passkey', 'totp', 'recovery_code', 'provider'] }),
    /** The workspace whose identity provider vouched for the user, or `installation`; null without one. */
    identityProvider: text(),
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

/** Links of mails with which the owner of an address sets a new password. */
export const passwordResets = sqliteTable(
  'password_resets',
  {
    /** SHA-256 of the token in the link, in hex. */
    tokenHash: text().primaryKey(),
    /** Lower case; may have no account. */
    email: text().notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    index('password_resets_by_email').on(table.email),
    index('password_resets_by_expiry').on(table.expiresAt),
  ],
);

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
