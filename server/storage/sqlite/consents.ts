import { and, asc, desc, getTableColumns, gt, sql } from 'drizzle-orm';
import type { ConsentPolicies, Consents, CurrentDecision, NewConsent } from '../consents.ts';
import {
  consentCurrent,
  consentPolicies,
  consentRecords,
  consentSubjects,
  conversations,
} from '../schema.ts';
import type { Connections } from './connections.ts';
import type { EventWrites } from './events.ts';
import { boundLimit, equals, insertInto, matches, placeholder, putInto, withoutNulls } from './statements.ts';

export function sqliteConsentPolicies({ reader, writer, read, write }: Connections): ConsentPolicies {
  const byVersion = reader
    .select()
    .from(consentPolicies)
    .where(matches(consentPolicies.workspaceId, consentPolicies.version))
    .prepare();
  const insert = insertInto(writer, consentPolicies, 'orIgnore');
  const find: ConsentPolicies['find'] = (workspaceId, version) =>
    read(() => byVersion.get({ workspaceId, version }));

  return {
    find,
    // The version almost always exists, and a read costs no commit.
    async keep(policy) {
      if (await find(policy.workspaceId, policy.version)) return;
      await write(() => {
        insert(policy);
      });
    },
  };
}

export function sqliteConsents(
  connections: Connections,
  { insertEvents, deleteEventsOfVisitor, conversationMillisMax }: EventWrites,
): (workspaceId: string) => Consents {
  const { read, write, wal } = connections;
  const { currentDecision, chain } = prepareReads(connections);
  // Raw, because every boot of a returning visitor asks.
  const isErased = connections.reader.$client
    .prepare('SELECT 1 FROM erased_visitors WHERE workspace_id = ? AND mark = ?')
    .pluck();
  const writes = prepareWrites(connections);

  return (workspaceId) => ({
    append: (consent) =>
      write(() => {
        const { visitorId, deleteConversationsAfterMillis: deadline } = consent;
        appendRecord(writes, workspaceId, consent);
        if (consent.currentDecision) {
          writes.putCurrentDecision({ workspaceId, visitorId, gpc: false, ...consent.currentDecision });
        }
        if (consent.forgetEvents) {
          wal.containsDeletedRows = true;
          deleteEventsOfVisitor(workspaceId, visitorId);
        }
        if (deadline === null) {
          if (conversationMillisMax(workspaceId) === undefined) {
            writes.liftDeadline.run({ workspaceId, visitorId });
          }
        } else if (deadline !== undefined) writes.setDeadline.run({ workspaceId, visitorId, deadline });
        insertEvents(
          workspaceId,
          consent.events.map((event) => ({ ...event, type: 'consent' })),
        );
      }),

    getCurrentDecision: (visitorId) =>
      read(() => {
        const row = currentDecision.get({ workspaceId, visitorId });
        return row && toCurrentDecision(row);
      }),

    findReturning: (visitorId, mark) =>
      read(() => {
        if (isErased.get(workspaceId, mark) !== undefined) return 'erased';
        const row = currentDecision.get({ workspaceId, visitorId });
        return row && toCurrentDecision(row);
      }),

    chain: (limit, afterPosition = 0) => read(() => chain.all({ workspaceId, limit, afterPosition })),
  });
}

function appendRecord(
  writes: ReturnType<typeof prepareWrites>,
  workspaceId: string,
  { id, visitorId, newSubjectId, seal }: NewConsent,
): void {
  const known = writes.subject.get({ workspaceId, visitorId });
  if (!known) writes.insertSubject({ workspaceId, visitorId, subjectId: newSubjectId });
  const subjectId = known?.subjectId ?? newSubjectId;
  const head = writes.head.get({ workspaceId });
  const position = head?.position ?? 0;
  const previousDecisionId = writes.lastOfSubject.get({ workspaceId, subjectId })?.id;
  const sealed = seal({ position, hash: head?.hash, subjectId, previousDecisionId });
  const { content, previousHash, hash } = sealed;
  writes.insertRecord({ workspaceId, position: position + 1, id, subjectId, content, previousHash, hash });
}

function toCurrentDecision({ gpc, ...row }: CurrentRow): CurrentDecision {
  return { ...withoutNulls(row), ...(gpc ? { gpc } : {}) };
}

type CurrentRow = Omit<typeof consentCurrent.$inferSelect, 'workspaceId' | 'visitorId'>;

function prepareReads({ reader }: Connections) {
  const { workspaceId: _w, visitorId: _v, ...decision } = getTableColumns(consentCurrent);
  const { workspaceId: _, subjectId: _s, ...record } = getTableColumns(consentRecords);
  return {
    currentDecision: reader
      .select(decision)
      .from(consentCurrent)
      .where(matches(consentCurrent.workspaceId, consentCurrent.visitorId))
      .prepare(),
    chain: reader
      .select(record)
      .from(consentRecords)
      .where(
        and(
          equals(consentRecords.workspaceId, 'workspaceId'),
          gt(consentRecords.position, placeholder('afterPosition')),
        ),
      )
      .orderBy(asc(consentRecords.position))
      .limit(boundLimit)
      .prepare(),
  };
}

function prepareWrites({ writer }: Connections) {
  const conversationsOfVisitor = matches(conversations.workspaceId, conversations.visitorId);
  return {
    subject: writer
      .select({ subjectId: consentSubjects.subjectId })
      .from(consentSubjects)
      .where(matches(consentSubjects.workspaceId, consentSubjects.visitorId))
      .prepare(),
    insertSubject: insertInto(writer, consentSubjects),
    head: writer
      .select({ position: consentRecords.position, hash: consentRecords.hash })
      .from(consentRecords)
      .where(equals(consentRecords.workspaceId, 'workspaceId'))
      .orderBy(desc(consentRecords.position))
      .limit(1)
      .prepare(),
    lastOfSubject: writer
      .select({ id: consentRecords.id })
      .from(consentRecords)
      .where(
        and(equals(consentRecords.workspaceId, 'workspaceId'), equals(consentRecords.subjectId, 'subjectId')),
      )
      .orderBy(desc(consentRecords.position))
      .limit(1)
      .prepare(),
    insertRecord: insertInto(writer, consentRecords),
    putCurrentDecision: putInto(writer, consentCurrent, consentCurrent.workspaceId, consentCurrent.visitorId),
    // Another refusal does not extend an earlier deadline.
    setDeadline: writer
      .update(conversations)
      .set({
        deleteAfterMillis: sql`min(coalesce(${conversations.deleteAfterMillis}, ${placeholder('deadline')}), ${placeholder('deadline')})`,
      })
      .where(conversationsOfVisitor)
      .prepare(),
    liftDeadline: writer
      .update(conversations)
      .set({ deleteAfterMillis: null })
      .where(conversationsOfVisitor)
      .prepare(),
  };
}
