import { and, desc, eq, getTableColumns, gt, isNull, ne, sql } from 'drizzle-orm';
import type { Acceptance, Invitation, InvitationLinks, Invitations } from '../invitations.ts';
import { insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { memberOfAddress } from './members.ts';
import { invitations, members, users, workspaces } from './schema.ts';
import { db, equals, insertInto, matches, placeholder, statement } from './statements.ts';
import {
  absorb,
  auditEverywhere,
  insertUnproved,
  listByEmail,
  proveAddress,
  setPassword,
} from './user-writes.ts';

export function sqlInvitations({ read, write }: SqlDatabase): (workspaceId: string) => Invitations {
  return (workspaceId) => ({
    create: (invitation, audit) =>
      write(workspaceId, async (tx) => {
        const { email, provesAddress } = invitation;
        if (!provesAddress && (await tx.get(memberWithPassword, { workspaceId, email })))
          return 'already_member';
        await tx.run(dropOfAddress, { workspaceId, email });
        await tx.run(insert, { ...invitation, workspaceId });
        await insertAudit(tx, workspaceId, audit);
        return 'created';
      }),

    list: (nowMillis) => read(workspaceId, (tx) => tx.all(open, { workspaceId, nowMillis })),

    withdraw: (id, audit) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(withdraw, { workspaceId, id })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'withdrawn';
      }),
  });
}

const open = statement(() =>
  db
    .select()
    .from(invitations)
    .where(
      and(
        equals(invitations.workspaceId, 'workspaceId'),
        sql`${invitations.expiresAt} > +${placeholder('nowMillis')}`,
      ),
    )
    .orderBy(desc(invitations.createdAt), desc(invitations.id)),
);
const memberWithPassword = statement(() =>
  db
    .select({ id: members.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(matches(members.workspaceId), matches(users.email), ne(users.passwordHash, ''))),
);
const insert = insertInto(invitations);
const dropOfAddress = statement(() =>
  db.delete(invitations).where(matches(invitations.workspaceId, invitations.email)),
);
const withdraw = statement(() =>
  db.delete(invitations).where(matches(invitations.workspaceId, invitations.id)),
);

/** Finds invitations of any workspace by the token in their links. */
export function sqlInvitationLinks({ read, write }: SqlDatabase): InvitationLinks {
  return {
    find: (tokenHash, nowMillis) => read(undefined, (tx) => tx.get(openByToken, { tokenHash, nowMillis })),

    accept: (acceptance) => write(undefined, (tx) => accept(tx, acceptance)),
  };
}

async function accept(tx: WriteTx, acceptance: Acceptance): ReturnType<InvitationLinks['accept']> {
  const { tokenHash, nowMillis } = acceptance;
  const workspaceId = (await tx.get(openByToken, { tokenHash, nowMillis }))?.workspaceId;
  if (workspaceId === undefined) return 'gone';
  await tx.lock(workspaceId);
  const invitation = await tx.get(openByToken, { tokenHash, nowMillis });
  if (!invitation) return 'gone';
  const { email, role, provesAddress } = invitation;
  const already = await tx.get(memberOfAddress, { workspaceId, email });
  if (already && already.role !== role) return 'gone';
  const admitted = await admit(tx, invitation, acceptance);
  if (typeof admitted === 'string') return admitted;
  await tx.run(drop, { id: invitation.id });
  const fresh = { id: acceptance.freshMemberId, workspaceId, role, createdAt: nowMillis };
  const member = { ...(already ?? fresh), ...admitted };
  if (!already) await tx.run(insertMember, member);
  await insertAudit(tx, workspaceId, {
    id: acceptance.auditId,
    atMillis: nowMillis,
    actor: member.id,
    action: 'invitation.accepted',
    subject: invitation.id,
    details: { memberId: member.id, email, role, ...(provesAddress ? { addressProved: true } : {}) },
  });
  return { ...member, email };
}

/** The account that joins, or why none does. */
async function admit(
  tx: WriteTx,
  { email, workspaceId, provesAddress }: Invitation,
  { account, newUserId, nowMillis, auditReset }: Acceptance,
): Promise<{ readonly userId: string } | 'conflict' | 'gone'> {
  const known = await listByEmail(tx, email);
  const proved = known.find((user) => user.workspaceId === null);
  const own = known.find((user) => user.workspaceId === workspaceId);
  if ('verifiedHash' in account) {
    if (proved?.passwordHash !== account.verifiedHash) return 'conflict';
    if (own) await absorb(tx, own.id, proved.id);
    return { userId: proved.id };
  }
  const { passwordHash } = account;
  if (provesAddress) {
    const userId = await proveAddress(tx, { email, newUserId, passwordHash, nowMillis });
    await auditEverywhere(tx, userId, auditReset);
    return { userId };
  }
  if (own && own.passwordHash !== '') return 'gone';
  if (own) await setPassword(tx, own.id, passwordHash);
  else await insertUnproved(tx, { userId: newUserId, email, passwordHash }, workspaceId, nowMillis);
  return { userId: own?.id ?? newUserId };
}

const openByToken = statement(() =>
  db
    .select({ ...getTableColumns(invitations), workspaceName: workspaces.name })
    .from(invitations)
    .innerJoin(workspaces, and(eq(workspaces.id, invitations.workspaceId), isNull(workspaces.removedAt)))
    .where(and(matches(invitations.tokenHash), gt(invitations.expiresAt, placeholder('nowMillis')))),
);
const drop = statement(() => db.delete(invitations).where(matches(invitations.id)));
const insertMember = insertInto(members);
