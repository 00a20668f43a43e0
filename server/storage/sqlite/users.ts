import { and, eq, gt, isNull, lte, notExists, sql } from 'drizzle-orm';
import { members, setupLinks, users, workspaces } from '../sql/schema.ts';
import type { User, Users } from '../users.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { sessionWrites } from './sessions.ts';
import { insertInto, matches, placeholder, withoutNulls } from './statements.ts';
import { selectByEmail, userWrites } from './user-writes.ts';
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
    find: (id) => read(() => toUser(accounts.byId.get({ id }))),
    listByEmail: (email) => read(() => accounts.byEmail.all({ email }).map((row) => withoutNulls(row))),

    changePassword: ({ userId, from, to, keep, audit }) =>
      write(() => {
        const user = accounts.current.get({ id: userId });
        if (!user) return 'gone';
        if (user.passwordHash !== from) return 'conflict';
        if (!accounts.renew(userId, keep.sessionId, keep.tokenHash, keep.atMillis)) return 'gone';
        accounts.setPassword.run({ id: userId, passwordHash: to });
        accounts.endOthers(userId, keep.sessionId);
        accounts.auditEverywhere(userId, audit, insertAudit);
        return 'changed';
      }),

    proveAddress: ({ email, passwordHash, nowMillis, audit }) =>
      write(() => {
        const id = accounts.listByEmail(email)[0]?.id;
        if (id === undefined) return undefined;
        accounts.proveAddress({ newUserId: id, email, passwordHash, nowMillis });
        accounts.auditEverywhere(id, audit, insertAudit);
        return toUser(accounts.current.get({ id }));
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
        const outcome = insertWorkspace(workspace, owner);
        if (outcome === 'app_id_taken') return outcome;
        if (outcome !== 'created') throw new Error(`the first owner: ${outcome}`);
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
  const byEmail = selectByEmail(reader);
  const current = writer.select().from(users).where(matches(users.id)).prepare();
  const rehash = writer
    .update(users)
    .set({ passwordHash: sql`${placeholder('to')}` })
    .where(and(matches(users.id), eq(users.passwordHash, placeholder('from'))))
    .prepare();
  return { anyUser, byId, byEmail, current, rehash, ...sessionWrites(writer), ...userWrites(writer) };
}

type Row = typeof users.$inferSelect;

function toUser(row: Row | undefined): User | undefined {
  return row && withoutNulls(row);
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
