/** Questions that were not answered well. */

import { isNotNull, sql } from 'drizzle-orm';
import { check, index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { members } from './accounts.ts';
import { turns } from './conversations.ts';
import { articles } from './knowledge.ts';
import { ofWorkspace, partOf, workspaces } from './workspaces.ts';

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

/**
 * Unanswered questions and searches of undecided visitors, for workspaces that keep them. They are masked, and have no visitor,
 * conversation or message.
 */
export const anonymousQuestions = sqliteTable(
  'anonymous_questions',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    askedAt: integer().notNull(),
    /** What equal questions have in common. */
    key: text().notNull(),
    question: text().notNull(),
    locale: text().notNull(),
    path: text().notNull(),
    nearestArticleId: text(),
    /** How many articles a search found; null for a question. */
    results: integer(),
  },
  (table) => [index('anonymous_questions_by_time').on(table.workspaceId, table.askedAt)],
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
