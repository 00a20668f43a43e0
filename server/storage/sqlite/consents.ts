import { and, asc, desc, gt, sql } from 'drizzle-orm';
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
import { boundLimit, equals, insertInto, matches, placeholder } from './statements.ts';

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
  { insertEvents, deleteEventsOfVisitor }: EventWrites,
): (workspaceId: string) => Consents {
  const { reader, read, write, wal } = connections;
  const writes = prepareWrites(connections);
  const currentDecision = reader
    .select({
      decision: consentCurrent.decision,
      mode: consentCurrent.mode,
      policyVersion: consentCurrent.policyVersion,
      regionCode: consentCurrent.regionCode,
      decidedAt: consentCurrent.decidedAt,
      gpc: consentCurrent.gpc,
      claimedRegion: consentCurrent.claimedRegion,
    })
    .from(consentCurrent)
    .where(matches(consentCurrent.workspaceId, consentCurrent.visitorId))
    .prepare();
  const chain = reader
    .select({
      id: consentRecords.id,
      position: consentRecords.position,
      content: consentRecords.content,
      previousHash: consentRecords.previousHash,
      hash: consentRecords.hash,
    })
    .from(consentRecords)
    .where(
      and(
        equals(consentRecords.workspaceId, 'workspaceId'),
        gt(consentRecords.position, placeholder('afterPosition')),
      ),
    )
    .orderBy(asc(consentRecords.position))
    .limit(boundLimit)
    .prepare();

  function appendRecord(workspaceId: string, { id, visitorId, newSubjectId, seal }: NewConsent): void {
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

  function setDeadline(workspaceId: string, visitorId: string, deadline: number | null | undefined): void {
    if (deadline === null) writes.liftDeadline.run({ workspaceId, visitorId });
    else if (deadline !== undefined) writes.setDeadline.run({ workspaceId, visitorId, deadline });
  }

  return (workspaceId) => ({
    append: (consent) =>
      write(() => {
        const { visitorId } = consent;
        appendRecord(workspaceId, consent);
        if (consent.currentDecision) {
          writes.putCurrentDecision.run({
            workspaceId,
            visitorId,
            ...UNSIGNALLED,
            ...consent.currentDecision,
          });
        }
        if (consent.forgetEvents) {
          wal.containsDeletedRows = true;
          deleteEventsOfVisitor(workspaceId, visitorId);
        }
        setDeadline(workspaceId, visitorId, consent.deleteConversationsAfterMillis);
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

    chain: (limit, afterPosition = 0) => read(() => chain.all({ workspaceId, limit, afterPosition })),
  });
}

const UNSIGNALLED = { gpc: false, claimedRegion: null };

/** A table row; read without Drizzle, `gpc` is 0 or 1. */
export type CurrentRow = Omit<CurrentDecision, 'gpc' | 'claimedRegion'> & {
  readonly gpc: boolean | number;
  readonly claimedRegion: string | null;
};

export function toCurrentDecision<Row extends CurrentRow>({ gpc, claimedRegion, ...row }: Row) {
  return {
    ...row,
    ...(gpc ? { gpc: true } : {}),
    ...(claimedRegion === null ? {} : { claimedRegion }),
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
    putCurrentDecision: writer
      .insert(consentCurrent)
      .values({
        workspaceId: placeholder('workspaceId'),
        visitorId: placeholder('visitorId'),
        decision: placeholder('decision'),
        mode: placeholder('mode'),
        policyVersion: placeholder('policyVersion'),
        regionCode: placeholder('regionCode'),
        decidedAt: placeholder('decidedAt'),
        gpc: placeholder('gpc'),
        claimedRegion: placeholder('claimedRegion'),
      })
      .onConflictDoUpdate({
        target: [consentCurrent.workspaceId, consentCurrent.visitorId],
        set: {
          decision: sql`excluded.decision`,
          mode: sql`excluded.mode`,
          policyVersion: sql`excluded.policy_version`,
          regionCode: sql`excluded.region_code`,
          decidedAt: sql`excluded.decided_at`,
          gpc: sql`excluded.gpc`,
          claimedRegion: sql`excluded.claimed_region`,
        },
      })
      .prepare(),
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
