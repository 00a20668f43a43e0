import { and, eq, isNull, sql } from 'drizzle-orm';
import { type AuditEntry, insertAudit } from './audit.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { endRole, type MemberRole, setRole } from './members.ts';
import { identities, invitations, members, users, workspaces } from './schema/index.ts';
import { db, input, insertInto, matches, type Stored, statement, withoutNulls } from './statements.ts';
import { insertProved, listByEmail, mergeAccount, proveAccount } from './user-writes.ts';

/** Who a user is at an identity provider. */
export type Identity = Stored<typeof identities>;

/** Somebody whom a provider has identified, and for whose address it may vouch. */
type Arrival = {
  /** The workspace whose provider it is; absent for the provider of the installation. */
  workspaceId: string | undefined;
  issuer: string;
  clientId: string;
  subject: string;
  /** Lower case. */
  email: string;
  nowMillis: number;
  newUserId: string;
  newIdentityId: string;
  /** The workspace that people join; absent if only accounts that exist may sign in. */
  joins: Joining | undefined;
};

type Joining = {
  workspaceId: string;
  newMemberId: string;
  /** The role of a new member. */
  role: 'admin' | 'member';
  /** Whether the provider also decides the role of members, those of owners apart. */
  setsRole: boolean;
  /** Builds an audit row. Must be pure. */
  audit: (action: string, memberId: string, details: AuditEntry['details']) => AuditEntry;
};

export type Arrived =
  | { outcome: 'known'; user: Pick<Stored<typeof users>, 'id' | 'email' | 'passwordHash'> }
  | { outcome: 'no_account' }
  | { outcome: 'other_identity' };

export function sqlIdentities({ write }: SqlDatabase) {
  return {
    /**
     * Finds the account of an identity, or that of its address, which it then belongs to, and adds the account to the workspace
     * that people join. An account whose address was unproved loses its password and its sessions: somebody else may have
     * chosen the password.
     */
    admit: (arrival: Arrival) =>
      write(undefined, async (tx): Promise<Arrived> => {
        const { joins } = arrival;
        if (joins) await tx.lock(joins.workspaceId);
        if (joins && !(await tx.get(workspace, { id: joins.workspaceId }))) return { outcome: 'no_account' };
        const userId = (await findKnown(tx, arrival))?.userId ?? (await findByAddress(tx, arrival));
        if (userId === undefined) return { outcome: 'no_account' };
        if (!(await link(tx, arrival, userId))) return { outcome: 'other_identity' };
        if (joins) await join(tx, joins, userId, arrival);
        const user = await tx.get(userById, { id: userId });
        return user ? { outcome: 'known', user } : { outcome: 'no_account' };
      }),
  };
}

const toScope = ({ workspaceId, issuer, clientId }: Arrival) => ({
  scope: workspaceId ?? '',
  issuer,
  clientId,
});

async function findKnown(tx: WriteTx, arrival: Arrival): Promise<Identity | undefined> {
  const row = await tx.get(bySubject, { ...toScope(arrival), subject: arrival.subject });
  return row && withoutNulls(row);
}

/**
 * Returns the proved account of the address, with what belongs to it: for the provider of the installation all accounts of
 * the address, for that of a workspace those of this workspace.
 */
async function findByAddress(
  tx: WriteTx,
  { email, workspaceId, joins, newUserId, nowMillis }: Arrival,
): Promise<string | undefined> {
  const accounts = await listByEmail(tx, email);
  const proved = accounts.find((account) => account.workspaceId === null);
  const unproved = accounts.filter(
    (account) =>
      account.workspaceId !== null && (workspaceId === undefined || account.workspaceId === workspaceId),
  );
  if (proved) {
    for (const { id } of unproved) await mergeAccount(tx, id, proved.id);
    return proved.id;
  }
  if (unproved.length === 0) {
    if (!joins) return undefined;
    await insertProved(tx, { userId: newUserId, email, passwordHash: '' }, nowMillis);
    return newUserId;
  }
  const [first, ...others] = unproved;
  await proveAccount(tx, first!, { passwordHash: '', nowMillis });
  for (const { id } of others) await mergeAccount(tx, id, first!.id);
  return first!.id;
}

/** Returns false if another identity of the provider has the account. */
async function link(tx: WriteTx, arrival: Arrival, userId: string): Promise<boolean> {
  const { subject, newIdentityId: id, workspaceId, issuer, clientId, nowMillis: createdAt } = arrival;
  const known = await tx.get(byUser, { ...toScope(arrival), userId });
  if (known) return known.subject === subject;
  await tx.run(insertIdentity, { id, userId, workspaceId, issuer, clientId, subject, createdAt });
  return true;
}

async function join(
  tx: WriteTx,
  joins: Joining,
  userId: string,
  { email, nowMillis }: Arrival,
): Promise<void> {
  const { workspaceId, newMemberId: id, role, setsRole, audit } = joins;
  const member = await tx.get(memberOfUser, { workspaceId, userId });
  if (!member) {
    await tx.run(insertMember, { id, workspaceId, userId, role, createdAt: nowMillis });
    await tx.run(dropInvitations, { workspaceId, email });
    await insertAudit(tx, workspaceId, audit('member.joined', id, { email, role }));
  } else if (setsRole && member.role !== 'owner' && member.role !== role) {
    const from: MemberRole = member.role;
    const row = audit('member.role_changed', member.id, { email, from, to: role });
    await endRole(tx, workspaceId, member.id, from, row);
    await tx.run(setRole, { workspaceId, memberId: member.id, role });
  }
}

const scopeColumn = sql`coalesce(${identities.workspaceId}, '')`;
const inScope = and(eq(scopeColumn, input('scope')), matches(identities.issuer, identities.clientId));
const bySubject = statement(() =>
  db
    .select()
    .from(identities)
    .where(and(inScope, matches(identities.subject))),
);
const byUser = statement(() =>
  db
    .select({ subject: identities.subject })
    .from(identities)
    .where(and(inScope, matches(identities.userId))),
);
const insertIdentity = insertInto(identities);
const workspace = statement(() =>
  db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(matches(workspaces.id), isNull(workspaces.removedAt))),
);
const userById = statement(() =>
  db
    .select({ id: users.id, email: users.email, passwordHash: users.passwordHash })
    .from(users)
    .where(matches(users.id)),
);
const memberOfUser = statement(() =>
  db.select().from(members).where(matches(members.workspaceId, members.userId)),
);
const insertMember = insertInto(members);
const dropInvitations = statement(() =>
  db.delete(invitations).where(matches(invitations.workspaceId, invitations.email)),
);
