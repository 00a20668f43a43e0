import { and, asc, desc, getTableColumns, gt, sql } from 'drizzle-orm';
import type { SqlDatabase, WriteTx } from './database.ts';
import type { EventWrites } from './events.ts';
import {
  consentCurrent,
  consentPolicies,
  consentRecords,
  consentSubjects,
  conversations,
  erasedVisitors,
} from './schema/index.ts';
import {
  db,
  input,
  insertInto,
  lesser,
  matches,
  putInto,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';
import { deleteWebhookEvents } from './webhook-events.ts';

/** An immutable policy. Directives and consent records refer to it by its version. */
type ConsentPolicy = typeof consentPolicies.$inferSelect;

/**
 * A record in the hash chain of a workspace's consent log. The store treats `content` as opaque
 * canonical JSON; the hash covers it.
 */
export type ChainedConsent = Omit<typeof consentRecords.$inferSelect, 'workspaceId' | 'subjectId'>;

/** A visitor's current decision, stored apart from the consent log so that it can be erased. */
export type CurrentDecision = Omit<Stored<typeof consentCurrent>, 'workspaceId' | 'visitorId' | 'gpc'> & {
  /** Whether a privacy signal (GPC) came with the decision. */
  gpc?: boolean;
};

export type NewConsent = {
  id: string;
  visitorId: string;
  /** A new pseudonym for the consent log, used when the visitor has none yet. */
  newSubjectId: string;
  /**
   * Replaces the current decision. Absent when nothing changes, for example when a prompt is
   * dismissed without a signal.
   */
  currentDecision?: CurrentDecision;
  /**
   * Builds the record from its predecessor. Must be pure, because the transaction may run more than
   * once.
   */
  chain: (previous: {
    /** 0 for the first record, which has no previous hash. */
    position: number;
    hash: string | undefined;
    subjectId: string;
    previousDecisionId: string | undefined;
  }) => { content: string; previousHash: string; hash: string };
  /**
   * Deletion deadline for the visitor's existing conversations, except those with an earlier one; null
   * removes the deadline.
   */
  deleteConversationsAfterMillis?: number | null;
  /** Whether to erase the visitor's event rows in the same transaction. */
  forgetEvents: boolean;
  events: readonly {
    id: string;
    atMillis: number;
    visitorId?: string;
    data: Readonly<Record<string, string | number | boolean | null>>;
  }[];
};

const byVersion = statement(() =>
  db.select().from(consentPolicies).where(matches(consentPolicies.workspaceId, consentPolicies.version)),
);
const insertPolicy = insertInto(consentPolicies, 'orIgnore');

export function sqlConsentPolicies({ read, write }: SqlDatabase) {
  const find = (workspaceId: string, version: string) =>
    read(workspaceId, (tx) => tx.get(byVersion, { workspaceId, version }));

  return {
    find,
    // The version almost always exists, and a read costs no commit.
    /** Stores the policy unless this version exists. */
    async keep(policy: ConsentPolicy) {
      if (await find(policy.workspaceId, policy.version)) return;
      await write(policy.workspaceId, (tx) => tx.run(insertPolicy, policy));
    },
  };
}

export function sqlConsents(
  { read, write }: SqlDatabase,
  { insertEvents, deleteEventsOfVisitor, conversationMillisMax }: EventWrites,
) {
  return (workspaceId: string) => ({
    /**
     * Appends the record, replaces the current decision and applies deadlines and erasures, in one
     * transaction.
     */
    append: (consent: NewConsent) =>
      write(workspaceId, async (tx) => {
        const { visitorId, deleteConversationsAfterMillis: deadline } = consent;
        await appendRecord(tx, workspaceId, consent);
        if (consent.currentDecision) {
          await tx.run(putCurrentDecision, {
            workspaceId,
            visitorId,
            gpc: false,
            ...consent.currentDecision,
          });
        }
        if (consent.forgetEvents) {
          tx.noteErasure();
          await deleteEventsOfVisitor(tx, workspaceId, visitorId);
          await deleteWebhookEvents(tx, workspaceId, visitorId, 'denied');
        }
        if (deadline === null) {
          if (conversationMillisMax(workspaceId) === undefined) {
            await tx.run(liftDeadline, { workspaceId, visitorId });
          }
        } else if (deadline !== undefined) await tx.run(setDeadline, { workspaceId, visitorId, deadline });
        await insertEvents(
          tx,
          workspaceId,
          consent.events.map((event) => ({ ...event, type: 'consent' })),
        );
      }),

    getCurrentDecision: (visitorId: string) =>
      read(workspaceId, async (tx) => toDecision(await tx.get(currentDecision, { workspaceId, visitorId }))),

    /** Like `getCurrentDecision`, but returns 'erased' if a tombstone has this mark. */
    findReturning: (visitorId: string, mark: string) =>
      read(workspaceId, async (tx) => {
        const { erased, current } = (await tx.get(returning, { workspaceId, visitorId, mark }))!;
        return erased === null ? toDecision(current) : 'erased';
      }),

    /** Lists the chain in order, starting after the given position. */
    chain: (limit: number, afterPosition: number = 0) =>
      read(workspaceId, (tx) => tx.all(chain, { workspaceId, limit, afterPosition })),
  });
}

async function appendRecord(
  tx: WriteTx,
  workspaceId: string,
  { id, visitorId, newSubjectId, chain }: NewConsent,
): Promise<void> {
  const [existingSubject, head] = await Promise.all([
    tx.get(subject, { workspaceId, visitorId }),
    tx.get(newestRecord, { workspaceId }),
  ]);
  const subjectId = existingSubject?.subjectId ?? newSubjectId;
  if (!existingSubject) await tx.run(insertSubject, { workspaceId, visitorId, subjectId });
  const previousDecisionId = (await tx.get(lastOfSubject, { workspaceId, subjectId }))?.id;
  const position = head?.position ?? 0;
  const chained = chain({ position, hash: head?.hash, subjectId, previousDecisionId });
  const { content, previousHash, hash } = chained;
  await tx.run(insertRecord, {
    workspaceId,
    position: position + 1,
    id,
    subjectId,
    content,
    previousHash,
    hash,
  });
}

type DecisionRow = Omit<typeof consentCurrent.$inferSelect, 'workspaceId' | 'visitorId'>;

/** Returns undefined for a row without a decision, as of an outer join without a match. */
function toDecision(row: DecisionRow | null | undefined): CurrentDecision | undefined {
  if (!row || row.decision === null) return undefined;
  const { gpc, ...decision } = row;
  return { ...withoutNulls(decision), ...(gpc ? { gpc } : {}) };
}

const { workspaceId: _w, visitorId: _v, ...decisionColumns } = getTableColumns(consentCurrent);
const { workspaceId: _, subjectId: _s, ...recordColumns } = getTableColumns(consentRecords);

const currentDecision = statement(() =>
  db
    .select(decisionColumns)
    .from(consentCurrent)
    .where(matches(consentCurrent.workspaceId, consentCurrent.visitorId)),
);
// One statement, because every boot of a returning visitor runs it.
const returning = statement(() =>
  db
    .select({ erased: erasedVisitors.mark, current: decisionColumns })
    .from(sql`(select 1) as asked`)
    .leftJoin(erasedVisitors, and(matches(erasedVisitors.workspaceId, erasedVisitors.mark)))
    .leftJoin(consentCurrent, and(matches(consentCurrent.workspaceId, consentCurrent.visitorId))),
);
const chain = statement(() =>
  db
    .select(recordColumns)
    .from(consentRecords)
    .where(and(matches(consentRecords.workspaceId), gt(consentRecords.position, input('afterPosition'))))
    .orderBy(asc(consentRecords.position))
    .limit(input('limit')),
);
const subject = statement(() =>
  db
    .select({ subjectId: consentSubjects.subjectId })
    .from(consentSubjects)
    .where(matches(consentSubjects.workspaceId, consentSubjects.visitorId)),
);
const insertSubject = insertInto(consentSubjects);
const newestRecord = statement(() =>
  db
    .select({ position: consentRecords.position, hash: consentRecords.hash })
    .from(consentRecords)
    .where(matches(consentRecords.workspaceId))
    .orderBy(desc(consentRecords.position))
    .limit(1),
);
const lastOfSubject = statement(() =>
  db
    .select({ id: consentRecords.id })
    .from(consentRecords)
    .where(and(matches(consentRecords.workspaceId, consentRecords.subjectId)))
    .orderBy(desc(consentRecords.position))
    .limit(1),
);
const insertRecord = insertInto(consentRecords);
const putCurrentDecision = putInto(consentCurrent, consentCurrent.workspaceId, consentCurrent.visitorId);

const conversationsOfVisitor = matches(conversations.workspaceId, conversations.visitorId);
// Another refusal does not extend an earlier deadline.
const setDeadline = statement(() =>
  db
    .update(conversations)
    .set({ deleteAfterMillis: lesser(conversations.deleteAfterMillis, 'deadline') })
    .where(conversationsOfVisitor),
);
const liftDeadline = statement(() =>
  db.update(conversations).set({ deleteAfterMillis: null }).where(conversationsOfVisitor),
);

export type Consents = ReturnType<ReturnType<typeof sqlConsents>>;
