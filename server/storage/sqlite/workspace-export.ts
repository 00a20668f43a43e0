import {
  and,
  eq,
  getTableColumns,
  type InferSelectModel,
  isNotNull,
  isNull,
  notExists,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { SQLiteColumn, SQLiteSelect, SQLiteTable } from 'drizzle-orm/sqlite-core';
import {
  articleRevisions,
  articles,
  audit,
  consentCurrent,
  consentPolicies,
  consentRecords,
  consentSubjects,
  conversations,
  events,
  feedback,
  members,
  translationRevisions,
  translations,
  turns,
  users,
} from '../sql/schema.ts';
import type { TransferRows, WorkspaceExport } from '../transfer.ts';
import type { Connections, Drizzle } from './connections.ts';
import { boundLimit, equals, placeholder, prepareAll } from './statements.ts';

/** Export rows of a workspace, without credentials, in export order. */
export function sqliteWorkspaceExport({
  reader,
  read,
  readAll,
}: Connections): (workspaceId: string) => WorkspaceExport {
  const inWorkspace = prepareWorkspacePages(reader);
  const inParent = prepareChildPages(reader);
  const atOneMoment = reader.$client.transaction((work: () => unknown) => work()) as <T>(work: () => T) => T;

  return (workspaceId) => {
    const pages =
      <Row>(page: Page<Row>, reads = read) =>
      (limit: number, after?: Row) =>
        reads(() => page({ workspaceId, limit }, after));
    const children =
      <Row extends { readonly revision: number }>(page: Page<Row>) =>
      (parentId: string, limit: number, revision: number) =>
        read(() => page({ workspaceId, parentId, limit }, { revision } as Partial<Row>));
    return {
      members: pages(inWorkspace.members),
      consentPolicies: pages(inWorkspace.consentPolicies),
      consentSubjects: pages(inWorkspace.consentSubjects),
      consentRecords: pages(inWorkspace.consentRecords),
      consentCurrent: pages(inWorkspace.consentCurrent),
      conversations: pages(inWorkspace.conversations),
      events: pages(inWorkspace.events, readAll),
      audit: pages(inWorkspace.audit),
      articleRevisions: children(inParent.articleRevisions),
      translationRevisions: children(inParent.translationRevisions),

      articles: (limit, after) =>
        read(() =>
          atOneMoment(() => {
            const found = inWorkspace.articles({ workspaceId, limit }, after);
            const variants = inParent.translations({ ids: JSON.stringify(found.map(({ id }) => id)) });
            return found.map((article) => ({
              ...article,
              translations: variants.filter(({ articleId }) => articleId === article.id),
            }));
          }),
        ),

      turns: (conversationId, limit, after) =>
        read(() =>
          atOneMoment(() => {
            const found = inParent.turns({ workspaceId, parentId: conversationId, limit }, after);
            const ratings = inParent.feedback({
              ids: JSON.stringify(found.map(({ messageId }) => messageId)),
            });
            return found.map((turn) => {
              const rating = ratings.find(({ messageId }) => messageId === turn.messageId);
              return rating ? { ...turn, feedback: rating } : turn;
            });
          }),
        ),
    };
  };
}

/**
 * Reads a page of rows after the last row of the previous page, of which it needs only the keys.
 */
type Page<Row> = (values: Readonly<Record<string, unknown>>, after?: Partial<Row>) => Row[];

/** Rows of tables with a workspace column. */
function prepareWorkspacePages(db: Drizzle) {
  const page = <T extends SQLiteTable & { readonly workspaceId: SQLiteColumn }>(
    table: T,
    keys: readonly SQLiteColumn[],
    condition?: SQL,
  ) =>
    preparePage<InferSelectModel<T>>(
      db,
      db
        .select()
        .from(table as SQLiteTable)
        .$dynamic(),
      keys,
      [equals(table.workspaceId, 'workspaceId'), condition],
    );
  const withEmail = db
    .select({ ...getTableColumns(members), email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId));
  const deadline = db
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      and(
        eq(conversations.workspaceId, events.workspaceId),
        eq(conversations.id, events.conversationId),
        isNotNull(conversations.deleteAfterMillis),
      ),
    );
  return {
    members: preparePage<TransferRows['members']>(
      db,
      withEmail.$dynamic(),
      [members.createdAt, members.id],
      [equals(members.workspaceId, 'workspaceId')],
    ),
    consentPolicies: page(consentPolicies, [consentPolicies.version]),
    consentSubjects: page(consentSubjects, [consentSubjects.visitorId]),
    consentRecords: page(consentRecords, [consentRecords.position]),
    consentCurrent: page(consentCurrent, [consentCurrent.visitorId]),
    articles: page(articles, [articles.id]),
    conversations: page(
      conversations,
      [conversations.startedAt, conversations.id],
      isNull(conversations.deleteAfterMillis),
    ),
    events: page(events, [events.atMillis, events.id], notExists(deadline)),
    audit: page(audit, [audit.sequence]),
  };
}

/** Rows of tables whose parent belongs to the workspace, and rows of a page of parents. */
function prepareChildPages(db: Drizzle) {
  const parent = <T extends typeof articles | typeof translations | typeof conversations>(
    column: SQLiteColumn,
    table: T,
    condition?: SQL,
  ) => {
    const own = and(equals(table.id, 'parentId'), equals(table.workspaceId, 'workspaceId'), condition);
    return eq(
      column,
      sql`(${db
        .select({ id: table.id })
        .from(table as SQLiteTable)
        .where(own)})`,
    );
  };
  const page = <T extends SQLiteTable>(table: T, keys: readonly SQLiteColumn[], condition: SQL) =>
    preparePage<InferSelectModel<T>>(
      db,
      db
        .select()
        .from(table as SQLiteTable)
        .$dynamic(),
      keys,
      [condition],
    );
  const isIn = (column: SQLiteColumn) =>
    sql`${column} in (select value from json_each(+${placeholder('ids')}))`;
  const kept = isNull(conversations.deleteAfterMillis);
  return {
    articleRevisions: page(
      articleRevisions,
      [articleRevisions.revision],
      parent(articleRevisions.articleId, articles),
    ),
    translationRevisions: page(
      translationRevisions,
      [translationRevisions.revision],
      parent(translationRevisions.translationId, translations),
    ),
    turns: page(
      turns,
      [turns.askedAt, turns.messageId],
      and(equals(turns.workspaceId, 'workspaceId'), parent(turns.conversationId, conversations, kept)) as SQL,
    ),
    translations: prepareAll<TransferRows['translations']>(
      db,
      db
        .select()
        .from(translations)
        .where(isIn(translations.articleId))
        .orderBy(translations.articleId, translations.locale),
    ),
    feedback: prepareAll<TransferRows['feedback']>(
      db,
      db.select().from(feedback).where(isIn(feedback.messageId)),
    ),
  };
}

/** Orders by the keys and continues after those of the last row. */
function preparePage<Row>(
  db: Drizzle,
  query: SQLiteSelect,
  keys: readonly SQLiteColumn[],
  conditions: readonly (SQL | undefined)[],
): Page<Row> {
  const bound = keys.map(({ name }) => sql`+${placeholder(name)}`);
  const isAfter = sql`(${sql.join([...keys], sql`, `)}) > (${sql.join(bound, sql`, `)})`;
  const all = prepareAll<Row>(
    db,
    query
      .where(and(...conditions, isAfter))
      .orderBy(...keys)
      .limit(boundLimit),
  );
  const start = Object.fromEntries(keys.map(({ name, dataType }) => [name, dataType === 'number' ? -1 : '']));
  return (values, after) => all({ ...values, ...(after ?? start) });
}
