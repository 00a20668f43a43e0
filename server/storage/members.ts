import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  sql,
} from 'drizzle-orm';
import { type AuditEntry, insertAudit, type MembershipAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { requiresSecondFactor } from './factors.ts';
import { type NewMail, queueMail } from './mails.ts';
import {
  automationSessions,
  identities,
  identityProviders,
  invitations,
  members,
  sessions,
  users,
  workspaces,
} from './schema/index.ts';
import { bound, db, input, insertInto, matches, type Stored, statement } from './statements.ts';
import {
  auditAllMemberships,
  insertUnproved,
  listByEmail,
  mergeAccount,
  proveAddress,
  setPassword,
} from './user-writes.ts';
import { findOrCreateAccount } from './workspaces.ts';

export type MemberRole = Member['role'];

export type Member = Stored<typeof members> & { email: string };

/** A member as the workspace sees them. */
export type ListedMember = Member & { addressProved: boolean };

/** A member that an operator adds without an invitation. */
export type NewMember = Omit<Member, 'id' | 'userId'> & {
  newMemberId: string;
  /** The id of the account to create. */
  newUserId: string;
  /** PHC string of the new proved account; absent to add the proved account that the address has. */
  passwordHash?: string;
};

/** A one-time link that lets one email address join one workspace. */
export type Invitation = Stored<typeof invitations>;

export type Acceptance = {
  tokenHash: string;
  nowMillis: number;
  newMemberId: string;
  /** The id of the account to create. */
  newUserId: string;
  /** The verified password hash of the proved account that joins, or a new password's hash for the joining account. */
  account: { verifiedHash: string } | { passwordHash: string };
  auditId: string;
  /** Builds an audit row for each workspace of an account whose password the link resets. Must be pure. */
  auditReset: MembershipAudit;
  /** Tells the user of a password that the link resets. */
  resetNotice?: NewMail | undefined;
};

export function sqlMembers({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists members, oldest first. */
    list: () => read(workspaceId, (tx) => tx.all(ofWorkspace, { workspaceId })),

    /** Lists the addresses of owners and admins, with the languages of their browsers. */
    listEditors: () => read(workspaceId, (tx) => tx.all(editors, { workspaceId })),

    find: (memberId: string) => read(workspaceId, (tx) => tx.get(member, { workspaceId, memberId })),

    /**
     * Changes the role if the member still has the one that the caller read; otherwise 'conflict'.
     * Returns 'last_owner' when the workspace would lose its only owner. Revokes open invitations by
     * the member and to their address.
     */
    changeRole: (memberId: string, { from, to }: { from: MemberRole; to: MemberRole }, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        const obstacle = await endRole(tx, workspaceId, memberId, from, audit);
        if (obstacle) return obstacle;
        await tx.run(setRole, { workspaceId, memberId, role: to });
        return 'changed';
      }),

    /** Removes the member under the conditions of `changeRole`, and their account if it is of this workspace alone. */
    remove: (memberId: string, from: MemberRole, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        const obstacle = await endRole(tx, workspaceId, memberId, from, audit);
        if (obstacle) return obstacle;
        await tx.run(endAutomations, { workspaceId, memberId });
        await tx.run(removeIdentity, { workspaceId, memberId });
        await tx.run(removeAccount, { workspaceId, memberId });
        await tx.run(remove, { workspaceId, memberId });
        return 'removed';
      }),
  });
}

/** Revokes the invitations of a member whose role ends, and writes the audit row; or returns why the role must stay. */
export async function endRole(
  tx: WriteTx,
  workspaceId: string,
  memberId: string,
  from: MemberRole,
  audit: AuditEntry,
): Promise<'gone' | 'conflict' | 'last_owner' | undefined> {
  const current = await tx.get(member, { workspaceId, memberId });
  if (!current) return 'gone';
  if (current.role !== from) return 'conflict';
  if (from === 'owner' && !(await tx.get(anotherOwner, { workspaceId, memberId }))) return 'last_owner';
  await tx.run(dropInvitations, { workspaceId, memberId, email: current.email });
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
const isThisMember = and(matches(members.workspaceId), eq(members.id, input('memberId')));

const ofWorkspace = statement(() =>
  selectMembers().where(matches(members.workspaceId)).orderBy(asc(members.createdAt), asc(members.id)),
);
const editors = statement(() =>
  db
    .select({ email: users.email, locale: users.locale })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(matches(members.workspaceId), ne(members.role, 'member')))
    .orderBy(asc(members.id)),
);
const member = statement(() => selectMembers().where(isThisMember));
const anotherOwner = statement(() =>
  db
    .select({ id: members.id })
    .from(members)
    .where(and(matches(members.workspaceId), eq(members.role, 'owner'), ne(members.id, input('memberId')))),
);
export const setRole = statement(() => db.update(members).set(bound('role')).where(isThisMember));
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
/** Somebody else may get the address later, and then join as a new person. */
const removeIdentity = statement(() =>
  db
    .delete(identities)
    .where(
      and(
        matches(identities.workspaceId),
        inArray(identities.userId, db.select({ id: members.userId }).from(members).where(isThisMember)),
      ),
    ),
);
const endAutomations = statement(() =>
  db.delete(sessions).where(
    inArray(
      sessions.id,
      db
        .select({ id: automationSessions.id })
        .from(automationSessions)
        .where(
          and(matches(automationSessions.workspaceId), eq(automationSessions.memberId, input('memberId'))),
        ),
    ),
  ),
);
const dropInvitations = statement(() =>
  db
    .delete(invitations)
    .where(
      and(
        matches(invitations.workspaceId),
        or(eq(invitations.invitedBy, input('memberId')), matches(invitations.email)),
      ),
    ),
);

/** Excludes removed workspaces. */
export function sqlMemberships({ read, write }: SqlDatabase) {
  return {
    /** Lists the memberships of a user, oldest first. */
    ofUser: (userId: string) => read(undefined, (tx) => tx.all(ofUser, { userId })),
    find: (workspaceId: string, userId: string) =>
      read(workspaceId, (tx) => tx.get(inWorkspace, { workspaceId, userId })),

    /** Adds the member. Returns 'gone' when the workspace does not exist. */
    add: ({ newMemberId: id, newUserId, passwordHash, ...joining }: NewMember, audit: AuditEntry) =>
      write(undefined, async (tx) => {
        const { workspaceId, email, role, createdAt } = joining;
        await tx.lock(workspaceId);
        if (!(await tx.get(workspace, { workspaceId }))) return 'gone';
        if (await tx.get(memberOfAddress, { workspaceId, email })) return 'already_member';
        const user = { userId: newUserId, email, passwordHash };
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
      providerMode: identityProviders.mode,
      requiresSecondFactor: sql`${requiresSecondFactor}`.mapWith(Boolean),
    })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, isNotRemoved)
    .leftJoin(identityProviders, eq(identityProviders.workspaceId, members.workspaceId))
    .where(matches(members.userId))
    .orderBy(asc(members.createdAt), asc(members.id)),
);
const inWorkspace = statement(() =>
  db
    .select({ ...getTableColumns(members), email: users.email, providerMode: identityProviders.mode })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .innerJoin(workspaces, isNotRemoved)
    .leftJoin(identityProviders, eq(identityProviders.workspaceId, members.workspaceId))
    .where(matches(members.workspaceId, members.userId)),
);
const workspace = statement(() =>
  db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.id, input('workspaceId')), isNull(workspaces.removedAt))),
);
/** The member of the workspace whose account has this address. */
const memberOfAddress = statement(() =>
  db
    .select(getTableColumns(members))
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(matches(members.workspaceId, users.email)),
);
const insertMember = insertInto(members);

export function sqlInvitations({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /**
     * Replaces an open invitation of the same address. A member without a password can be invited
     * again to set one, and any member by an operator.
     */
    create: (invitation: Invitation, audit: AuditEntry, mail?: NewMail) =>
      write(workspaceId, async (tx) => {
        const { email, provesAddress } = invitation;
        if (!provesAddress && (await tx.get(memberWithPassword, { workspaceId, email })))
          return 'already_member';
        await tx.run(dropOfAddress, { workspaceId, email });
        await tx.run(insertInvitation, { ...invitation, workspaceId });
        await insertAudit(tx, workspaceId, audit);
        await queueMail(tx, mail);
        return 'created';
      }),

    /** Lists open invitations, newest first. */
    list: (nowMillis: number) =>
      read(workspaceId, (tx) => tx.all(openInvitations, { workspaceId, nowMillis })),

    withdraw: (id: string, audit: AuditEntry) =>
      write(workspaceId, async (tx) => {
        if ((await tx.run(withdraw, { workspaceId, id })) === 0) return 'gone';
        await insertAudit(tx, workspaceId, audit);
        return 'withdrawn';
      }),
  });
}

const openInvitations = statement(() =>
  db
    .select()
    .from(invitations)
    .where(and(matches(invitations.workspaceId), gt(invitations.expiresAt, input('nowMillis'))))
    .orderBy(desc(invitations.createdAt), desc(invitations.id)),
);
const memberWithPassword = statement(() =>
  db
    .select({ id: members.id })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(matches(members.workspaceId, users.email), ne(users.passwordHash, ''))),
);
const insertInvitation = insertInto(invitations);
const dropOfAddress = statement(() =>
  db.delete(invitations).where(matches(invitations.workspaceId, invitations.email)),
);
const withdraw = statement(() =>
  db.delete(invitations).where(matches(invitations.workspaceId, invitations.id)),
);

/** Finds invitations of any workspace by the token in their links. */
export function sqlInvitationLinks({ read, write }: SqlDatabase) {
  return {
    /** Finds an open invitation with what its page shows. */
    find: (tokenHash: string, nowMillis: number) =>
      read(undefined, (tx) => tx.get(openByToken, { tokenHash, nowMillis })),

    /**
     * Accepts the invitation and uses up the link; a member with another role cannot accept. A link that proves the
     * address merges all accounts of the address into one, as `proveAddress` does. Any other link adds the proved account
     * whose password was verified, or an account of this workspace alone. Returns 'conflict' when the verified password
     * has changed meanwhile.
     */
    accept: (acceptance: Acceptance) => write(undefined, (tx) => accept(tx, acceptance)),
  };
}

async function accept(tx: WriteTx, acceptance: Acceptance): Promise<Member | 'conflict' | 'gone'> {
  const { tokenHash, nowMillis } = acceptance;
  const workspaceId = (await tx.get(openByToken, { tokenHash, nowMillis }))?.workspaceId;
  if (workspaceId === undefined) return 'gone';
  await tx.lock(workspaceId);
  const invitation = await tx.get(openByToken, { tokenHash, nowMillis });
  if (!invitation) return 'gone';
  const { email, role, provesAddress } = invitation;
  const existing = await tx.get(memberOfAddress, { workspaceId, email });
  if (existing && existing.role !== role) return 'gone';
  const joiningAccount = await findJoiningAccount(tx, invitation, acceptance);
  if (typeof joiningAccount === 'string') return joiningAccount;
  await tx.run(dropInvitation, { id: invitation.id });
  const added = { id: acceptance.newMemberId, workspaceId, role, createdAt: nowMillis };
  const member = { ...(existing ?? added), ...joiningAccount };
  if (!existing) await tx.run(insertMember, member);
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

/** Returns the account that joins, or why none does. */
async function findJoiningAccount(
  tx: WriteTx,
  { email, workspaceId, provesAddress }: Invitation,
  { account, newUserId, nowMillis, auditReset, resetNotice }: Acceptance,
): Promise<{ userId: string } | 'conflict' | 'gone'> {
  const accounts = await listByEmail(tx, email);
  const proved = accounts.find((user) => user.workspaceId === null);
  const unproved = accounts.find((user) => user.workspaceId === workspaceId);
  if ('verifiedHash' in account) {
    if (proved?.passwordHash !== account.verifiedHash) return 'conflict';
    if (unproved) await mergeAccount(tx, unproved.id, proved.id);
    return { userId: proved.id };
  }
  const { passwordHash } = account;
  if (provesAddress) {
    const userId = await proveAddress(tx, { email, newUserId, passwordHash, nowMillis });
    await auditAllMemberships(tx, userId, auditReset);
    if (accounts.some((known) => known.passwordHash !== '')) await queueMail(tx, resetNotice);
    return { userId };
  }
  if (unproved && unproved.passwordHash !== '') return 'gone';
  if (unproved) await setPassword(tx, unproved.id, passwordHash);
  else await insertUnproved(tx, { userId: newUserId, email, passwordHash }, workspaceId, nowMillis);
  return { userId: unproved?.id ?? newUserId };
}

const openByToken = statement(() =>
  db
    .select({ ...getTableColumns(invitations), workspaceName: workspaces.name })
    .from(invitations)
    .innerJoin(workspaces, and(eq(workspaces.id, invitations.workspaceId), isNull(workspaces.removedAt)))
    .where(and(matches(invitations.tokenHash), gt(invitations.expiresAt, input('nowMillis')))),
);
const dropInvitation = statement(() => db.delete(invitations).where(matches(invitations.id)));

/** Members of one workspace. */
export type Members = ReturnType<ReturnType<typeof sqlMembers>>;

/** Invitations of one workspace. */
export type Invitations = ReturnType<ReturnType<typeof sqlInvitations>>;

/** Invitations of all workspaces, looked up by the token in the link. */
export type InvitationLinks = ReturnType<typeof sqlInvitationLinks>;
