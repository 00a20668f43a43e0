/** What people prove beside a password. */

import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { users } from './accounts.ts';
import { partOf } from './workspaces.ts';

export const passkeys = sqliteTable(
  'passkeys',
  {
    id: text().primaryKey(),
    userId: partOf(() => users.id),
    /** The id that the authenticator gave it, in base64url. */
    credentialId: text().notNull().unique(),
    /** COSE key, in base64url. */
    publicKey: text().notNull(),
    /** How often it has signed; always 0 for passkeys that are synchronized. */
    counter: integer().notNull(),
    /** A JSON array: how a browser reaches the authenticator. */
    transports: text().notNull(),
    name: text().notNull(),
    createdAt: integer().notNull(),
    lastUsedAt: integer(),
  },
  (table) => [index('passkeys_by_user').on(table.userId, table.createdAt)],
);

/** The authenticator app of a user, with which it computes codes. */
export const authenticatorApps = sqliteTable('authenticator_apps', {
  userId: partOf(() => users.id).primaryKey(),
  /** Encrypted for this user. */
  sealedSecret: text().notNull(),
  /** The newest period whose code was used: codes of it and of earlier periods are refused. */
  lastPeriod: integer().notNull(),
  createdAt: integer().notNull(),
});

/** A code is deleted when it is used. */
export const recoveryCodes = sqliteTable(
  'recovery_codes',
  {
    userId: partOf(() => users.id),
    /** SHA-256 of the code, in hex. */
    codeHash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.codeHash] })],
);

/** A step of a sign-in or of the set-up of a factor that has begun in one browser. Used once. */
export const factorChallenges = sqliteTable(
  'factor_challenges',
  {
    /** SHA-256 of the browser's cookie, in hex. */
    tokenHash: text().primaryKey(),
    purpose: text({ enum: ['passkey_sign_in', 'second_step', 'add_passkey', 'add_app'] }).notNull(),
    /** Null while nobody has said who they are. */
    userId: text().references(() => users.id, { onDelete: 'cascade' }),
    /** What the authenticator signs; of an app, its encrypted secret. */
    challenge: text().notNull(),
    /** The password hash that the first step verified. */
    verifiedHash: text(),
    /** Whether the sign-in will be one with a new browser. */
    isNewDevice: integer({ mode: 'boolean' }).notNull(),
    expiresAt: integer().notNull(),
  },
  (table) => [
    index('factor_challenges_by_user').on(table.userId),
    index('factor_challenges_by_expiry').on(table.expiresAt),
  ],
);
