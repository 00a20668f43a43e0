/** What visitors have agreed to. */

import { sql } from 'drizzle-orm';
import { check, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { ofWorkspace } from './workspaces.ts';

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
