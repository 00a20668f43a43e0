import { and, eq } from 'drizzle-orm';
import { consentCurrent, consentSubjects, conversations, feedback, voiceReservations } from '../schema.ts';
import type { WorkspaceStore } from '../store.ts';
import type { Connections } from './connections.ts';
import type { EventWrites } from './events.ts';
import { placeholder } from './statements.ts';

/** Erasure. The evidence of consent stays, but nothing leads from it to the visitor any more. */
export function sqliteVisitors(
  { writer, write, erased }: Connections,
  { deleteEventsOfVisitor }: EventWrites,
): (workspaceId: string) => Pick<WorkspaceStore, 'eraseVisitor'> {
  const tables = { conversations, feedback, consentCurrent, consentSubjects };
  const erase = (table: (typeof tables)[keyof typeof tables]) =>
    writer
      .delete(table)
      .where(
        and(eq(table.workspaceId, placeholder('workspaceId')), eq(table.visitorId, placeholder('visitorId'))),
      )
      .prepare();
  const eraseFeedback = erase(feedback);
  const eraseConversations = erase(conversations);
  const eraseStanding = erase(consentCurrent);
  const eraseSubject = erase(consentSubjects);
  const leaveHolds = writer
    .update(voiceReservations)
    .set({ visitorId: '' })
    .where(
      and(
        eq(voiceReservations.workspaceId, placeholder('workspaceId')),
        eq(voiceReservations.visitorId, placeholder('visitorId')),
      ),
    )
    .prepare();

  return (workspaceId) => ({
    eraseVisitor: (visitorId) =>
      write(() => {
        const visitor = { workspaceId, visitorId };
        erased.inLog = true;
        const events = deleteEventsOfVisitor(workspaceId, visitorId);
        const ratings = eraseFeedback.run(visitor).changes;
        // Their turns go with them.
        const talks = eraseConversations.run(visitor).changes;
        eraseStanding.run(visitor);
        eraseSubject.run(visitor);
        // What was set aside is used by somebody at this moment, or stays counted.
        leaveHolds.run(visitor);
        return { conversations: talks, events, feedback: ratings };
      }),
  });
}
