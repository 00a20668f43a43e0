import { and, count, desc, eq, getTableColumns, gt } from 'drizzle-orm';
import type { AutomationSession, AutomationSessions } from '../automation-sessions.ts';
import type { Automation } from '../users.ts';
import { insertAudit } from './audit.ts';
import type { SqlDatabase } from './database.ts';
import { automationSessions, members, sessions } from './schema.ts';
import { db, equals, insertInto, matches, placeholder, statement } from './statements.ts';

export function sqlAutomationSessions({
  read,
  write,
}: SqlDatabase): (workspaceId: string) => AutomationSessions {
  return (workspaceId) => ({
    // Spans workspaces, because sessions belong to users, who may be members of several workspaces.
    create: (session, automation, activeMax, audit) =>
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
    .where(and(matches(members.workspaceId), eq(members.id, placeholder('memberId')))),
);
const countActive = statement(() =>
  db
    .select({ active: count() })
    .from(automationSessions)
    .innerJoin(sessions, eq(sessions.id, automationSessions.id))
    .where(and(matches(automationSessions.workspaceId), gt(sessions.expiresAt, placeholder('nowMillis')))),
);
const insertSession = insertInto(sessions);
const insert = insertInto(automationSessions);
const ofWorkspace = statement(() =>
  db
    .select({ automation: getTableColumns(automationSessions), lastSeenAt: sessions.lastSeenAt })
    .from(automationSessions)
    .leftJoin(sessions, eq(sessions.id, automationSessions.id))
    .where(equals(automationSessions.workspaceId, 'workspaceId'))
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
