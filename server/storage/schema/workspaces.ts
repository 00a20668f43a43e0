/** Workspaces, and what every table of theirs refers to. */

import { isNotNull } from 'drizzle-orm';
import { type AnySQLiteColumn, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** A reference to a row that this row is deleted with. */
export const partOf = (column: () => AnySQLiteColumn) =>
  text().notNull().references(column, { onDelete: 'cascade' });
export const ofWorkspace = () => partOf(() => workspaces.id);

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

/** The language model that a workspace uses instead of the installation's. */
export const workspaceModels = sqliteTable('workspace_models', {
  workspaceId: ofWorkspace().primaryKey(),
  /** The protocol of its server. */
  provider: text({ enum: ['openai', 'anthropic'] }).notNull(),
  baseUrl: text().notNull(),
  model: text().notNull(),
  /** Rewrites follow-ups; absent if `model` does. */
  rewriteModel: text(),
  /** The API key, encrypted for this workspace and address. */
  sealedKey: text().notNull(),
  keySetAt: integer().notNull(),
});

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
