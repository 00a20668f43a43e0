/**
 * Until an import completes, its workspace is marked as removed, with a removal time in the future.
 */

import {
  and,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  ne,
  notExists,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { setSearchText, toSearchColumns } from './article-rows.ts';
import type { SqlDatabase, Statement, Tx, WriteTx } from './database.ts';
import type { PassageWrites } from './passage-writes.ts';
import type { IndexedPassage } from './passages.ts';
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
  members,
  sourceDocuments,
  sourceRunItems,
  sourceRuns,
  sources,
  translationRevisions,
  translations,
  turns,
  users,
  workspaces,
} from './schema/index.ts';
import { bound, boundRow, db, input, insertInto, matches, rawStatement, statement } from './statements.ts';
import { mergeAccount } from './user-writes.ts';
import type { TransferRows } from './workspace-export.ts';
import { putOrigins, type Workspace } from './workspaces.ts';

/** A row to insert; the adapter adds the workspace. */
export type ImportRow =
  | {
      readonly [T in keyof TransferRows]: { table: T; row: TransferRows[T] };
    }[keyof TransferRows]
  /** Sets the live revision of an article or translation once that revision is stored. */
  | {
      table: 'live';
      of: 'articles' | 'translations';
      id: string;
      revision: number;
    }
  /** Sets the columns that lists of articles sort and search by, once the newest revision is known. */
  | {
      table: 'search';
      id: string;
      slug: string;
      content: { title: string; aliases: readonly string[] };
    }
  | { table: 'passages'; row: IndexedPassage };

export function sqlWorkspaceImports(
  { read, write }: SqlDatabase,
  { writePassage }: Pick<PassageWrites, 'writePassage'>,
) {
  return {
    begin: (workspace: Workspace, untilMillis: number) =>
      write(workspace.id, async (tx) => {
        const { id, settings } = workspace;
        if (await tx.get(existsById, { id })) return 'id_taken';
        const pending = { appId: `importing:${id}`, removedAt: untilMillis };
        await tx.run(insertWorkspace, { ...workspace, ...pending, settings: JSON.stringify(settings) });
        await putOrigins(tx, id, settings);
        return 'begun';
      }),

    /**
     * Inserts rows in order and extends the import's deadline to `untilMillis`. Returns 'gone' when
     * the deadline has passed. `taken` is the index of the first row whose id or other unique value exists
     * already; nothing is stored then. A member with an unknown address becomes a user with the id `userId` and no
     * password.
     */
    put: (
      workspaceId: string,
      rows: readonly ImportRow[],
      time: { nowMillis: number; untilMillis: number },
    ) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(extend, { workspaceId, ...time })) === 0) return 'gone';
        await insertAll(tx, workspaceId, rows);
        // Calls for the same locale must not run concurrently.
        for (const [index, row] of rows.entries()) {
          if (row.table === 'passages') await writePassage(tx, workspaceId, row.row);
          if (!(await insertReferring(tx, workspaceId, row))) throw new RowExists(index);
        }
        return 'put' as const;
      }).catch((error) => {
        if (error instanceof RowExists) return { taken: error.index };
        throw error;
      }),

    /** Returns whether the workspace has no articles, conversations, events and consent records. */
    isEmpty: (id: string) => read(id, async (tx) => !(await hasContent(tx, id))),

    /**
     * Makes the workspace visible under this app id. With `replacedId`, the same transaction removes
     * that workspace if it is empty and moves its members to the new one.
     */
    complete: (workspaceId: string, appId: string, nowMillis: number, replacedId?: string) =>
      write(undefined, async (tx) => {
        await tx.lock(workspaceId);
        if ((await tx.run(extend, { workspaceId, nowMillis, untilMillis: nowMillis + 1 })) === 0)
          return 'gone';
        if (await tx.get(otherWithAppId, { appId, replacedId: replacedId ?? '' })) return 'app_id_taken';
        if (replacedId !== undefined) {
          if ((await replaceEmptyWorkspace(tx, replacedId, workspaceId, nowMillis)) === 'not_empty')
            return 'not_empty';
        }
        await tx.run(publish, { workspaceId, appId });
        return 'complete';
      }),

    /** Removes the incomplete workspace. */
    abandon: (workspaceId: string) =>
      write(workspaceId, async (tx) => {
        await tx.run(abandon, { workspaceId });
      }),
  };
}

/** Moves the members of an empty workspace to the new one and removes the empty one. */
async function replaceEmptyWorkspace(
  tx: WriteTx,
  replacedId: string,
  workspaceId: string,
  nowMillis: number,
): Promise<'replaced' | 'not_empty'> {
  await tx.lock(replacedId);
  if (!(await tx.get(existing, { id: replacedId })) || (await hasContent(tx, replacedId))) return 'not_empty';
  for (const { email, userId } of await tx.all(imported, { workspaceId })) {
    const existingMember = await tx.get(sameAddress, { replacedId, email });
    if (existingMember) await mergeAccount(tx, userId, existingMember.userId);
  }
  await tx.run(moveAccounts, { workspaceId, replacedId });
  await tx.run(moveMembers, { workspaceId, replacedId });
  await tx.run(remove, { id: replacedId, nowMillis, appId: `replaced:${replacedId}` });
  return 'replaced';
}

const find = (...conditions: SQL[]) =>
  statement(() =>
    db
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(and(...conditions)),
  );
const byId = matches(workspaces.id);
const isOwn = eq(workspaces.id, input('workspaceId'));
const ofOther = input('replacedId');
const insertWorkspace = insertInto(workspaces);
const existsById = find(byId);
const existing = find(byId, isNull(workspaces.removedAt));
const otherWithAppId = find(matches(workspaces.appId), ne(workspaces.id, ofOther));
const extend = statement(() =>
  db
    .update(workspaces)
    .set({ removedAt: sql`${input('untilMillis')}` })
    .where(and(isOwn, gt(workspaces.removedAt, input('nowMillis')))),
);
const abandon = statement(() =>
  db
    .update(workspaces)
    .set({ removedAt: 0 })
    .where(and(isOwn, isNotNull(workspaces.removedAt))),
);
const publish = statement(() =>
  db
    .update(workspaces)
    .set({ ...bound('appId'), removedAt: null })
    .where(isOwn),
);
const remove = statement(() =>
  db
    .update(workspaces)
    .set({ ...bound('appId'), removedAt: sql`${input('nowMillis')}` })
    .where(byId),
);
/** Accounts of this workspace alone, with their addresses. */
const imported = statement(() =>
  db.select({ email: users.email, userId: users.id }).from(users).where(matches(users.workspaceId)),
);
const sameAddress = statement(() =>
  db
    .select({ userId: users.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.workspaceId, ofOther), matches(users.email))),
);
const moveAccounts = statement(() =>
  db.update(users).set(bound('workspaceId')).where(eq(users.workspaceId, ofOther)),
);
const moveMembers = statement(() => {
  const already = db.select({ userId: members.userId }).from(members).where(matches(members.workspaceId));
  return db
    .update(members)
    .set(bound('workspaceId'))
    .where(and(eq(members.workspaceId, ofOther), notInArray(members.userId, already)));
});
const content = [articles, conversations, events, consentRecords].map((table) =>
  statement(() => db.select({ one: sql`1` }).from(table).where(matches(table.workspaceId)).limit(1)),
);

async function hasContent(tx: Tx, workspaceId: string): Promise<boolean> {
  const found = await Promise.all(content.map((statement) => tx.get(statement, { workspaceId })));
  return found.some((row) => row !== undefined);
}

/** Rolls the rows back, because later ones may depend on one that collides. */
class RowExists extends Error {
  readonly index: number;
  constructor(index: number) {
    super('a row exists already');
    this.index = index;
  }
}

/** Inserts everything but passages, and what refers to rows of other sections. */
async function insertAll(tx: WriteTx, workspaceId: string, rows: readonly ImportRow[]): Promise<void> {
  const inserted = await Promise.allSettled(rows.map((row) => insertRow(tx, workspaceId, row)));
  // The first problem may have caused the others.
  for (const [index, outcome] of inserted.entries()) {
    if (outcome.status === 'rejected') throw outcome.reason;
    if (!outcome.value) throw new RowExists(index);
  }
}

/** Returns false when a row with the same id or another unique value exists. */
async function insertRow(tx: WriteTx, workspaceId: string, item: ImportRow): Promise<boolean> {
  switch (item.table) {
    case 'passages':
    case 'answerTests':
    case 'inboxGroups':
    case 'inboxQuestions':
    case 'handovers':
    case 'handoverReplies':
    case 'handoverNotes':
      return true;
    case 'live':
      await tx.run(setLive[item.of], { id: item.id, revision: item.revision });
      return true;
    case 'search':
      await tx.run(setSearchText, { articleId: item.id, ...toSearchColumns(item.slug, item.content) });
      return true;
    case 'consentPolicies':
      // An archive may contain a policy twice.
      await tx.run(insert.consentPolicies, { ...item.row, workspaceId });
      return true;
    case 'members': {
      const { userId: id, email, createdAt } = item.row;
      if ((await tx.run(insertUser, { id, email, passwordHash: '', createdAt, workspaceId })) === 0)
        return false;
      return (await tx.run(insert.members, { ...item.row, workspaceId })) > 0;
    }
    default:
      return (await tx.run(insert[item.table] as Statement, { ...item.row, workspaceId })) > 0;
  }
}

/** Called after all other rows are inserted, because these refer to them. */
async function insertReferring(tx: WriteTx, workspaceId: string, item: ImportRow): Promise<boolean> {
  if (item.table === 'answerTests') {
    const { articleId } = item.row;
    // The archive may lack the article, if it was deleted while the workspace was exported.
    const isLost = articleId !== null && !(await tx.get(articleInWorkspace, { workspaceId, id: articleId }));
    return isLost || (await tx.run(insert.answerTests, { ...item.row, workspaceId })) > 0;
  }
  if (item.table === 'inboxGroups') return (await tx.run(insertInboxGroup, { ...item.row, workspaceId })) > 0;
  // The archive may lack the turn, if it was deleted while the workspace was exported.
  if (item.table === 'inboxQuestions') await tx.run(insertInboxQuestion, { ...item.row, workspaceId });
  if (item.table === 'handovers') return (await tx.run(insertHandover, { ...item.row, workspaceId })) > 0;
  // The archive may lack the handover, if it was deleted while the workspace was exported.
  if (item.table === 'handoverReplies' || item.table === 'handoverNotes')
    await tx.run(insertHandoverPart[item.table], { ...item.row, workspaceId });
  return true;
}

const insertUser = insertInto(users, 'orIgnore');
const ofWorkspace = (table: typeof members | typeof articles, id: string) =>
  sql`(SELECT id FROM ${table} WHERE id = ${input(id)} AND workspace_id = ${input('workspaceId')})`;
const insertInboxGroup = statement(() =>
  db
    .insert(inboxGroups)
    .values({
      ...boundRow(inboxGroups),
      assigneeId: ofWorkspace(members, 'assigneeId'),
      articleId: ofWorkspace(articles, 'articleId'),
      nearestArticleId: ofWorkspace(articles, 'nearestArticleId'),
    })
    .onConflictDoNothing(),
);
const insertInboxQuestion = rawStatement(
  sql`INSERT INTO inbox_questions (message_id, workspace_id, group_id, kinds, asked_at, confidence)
   SELECT message_id, turns.workspace_id, inbox_groups.id, ${input('kinds')}, ${input('askedAt')},
   ${input('confidence')}
   FROM turns JOIN inbox_groups ON inbox_groups.workspace_id = turns.workspace_id
   AND inbox_groups.id = ${input('groupId')}
   WHERE message_id = ${input('messageId')} AND turns.workspace_id = ${input('workspaceId')}
   ON CONFLICT DO NOTHING`,
);
const insertHandover = statement(() =>
  db
    .insert(handovers)
    .values({ ...boundRow(handovers), assigneeId: ofWorkspace(members, 'assigneeId') })
    .onConflictDoNothing(),
);
const createPartInsert = (table: typeof handoverReplies | typeof handoverNotes) =>
  rawStatement(
    sql`INSERT INTO ${table} (id, workspace_id, handover_id, text, created_at, created_by)
     SELECT ${input('id')}, workspace_id, id, ${input('text')}, ${input('createdAt')}, ${input('createdBy')}
     FROM handovers WHERE id = ${input('handoverId')} AND workspace_id = ${input('workspaceId')}
     ON CONFLICT DO NOTHING`,
  );
const insertHandoverPart = {
  handoverReplies: createPartInsert(handoverReplies),
  handoverNotes: createPartInsert(handoverNotes),
};
const articleInWorkspace = statement(() =>
  db.select({ id: articles.id }).from(articles).where(matches(articles.workspaceId, articles.id)),
);
const insert = {
  answerTests: insertInto(answerTests, 'orIgnore'),
  members: insertInto(members, 'orIgnore'),
  consentPolicies: insertInto(consentPolicies, 'orIgnore'),
  consentSubjects: insertInto(consentSubjects, 'orIgnore'),
  consentRecords: insertUnless(
    consentRecords,
    matches(consentRecords.id, consentRecords.workspaceId, consentRecords.position),
  ),
  consentCurrent: insertInto(consentCurrent, 'orIgnore'),
  collections: insertInto(collections, 'orIgnore'),
  articles: insertInto(articles, 'orIgnore'),
  articleAddresses: insertInto(articleAddresses, 'orIgnore'),
  articleRevisions: insertUnless(
    articleRevisions,
    matches(articleRevisions.articleId, articleRevisions.revision),
  ),
  translations: insertInto(translations, 'orIgnore'),
  translationRevisions: insertUnless(
    translationRevisions,
    matches(translationRevisions.translationId, translationRevisions.revision),
  ),
  images: insertInto(images, 'orIgnore'),
  sources: insertInto(sources, 'orIgnore'),
  sourceDocuments: insertInto(sourceDocuments, 'orIgnore'),
  sourceRuns: insertInto(sourceRuns, 'orIgnore'),
  sourceRunItems: insertInto(sourceRunItems, 'orIgnore'),
  conversations: insertInto(conversations, 'orIgnore'),
  turns: insertInto(turns, 'orIgnore'),
  feedback: insertInto(feedback, 'orIgnore'),
  conversationNotes: insertInto(conversationNotes, 'orIgnore'),
  events: insertInto(events, 'orIgnore'),
  audit: insertUnless(audit, matches(audit.id, audit.sequence)),
};

/** Returns an insert for append-only tables: on SQLite, their triggers reject an existing row even with `orIgnore`. */
function insertUnless<T extends SQLiteTable>(table: T, ...known: readonly SQL[]): Statement {
  return statement(() => {
    const row = Object.entries(getTableColumns(table)).map(
      ([name, column]) => sql`${sql.param(input(name), column)}`,
    );
    const exists = db
      .select({ one: sql`1` })
      .from(table as SQLiteTable)
      .where(or(...known));
    return db
      .insert(table)
      .select(sql`select ${sql.join(row, sql`, `)} where ${notExists(exists)}`)
      .onConflictDoNothing();
  });
}

const createSetLive = (table: typeof articles | typeof translations) =>
  statement(() =>
    db
      .update(table)
      .set({ liveRevision: sql`${input('revision')}` })
      .where(matches(table.id)),
  );
const setLive = { articles: createSetLive(articles), translations: createSetLive(translations) };
