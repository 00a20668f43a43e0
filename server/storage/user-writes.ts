/** Account writes that several resources share. */

import { and, asc, eq, isNull, ne, sql } from 'drizzle-orm';
import { insertAudit, type MembershipAudit } from './audit.ts';
import type { Tx, WriteTx } from './database.ts';
import {
  authenticatorApps,
  factorChallenges,
  members,
  passkeys,
  recoveryCodes,
  sessions,
  users,
  workspaces,
} from './schema/index.ts';
import { bound, db, input, insertInto, matches, statement } from './statements.ts';

const byEmail = statement(() =>
  db
    .select()
    .from(users)
    .where(matches(users.email))
    .orderBy(sql`${users.workspaceId} IS NOT NULL`, asc(users.createdAt), asc(users.id)),
);

/** Lists the accounts of an address, the proved one first. */
export function listByEmail(tx: Tx, email: string): Promise<(typeof users.$inferSelect)[]> {
  return tx.all(byEmail, { email });
}

const insertUser = insertInto(users);

type NewAccount = { userId: string; email: string; passwordHash: string };

export async function insertProved(
  tx: WriteTx,
  { userId: id, email, passwordHash }: NewAccount,
  createdAt: number,
): Promise<void> {
  await tx.run(insertUser, { id, email, passwordHash, createdAt, addressProvedAt: createdAt });
}

export async function insertUnproved(
  tx: WriteTx,
  { userId: id, email, passwordHash }: NewAccount,
  workspaceId: string,
  createdAt: number,
): Promise<void> {
  await tx.run(insertUser, { id, email, passwordHash, createdAt, workspaceId });
}

const setPasswordHash = statement(() => db.update(users).set(bound('passwordHash')).where(matches(users.id)));

export async function setPassword(tx: WriteTx, id: string, passwordHash: string): Promise<void> {
  await tx.run(setPasswordHash, { id, passwordHash });
}

const moveMembers = statement(() =>
  db
    .update(members)
    .set({ userId: sql`${input('into')}` })
    .where(eq(members.userId, input('from'))),
);
const remove = statement(() => db.delete(users).where(matches(users.id)));

/** Moves the memberships of the account `from` to `into`, and removes `from` with its sessions. */
export async function mergeAccount(tx: WriteTx, from: string, into: string): Promise<void> {
  await tx.run(moveMembers, { from, into });
  await tx.run(remove, { id: from });
}

const setProved = statement(() =>
  db
    .update(users)
    .set({ ...bound('passwordHash'), workspaceId: null, addressProvedAt: sql`${input('nowMillis')}` })
    .where(matches(users.id)),
);

type ProvedAccount = {
  email: string;
  newUserId: string;
  passwordHash: string;
  nowMillis: number;
};

/** Merges all accounts of the address into one proved account, or creates one, and returns its id. */
export async function proveAddress(
  tx: WriteTx,
  { email, newUserId, passwordHash, nowMillis }: ProvedAccount,
): Promise<string> {
  const [first, ...others] = await listByEmail(tx, email);
  if (!first) {
    await insertProved(tx, { userId: newUserId, email, passwordHash }, nowMillis);
    return newUserId;
  }
  await proveAccount(tx, first, { passwordHash, nowMillis });
  for (const { id } of others) await mergeAccount(tx, id, first.id);
  return first.id;
}

/** Makes the account the proved one of its address. Its sessions end: somebody else may have opened them. */
export async function proveAccount(
  tx: WriteTx,
  { id, addressProvedAt }: Pick<typeof users.$inferSelect, 'id' | 'addressProvedAt'>,
  account: { passwordHash: string; nowMillis: number },
): Promise<void> {
  await tx.run(setProved, { id, ...account });
  // Whoever invited the address may have set them up before its owner came.
  if (addressProvedAt === null) await dropFactors(tx, id);
  await endOtherSessions(tx, id, '');
}

const memberships = statement(() =>
  db
    .select({ workspaceId: members.workspaceId, memberId: members.id })
    .from(members)
    .innerJoin(workspaces, and(eq(workspaces.id, members.workspaceId), isNull(workspaces.removedAt)))
    .where(matches(members.userId))
    .orderBy(asc(members.id)),
);

export async function auditAllMemberships(
  tx: WriteTx,
  userId: string,
  audit: MembershipAudit,
): Promise<void> {
  for (const { workspaceId, memberId } of await tx.all(memberships, { userId })) {
    await insertAudit(tx, workspaceId, audit(workspaceId, memberId));
  }
}

const deleteOtherSessions = statement(() =>
  db.delete(sessions).where(and(matches(sessions.userId), ne(sessions.id, input('keptId')))),
);

/** Ends all sessions of a user except one. */
export async function endOtherSessions(tx: WriteTx, userId: string, keptId: string): Promise<void> {
  await tx.run(deleteOtherSessions, { userId, keptId });
}

const factorTables = [passkeys, authenticatorApps, recoveryCodes, factorChallenges];
const deleteFactors = factorTables.map((table) =>
  statement(() => db.delete(table).where(matches(table.userId))),
);

/** Removes all factors of a user, and what has begun with them. */
export async function dropFactors(tx: WriteTx, userId: string): Promise<void> {
  for (const drop of deleteFactors) await tx.run(drop, { userId });
}

/** What can be proved beyond a password. */
export type SessionFactor = NonNullable<(typeof sessions.$inferSelect)['factor']>;

const setFactor = statement(() => db.update(sessions).set(bound('factor')).where(matches(sessions.id)));

export async function setSessionFactor(tx: WriteTx, id: string, factor: SessionFactor): Promise<void> {
  await tx.run(setFactor, { id, factor });
}

const renewToken = statement(() =>
  db
    .update(sessions)
    .set({ ...bound('tokenHash'), confirmedAt: sql`${input('atMillis')}` })
    .where(matches(sessions.id, sessions.userId)),
);

type Renewal = Pick<typeof sessions.$inferSelect, 'id' | 'userId' | 'tokenHash'> & {
  atMillis: number;
};

/** Gives a session a new token; false when it does not exist. */
export async function renewSession(tx: WriteTx, renewal: Renewal): Promise<boolean> {
  return (await tx.run(renewToken, renewal)) > 0;
}
