import { and, asc, desc, getTableColumns, gt, sql } from 'drizzle-orm';
import type { ConsentPolicies, Consents, CurrentDecision, NewConsent } from '../consents.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import type { EventWrites } from './events.ts';
import {
  consentCurrent,
  consentPolicies,
  consentRecords,
  consentSubjects,
  conversations,
  erasedVisitors,
} from './schema.ts';
import {
  boundLimit,
  db,
  equals,
  insertInto,
  lesser,
  matches,
  placeholder,
  putInto,
  statement,
  withoutNulls,
} from './statements.ts';

const byVersion = statement(() =>
  db.select().from(consentPolicies).where(matches(consentPolicies.workspaceId, consentPolicies.version)),
);
const insertPolicy = insertInto(consentPolicies, 'orIgnore');

export function sqlConsentPolicies({ read, write }: SqlDatabase): ConsentPolicies {
  const find: ConsentPolicies['find'] = (workspaceId, version) =>
    read(workspaceId, (tx) => tx.get(byVersion, { workspaceId, version }));

  return {
    find,
    // The version almost always exists, and a read costs no commit.
    async keep(policy) {
      if (await find(policy.workspaceId, policy.version)) return;
      await write(policy.workspaceId, (tx) => tx.run(insertPolicy, policy));
    },
  };
}

export function sqlConsents(
  { read, write }: SqlDatabase,
  { insertEvents, deleteEventsOfVisitor, conversationMillisMax }: EventWrites,
): (workspaceId: string) => Consents {
  return (workspaceId) => ({
    append: (consent) =>
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

    getCurrentDecision: (visitorId) =>
      read(workspaceId, async (tx) => toDecision(await tx.get(currentDecision, { workspaceId, visitorId }))),

    findReturning: (visitorId, mark) =>
      read(workspaceId, async (tx) => {
        const { erased, current } = (await tx.get(returning, { workspaceId, visitorId, mark }))!;
        return erased === null ? toDecision(current) : 'erased';
      }),

    chain: (limit, afterPosition = 0) =>
      read(workspaceId, (tx) => tx.all(chain, { workspaceId, limit, afterPosition })),
  });
}

async function appendRecord(
  tx: WriteTx,
  workspaceId: string,
  { id, visitorId, newSubjectId, seal }: NewConsent,
): Promise<void> {
  const [existingSubject, head] = await Promise.all([
    tx.get(subject, { workspaceId, visitorId }),
    tx.get(newestRecord, { workspaceId }),
  ]);
  const subjectId = existingSubject?.subjectId ?? newSubjectId;
  if (!existingSubject) await tx.run(insertSubject, { workspaceId, visitorId, subjectId });
  const previousDecisionId = (await tx.get(lastOfSubject, { workspaceId, subjectId }))?.id;
  const position = head?.position ?? 0;
  const sealed = seal({ position, hash: head?.hash, subjectId, previousDecisionId });
  const { content, previousHash, hash } = sealed;
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
    .leftJoin(
      erasedVisitors,
      and(equals(erasedVisitors.workspaceId, 'workspaceId'), equals(erasedVisitors.mark, 'mark')),
    )
    .leftJoin(
      consentCurrent,
      and(equals(consentCurrent.workspaceId, 'workspaceId'), equals(consentCurrent.visitorId, 'visitorId')),
    ),
);
const chain = statement(() =>
  db
    .select(recordColumns)
    .from(consentRecords)
    .where(
      and(
        equals(consentRecords.workspaceId, 'workspaceId'),
        gt(consentRecords.position, placeholder('afterPosition')),
      ),
    )
    .orderBy(asc(consentRecords.position))
    .limit(boundLimit),
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
    .where(equals(consentRecords.workspaceId, 'workspaceId'))
    .orderBy(desc(consentRecords.position))
    .limit(1),
);
const lastOfSubject = statement(() =>
  db
    .select({ id: consentRecords.id })
    .from(consentRecords)
    .where(
      and(equals(consentRecords.workspaceId, 'workspaceId'), equals(consentRecords.subjectId, 'subjectId')),
    )
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
