/**
 * Until an import completes, its workspace is marked as removed, with a removal time in the future.
 */
import { and, eq, gt, isNotNull, isNull, ne, notInArray, type SQL, sql } from 'drizzle-orm';
import type { WriteTx } from '../sql/database.ts';
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
  workspaces,
} from '../sql/schema.ts';
import { absorb, insertUnproved } from '../sql/user-writes.ts';
import { putOrigins } from '../sql/workspaces.ts';
import type { ImportRow, WorkspaceImports } from '../transfer.ts';
import type { Connections, Drizzle } from './connections.ts';
import { writePassage } from './passages.ts';
import { bound, insertInto, matches, placeholder } from './statements.ts';
import { getSqliteCode } from './storage-errors.ts';

/** A unique value exists already. */
const TAKEN = ['SQLITE_CONSTRAINT_PRIMARYKEY', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_TRIGGER'];

export function sqliteWorkspaceImports({ writer, reader, read, write }: Connections): WorkspaceImports {
  const insertRow = prepareInserts(writer);
  const sqlite = prepareStatements(writer);
  const hasContent = prepareHasContent(writer);
  const readHasContent = prepareHasContent(reader);

  /** Moves the members of an empty workspace to the new one and removes the empty one. */
  async function replace(
    tx: WriteTx,
    instead: string,
    workspaceId: string,
    nowMillis: number,
  ): Promise<'replaced' | 'not_empty'> {
    if (!sqlite.existing.get({ id: instead }) || hasContent(instead)) return 'not_empty';
    for (const { email, userId } of sqlite.imported.all({ workspaceId })) {
      const known = sqlite.sameAddress.get({ instead, email });
      if (known) await absorb(tx, userId, known.userId);
    }
    sqlite.moveAccounts.run({ workspaceId, instead });
    sqlite.moveMembers.run({ workspaceId, instead });
    sqlite.remove.run({ id: instead, nowMillis, appId: `replaced:${instead}` });
    return 'replaced';
  }

  return {
    begin: (workspace, untilMillis) =>
      write(async (tx) => {
        const { id, settings } = workspace;
        if (sqlite.any.get({ id })) return 'id_taken';
        const pending = { appId: `importing:${id}`, removedAt: untilMillis };
        sqlite.insert({ ...workspace, ...pending, settings: JSON.stringify(settings) });
        await putOrigins(tx, id, settings);
        return 'begun';
      }),

    put: (workspaceId, rows, time) =>
      write(async (tx) => {
        if (sqlite.extend.run({ workspaceId, ...time }).changes === 0) return 'gone';
        for (const [taken, row] of rows.entries()) {
          if (!(await insertUnlessTaken(() => insertRow(tx, workspaceId, row)))) return { taken };
        }
        return 'put';
      }),

    isEmpty: (id) => read(() => !readHasContent(id)),

    complete: (workspaceId, appId, nowMillis, instead) =>
      write(async (tx) => {
        const untilMillis = nowMillis + 1;
        if (sqlite.extend.run({ workspaceId, nowMillis, untilMillis }).changes === 0) return 'gone';
        if (sqlite.otherWithAppId.get({ appId, instead: instead ?? '' })) return 'app_id_taken';
        if (instead !== undefined) {
          if ((await replace(tx, instead, workspaceId, nowMillis)) === 'not_empty') return 'not_empty';
        }
        sqlite.publish.run({ workspaceId, appId });
        return 'complete';
      }),

    abandon: (workspaceId) =>
      write(() => {
        sqlite.abandon.run({ workspaceId });
      }),
  };
}

function prepareStatements(writer: Drizzle) {
  const find = (...conditions: SQL[]) =>
    writer
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(and(...conditions))
      .prepare();
  const byId = matches(workspaces.id);
  const isOwn = eq(workspaces.id, placeholder('workspaceId'));
  const alreadyMembers = writer
    .select({ userId: members.userId })
    .from(members)
    .where(matches(members.workspaceId));
  return {
    insert: insertInto(writer, workspaces),
    any: find(byId),
    existing: find(byId, isNull(workspaces.removedAt)),
    otherWithAppId: find(matches(workspaces.appId), ne(workspaces.id, placeholder('instead'))),
    extend: writer
      .update(workspaces)
      .set({ removedAt: sql`${placeholder('untilMillis')}` })
      .where(and(isOwn, gt(workspaces.removedAt, placeholder('nowMillis'))))
      .prepare(),
    abandon: writer
      .update(workspaces)
      .set({ removedAt: 0 })
      .where(and(isOwn, isNotNull(workspaces.removedAt)))
      .prepare(),
    publish: writer
      .update(workspaces)
      .set({ ...bound('appId'), removedAt: null })
      .where(isOwn)
      .prepare(),
    /** Members with an account of their workspace alone. */
    imported: writer
      .select({ email: users.email, userId: users.id })
      .from(users)
      .where(eq(users.workspaceId, placeholder('workspaceId')))
      .prepare(),
    sameAddress: writer
      .select({ userId: users.id })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(eq(members.workspaceId, placeholder('instead')), matches(users.email)))
      .prepare(),
    moveAccounts: writer
      .update(users)
      .set(bound('workspaceId'))
      .where(eq(users.workspaceId, placeholder('instead')))
      .prepare(),
    moveMembers: writer
      .update(members)
      .set(bound('workspaceId'))
      .where(and(eq(members.workspaceId, placeholder('instead')), notInArray(members.userId, alreadyMembers)))
      .prepare(),
    remove: writer
      .update(workspaces)
      .set({ ...bound('appId'), removedAt: sql`${placeholder('nowMillis')}` })
      .where(byId)
      .prepare(),
  };
}

function prepareHasContent(db: Drizzle): (workspaceId: string) => boolean {
  const statements = [articles, conversations, events, consentRecords].map((table) =>
    db.select({ one: sql`1` }).from(table).where(matches(table.workspaceId)).limit(1).prepare(),
  );
  return (workspaceId) => statements.some((statement) => statement.get({ workspaceId }) !== undefined);
}

type InsertRow = (tx: WriteTx, workspaceId: string, row: ImportRow) => Promise<void>;

function prepareInserts(writer: Drizzle): InsertRow {
  const insert = {
    members: insertInto(writer, members),
    consentPolicies: insertInto(writer, consentPolicies),
    consentSubjects: insertInto(writer, consentSubjects),
    consentRecords: insertInto(writer, consentRecords),
    consentCurrent: insertInto(writer, consentCurrent),
    articles: insertInto(writer, articles),
    articleRevisions: insertInto(writer, articleRevisions),
    translations: insertInto(writer, translations),
    translationRevisions: insertInto(writer, translationRevisions),
    conversations: insertInto(writer, conversations),
    turns: insertInto(writer, turns),
    feedback: insertInto(writer, feedback),
    events: insertInto(writer, events),
    audit: insertInto(writer, audit),
  };
  const setLive = (table: typeof articles | typeof translations) =>
    writer
      .update(table)
      .set({ liveRevision: sql`${placeholder('revision')}` })
      .where(matches(table.id))
      .prepare();
  const live = { articles: setLive(articles), translations: setLive(translations) };

  return async (tx, workspaceId, item) => {
    switch (item.table) {
      case 'passages':
        writePassage(writer.$client, workspaceId, item.row);
        break;
      case 'live':
        live[item.of].run({ id: item.id, revision: item.revision });
        break;
      case 'members': {
        const { userId, email, createdAt } = item.row;
        await insertUnproved(tx, { userId, email, passwordHash: '' }, workspaceId, createdAt);
        insert.members({ ...item.row, workspaceId });
        break;
      }
      default:
        insert[item.table]({ ...item.row, workspaceId } as never);
    }
  };
}

/** A statement that violates a constraint rolls back only itself. */
async function insertUnlessTaken(insert: () => Promise<void>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (error) {
    if (TAKEN.includes(getSqliteCode(error) ?? '')) return false;
    throw error;
  }
}
