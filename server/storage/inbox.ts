import { and, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type AuditEntry, insertAudit } from './audit.ts';
import { type RatingDetails, ratingColumns, type Turn } from './conversation-queries.ts';
import type { SqlDatabase, Tx, WriteTx } from './database.ts';
import type { Span } from './keyset.ts';
import {
  articles,
  feedback,
  inboxGroups,
  inboxProgress,
  inboxQuestions,
  members,
  turns,
} from './schema/index.ts';
import {
  db,
  input,
  matches,
  putInto,
  rawStatement,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';

/**
 * Questions that were not answered well, in groups of similar ones. A group exists as long as it has questions, and a
 * question as long as its turn: erasure, retention and deletion deadlines remove questions.
 */

/** Why a question is in the inbox: bit flags, stored as their sum. */
export const INBOX_KIND = { unanswered: 1, rated_down: 2, low_confidence: 4 } as const;

export type InboxKind = keyof typeof INBOX_KIND;

type InboxState = InboxGroup['state'];

export type InboxGroup = Omit<Stored<typeof inboxGroups>, 'workspaceId'>;

export type InboxSummary = InboxGroup & {
  kinds: Readonly<Record<InboxKind, number>>;
  /** Questions since `resolvedAt`; zero without it. */
  askedSince: number;
  /** The newest questions. */
  examples: readonly InboxQuestion[];
};

export type InboxQuestion = Pick<
  Turn,
  'messageId' | 'conversationId' | 'question' | 'requestedLocale' | 'askedAt'
> &
  Partial<RatingDetails> & {
    /** Sum of `INBOX_KIND`. */
    kinds: number;
    /** Confidence of the answer, in thousandths. */
    confidence?: number;
  };

export type InboxOrder = 'asked' | 'recent';

export type InboxFilter = {
  states: readonly InboxState[];
  kind?: InboxKind;
  /** A member, or null for groups without an assignee. */
  assigneeId?: string | null;
  isAssigned?: boolean;
};

export type InboxPosition = Pick<InboxGroup, 'id' | 'asked' | 'lastAskedAt'>;

/** Undefined leaves a field as it is, null empties it. */
export type InboxChange = {
  state?: InboxState;
  assigneeId?: string | null;
  articleId?: string | null;
};

/** Builds the audit row of a change, unless nothing changes. Must be pure; runs inside the transaction. */
type InboxAudit = (before: InboxGroup) => AuditEntry | undefined;

/** A question that represents its group in comparisons. */
export type InboxRepresentative = Pick<Turn, 'messageId' | 'question' | 'requestedLocale'> & {
  groupId: string;
  signature?: string;
};

export type NewInboxQuestion = Pick<Turn, 'messageId' | 'askedAt'> & {
  /** Creates the group if the id is new. */
  groupId: string;
  kinds: number;
  confidence?: number;
  /** Only representative questions have a signature. */
  signature?: string;
  nearestArticleId?: string;
};

/** How far turns (by export position) and ratings have been read. */
export type InboxProgress = Omit<Stored<typeof inboxProgress>, 'workspaceId'>;

const KINDS = Object.keys(INBOX_KIND) as InboxKind[];
const EXAMPLES = 3;
const NOTHING_READ: InboxProgress = { turnAt: -1, messageId: '', ratedAt: -1 };

export function sqlInbox(database: SqlDatabase) {
  return (workspaceId: string) => ({
    ...createMemberMethods(database, workspaceId),
    ...createCollectorMethods(database, workspaceId),
  });
}

/** The methods by which members read and change groups. */
function createMemberMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    /** Lists groups that match, after the given position. */
    list: (limit: number, filter: InboxFilter, order: InboxOrder, after?: InboxPosition) =>
      read(
        workspaceId,
        async (tx) => {
          const page = { workspaceId, limit, ...toParameters(filter), ...(after ?? BEFORE_ALL) };
          const rows = await tx.all(listings[order], page);
          return Promise.all(rows.map((group) => toSummary(tx, group)));
        },
        'atOnce',
      ),

    find: (groupId: string) =>
      read(
        workspaceId,
        async (tx) => {
          const row = await tx.get(group, { workspaceId, groupId });
          return row && toSummary(tx, row);
        },
        'atOnce',
      ),

    /** Counts open groups: all, by kind, and those assigned to this member. */
    counts: (memberId: string) =>
      read(workspaceId, async (tx) => (await tx.get(openCounts, { workspaceId, memberId }))!),

    /** Lists the newest questions of a group. */
    questions: (groupId: string, limit: number) =>
      read(workspaceId, async (tx) =>
        (await tx.all(newestQuestions, { workspaceId, groupId, limit })).map(withoutNulls),
      ),

    /** Returns 'no_member' or 'no_article', and changes nothing, when the member or article is not of this workspace. */
    change: (
      groupId: string,
      { state, assigneeId, articleId }: InboxChange,
      nowMillis: number,
      toAudit: InboxAudit,
    ) =>
      write(workspaceId, async (tx) => {
        const before = await tx.get(group, { workspaceId, groupId });
        if (!before) return 'gone';
        if (assigneeId && !(await tx.get(member, { workspaceId, id: assigneeId }))) return 'no_member';
        if (articleId && !(await tx.get(article, { workspaceId, id: articleId }))) return 'no_article';
        await tx.run(change, {
          ...{ workspaceId, groupId, nowMillis, state, assigneeId, articleId },
          setsAssignee: Number(assigneeId !== undefined),
          setsArticle: Number(articleId !== undefined),
        });
        const audit = toAudit(withoutNulls(before));
        if (audit) await insertAudit(tx, workspaceId, audit);
        return 'changed';
      }),

    /** Lists unanswered questions without a visitor, equal ones as one row, most frequent first. */
    anonymousQuestions: (limit: number) =>
      read(workspaceId, async (tx) =>
        (await tx.all(anonymousQuestions, { workspaceId, limit })).map(withoutNulls),
      ),

    /** Lists searches without a visitor in the same way. */
    anonymousSearches: (limit: number, span: Span) =>
      read(workspaceId, (tx) => tx.all(anonymousSearches, { workspaceId, limit, ...span })),

    recordAskedAgain: (groupId: string, outcome: { atMillis: number; asked: number; answered: number }) =>
      write(workspaceId, async (tx) => {
        await tx.run(recordAskedAgain, { workspaceId, groupId, ...outcome });
      }),
  };
}

/** The methods for the collector, which adds and removes questions according to turns and ratings. */
function createCollectorMethods({ read, write }: SqlDatabase, workspaceId: string) {
  return {
    progress: () =>
      read(workspaceId, async (tx) => (await tx.get(progress, { workspaceId })) ?? NOTHING_READ),

    /** Returns the given messages that are in the inbox. */
    listKnown: (messageIds: readonly string[]) =>
      read(workspaceId, (tx) => tx.all(knownQuestions, { workspaceId, ids: JSON.stringify(messageIds) })),

    /** Returns the newest questions of open groups whose nearest article this is, those of the largest groups first. */
    askedNear: (articleId: string, limit: number) =>
      read(workspaceId, (tx) => tx.all(questionsNear, { workspaceId, articleId, limit })),

    /** Returns the representatives of the newest `groups` groups; for a group without signatures, one question. */
    representatives: (groups: number) =>
      read(
        workspaceId,
        async (tx) => {
          const signed = await tx.all(signedQuestions, { workspaceId, groups });
          const others = await tx.all(unsignedGroups, { workspaceId, groups });
          return [...signed, ...others].map(withoutNulls);
        },
        'atOnce',
      ),

    /**
     * Adds questions, adds kinds to questions already in the inbox, and records the progress. A question
     * asked after its group was resolved reopens the group. Leaves out turns that may not be kept.
     */
    add: (questions: readonly NewInboxQuestion[], newProgress: InboxProgress) =>
      write(workspaceId, async (tx) => {
        for (const question of questions) await addQuestion(tx, workspaceId, question);
        // An import may leave groups without questions.
        await tx.run(removeEmptyGroups, { workspaceId });
        await tx.run(putProgress, { workspaceId, ...newProgress });
      }),

    /** Removes a kind from a question, and the question itself when no other kind is left. */
    removeKind: (messageIds: readonly string[], kind: InboxKind) =>
      write(workspaceId, async (tx) => {
        const row = { workspaceId, ids: JSON.stringify(messageIds), kind: INBOX_KIND[kind] };
        await tx.run(removeQuestions, row);
        await tx.run(removeKind, row);
      }),

    storeSignature: (messageId: string, signature: string) =>
      write(workspaceId, async (tx) => {
        await tx.run(storeSignature, { workspaceId, messageId, signature });
      }),
  };
}

export function sqlInboxes({ read }: SqlDatabase) {
  return {
    /** Lists workspaces with unread turns or ratings, in ascending order. */
    listOutdated: (limit: number, afterWorkspaceId: string) =>
      read(undefined, async (tx) =>
        (await tx.all(outdated, { limit, afterWorkspaceId })).map(({ id }) => id),
      ),
  };
}

async function addQuestion(tx: WriteTx, workspaceId: string, question: NewInboxQuestion): Promise<void> {
  const row = { workspaceId, ...question };
  if ((await tx.run(addKinds, row)) > 0 || !(await tx.get(keptTurn, row))) return;
  if ((await tx.run(joinGroup, row)) === 0) await tx.run(insertGroup, row);
  await tx.run(insertQuestion, row);
}

async function toSummary(tx: Tx, { id, ...found }: typeof inboxGroups.$inferSelect): Promise<InboxSummary> {
  const row = { groupId: id, resolvedAt: found.resolvedAt ?? Number.MAX_SAFE_INTEGER };
  const [counted, examples] = await Promise.all([
    tx.get(groupCounts, row),
    tx.all(newestQuestions, { groupId: id, workspaceId: found.workspaceId, limit: EXAMPLES }),
  ]);
  const { askedSince, ...kinds } = counted!;
  const { workspaceId: _, ...group } = withoutNulls({ id, ...found });
  return { ...group, kinds, askedSince, examples: examples.map(withoutNulls) };
}

const group = statement(() =>
  db
    .select()
    .from(inboxGroups)
    .where(and(matches(inboxGroups.workspaceId), eq(inboxGroups.id, input('groupId')))),
);

const ANYBODY = '*';
const BEFORE_ALL = { asked: Number.MAX_SAFE_INTEGER, lastAskedAt: Number.MAX_SAFE_INTEGER, id: '~' };

function toParameters({ states, kind, assigneeId = ANYBODY, isAssigned }: InboxFilter) {
  return {
    states: JSON.stringify(states),
    kind: kind ? INBOX_KIND[kind] : 0,
    assigneeId: assigneeId ?? '',
    isAssigned: isAssigned === undefined ? -1 : Number(isAssigned),
  };
}

const selectList = (column: SQLiteColumn) =>
  statement(() =>
    db
      .select()
      .from(inboxGroups)
      .where(
        sql`workspace_id = ${input('workspaceId')} AND asked > 0
          AND (${column}, id) < (${input(column.name)}, ${input('id')})
          AND state IN (SELECT value FROM json_each(${input('states')}))
          AND (${input('assigneeId')} = ${ANYBODY} OR coalesce(assignee_id, '') = ${input('assigneeId')})
          AND (${input('isAssigned')} = -1
            OR ${input('isAssigned')} = CASE WHEN assignee_id IS NULL THEN 0 ELSE 1 END)
          AND (${input('kind')} = 0 OR EXISTS (
            SELECT 1 FROM inbox_questions WHERE group_id = inbox_groups.id AND (kinds & ${input('kind')}) <> 0))`,
      )
      .orderBy(desc(column), desc(inboxGroups.id))
      .limit(input('limit')),
  );
const listings = {
  asked: selectList(inboxGroups.asked),
  recent: selectList(inboxGroups.lastAskedAt),
} satisfies Record<InboxOrder, unknown>;

const toSumExpression = (kind: InboxKind) =>
  sql`coalesce(sum(CASE WHEN (kinds & ${INBOX_KIND[kind]}) <> 0 THEN 1 ELSE 0 END), 0)`;
const groupCounts = rawStatement<Record<InboxKind | 'askedSince', number>>(
  sql`SELECT coalesce(sum(CASE WHEN asked_at > ${input('resolvedAt')} THEN 1 ELSE 0 END), 0),
    ${sql.join(KINDS.map(toSumExpression), sql`, `)}
   FROM inbox_questions WHERE group_id = ${input('groupId')}`,
  'askedSince',
  ...KINDS,
);
const hasKind = (kind: InboxKind) =>
  sql`coalesce(sum(CASE WHEN EXISTS (
     SELECT 1 FROM inbox_questions WHERE group_id = inbox_groups.id AND (kinds & ${INBOX_KIND[kind]}) <> 0
   ) THEN 1 ELSE 0 END), 0)`;
const openCounts = rawStatement<Record<InboxKind | 'open' | 'mine', number>>(
  sql`SELECT count(*), coalesce(sum(CASE WHEN assignee_id = ${input('memberId')} THEN 1 ELSE 0 END), 0),
    ${sql.join(KINDS.map(hasKind), sql`, `)}
   FROM inbox_groups WHERE workspace_id = ${input('workspaceId')} AND state = 'open' AND asked > 0`,
  'open',
  'mine',
  ...KINDS,
);

/** The newest of equal questions stands for all. */
const listAnonymous = (selected: SQL, condition: SQL) =>
  sql`SELECT ${selected}, asked FROM (
     SELECT *, count(*) OVER (PARTITION BY key) AS asked,
       row_number() OVER (PARTITION BY key ORDER BY asked_at DESC, id) AS place
     FROM anonymous_questions WHERE workspace_id = ${input('workspaceId')} AND ${condition}) AS listed
   WHERE place = 1 ORDER BY asked DESC, asked_at DESC, question LIMIT ${input('limit')}`;
const anonymousQuestions = rawStatement<{
  question: string;
  locale: string;
  path: string;
  nearestArticleId: string | null;
  askedAt: number;
  asked: number;
}>(
  listAnonymous(sql`question, locale, path, nearest_article_id, asked_at`, sql`results IS NULL`),
  'question',
  'locale',
  'path',
  'nearestArticleId',
  'askedAt',
  'asked',
);
const anonymousSearches = rawStatement<{ words: string; results: number; asked: number }>(
  listAnonymous(
    sql`question AS words, results`,
    sql`results IS NOT NULL
      AND asked_at >= ${input('fromMillis')} AND asked_at < ${input('beforeMillis')}`,
  ),
  'words',
  'results',
  'asked',
);

const newestQuestions = statement(() =>
  db
    .select({
      messageId: turns.messageId,
      conversationId: turns.conversationId,
      question: turns.question,
      requestedLocale: turns.requestedLocale,
      askedAt: inboxQuestions.askedAt,
      ...ratingColumns,
      kinds: inboxQuestions.kinds,
      confidence: inboxQuestions.confidence,
    })
    .from(inboxQuestions)
    .innerJoin(turns, eq(turns.messageId, inboxQuestions.messageId))
    .leftJoin(feedback, eq(feedback.messageId, inboxQuestions.messageId))
    .where(matches(inboxQuestions.groupId, inboxQuestions.workspaceId))
    .orderBy(desc(inboxQuestions.askedAt), desc(inboxQuestions.messageId))
    .limit(input('limit')),
);

const member = statement(() =>
  db.select({ id: members.id }).from(members).where(matches(members.workspaceId, members.id)),
);
const article = statement(() =>
  db.select({ id: articles.id }).from(articles).where(matches(articles.workspaceId, articles.id)),
);
const change = rawStatement(
  sql`UPDATE inbox_groups SET
     resolved_at = CASE WHEN ${input('state')} = 'resolved'
     AND state <> 'resolved' THEN ${input('nowMillis')} ELSE resolved_at END,
     state = coalesce(${input('state')}, state),
     assignee_id = CASE WHEN ${input('setsAssignee')} = 1 THEN ${input('assigneeId')} ELSE assignee_id END,
     article_id = CASE WHEN ${input('setsArticle')} = 1 THEN ${input('articleId')} ELSE article_id END
   WHERE workspace_id = ${input('workspaceId')} AND id = ${input('groupId')}`,
);
const recordAskedAgain = rawStatement(
  sql`UPDATE inbox_groups SET asked_again_at = ${input('atMillis')}, asked_again = ${input('asked')},
    answered_again = ${input('answered')}
   WHERE workspace_id = ${input('workspaceId')} AND id = ${input('groupId')}`,
);

const { workspaceId: ofWorkspace, ...progressColumns } = getTableColumns(inboxProgress);
const progress = statement(() => db.select(progressColumns).from(inboxProgress).where(matches(ofWorkspace)));
const putProgress = putInto(inboxProgress, ofWorkspace);

const knownQuestions = rawStatement<{ messageId: string; kinds: number }>(
  sql`SELECT message_id, kinds FROM inbox_questions
   WHERE workspace_id = ${input('workspaceId')} AND message_id IN (SELECT value FROM json_each(${input('ids')}))`,
  'messageId',
  'kinds',
);

const questionsNear = rawStatement<Pick<InboxRepresentative, 'question' | 'requestedLocale'>>(
  sql`SELECT question, requested_locale FROM inbox_groups
   JOIN inbox_questions AS item ON item.group_id = inbox_groups.id JOIN turns ON turns.message_id = item.message_id
   WHERE inbox_groups.workspace_id = ${input('workspaceId')} AND nearest_article_id = ${input('articleId')}
   AND inbox_groups.state = 'open'
   ORDER BY inbox_groups.asked DESC, item.asked_at DESC, item.message_id LIMIT ${input('limit')}`,
  'question',
  'requestedLocale',
);

const NEWEST_GROUPS = sql`SELECT id FROM inbox_groups WHERE workspace_id = ${input('workspaceId')}
  ORDER BY last_asked_at DESC, id DESC LIMIT ${input('groups')}`;
const selectRepresentatives = (condition: SQL) =>
  rawStatement<InboxRepresentative>(
    sql`SELECT item.message_id, group_id, question, requested_locale, signature
     FROM inbox_questions AS item JOIN turns ON turns.message_id = item.message_id
     WHERE item.workspace_id = ${input('workspaceId')} AND group_id IN (${NEWEST_GROUPS}) AND ${condition}`,
    'messageId',
    'groupId',
    'question',
    'requestedLocale',
    'signature',
  );
const signedQuestions = selectRepresentatives(sql`signature IS NOT NULL`);
const unsignedGroups = selectRepresentatives(
  sql`item.message_id = (SELECT max(message_id) FROM inbox_questions AS newest WHERE newest.group_id = item.group_id)
   AND NOT EXISTS (SELECT 1 FROM inbox_questions AS signed
     WHERE signed.group_id = item.group_id AND signed.signature IS NOT NULL)`,
);

const addKinds = rawStatement(
  sql`UPDATE inbox_questions SET kinds = kinds | ${input('kinds')} WHERE message_id = ${input('messageId')}
    AND workspace_id = ${input('workspaceId')}`,
);
const keptTurn = rawStatement<{ messageId: string }>(
  sql`SELECT message_id FROM turns
   JOIN conversations ON conversations.workspace_id = turns.workspace_id AND conversations.id = turns.conversation_id
   WHERE message_id = ${input('messageId')} AND turns.workspace_id = ${input('workspaceId')}
   AND delete_after_millis IS NULL`,
  'messageId',
);
const joinGroup = rawStatement(
  sql`UPDATE inbox_groups SET
     state = CASE WHEN state = 'resolved' AND ${input('askedAt')} > resolved_at THEN 'open' ELSE state END,
     nearest_article_id = coalesce((SELECT id FROM articles
     WHERE id = ${input('nearestArticleId')}), nearest_article_id)
   WHERE workspace_id = ${input('workspaceId')} AND id = ${input('groupId')}`,
);
const insertGroup = rawStatement(
  sql`INSERT INTO inbox_groups (id, workspace_id, state, asked, last_asked_at, nearest_article_id)
   SELECT ${input('groupId')}, id, 'open', 0, ${input('askedAt')}, (SELECT id FROM articles
   WHERE id = ${input('nearestArticleId')})
   FROM workspaces WHERE id = ${input('workspaceId')}`,
);
const insertQuestion = rawStatement(
  sql`INSERT INTO inbox_questions (message_id, workspace_id, group_id, kinds, asked_at, confidence, signature)
   VALUES (${input('messageId')}, ${input('workspaceId')}, ${input('groupId')}, ${input('kinds')},
   ${input('askedAt')}, ${input('confidence')}, ${input('signature')})`,
);

const removeEmptyGroups = rawStatement(
  sql`DELETE FROM inbox_groups WHERE workspace_id = ${input('workspaceId')} AND asked = 0`,
);

const OF_MESSAGES = sql`workspace_id = ${input('workspaceId')}
  AND message_id IN (SELECT value FROM json_each(${input('ids')}))`;
const removeQuestions = rawStatement(
  sql`DELETE FROM inbox_questions WHERE ${OF_MESSAGES} AND kinds = ${input('kind')}`,
);
const removeKind = rawStatement(
  sql`UPDATE inbox_questions SET kinds = kinds - ${input('kind')} WHERE ${OF_MESSAGES}
    AND (kinds & ${input('kind')}) <> 0`,
);
const storeSignature = rawStatement(
  sql`UPDATE inbox_questions SET signature = ${input('signature')} WHERE message_id = ${input('messageId')}
    AND workspace_id = ${input('workspaceId')}`,
);

const outdated = rawStatement<{ id: string }>(
  sql`SELECT workspaces.id FROM workspaces LEFT JOIN inbox_progress AS reached ON reached.workspace_id = workspaces.id
   WHERE workspaces.id > ${input('afterWorkspaceId')} AND removed_at IS NULL AND (
     EXISTS (SELECT 1 FROM turn_positions AS position WHERE position.workspace_id = workspaces.id
       AND (position.at_millis, position.message_id) > (coalesce(turn_at, -1), coalesce(reached.message_id, '')))
     OR EXISTS (SELECT 1 FROM feedback WHERE feedback.workspace_id = workspaces.id AND feedback.at_millis > coalesce(rated_at, -1)))
   ORDER BY workspaces.id LIMIT ${input('limit')}`,
  'id',
);

/** The inbox of one workspace. */
export type Inbox = ReturnType<ReturnType<typeof sqlInbox>>;
