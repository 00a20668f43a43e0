import { and, asc, eq, getTableColumns, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { AuditEntry } from '../audit.ts';
import type { MemberRole, Members, Memberships } from '../members.ts';
import { invitations, members, users, workspaces } from '../sql/schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { bound, equals, insertInto, matches, placeholder } from './statements.ts';
import type { WorkspaceWrites } from './workspaces.ts';

export function sqliteMembers(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Members {
  const { read, write } = connections;
  const { ofWorkspace, byId, current, anotherOwner, setRole, remove, removeAccount, dropInvitations } =
    prepareMemberStatements(connections);

  /** Ends what came with the role, unless the member may not lose it now; returns why not. */
  function endRole(workspaceId: string, memberId: string, from: MemberRole, audit: AuditEntry) {
    const member = current.get({ workspaceId, memberId });
    if (!member) return 'gone';
    if (member.role !== from) return 'conflict';
    if (from === 'owner' && !anotherOwner.get({ workspaceId, memberId })) return 'last_owner';
    dropInvitations.run({ workspaceId, memberId, email: member.email });
    insertAudit(workspaceId, audit);
    return undefined;
  }

  return (workspaceId) => ({
    list: () => read(() => ofWorkspace.all({ workspaceId })),

    find: (memberId) => read(() => byId.get({ workspaceId, memberId })),

    changeRole: (memberId, { from, to }, audit) =>
      write(() => {
        const obstacle = endRole(workspaceId, memberId, from, audit);
        if (obstacle) return obstacle;
        setRole.run({ workspaceId, memberId, role: to });
        return 'changed';
      }),

    remove: (memberId, from, audit) =>
      write(() => {
        const obstacle = endRole(workspaceId, memberId, from, audit);
        if (obstacle) return obstacle;
        removeAccount.run({ workspaceId, memberId });
        remove.run({ workspaceId, memberId });
        return 'removed';
      }),
  });
}

function prepareMemberStatements({ reader, writer }: Connections) {
  const ofWorkspace = selectMembers(reader)
    .where(equals(members.workspaceId, 'workspaceId'))
    .orderBy(asc(members.createdAt), asc(members.id))
    .prepare();
  const isThisMember = and(matches(members.workspaceId), eq(members.id, placeholder('memberId')));
  const byId = selectMembers(reader).where(isThisMember).prepare();

  const current = selectMembers(writer).where(isThisMember).prepare();
  const anotherOwner = writer
    .select({ id: members.id })
    .from(members)
    .where(
      and(matches(members.workspaceId), eq(members.role, 'owner'), ne(members.id, placeholder('memberId'))),
    )
    .prepare();
  const setRole = writer.update(members).set(bound('role')).where(isThisMember).prepare();
  const remove = writer.delete(members).where(isThisMember).prepare();
  const removeAccount = writer
    .delete(users)
    .where(
      and(
        matches(users.workspaceId),
        inArray(users.id, writer.select({ id: members.userId }).from(members).where(isThisMember)),
      ),
    )
    .prepare();
  const dropInvitations = writer
    .delete(invitations)
    .where(
      and(
        matches(invitations.workspaceId),
        or(eq(invitations.invitedBy, placeholder('memberId')), matches(invitations.email)),
      ),
    )
    .prepare();
  return { ofWorkspace, byId, current, anotherOwner, setRole, remove, removeAccount, dropInvitations };
}

/** A query for the port's members, to be narrowed. */
function selectMembers(db: Drizzle) {
  return db
    .select({
      ...getTableColumns(members),
      email: users.email,
      addressProved: sql`${isNotNull(users.addressProvedAt)}`.mapWith(Boolean),
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .$dynamic();
}

/** Excludes removed workspaces. */
export function sqliteMemberships(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
  { findOrCreateAccount }: WorkspaceWrites,
): Memberships {
  const isNotRemoved = and(eq(workspaces.id, members.workspaceId), isNull(workspaces.removedAt));
  const ofUser = reader
    .select({
      ...getTableColumns(members),
      email: users.email,
      workspaceName: workspaces.name,
      appId: workspaces.appId,
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, isNotRemoved)
    .where(equals(members.userId, 'userId'))
    .orderBy(asc(members.createdAt), asc(members.id))
    .prepare();
  const inWorkspace = reader
    .select({ ...getTableColumns(members), email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, isNotRemoved)
    .where(matches(members.workspaceId, members.userId))
    .prepare();

  const workspace = writer
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.id, placeholder('workspaceId')), isNull(workspaces.removedAt)))
    .prepare();
  const existing = writer
    .select({ id: members.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(matches(members.workspaceId, users.email))
    .prepare();
  const insertMember = insertInto(writer, members);

  return {
    ofUser: (userId) => read(() => ofUser.all({ userId })),
    find: (workspaceId, userId) => read(() => inWorkspace.get({ workspaceId, userId })),

    add: ({ freshMemberId: id, newUserId, passwordHash, ...joining }, audit) =>
      write(() => {
        const { workspaceId, email, role, createdAt } = joining;
        if (!workspace.get({ workspaceId })) return 'gone';
        if (existing.get({ workspaceId, email })) return 'already_member';
        const user = { userId: newUserId, email, ...(passwordHash === undefined ? {} : { passwordHash }) };
        const account = findOrCreateAccount(user, createdAt);
        if (typeof account === 'string') return account;
        const { userId } = account;
        insertMember({ id, workspaceId, userId, role, createdAt });
        insertAudit(workspaceId, audit);
        return { ...joining, id, userId };
      }),
  };
}
