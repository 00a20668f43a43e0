import { and, count, desc, eq, getTableColumns, gt } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { automationSessions, members, sessions } from './schema/index.ts';
import { db, input, insertInto, matches, type Stored, statement } from './statements.ts';

export type AutomationSession = Automation & {
  id: string;
  createdAt: number;
  expiresAt: number;
  /** Absent when the session has ended. */
  lastSeenAt?: number;
};

/** The permissions of a program's session. It acts in the name of a member, within these limits. */
export type Automation = Omit<
  Stored<typeof automationSessions>,
  'id' | 'createdAt' | 'expiresAt' | 'areas' | 'allowedNetworks'
> & {
  areas: readonly ('articles' | 'translations' | 'review' | 'settings')[];
  /** Canonical CIDR blocks; empty if every address is allowed. */
  allowedNetworks: readonly string[];
};

export function sqlAutomationSessions({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Returns 'too_many' when `activeMax` sessions are still active, and 'gone' when the member no longer exists. */
    create: (
      session: typeof sessions.$inferSelect,
      automation: Automation,
      activeMax: number,
      audit: AuditEntry,
    ) =>
      // No workspace is passed: the session belongs to a user, and a user may be a member of several workspaces.
      write(undefined, async (tx) => {
        await tx.lock(workspaceId);
        const { memberId } = automation;
        if (!(await tx.get(member, { workspaceId, memberId }))) return 'gone';
        const { active } = (await tx.get(countActive, { workspaceId, nowMillis: session.createdAt }))!;
        if (active >= activeMax) return 'too_many';
        const { id, createdAt, expiresAt } = session;
        await tx.run(insertSession, session);
        await tx.run(insert, { ...toRow(automation), id, workspaceId, createdAt, expiresAt });
        await insertAudit(tx, workspaceId, audit);
        return 'created';
      }),

    /** Lists the sessions newest first, including ended ones. */
    list: () =>
      read(workspaceId, async (tx) =>
        (await tx.all(ofWorkspace, { workspaceId })).map(({ automation, lastSeenAt }): AutomationSession => {
          const { id, createdAt, expiresAt } = automation;
          const lastSeen = lastSeenAt === null ? {} : { lastSeenAt };
          return { ...toAutomation(automation), id, createdAt, expiresAt, ...lastSeen };
        }),
      ),
  });
}

const member = statement(() =>
  db
    .select({ id: members.id })
    .from(members)
    .where(and(matches(members.workspaceId), eq(members.id, input('memberId')))),
);
const countActive = statement(() =>
  db
    .select({ active: count() })
    .from(automationSessions)
    .innerJoin(sessions, eq(sessions.id, automationSessions.id))
    .where(and(matches(automationSessions.workspaceId), gt(sessions.expiresAt, input('nowMillis')))),
);
const insertSession = insertInto(sessions);
const insert = insertInto(automationSessions);
const ofWorkspace = statement(() =>
  db
    .select({ automation: getTableColumns(automationSessions), lastSeenAt: sessions.lastSeenAt })
    .from(automationSessions)
    .leftJoin(sessions, eq(sessions.id, automationSessions.id))
    .where(matches(automationSessions.workspaceId))
    .orderBy(desc(automationSessions.createdAt), desc(automationSessions.id)),
);

export type AutomationRow = typeof automationSessions.$inferSelect;

function toRow({ areas, allowedNetworks, ...automation }: Automation) {
  return { ...automation, areas: JSON.stringify(areas), allowedNetworks: JSON.stringify(allowedNetworks) };
}

export function toAutomation(row: AutomationRow): Automation {
  const { workspaceId, memberId, name, role, mayApproveOwn } = row;
  const areas = JSON.parse(row.areas);
  return {
    workspaceId,
    memberId,
    name,
    role,
    areas,
    allowedNetworks: JSON.parse(row.allowedNetworks),
    mayApproveOwn,
  };
}
