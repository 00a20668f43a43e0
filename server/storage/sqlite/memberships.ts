import { and, asc, eq, getTableColumns, isNull } from 'drizzle-orm';
import type { Memberships } from '../members.ts';
import { members, users, workspaces } from '../schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections } from './connections.ts';
import { equals, insertInto, placeholder } from './statements.ts';
import type { WorkspaceWrites } from './workspace-writes.ts';

/** Who belongs where, over all workspaces but the removed ones. */
export function sqliteMemberships(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
  { knowUser }: WorkspaceWrites,
): Memberships {
  const stands = and(eq(workspaces.id, members.workspaceId), isNull(workspaces.removedAt));
  const ofUser = reader
    .select({
      ...getTableColumns(members),
      email: users.email,
      workspaceName: workspaces.name,
      appId: workspaces.appId,
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, stands)
    .where(equals(members.userId, 'userId'))
    .orderBy(asc(members.createdAt), asc(members.id))
    .prepare();
  const inWorkspace = reader
    .select({ ...getTableColumns(members), email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, stands)
    .where(
      and(eq(members.workspaceId, placeholder('workspaceId')), eq(members.userId, placeholder('userId'))),
    )
    .prepare();

  const standing = writer
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.id, placeholder('workspaceId')), isNull(workspaces.removedAt)))
    .prepare();
  const memberOf = writer
    .select({ id: members.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.workspaceId, placeholder('workspaceId')), eq(users.email, placeholder('email'))))
    .prepare();
  const insertMember = insertInto(writer, members);

  return {
    ofUser: (userId) => read(() => ofUser.all({ userId })),
    find: (workspaceId, userId) => read(() => inWorkspace.get({ workspaceId, userId })),

    add: ({ freshMemberId: id, newUserId, passwordHash, ...joining }, audit) =>
      write(() => {
        const { workspaceId, email, role, createdAt } = joining;
        if (!standing.get({ workspaceId })) return 'gone' as const;
        if (memberOf.get({ workspaceId, email })) return 'already_member' as const;
        const userId = knowUser({ userId: newUserId, email, passwordHash }, createdAt);
        insertMember({ id, workspaceId, userId, role, createdAt });
        insertAudit(workspaceId, audit);
        return { ...joining, id, userId };
      }),
  };
}
