import { and, asc, eq, getTableColumns, inArray, isNotNull, isNull, ne, or, sql } from 'drizzle-orm';
import type { AuditEntry } from '../audit.ts';
import type { MemberRole, Members, Memberships } from '../members.ts';
import { insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { invitations, members, users, workspaces } from './schema.ts';
import { bound, db, equals, insertInto, matches, placeholder, statement } from './statements.ts';
import { findOrCreateAccount } from './workspaces.ts';

export function sqlMembers({ read, write }: SqlDatabase): (workspaceId: string) => Members {
  return (workspaceId) => ({
    list: () => read(workspaceId, (tx) => tx.all(ofWorkspace, { workspaceId })),

    find: (memberId) => read(workspaceId, (tx) => tx.get(member, { workspaceId, memberId })),

    changeRole: (memberId, { from, to }, audit) =>
      write(workspaceId, async (tx) => {
        const obstacle = await endRole(tx, workspaceId, memberId, from, audit);
        if (obstacle) return obstacle;
        await tx.run(setRole, { workspaceId, memberId, role: to });
        return 'changed';
      }),

    remove: (memberId, from, audit) =>
      write(workspaceId, async (tx) => {
        const obstacle = await endRole(tx, workspaceId, memberId, from, audit);
        if (obstacle) return obstacle;
        await tx.run(removeAccount, { workspaceId, memberId });
        await tx.run(remove, { workspaceId, memberId });
        return 'removed';
      }),
  });
}

/** Ends what came with the role, unless the member may not lose it now; returns why not. */
async function endRole(
  tx: WriteTx,
  workspaceId: string,
  memberId: string,
  from: MemberRole,
  audit: AuditEntry,
): Promise<'gone' | 'conflict' | 'last_owner' | undefined> {
  const found = await tx.get(member, { workspaceId, memberId });
  if (!found) return 'gone';
  if (found.role !== from) return 'conflict';
  if (from === 'owner' && !(await tx.get(anotherOwner, { workspaceId, memberId }))) return 'last_owner';
  await tx.run(dropInvitations, { workspaceId, memberId, email: found.email });
  await insertAudit(tx, workspaceId, audit);
  return undefined;
}

const selectMembers = () =>
  db
    .select({
      ...getTableColumns(members),
      email: users.email,
      addressProved: sql`${isNotNull(users.addressProvedAt)}`.mapWith(Boolean),
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId));
const isThisMember = and(matches(members.workspaceId), eq(members.id, placeholder('memberId')));

const ofWorkspace = statement(() =>
  selectMembers()
    .where(equals(members.workspaceId, 'workspaceId'))
    .orderBy(asc(members.createdAt), asc(members.id)),
);
const member = statement(() => selectMembers().where(isThisMember));
const anotherOwner = statement(() =>
  db
    .select({ id: members.id })
    .from(members)
    .where(
      and(matches(members.workspaceId), eq(members.role, 'owner'), ne(members.id, placeholder('memberId'))),
    ),
);
const setRole = statement(() => db.update(members).set(bound('role')).where(isThisMember));
const remove = statement(() => db.delete(members).where(isThisMember));
const removeAccount = statement(() =>
  db
    .delete(users)
    .where(
      and(
        matches(users.workspaceId),
        inArray(users.id, db.select({ id: members.userId }).from(members).where(isThisMember)),
      ),
    ),
);
const dropInvitations = statement(() =>
  db
    .delete(invitations)
    .where(
      and(
        matches(invitations.workspaceId),
        or(eq(invitations.invitedBy, placeholder('memberId')), matches(invitations.email)),
      ),
    ),
);

/** Excludes removed workspaces. */
export function sqlMemberships({ read, write }: SqlDatabase): Memberships {
  return {
    ofUser: (userId) => read(undefined, (tx) => tx.all(ofUser, { userId })),
    find: (workspaceId, userId) => read(workspaceId, (tx) => tx.get(inWorkspace, { workspaceId, userId })),

    add: ({ freshMemberId: id, newUserId, passwordHash, ...joining }, audit) =>
      write(undefined, async (tx) => {
        const { workspaceId, email, role, createdAt } = joining;
        await tx.lock(workspaceId);
        if (!(await tx.get(workspace, { workspaceId }))) return 'gone';
        if (await tx.get(memberOfAddress, { workspaceId, email })) return 'already_member';
        const user = { userId: newUserId, email, ...(passwordHash === undefined ? {} : { passwordHash }) };
        const account = await findOrCreateAccount(tx, user, createdAt);
        if (typeof account === 'string') return account;
        const { userId } = account;
        await tx.run(insertMember, { id, workspaceId, userId, role, createdAt });
        await insertAudit(tx, workspaceId, audit);
        return { ...joining, id, userId };
      }),
  };
}

const isNotRemoved = and(eq(workspaces.id, members.workspaceId), isNull(workspaces.removedAt));
const ofUser = statement(() =>
  db
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
    .orderBy(asc(members.createdAt), asc(members.id)),
);
const inWorkspace = statement(() =>
  db
    .select({ ...getTableColumns(members), email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, isNotRemoved)
    .where(matches(members.workspaceId, members.userId)),
);
const workspace = statement(() =>
  db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.id, placeholder('workspaceId')), isNull(workspaces.removedAt))),
);
/** The member who has the account of an address. */
export const memberOfAddress = statement(() =>
  db
    .select(getTableColumns(members))
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(matches(members.workspaceId, users.email)),
);
const insertMember = insertInto(members);
