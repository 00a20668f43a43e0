import {
  and,
  eq,
  getTableColumns,
  type InferSelectModel,
  inArray,
  isNotNull,
  isNull,
  notExists,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { SQLiteColumn, SQLiteSelect, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { SqlDatabase, Statement, Tx } from './database.ts';
import {
  answerTests,
  articleAddresses,
  articleRevisions,
  articles,
  audit,
  collections,
  consentCurrent,
  consentPolicies,
  consentRecords,
  consentSubjects,
  conversationNotes,
  conversations,
  events,
  feedback,
  handoverNotes,
  handoverReplies,
  handovers,
  images,
  inboxGroups,
  inboxQuestions,
  members,
  sourceDocuments,
  sourceRunItems,
  sourceRuns,
  sources,
  translationRevisions,
  translations,
  turns,
  users,
} from './schema/index.ts';
import { db, input, matches, statement } from './statements.ts';

type RowsOf<Pages> = { [T in keyof Pages]: Pages[T] extends Page<infer Row> ? Row : never };

/** Stored rows for exporting and importing a workspace, without credentials and passages. */
export type TransferRows = RowsOf<typeof inWorkspace> &
  RowsOf<typeof inParent> & {
    translations: typeof translations.$inferSelect;
    feedback: typeof feedback.$inferSelect;
  };

export type ExportedArticle = Awaited<ReturnType<typeof readArticles>>[number];

/** Returns the rows of a workspace's export, without credentials, in export order. */
export function sqlWorkspaceExport({ read, readAll }: SqlDatabase) {
  return (workspaceId: string) => {
    const pages =
      <Row>(page: Page<Row>, reads = read) =>
      (limit: number, after?: Row) =>
        reads(workspaceId, (tx) => page(tx, { workspaceId, limit }, after));
    const children =
      <Row extends { revision: number }>(page: Page<Row>) =>
      (parentId: string, limit: number, revision: number) =>
        read(workspaceId, (tx) => page(tx, { workspaceId, parentId, limit }, { revision } as Partial<Row>));
    return {
      members: pages(inWorkspace.members),
      consentPolicies: pages(inWorkspace.consentPolicies),
      consentSubjects: pages(inWorkspace.consentSubjects),
      consentRecords: pages(inWorkspace.consentRecords),
      consentCurrent: pages(inWorkspace.consentCurrent),
      images: pages(inWorkspace.images),
      collections: pages(inWorkspace.collections),
      sources: pages(inWorkspace.sources),
      sourceDocuments: pages(inWorkspace.sourceDocuments),
      sourceRuns: pages(inWorkspace.sourceRuns),
      sourceRunItems: pages(inWorkspace.sourceRunItems),
      answerTests: pages(inWorkspace.answerTests),
      /** Excludes conversations with a deletion deadline, with their turns and events. */
      conversations: pages(inWorkspace.conversations),
      events: pages(inWorkspace.events, readAll),
      inboxGroups: pages(inWorkspace.inboxGroups),
      inboxQuestions: pages(inWorkspace.inboxQuestions),
      handovers: pages(inWorkspace.handovers),
      handoverReplies: pages(inWorkspace.handoverReplies),
      handoverNotes: pages(inWorkspace.handoverNotes),
      audit: pages(inWorkspace.audit),
      articleAddresses: (articleId: string, limit: number, after?: TransferRows['articleAddresses']) =>
        read(workspaceId, (tx) =>
          inParent.articleAddresses(tx, { workspaceId, parentId: articleId, limit }, after),
        ),
      /** Returns the revisions after `after`, oldest first. */
      articleRevisions: children(inParent.articleRevisions),
      translationRevisions: children(inParent.translationRevisions),

      /** Articles with their translations, read from one snapshot. */
      articles: (limit: number, after?: TransferRows['articles']) =>
        read(workspaceId, (tx) => readArticles(tx, { workspaceId, limit }, after), 'atOnce'),

      turns: (conversationId: string, limit: number, after?: TransferRows['turns']) =>
        read(
          workspaceId,
          (tx) => readTurns(tx, { workspaceId, parentId: conversationId, limit }, after),
          'atOnce',
        ),

      conversationNotes: (conversationId: string, limit: number, after?: TransferRows['conversationNotes']) =>
        read(workspaceId, (tx) =>
          inParent.conversationNotes(tx, { workspaceId, parentId: conversationId, limit }, after),
        ),
    };
  };
}

/** Reads articles with their translations. */
async function readArticles(tx: Tx, values: PageValues, after?: Partial<TransferRows['articles']>) {
  const articleRows = await inWorkspace.articles(tx, values, after);
  const ids = JSON.stringify(articleRows.map(({ id }) => id));
  const variants = await tx.all(translationsOf, { ids });
  return articleRows.map((article) => ({
    ...article,
    translations: variants.filter(({ articleId }) => articleId === article.id),
  }));
}

/** Reads turns of a conversation with their ratings. */
async function readTurns(tx: Tx, values: PageValues, after?: Partial<TransferRows['turns']>) {
  const turnRows = await inParent.turns(tx, values, after);
  const ids = JSON.stringify(turnRows.map(({ messageId }) => messageId));
  const ratings = await tx.all(ratingsOf, { ids });
  return turnRows.map((turn) => ({
    ...turn,
    feedback: ratings.find(({ messageId }) => messageId === turn.messageId),
  }));
}

type PageValues = Readonly<Record<string, unknown>>;
/** Reads a page of rows after the last row of the previous page, of which it needs only the keys. */
type Page<Row> = (tx: Tx, values: PageValues, after?: Partial<Row>) => Promise<Row[]>;

/** Orders by the keys and continues after those of the last row. */
function createPage<Row>(
  build: () => SQLiteSelect,
  keys: readonly SQLiteColumn[],
  ...conditions: readonly (SQL | undefined)[]
): Page<Row> {
  const bound = keys.map(({ name }) => sql`${input(name)}`);
  const isAfter = sql`(${sql.join([...keys], sql`, `)}) > (${sql.join(bound, sql`, `)})`;
  const page = statement(() =>
    build()
      .where(and(...conditions, isAfter))
      .orderBy(...keys)
      .limit(input('limit')),
  ) as Statement<Row>;
  const start = Object.fromEntries(keys.map(({ name, dataType }) => [name, dataType === 'number' ? -1 : '']));
  return (tx, values, after) => tx.all(page, { ...values, ...(after ?? start) });
}

const selectAll = (table: SQLiteTable) => () => db.select().from(table).$dynamic();

/** Returns a reader of pages of a table with a workspace column. */
function createTablePage<T extends SQLiteTable & { workspaceId: SQLiteColumn }>(
  table: T,
  keys: readonly SQLiteColumn[],
  condition?: SQL,
): Page<InferSelectModel<T>> {
  return createPage(selectAll(table), keys, matches(table.workspaceId), condition);
}

const conversationsToDelete = db
  .select({ id: conversations.id })
  .from(conversations)
  .where(
    and(
      eq(conversations.workspaceId, events.workspaceId),
      eq(conversations.id, events.conversationId),
      isNotNull(conversations.deleteAfterMillis),
    ),
  );
const inWorkspace = {
  members: createPage<typeof members.$inferSelect & { email: string }>(
    () =>
      db
        .select({ ...getTableColumns(members), email: users.email })
        .from(members)
        .innerJoin(users, eq(users.id, members.userId))
        .$dynamic(),
    [members.createdAt, members.id],
    matches(members.workspaceId),
  ),
  consentPolicies: createTablePage(consentPolicies, [consentPolicies.version]),
  consentSubjects: createTablePage(consentSubjects, [consentSubjects.visitorId]),
  consentRecords: createTablePage(consentRecords, [consentRecords.position]),
  consentCurrent: createTablePage(consentCurrent, [consentCurrent.visitorId]),
  collections: createTablePage(collections, [collections.id]),
  sources: createTablePage(sources, [sources.id]),
  sourceDocuments: createTablePage(sourceDocuments, [sourceDocuments.sourceId, sourceDocuments.place]),
  // An active run belongs to the service that reads.
  sourceRuns: createTablePage(sourceRuns, [sourceRuns.id], isNotNull(sourceRuns.finishedAt)),
  sourceRunItems: createTablePage(
    sourceRunItems,
    [sourceRunItems.runId, sourceRunItems.place],
    inArray(
      sourceRunItems.runId,
      db
        .select({ id: sourceRuns.id })
        .from(sourceRuns)
        .where(and(matches(sourceRuns.workspaceId), isNotNull(sourceRuns.finishedAt))),
    ),
  ),
  articles: createTablePage(articles, [articles.id]),
  answerTests: createTablePage(answerTests, [answerTests.id]),
  images: createTablePage(images, [images.id]),
  conversations: createTablePage(
    conversations,
    [conversations.startedAt, conversations.id],
    isNull(conversations.deleteAfterMillis),
  ),
  events: createTablePage(events, [events.atMillis, events.id], notExists(conversationsToDelete)),
  inboxGroups: createTablePage(inboxGroups, [inboxGroups.id]),
  inboxQuestions: createTablePage(inboxQuestions, [inboxQuestions.messageId]),
  handovers: createTablePage(handovers, [handovers.createdAt, handovers.id]),
  handoverReplies: createTablePage(handoverReplies, [handoverReplies.id]),
  handoverNotes: createTablePage(handoverNotes, [handoverNotes.id]),
  audit: createTablePage(audit, [audit.sequence]),
};

/** Returns the condition that a row belongs to the parent `parentId`, and the parent to the workspace. */
function ofParent<T extends typeof articles | typeof translations | typeof conversations>(
  column: SQLiteColumn,
  table: T,
  condition?: SQL,
): SQL {
  const isParent = and(eq(table.id, input('parentId')), matches(table.workspaceId), condition);
  const parent = db
    .select({ id: table.id })
    .from(table as SQLiteTable)
    .where(isParent);
  return eq(column, sql`(${parent})`);
}

const inParent = {
  articleRevisions: createPage<typeof articleRevisions.$inferSelect>(
    selectAll(articleRevisions),
    [articleRevisions.revision],
    ofParent(articleRevisions.articleId, articles),
  ),
  translationRevisions: createPage<typeof translationRevisions.$inferSelect>(
    selectAll(translationRevisions),
    [translationRevisions.revision],
    ofParent(translationRevisions.translationId, translations),
  ),
  articleAddresses: createPage<typeof articleAddresses.$inferSelect>(
    selectAll(articleAddresses),
    [articleAddresses.slug, articleAddresses.locale],
    ofParent(articleAddresses.articleId, articles),
  ),
  turns: createPage<typeof turns.$inferSelect>(
    selectAll(turns),
    [turns.askedAt, turns.messageId],
    matches(turns.workspaceId),
    ofParent(turns.conversationId, conversations, isNull(conversations.deleteAfterMillis)),
  ),
  conversationNotes: createPage<typeof conversationNotes.$inferSelect>(
    selectAll(conversationNotes),
    [conversationNotes.id],
    matches(conversationNotes.workspaceId),
    ofParent(conversationNotes.conversationId, conversations, isNull(conversations.deleteAfterMillis)),
  ),
};

const isIn = (column: SQLiteColumn) => sql`${column} in (select value from json_each(${input('ids')}))`;
const translationsOf = statement(() =>
  db
    .select()
    .from(translations)
    .where(isIn(translations.articleId))
    .orderBy(translations.articleId, translations.locale),
);
const ratingsOf = statement(() => db.select().from(feedback).where(isIn(feedback.messageId)));

export type WorkspaceExport = ReturnType<ReturnType<typeof sqlWorkspaceExport>>;
