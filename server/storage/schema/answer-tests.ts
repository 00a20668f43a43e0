/** Questions with the article that is expected to answer them. */

import { isNotNull } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { articles } from './knowledge.ts';
import { ofWorkspace, workspaces } from './workspaces.ts';

export const answerTests = sqliteTable(
  'answer_tests',
  {
    id: text().primaryKey(),
    workspaceId: ofWorkspace(),
    question: text().notNull(),
    /** Canonical. */
    locale: text().notNull(),
    /** The expected article; without it, no answer is expected. */
    articleId: text().references(() => articles.id, { onDelete: 'cascade' }),
    createdAt: integer().notNull(),
    createdBy: text().notNull(),
    /** Whether it is to run. */
    waiting: integer({ mode: 'boolean' }).notNull(),
    /** The result of the last run. */
    ranAt: integer(),
    outcome: text({ enum: ['passed', 'failed'] }),
    /** What was quoted, and what the expected article says, as JSON. */
    passages: text(),
  },
  (table) => [
    uniqueIndex('answer_tests_by_question').on(table.workspaceId, table.locale, table.question),
    index('answer_tests_by_article').on(table.articleId).where(isNotNull(table.articleId)),
    index('answer_tests_waiting').on(table.workspaceId, table.waiting),
  ],
);

/** What a workspace's tests last ran against. */
export const answerTestRuns = sqliteTable('answer_test_runs', {
  workspaceId: text()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: 'cascade' }),
  fingerprint: text().notNull(),
});
