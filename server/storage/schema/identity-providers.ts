/** Sign-in with identity providers. */

import { isNotNull, sql } from 'drizzle-orm';
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { users } from './accounts.ts';
import { ofWorkspace, partOf, workspaces } from './workspaces.ts';

/** The identity provider of a workspace. */
export const identityProviders = sqliteTable('identity_providers', {
  workspaceId: ofWorkspace().primaryKey(),
  issuer: text().notNull(),
  clientId: text().notNull(),
  /** Encrypted for this workspace, issuer and client id. */
  sealedSecret: text().notNull(),
  mode: text({ enum: ['off', 'optional', 'required'] }).notNull(),
  defaultRole: text({ enum: ['admin', 'member'] }).notNull(),
  groupsClaim: text().notNull(),
  /** A JSON array of groups with their roles. */
  groupRoles: text().notNull(),
  changedAt: integer().notNull(),
});

/** The domains whose addresses sign in with the provider of a workspace. */
export const signInDomains = sqliteTable(
  'sign_in_domains',
  {
    workspaceId: ofWorkspace(),
    /** Lower case, ASCII. */
    domain: text().notNull(),
    /** When its TXT record was found; absent until then. */
    provedAt: integer(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.domain] }),
    uniqueIndex('sign_in_domains_proved').on(table.domain).where(isNotNull(table.provedAt)),
  ],
);

/** Who a user is at an identity provider. */
export const identities = sqliteTable(
  'identities',
  {
    id: text().primaryKey(),
    userId: partOf(() => users.id),
    /** The workspace whose provider it is; absent for the provider of the installation. */
    workspaceId: text().references(() => workspaces.id, { onDelete: 'cascade' }),
    issuer: text().notNull(),
    /** Some providers call a person differently for each client. */
    clientId: text().notNull(),
    subject: text().notNull(),
    createdAt: integer().notNull(),
  },
  (table) => [
    uniqueIndex('identities_by_subject').on(
      table.issuer,
      table.clientId,
      table.subject,
      sql`coalesce(${table.workspaceId}, '')`,
    ),
    // A second identity with the address of an account is another person, who got the address later.
    uniqueIndex('identities_by_user').on(
      table.userId,
      table.issuer,
      table.clientId,
      sql`coalesce(${table.workspaceId}, '')`,
    ),
    index('identities_by_workspace').on(table.workspaceId).where(isNotNull(table.workspaceId)),
  ],
);
