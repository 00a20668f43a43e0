import { and, desc, eq, getTableColumns, gt, isNull, ne, sql } from 'drizzle-orm';
import type { Invitation, InvitationLinks, Invitations } from '../invitations.ts';
import type { Member } from '../members.ts';
import { invitations, members, users, workspaces } from '../schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { bound, equals, insertInto, matches, placeholder } from './statements.ts';

export function sqliteInvitations(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Invitations {
  const open = reader
    .select()
    .from(invitations)
    .where(
      and(
        equals(invitations.workspaceId, 'workspaceId'),
        sql`${invitations.expiresAt} > +${placeholder('nowMillis')}`,
      ),
    )
    .orderBy(desc(invitations.createdAt), desc(invitations.id))
    .prepare();

  const memberWithPassword = writer
    .select({ id: members.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(matches(members.workspaceId), matches(users.email), ne(users.passwordHash, '')))
    .prepare();
  const insert = insertInto(writer, invitations);
  const dropOfAddress = writer
    .delete(invitations)
    .where(matches(invitations.workspaceId, invitations.email))
    .prepare();
  const drop = writer.delete(invitations).where(matches(invitations.workspaceId, invitations.id)).prepare();

  return (workspaceId) => ({
    create: (invitation, audit) =>
      write(() => {
        const { email } = invitation;
        if (memberWithPassword.get({ workspaceId, email })) return 'already_member';
        dropOfAddress.run({ workspaceId, email });
        insert({ ...invitation, workspaceId });
        insertAudit(workspaceId, audit);
        return 'created';
      }),

    list: (nowMillis) => read(() => open.all({ workspaceId, nowMillis })),

    withdraw: (id, audit) =>
      write(() => {
        if (drop.run({ workspaceId, id }).changes === 0) return 'gone';
        insertAudit(workspaceId, audit);
        return 'withdrawn';
      }),
  });
}

/** Finds invitations of any workspace by the token in their links. */
export function sqliteInvitationLinks(
  { reader, writer, read, write }: Connections,
  insertAudit: InsertAudit,
): InvitationLinks {
  const byToken = openByToken(reader);

  const current = openByToken(writer);
  const drop = writer.delete(invitations).where(matches(invitations.id)).prepare();
  const userByEmail = writer.select().from(users).where(matches(users.email)).prepare();
  const insertUser = insertInto(writer, users);
  const setPassword = writer
    .update(users)
    .set(bound('passwordHash'))
    .where(eq(users.id, placeholder('userId')))
    .prepare();
  const existing = writer
    .select()
    .from(members)
    .where(matches(members.workspaceId, members.userId))
    .prepare();
  const insertMember = insertInto(writer, members);

  return {
    find: (tokenHash, nowMillis) => read(() => byToken.get({ tokenHash, nowMillis })),

    accept: (acceptance) =>
      write(() => {
        const { tokenHash, nowMillis, passwordHash, verifiedHash = '' } = acceptance;
        const invitation = current.get({ tokenHash, nowMillis });
        if (!invitation) return 'gone';
        const known = userByEmail.get({ email: invitation.email });
        if ((known?.passwordHash ?? '') !== verifiedHash) return 'conflict';

        const { workspaceId } = invitation;
        const userId = known?.id ?? acceptance.newUserId;
        const already = existing.get({ workspaceId, userId });
        if (already && already.role !== invitation.role) return 'gone';
        if (!known) insertUser({ id: userId, email: invitation.email, passwordHash, createdAt: nowMillis });
        else if (known.passwordHash === '') setPassword.run({ userId, passwordHash });
        drop.run({ id: invitation.id });
        const member = already ?? memberFrom(invitation, acceptance.freshMemberId, userId, nowMillis);
        if (!already) insertMember(member);
        insertAudit(workspaceId, {
          id: acceptance.auditId,
          atMillis: nowMillis,
          actor: member.id,
          action: 'invitation.accepted',
          subject: invitation.id,
          details: { memberId: member.id, email: invitation.email, role: member.role },
        });
        return { ...member, email: invitation.email };
      }),
  };
}

function openByToken(db: Drizzle) {
  return db
    .select({ ...getTableColumns(invitations), workspaceName: workspaces.name })
    .from(invitations)
    .innerJoin(workspaces, and(eq(workspaces.id, invitations.workspaceId), isNull(workspaces.removedAt)))
    .where(and(matches(invitations.tokenHash), gt(invitations.expiresAt, placeholder('nowMillis'))))
    .prepare();
}

function memberFrom(
  { workspaceId, role }: Invitation,
  id: string,
  userId: string,
  createdAt: number,
): Omit<Member, 'email'> {
  return { id, workspaceId, userId, role, createdAt };
}
