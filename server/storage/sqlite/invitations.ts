import { and, desc, eq, getTableColumns, gt, isNull, ne, sql } from 'drizzle-orm';
import type { Acceptance, Invitation, InvitationLinks, Invitations } from '../invitations.ts';
import { invitations, members, users, workspaces } from '../sql/schema.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { equals, insertInto, matches, placeholder } from './statements.ts';
import { userWrites } from './user-writes.ts';

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
        if (!invitation.provesAddress && memberWithPassword.get({ workspaceId, email }))
          return 'already_member';
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
  const accounts = userWrites(writer);
  const existing = writer
    .select(getTableColumns(members))
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(matches(members.workspaceId, users.email))
    .prepare();
  const insertMember = insertInto(writer, members);

  /** The account that joins, or why none does. */
  function admit(invitation: Invitation, { account, newUserId, nowMillis, auditReset }: Acceptance) {
    const { email, workspaceId, provesAddress } = invitation;
    const known = accounts.listByEmail(email);
    const proved = known.find((user) => user.workspaceId === null);
    const own = known.find((user) => user.workspaceId === workspaceId);
    if ('verifiedHash' in account) {
      if (proved?.passwordHash !== account.verifiedHash) return 'conflict';
      if (own) accounts.absorb(own.id, proved.id);
      return { userId: proved.id };
    }
    const { passwordHash } = account;
    if (provesAddress) {
      const userId = accounts.proveAddress({ email, newUserId, passwordHash, nowMillis });
      accounts.auditEverywhere(userId, auditReset, insertAudit);
      return { userId };
    }
    if (own && own.passwordHash !== '') return 'gone';
    if (own) accounts.setPassword.run({ id: own.id, passwordHash });
    else accounts.insertUnproved({ userId: newUserId, email, passwordHash }, workspaceId, nowMillis);
    return { userId: own?.id ?? newUserId };
  }

  return {
    find: (tokenHash, nowMillis) => read(() => byToken.get({ tokenHash, nowMillis })),

    accept: (acceptance) =>
      write(() => {
        const { tokenHash, nowMillis } = acceptance;
        const invitation = current.get({ tokenHash, nowMillis });
        if (!invitation) return 'gone';
        const { workspaceId, email, role, provesAddress } = invitation;
        const already = existing.get({ workspaceId, email });
        if (already && already.role !== role) return 'gone';
        const admitted = admit(invitation, acceptance);
        if (typeof admitted === 'string') return admitted;
        drop.run({ id: invitation.id });
        const fresh = { id: acceptance.freshMemberId, workspaceId, role, createdAt: nowMillis };
        const member = { ...(already ?? fresh), ...admitted };
        if (!already) insertMember(member);
        insertAudit(workspaceId, {
          id: acceptance.auditId,
          atMillis: nowMillis,
          actor: member.id,
          action: 'invitation.accepted',
          subject: invitation.id,
          details: { memberId: member.id, email, role, ...(provesAddress ? { addressProved: true } : {}) },
        });
        return { ...member, email };
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
