import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  lte,
  notExists,
  notInArray,
  or,
  sql,
} from 'drizzle-orm';
import type { ListedSession, Session, Sessions, User, Users } from '../users.ts';
import { insertAudit } from './audit.ts';
import { type AutomationRow, toAutomation } from './automation-sessions.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { automationSessions, members, sessions, setupLinks, users, workspaces } from './schema.ts';
import {
  boundLimit,
  db,
  equals,
  greater,
  insertInto,
  matches,
  placeholder,
  statement,
  withoutNulls,
} from './statements.ts';
import {
  auditAllMemberships,
  endOtherSessions,
  listByEmail,
  proveAddress,
  renewSession,
  setPassword,
} from './user-writes.ts';
import { insertWorkspace } from './workspaces.ts';

export function sqlUsers({ read, write }: SqlDatabase): Users {
  return {
    hasAny: () => read(undefined, async (tx) => (await tx.get(anyUser)) !== undefined),
    find: (id) => read(undefined, async (tx) => toUser(await tx.get(byId, { id }))),
    listByEmail: (email) => read(undefined, async (tx) => (await listByEmail(tx, email)).map(withoutNulls)),

    changePassword: ({ userId, from, to, keep, audit }) =>
      write(undefined, async (tx) => {
        const user = await tx.get(byId, { id: userId });
        if (!user) return 'gone';
        if (user.passwordHash !== from) return 'conflict';
        const { sessionId, tokenHash, atMillis } = keep;
        if (!(await renewSession(tx, { userId, id: sessionId, tokenHash, atMillis }))) return 'gone';
        await setPassword(tx, userId, to);
        await endOtherSessions(tx, userId, sessionId);
        await auditAllMemberships(tx, userId, audit);
        return 'changed';
      }),

    proveAddress: ({ email, passwordHash, nowMillis, audit }) =>
      write(undefined, async (tx) => {
        const id = (await listByEmail(tx, email))[0]?.id;
        if (id === undefined) return undefined;
        await proveAddress(tx, { newUserId: id, email, passwordHash, nowMillis });
        await auditAllMemberships(tx, id, audit);
        return toUser(await tx.get(byId, { id }));
      }),

    rehash: (userId, from, to) =>
      write(undefined, async (tx) => {
        await tx.run(rehash, { id: userId, from, to });
      }),

    addSetupLink: (tokenHash, expiresAt, nowMillis) =>
      write(undefined, async (tx) => {
        await tx.run(dropExpired, { nowMillis });
        await tx.run(insertLink, { tokenHash, expiresAt });
      }),

    findSetupLink: (tokenHash, nowMillis) =>
      read(undefined, (tx) => tx.get(openLink, { tokenHash, nowMillis })),

    setUp: (setUp) => write(undefined, (tx) => createFirstOwner(tx, setUp)),
  };
}

async function createFirstOwner(
  tx: WriteTx,
  { tokenHash, nowMillis, workspace, owner, audit, adopt }: Parameters<Users['setUp']>[0],
): ReturnType<Users['setUp']> {
  if ((await tx.get(anyUser)) || !(await tx.get(openLink, { tokenHash, nowMillis }))) return 'gone';
  const emptyWorkspaces = await tx.all(withoutMembers);
  const outcome = await insertWorkspace(tx, workspace, owner);
  if (outcome === 'app_id_taken') return outcome;
  if (outcome !== 'created') throw new Error(`the first owner: ${outcome}`);
  await insertAudit(tx, workspace.id, audit);
  for (const { id: workspaceId } of emptyWorkspaces) {
    const { memberId: id, audit } = adopt(workspaceId);
    const { userId } = owner;
    await tx.run(insertMember, { id, workspaceId, userId, role: 'owner', createdAt: nowMillis });
    await insertAudit(tx, workspaceId, audit);
  }
  await tx.run(dropLinks);
  return 'set_up';
}

const anyUser = statement(() => db.select({ id: users.id }).from(users).limit(1));
const byId = statement(() => db.select().from(users).where(matches(users.id)));
const rehash = statement(() =>
  db
    .update(users)
    .set({ passwordHash: sql`${placeholder('to')}` })
    .where(and(matches(users.id), eq(users.passwordHash, placeholder('from')))),
);

function toUser(row: typeof users.$inferSelect | undefined): User | undefined {
  return row && withoutNulls(row);
}

const openLink = statement(() =>
  db
    .select({ expiresAt: setupLinks.expiresAt })
    .from(setupLinks)
    .where(and(matches(setupLinks.tokenHash), gt(setupLinks.expiresAt, placeholder('nowMillis')))),
);
const insertLink = insertInto(setupLinks);
const dropExpired = statement(() =>
  db.delete(setupLinks).where(lte(setupLinks.expiresAt, placeholder('nowMillis'))),
);
const dropLinks = statement(() => db.delete(setupLinks));
const insertMember = insertInto(members);
const withoutMembers = statement(() =>
  db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(
      and(
        isNull(workspaces.removedAt),
        notExists(db.select({ id: members.id }).from(members).where(eq(members.workspaceId, workspaces.id))),
      ),
    ),
);

export function sqlSessions({ read, write }: SqlDatabase): Sessions {
  return {
    open: (session, sessionsMax, verifiedHash) =>
      write(undefined, async (tx) => {
        const { userId } = session;
        const user = await tx.get(currentPassword, { userId });
        if (!user) return 'gone';
        if (verifiedHash !== undefined && user.passwordHash !== verifiedHash) return 'conflict';
        await tx.run(insertSession, session);
        await tx.run(dropOldest, { userId, limit: sessionsMax });
        return 'opened';
      }),

    find: (id) => read(undefined, (tx) => tx.get(sessionById, { id })),

    findByToken: (tokenHash) =>
      read(undefined, async (tx) => {
        const row = await tx.get(sessionByToken, { tokenHash });
        return row && { ...toListed(row), email: row.email };
      }),

    recordUse: (id, lastSeenAt) =>
      write(undefined, async (tx) => {
        await tx.run(recordUse, { id, lastSeenAt });
      }),

    confirm: (id, { tokenHash, atMillis, verifiedHash }) =>
      write(undefined, async (tx) => {
        const current = await tx.get(withPassword, { id });
        if (current?.passwordHash !== verifiedHash) return undefined;
        const { session } = current;
        await renewSession(tx, { userId: session.userId, id, tokenHash, atMillis });
        return { ...session, tokenHash, confirmedAt: atMillis };
      }),

    list: (userId, nowMillis, idleMillis) =>
      read(undefined, async (tx) =>
        (await tx.all(openSessions, { userId, nowMillis, seenAfter: nowMillis - idleMillis })).map(toListed),
      ),

    end: (userId, id) =>
      write(undefined, async (tx) => ((await tx.run(endSession, { userId, id })) > 0 ? 'ended' : 'gone')),
  };
}

const sessionById = statement(() => db.select().from(sessions).where(matches(sessions.id)));
const columns = { session: getTableColumns(sessions), automation: getTableColumns(automationSessions) };
const ofSession = eq(automationSessions.id, sessions.id);
const sessionByToken = statement(() =>
  db
    .select({ ...columns, email: users.email })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(automationSessions, ofSession)
    .where(matches(sessions.tokenHash)),
);
const openSessions = statement(() =>
  db
    .select(columns)
    .from(sessions)
    .leftJoin(automationSessions, ofSession)
    .where(
      and(
        equals(sessions.userId, 'userId'),
        sql`${sessions.expiresAt} > +${placeholder('nowMillis')}`,
        or(isNotNull(automationSessions.id), sql`${sessions.lastSeenAt} > +${placeholder('seenAfter')}`),
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.id)),
);
const currentPassword = statement(() =>
  db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, placeholder('userId'))),
);
const insertSession = insertInto(sessions);
const dropOldest = statement(() => {
  const ofUser = and(
    equals(sessions.userId, 'userId'),
    notExists(db.select({ id: automationSessions.id }).from(automationSessions).where(ofSession)),
  );
  const kept = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(ofUser)
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(boundLimit);
  return db.delete(sessions).where(and(ofUser, notInArray(sessions.id, kept)));
});
const recordUse = statement(() =>
  db
    .update(sessions)
    .set({ lastSeenAt: greater(sessions.lastSeenAt, 'lastSeenAt') })
    .where(matches(sessions.id)),
);
/** The columns of a missing row are null. */
function toListed({
  session,
  automation,
}: {
  session: Session;
  automation: AutomationRow | null;
}): ListedSession {
  return automation?.id == null ? session : { ...session, automation: toAutomation(automation) };
}

const withPassword = statement(() =>
  db
    .select({ session: getTableColumns(sessions), passwordHash: users.passwordHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(matches(sessions.id)),
);
const endSession = statement(() => db.delete(sessions).where(matches(sessions.id, sessions.userId)));
