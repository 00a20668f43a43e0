import { and, asc, eq, getTableColumns, ne, or, sql } from 'drizzle-orm';
import type { MemberRole, Members } from '../members.ts';
import { invitations, members, users } from '../schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { equals, placeholder } from './statements.ts';

/** The members of one workspace. */
export function sqliteMembers(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Members {
  const ofWorkspace = membersWithAddress(reader)
    .where(equals(members.workspaceId, 'workspaceId'))
    .orderBy(asc(members.createdAt), asc(members.id))
    .prepare();
  const isThisMember = and(
    eq(members.workspaceId, placeholder('workspaceId')),
    eq(members.id, placeholder('memberId')),
  );
  const byId = membersWithAddress(reader).where(isThisMember).prepare();

  const current = membersWithAddress(writer).where(isThisMember).prepare();
  const anotherOwner = writer
    .select({ id: members.id })
    .from(members)
    .where(
      and(
        eq(members.workspaceId, placeholder('workspaceId')),
        eq(members.role, 'owner'),
        ne(members.id, placeholder('memberId')),
      ),
    )
    .prepare();
  const setRole = writer
    .update(members)
    .set({ role: sql`${placeholder('role')}` })
    .where(isThisMember)
    .prepare();
  const remove = writer.delete(members).where(isThisMember).prepare();
  const dropInvitations = writer
    .delete(invitations)
    .where(
      and(
        eq(invitations.workspaceId, placeholder('workspaceId')),
        or(eq(invitations.invitedBy, placeholder('memberId')), eq(invitations.email, placeholder('email'))),
      ),
    )
    .prepare();

  /** The member, if they may stop having this role now. */
  function leaving(workspaceId: string, memberId: string, from: MemberRole) {
    const member = current.get({ workspaceId, memberId });
    if (!member) return 'gone';
    if (member.role !== from) return 'conflict';
    const isLastOwner = from === 'owner' && !anotherOwner.get({ workspaceId, memberId });
    return isLastOwner ? 'last_owner' : member;
  }

  return (workspaceId) => ({
    list: () => read(() => ofWorkspace.all({ workspaceId })),

    find: (memberId) => read(() => byId.get({ workspaceId, memberId })),

    changeRole: (memberId, { from, to }, audit) =>
      write(() => {
        const member = leaving(workspaceId, memberId, from);
        if (typeof member === 'string') return member;
        setRole.run({ workspaceId, memberId, role: to });
        dropInvitations.run({ workspaceId, memberId, email: member.email });
        insertAudit(workspaceId, audit);
        return 'changed';
      }),

    remove: (memberId, from, audit) =>
      write(() => {
        const member = leaving(workspaceId, memberId, from);
        if (typeof member === 'string') return member;
        remove.run({ workspaceId, memberId });
        dropInvitations.run({ workspaceId, memberId, email: member.email });
        insertAudit(workspaceId, audit);
        return 'removed';
      }),
  });
}

/** Members as the port shows them, to be narrowed. */
function membersWithAddress(db: Drizzle) {
  return db
    .select({ ...getTableColumns(members), email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .$dynamic();
}
