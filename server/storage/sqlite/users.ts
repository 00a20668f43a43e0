import { and, asc, eq, gt, isNull, lte, notExists, sql } from 'drizzle-orm';
import { members, setupLinks, users, workspaces } from '../schema.ts';
import type { Users } from '../users.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { sessionWrites } from './sessions.ts';
import { equals, insertInto, matches, placeholder } from './statements.ts';
import type { WorkspaceWrites } from './workspaces.ts';

export function sqliteUsers(
  connections: Connections,
  insertAudit: InsertAudit,
  { insertWorkspace }: WorkspaceWrites,
): Users {
  const { read, write } = connections;
  const accounts = prepareUserStatements(connections);
  const { openLink, existingUser, link, insertLink, dropExpired, dropLinks, insertMember, withoutMembers } =
    prepareSetupStatements(connections);

  return {
    any: () => read(() => accounts.anyUser.get() !== undefined),
    find: (id) => read(() => accounts.byId.get({ id })),
    findByEmail: (email) => read(() => accounts.byEmail.get({ email })),

    changePassword: ({ userId, from, to, keep, audit }) =>
      write(() => {
        const user = accounts.current.get({ id: userId });
        if (!user) return 'gone';
        if (from !== undefined && user.passwordHash !== from) return 'conflict';
        if (keep && !accounts.renew(userId, keep.sessionId, keep.tokenHash, keep.atMillis)) return 'gone';
        accounts.setPassword.run({ id: userId, to });
        accounts.endOthers(userId, keep?.sessionId ?? '');
        for (const { workspaceId, memberId } of accounts.memberships.all({ userId })) {
          insertAudit(workspaceId, audit(workspaceId, memberId));
        }
        return 'changed';
      }),

    rehash: (userId, from, to) =>
      write(() => {
        accounts.rehash.run({ id: userId, from, to });
      }),

    addSetupLink: (tokenHash, expiresAt, nowMillis) =>
      write(() => {
        dropExpired.run({ nowMillis });
        insertLink({ tokenHash, expiresAt });
      }),

    findSetupLink: (tokenHash, nowMillis) => read(() => openLink.get({ tokenHash, nowMillis })),

    setUp: ({ tokenHash, nowMillis, workspace, owner, audit, adopt }) =>
      write(() => {
        if (existingUser.get() || !link.get({ tokenHash, nowMillis })) return 'gone';
        const orphans = withoutMembers.all();
        if (!insertWorkspace(workspace, owner)) return 'app_id_taken';
        insertAudit(workspace.id, audit);
        for (const { id: workspaceId } of orphans) {
          const adoption = adopt(workspaceId);
          const { userId } = owner;
          insertMember({ id: adoption.memberId, workspaceId, userId, role: 'owner', createdAt: nowMillis });
          insertAudit(workspaceId, adoption.audit);
        }
        dropLinks.run();
        return 'set_up';
      }),
  };
}

function prepareUserStatements({ reader, writer }: Connections) {
  const anyUser = reader.select({ id: users.id }).from(users).limit(1).prepare();
  const byId = reader.select().from(users).where(matches(users.id)).prepare();
  const byEmail = reader.select().from(users).where(matches(users.email)).prepare();
  const current = writer.select().from(users).where(matches(users.id)).prepare();
  const setPassword = writer
    .update(users)
    .set({ passwordHash: sql`${placeholder('to')}` })
    .where(matches(users.id))
    .prepare();
  const rehash = writer
    .update(users)
    .set({ passwordHash: sql`${placeholder('to')}` })
    .where(and(matches(users.id), eq(users.passwordHash, placeholder('from'))))
    .prepare();
  const { endOthers, renew } = sessionWrites(writer);
  const memberships = writer
    .select({ workspaceId: members.workspaceId, memberId: members.id })
    .from(members)
    .innerJoin(workspaces, and(eq(workspaces.id, members.workspaceId), isNull(workspaces.removedAt)))
    .where(equals(members.userId, 'userId'))
    .orderBy(asc(members.id))
    .prepare();
  return { anyUser, byId, byEmail, current, setPassword, rehash, endOthers, renew, memberships };
}

function prepareSetupStatements({ reader, writer }: Connections) {
  const isLinkOpen = and(matches(setupLinks.tokenHash), gt(setupLinks.expiresAt, placeholder('nowMillis')));
  const openLink = reader
    .select({ expiresAt: setupLinks.expiresAt })
    .from(setupLinks)
    .where(isLinkOpen)
    .prepare();
  const existingUser = writer.select({ id: users.id }).from(users).limit(1).prepare();
  const link = writer.select().from(setupLinks).where(isLinkOpen).prepare();
  const insertLink = insertInto(writer, setupLinks);
  const dropExpired = writer
    .delete(setupLinks)
    .where(lte(setupLinks.expiresAt, placeholder('nowMillis')))
    .prepare();
  const dropLinks = writer.delete(setupLinks).prepare();
  const insertMember = insertInto(writer, members);
  const withoutMembers = writer
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(
      and(
        isNull(workspaces.removedAt),
        notExists(
          writer.select({ id: members.id }).from(members).where(eq(members.workspaceId, workspaces.id)),
        ),
      ),
    )
    .prepare();
  return { openLink, existingUser, link, insertLink, dropExpired, dropLinks, insertMember, withoutMembers };
}
