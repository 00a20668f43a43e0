import { and, asc, desc, eq, getTableColumns, isNull, or, sql } from 'drizzle-orm';
import type { WebhookData } from '../../contract/webhook-events.ts';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, Tx } from './database.ts';
import { type NewMail, queueMail } from './mails.ts';
import { handoverNotes, handoverReplies, handovers, members } from './schema/index.ts';
import {
  db,
  input,
  insertInto,
  matches,
  rawStatement,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';
import { recordWebhookEvent } from './webhook-events.ts';

/** Questions of visitors to a person, with the replies and notes of the team. */

export type Handover = Omit<Stored<typeof handovers>, 'workspaceId'>;
export type HandoverReply = Omit<Stored<typeof handoverReplies>, 'workspaceId'>;
type HandoverNote = Omit<Stored<typeof handoverNotes>, 'workspaceId'>;
export type HandoverSummary = Omit<Handover, 'transcript' | 'summary' | 'idempotencyKey' | 'payloadHash'>;

/** Who is told of a change, in its transaction. */
export type Notices<Type extends 'handover.created' | 'handover.replied'> = {
  mail: NewMail | undefined;
  payload: WebhookData<Type>;
};

export type HandoverFilter = {
  state: Handover['state'];
  /** A member, or null for handovers without an assignee. */
  assigneeId?: string | null | undefined;
};

/** Undefined leaves a field as it is; `assigneeId: null` empties it. */
export type HandoverChange = {
  state?: Handover['state'] | undefined;
  assigneeId?: string | null | undefined;
};

/** Builds the audit row of a change, unless nothing changes. Must be pure; runs inside the transaction. */
type HandoverAudit = (before: Handover) => AuditEntry | undefined;

export function sqlHandovers(database: SqlDatabase) {
  return (workspaceId: string) => ({
    ...createVisitorMethods(database, workspaceId),
    ...createMemberMethods(database, workspaceId),
  });
}

/** Finds the workspace of a handover. */
export function sqlHandoverWorkspace({ read }: SqlDatabase) {
  return (id: string) => read(undefined, async (tx) => (await tx.get(workspaceOf, { id }))?.workspaceId);
}

function createVisitorMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    /** Stores a handover. Returns the one that the visitor has sent with the same key, if there is one. */
    create: (handover: Handover, notices: Notices<'handover.created'>) =>
      write(workspaceId, async (tx) => {
        const isNew = (await tx.run(insert, { ...handover, workspaceId })) > 0;
        const { id: subject, visitorId, idempotencyKey, createdAt: at } = handover;
        if (isNew) {
          await queueMail(tx, notices.mail);
          const event = { workspaceId, subject, visitorId, payload: notices.payload, at };
          await recordWebhookEvent(tx, { ...event, type: 'handover.created' });
          return handover;
        }
        return withoutNulls((await tx.get(byKey, { workspaceId, visitorId, idempotencyKey }))!);
      }),

    /** Finds the handover that the visitor has sent with this key. */
    findSent: (visitorId: string, idempotencyKey: string) =>
      read(workspaceId, async (tx) => {
        const found = await tx.get(byKey, { workspaceId, visitorId, idempotencyKey });
        return found && withoutNulls(found);
      }),

    /** Lists the newest handovers of a visitor with their replies. */
    ofVisitor: (visitorId: string, limit: number) =>
      read(
        workspaceId,
        async (tx) => {
          const rows = await tx.all(ofVisitor, { workspaceId, visitorId, limit });
          const replies = rows.map(({ id }) => tx.all(repliesOf, { workspaceId, handoverId: id }));
          const repliesByRow = await Promise.all(replies);
          return rows.map((row, at) => ({ ...withoutNulls(row), replies: repliesByRow[at]! }));
        },
        'atOnce',
      ),
  };
}

function createMemberMethods({ read, write }: SqlDatabase, workspaceId: string) {
  const find = (tx: Tx, id: string) => tx.get(byId, { workspaceId, id });
  return {
    /** Lists handovers newest first, after the given position. */
    list: (
      limit: number,
      { state, assigneeId = ANYBODY }: HandoverFilter,
      after: Pick<Handover, 'id' | 'createdAt'> = BEFORE_ALL,
    ) =>
      read(workspaceId, async (tx) => {
        const filter = { state, assigneeId: assigneeId ?? '' };
        return (await tx.all(newest, { workspaceId, limit, ...filter, ...after })).map(withoutNulls);
      }),

    counts: (memberId: string) =>
      read(workspaceId, async (tx) => (await tx.get(counts, { workspaceId, memberId }))!),

    /** Finds a handover with its replies and notes, oldest first. */
    find: (id: string) =>
      read(
        workspaceId,
        async (tx) => {
          const [found, replies, notes] = await Promise.all([
            find(tx, id),
            tx.all(repliesOf, { workspaceId, handoverId: id }),
            tx.all(notesOf, { workspaceId, handoverId: id }),
          ]);
          return found && { ...withoutNulls(found), replies, notes };
        },
        'atOnce',
      ),

    change: (id: string, change: HandoverChange, audit: HandoverAudit) =>
      write(workspaceId, async (tx) => {
        const found = await find(tx, id);
        if (!found) return 'gone';
        const { state, assigneeId } = change;
        const isMember = !assigneeId || (await tx.get(member, { workspaceId, id: assigneeId }));
        if (!isMember) return 'no_member';
        const entry = audit(withoutNulls(found));
        if (!entry) return 'changed';
        const after = { state: state ?? found.state };
        const assigned = { assigneeId: assigneeId === undefined ? found.assigneeId : assigneeId };
        await tx.run(update, { workspaceId, id, ...after, ...assigned });
        await insertAudit(tx, workspaceId, entry);
        return 'changed';
      }),

    /** Adds a reply and marks the handover as answered, unless it is gone, has `repliesMax` replies, or has this one. */
    reply: (
      reply: HandoverReply,
      repliesMax: number,
      audit: AuditEntry,
      notices: Notices<'handover.replied'>,
    ) =>
      write(workspaceId, async (tx): Promise<'gone' | 'repeated' | 'too_many' | 'added'> => {
        const { handoverId } = reply;
        const found = await find(tx, handoverId);
        if (!found) return 'gone';
        if (await tx.get(oneReply, { workspaceId, id: reply.id })) return 'repeated';
        if ((await tx.get(countReplies, { workspaceId, handoverId }))!.count >= repliesMax) return 'too_many';
        await tx.run(insertReply, { ...reply, workspaceId });
        await tx.run(update, {
          ...{ workspaceId, id: handoverId, state: 'answered', assigneeId: found.assigneeId },
        });
        await insertAudit(tx, workspaceId, audit);
        await queueMail(tx, notices.mail);
        const event = { workspaceId, subject: handoverId, visitorId: found.visitorId, at: reply.createdAt };
        await recordWebhookEvent(tx, { ...event, type: 'handover.replied', payload: notices.payload });
        return 'added';
      }),

    /** Adds a note unless the handover is gone or has `notesMax` notes. */
    addNote: (note: HandoverNote, notesMax: number) =>
      write(workspaceId, async (tx) => {
        const { handoverId } = note;
        if (!(await find(tx, handoverId))) return 'gone';
        if ((await tx.get(countNotes, { workspaceId, handoverId }))!.count >= notesMax) return 'too_many';
        await tx.run(insertNote, { ...note, workspaceId });
        return 'added';
      }),

    /** Removes a note. With `author`, only one that this member wrote. */
    removeNote: (handoverId: string, id: string, author?: string) =>
      write(workspaceId, async (tx) => {
        const note = await tx.get(oneNote, { workspaceId, handoverId, id });
        if (!note) return 'gone';
        if (author !== undefined && note.createdBy !== author) return 'not_author';
        await tx.run(removeNote, { workspaceId, id });
        return 'removed';
      }),
  };
}

const { workspaceId: _, ...columns } = getTableColumns(handovers);
const {
  transcript: _transcript,
  summary: _summary,
  idempotencyKey: _key,
  payloadHash: _hash,
  ...summaryColumns
} = columns;
const inWorkspace = matches(handovers.workspaceId);
const insert = insertInto(handovers, 'orIgnore');
const byKey = statement(() =>
  db
    .select(columns)
    .from(handovers)
    .where(and(inWorkspace, matches(handovers.visitorId, handovers.idempotencyKey))),
);
const byId = statement(() =>
  db
    .select(columns)
    .from(handovers)
    .where(and(inWorkspace, matches(handovers.id))),
);
const workspaceOf = statement(() =>
  db.select({ workspaceId: handovers.workspaceId }).from(handovers).where(matches(handovers.id)),
);
const newestFirst = [desc(handovers.createdAt), desc(handovers.id)] as const;
const ofVisitor = statement(() =>
  db
    .select(columns)
    .from(handovers)
    .where(and(inWorkspace, matches(handovers.visitorId)))
    .orderBy(...newestFirst)
    .limit(input('limit')),
);

const ANYBODY = '*';
const BEFORE_ALL = { createdAt: Number.MAX_SAFE_INTEGER, id: '~' };
const newest = statement(() =>
  db
    .select(summaryColumns)
    .from(handovers)
    .where(
      and(
        matches(handovers.workspaceId, handovers.state),
        sql`(${handovers.createdAt}, ${handovers.id}) < (${input('createdAt')}, ${input('id')})`,
        or(
          sql`${input('assigneeId')} = ${ANYBODY}`,
          eq(handovers.assigneeId, input('assigneeId')),
          and(sql`${input('assigneeId')} = ''`, isNull(handovers.assigneeId)),
        ),
      ),
    )
    .orderBy(...newestFirst)
    .limit(input('limit')),
);
const counts = rawStatement<{ open: number; mine: number }>(
  sql`SELECT count(*), coalesce(sum(CASE WHEN assignee_id = ${input('memberId')} THEN 1 ELSE 0 END), 0)
   FROM handovers WHERE workspace_id = ${input('workspaceId')} AND state = 'open'`,
  'open',
  'mine',
);
const member = statement(() =>
  db.select({ id: members.id }).from(members).where(matches(members.workspaceId, members.id)),
);
const update = rawStatement(
  sql`UPDATE handovers SET state = ${input('state')}, assignee_id = ${input('assigneeId')}
   WHERE workspace_id = ${input('workspaceId')} AND id = ${input('id')}`,
);

const isReplyOf = matches(handoverReplies.workspaceId, handoverReplies.handoverId);
const { workspaceId: _replies, ...replyColumns } = getTableColumns(handoverReplies);
const repliesOf = statement(() =>
  db.select(replyColumns).from(handoverReplies).where(isReplyOf).orderBy(asc(handoverReplies.id)),
);
const oneReply = statement(() =>
  db
    .select({ id: handoverReplies.id })
    .from(handoverReplies)
    .where(matches(handoverReplies.workspaceId, handoverReplies.id)),
);
const insertReply = insertInto(handoverReplies);
const createCount = (table: typeof handoverReplies | typeof handoverNotes) =>
  rawStatement<{ count: number }>(
    sql`SELECT count(*) FROM ${table}
     WHERE workspace_id = ${input('workspaceId')} AND handover_id = ${input('handoverId')}`,
    'count',
  );
const countReplies = createCount(handoverReplies);

const isNoteOf = matches(handoverNotes.workspaceId, handoverNotes.handoverId);
const { workspaceId: _notes, ...noteColumns } = getTableColumns(handoverNotes);
const selectNotes = () => db.select(noteColumns).from(handoverNotes);
const notesOf = statement(() => selectNotes().where(isNoteOf).orderBy(asc(handoverNotes.id)));
const oneNote = statement(() => selectNotes().where(and(isNoteOf, matches(handoverNotes.id))));
const insertNote = insertInto(handoverNotes);
const countNotes = createCount(handoverNotes);
const removeNote = statement(() =>
  db.delete(handoverNotes).where(matches(handoverNotes.workspaceId, handoverNotes.id)),
);
