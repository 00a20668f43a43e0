import {
  and,
  desc,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  lte,
  notExists,
  notInArray,
  or,
  sql,
} from 'drizzle-orm';
import { type AuditEntry, insertAudit, type MembershipAudit } from './audit.ts';
import { type Automation, type AutomationRow, toAutomation } from './automation-sessions.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import { type NewMail, queueMail } from './mails.ts';
import { automationSessions, members, sessions, setupLinks, users, workspaces } from './schema/index.ts';
import {
  bound,
  db,
  greater,
  input,
  insertInto,
  matches,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';
import {
  auditAllMemberships,
  endOtherSessions,
  listByEmail,
  proveAddress,
  renewSession,
  type SessionFactor,
  setPassword,
  setSessionFactor,
} from './user-writes.ts';
import { insertWorkspace, type NewOwner, type NewWorkspace } from './workspaces.ts';

/**
 * A person who can sign in. An address has at most one proved account, which may be a member of any number of
 * workspaces, and for each workspace at most one unproved account, made by an invitation or an import.
 */
export type User = Stored<typeof users>;

type PasswordChange = {
  userId: string;
  /** The hash that the caller verified. */
  from: string;
  to: string;
  /** The session that continues under a new token; all others of the user end. */
  keep: { sessionId: string; tokenHash: string; atMillis: number };
  /** For each of the user's workspaces. */
  audit: MembershipAudit;
  /** Tells the user of the change. */
  mail?: NewMail | undefined;
};

type EmailChange = {
  userId: string;
  from: string;
  to: string;
  keepSessionId: string;
  nowMillis: number;
  /** For each of the user's workspaces. */
  audit: MembershipAudit;
  /** Tells the earlier address. */
  mail?: NewMail | undefined;
};

/** An address that an operator vouches for, with its new password. */
type AddressProof = {
  email: string;
  /** PHC string. */
  passwordHash: string;
  nowMillis: number;
  /** For each of the user's workspaces. */
  audit: MembershipAudit;
  /** Tells the user of the change. */
  mail?: NewMail | undefined;
};

export type SetUp = {
  tokenHash: string;
  nowMillis: number;
  workspace: NewWorkspace;
  owner: NewOwner;
  audit: AuditEntry;
  /**
   * Builds the owner's membership in a workspace without members. Must be pure; runs inside the
   * transaction.
   */
  adopt: (workspaceId: string) => { memberId: string; audit: AuditEntry };
};

export type SetupLink = { expiresAt: number };

/** A user's sign-in on one device. */
export type Session = typeof sessions.$inferSelect;

type Confirmation = {
  tokenHash: string;
  atMillis: number;
  /** Absent if no password was entered. */
  verifiedHash?: string | undefined;
  /** The second factor that was proved, too. */
  factor?: SessionFactor | undefined;
};

type SignIn = {
  verifiedHash?: string;
  /** The first language of the browser. */
  locale?: string | undefined;
  /** Tells the user of the sign-in. */
  mail?: NewMail | undefined;
};

/** `automation` has the permissions of a program's session; people's sessions have none. */
export type ListedSession = Session & { automation?: Automation };

export function sqlUsers({ read, write }: SqlDatabase) {
  return {
    /** Returns whether any user exists; until then the setup link works. */
    hasAny: () => read(undefined, async (tx) => (await tx.get(anyUser)) !== undefined),
    find: (id: string) => read(undefined, async (tx) => toUser(await tx.get(byId, { id }))),
    /** Lists the accounts of an address: the proved one first, then the unproved ones, oldest first. */
    listByEmail: (email: string) =>
      read(undefined, async (tx) => (await listByEmail(tx, email)).map(withoutNulls)),

    /**
     * Returns 'conflict' when the hash is no longer the verified one, and 'gone' when the user or the
     * session to keep no longer exists.
     */
    changePassword: ({ userId, from, to, keep, audit, mail }: PasswordChange) =>
      write(undefined, async (tx) => {
        const user = await tx.get(byId, { id: userId });
        if (!user) return 'gone';
        if (user.passwordHash !== from) return 'conflict';
        const { sessionId, tokenHash, atMillis } = keep;
        if (!(await renewSession(tx, { userId, id: sessionId, tokenHash, atMillis }))) return 'gone';
        await setPassword(tx, userId, to);
        await endOtherSessions(tx, userId, sessionId);
        await auditAllMemberships(tx, userId, audit);
        await queueMail(tx, mail);
        return 'changed';
      }),

    /**
     * Merges all accounts of the address into one proved account, which gets the password and all memberships; all
     * sessions end. Returns undefined when the address has no account.
     */
    proveAddress: ({ email, passwordHash, nowMillis, audit, mail }: AddressProof) =>
      write(undefined, async (tx) => {
        const id = (await listByEmail(tx, email))[0]?.id;
        if (id === undefined) return undefined;
        await proveAddress(tx, { newUserId: id, email, passwordHash, nowMillis });
        await auditAllMemberships(tx, id, audit);
        await queueMail(tx, mail);
        return toUser(await tx.get(byId, { id }));
      }),

    /**
     * Gives the account an address that its owner has proved, and ends the user's other sessions. Returns 'gone' when the account
     * has another address by now, and 'taken' when the new one has a proved account.
     */
    changeEmail: ({ userId, from, to, keepSessionId, nowMillis, audit, mail }: EmailChange) =>
      write(undefined, async (tx) => {
        if ((await tx.get(byId, { id: userId }))?.email !== from) return 'gone';
        const [owner] = await listByEmail(tx, to);
        if (owner && owner.id !== userId && owner.workspaceId === null) return 'taken';
        await tx.run(setEmail, { id: userId, email: to, nowMillis });
        await endOtherSessions(tx, userId, keepSessionId);
        await auditAllMemberships(tx, userId, audit);
        await queueMail(tx, mail);
        return 'changed';
      }),

    /** Stores the same password under new hash parameters, unless it has changed meanwhile. */
    rehash: (userId: string, from: string, to: string) =>
      write(undefined, async (tx) => {
        await tx.run(rehash, { id: userId, from, to });
      }),

    /** Stores a one-time link that creates the first owner, and deletes expired links. */
    addSetupLink: (tokenHash: string, expiresAt: number, nowMillis: number) =>
      write(undefined, async (tx) => {
        await tx.run(dropExpired, { nowMillis });
        await tx.run(insertLink, { tokenHash, expiresAt });
      }),

    /** Returns undefined when the link is unknown, expired or used. */
    findSetupLink: (tokenHash: string, nowMillis: number) =>
      read(undefined, (tx) => tx.get(openLink, { tokenHash, nowMillis })),

    /**
     * Creates the first workspace and its owner, and deletes all setup links. The owner also gets every
     * workspace without members (the demo). Returns 'gone' when a user exists already, or the link is
     * unknown or expired.
     */
    setUp: (setUp: SetUp) => write(undefined, (tx) => createFirstOwner(tx, setUp)),
  };
}

async function createFirstOwner(
  tx: WriteTx,
  { tokenHash, nowMillis, workspace, owner, audit, adopt }: SetUp,
): Promise<'set_up' | 'gone' | 'app_id_taken'> {
  if ((await tx.get(anyUser)) || !(await tx.get(openLink, { tokenHash, nowMillis }))) return 'gone';
  const emptyWorkspaces = await tx.all(withoutMembers);
  const outcome = await insertWorkspace(tx, workspace, owner);
  if (outcome === 'app_id_taken') return outcome;
  if (outcome !== 'created') throw new Error(`the first owner: ${outcome}`);
  await insertAudit(tx, workspace.id, audit);
  for (const { id: workspaceId } of emptyWorkspaces) {
    const { memberId: id, audit } = adopt(workspaceId);
    const { userId } = owner;
    await tx.run(insertMember, { id, workspaceId, userId, role: 'owner', createdAt: nowMillis });
    await insertAudit(tx, workspaceId, audit);
  }
  await tx.run(dropLinks);
  return 'set_up';
}

const anyUser = statement(() => db.select({ id: users.id }).from(users).limit(1));
const byId = statement(() => db.select().from(users).where(matches(users.id)));
const setEmail = statement(() =>
  db
    .update(users)
    .set({ ...bound('email'), workspaceId: null, addressProvedAt: sql`${input('nowMillis')}` })
    .where(matches(users.id)),
);
const rehash = statement(() =>
  db
    .update(users)
    .set({ passwordHash: sql`${input('to')}` })
    .where(and(matches(users.id), eq(users.passwordHash, input('from')))),
);

function toUser(row: typeof users.$inferSelect | undefined): User | undefined {
  return row && withoutNulls(row);
}

const openLink = statement(() =>
  db
    .select({ expiresAt: setupLinks.expiresAt })
    .from(setupLinks)
    .where(and(matches(setupLinks.tokenHash), gt(setupLinks.expiresAt, input('nowMillis')))),
);
const insertLink = insertInto(setupLinks);
const dropExpired = statement(() =>
  db.delete(setupLinks).where(lte(setupLinks.expiresAt, input('nowMillis'))),
);
const dropLinks = statement(() => db.delete(setupLinks));
const insertMember = insertInto(members);
const withoutMembers = statement(() =>
  db
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(
      and(
        isNull(workspaces.removedAt),
        notExists(db.select({ id: members.id }).from(members).where(eq(members.workspaceId, workspaces.id))),
      ),
    ),
);

export function sqlSessions({ read, write }: SqlDatabase) {
  return {
    /**
     * Starts a session and keeps only the user's newest `sessionsMax`, not counting automation sessions. Returns
     * 'conflict' when the password hash is no longer the one that the caller verified.
     */
    open: (session: Session, sessionsMax: number, { verifiedHash, locale, mail }: SignIn = {}) =>
      write(undefined, async (tx) => {
        const { userId } = session;
        const user = await tx.get(currentPassword, { userId });
        if (!user) return 'gone';
        if (verifiedHash !== undefined && user.passwordHash !== verifiedHash) return 'conflict';
        await tx.run(insertSession, session);
        await tx.run(dropOldest, { userId, limit: sessionsMax });
        if (locale !== undefined) await tx.run(setLocale, { id: userId, locale });
        await queueMail(tx, mail);
        return 'opened';
      }),

    find: (id: string) => read(undefined, (tx) => tx.get(sessionById, { id })),

    findByToken: (tokenHash: string) =>
      read(undefined, async (tx) => {
        const row = await tx.get(sessionByToken, { tokenHash });
        return row && { ...toListed(row), email: row.email };
      }),

    /** Records activity of the session. */
    recordUse: (id: string, lastSeenAt: number) =>
      write(undefined, async (tx) => {
        await tx.run(recordUse, { id, lastSeenAt });
      }),

    /**
     * Continues the session under a new token after the user proved who they are. Undefined when the session is gone or
     * the hash is not the verified one.
     */
    confirm: (id: string, { tokenHash, atMillis, verifiedHash, factor }: Confirmation) =>
      write(undefined, async (tx) => {
        const current = await tx.get(withPassword, { id });
        if (!current || (verifiedHash ?? current.passwordHash) !== current.passwordHash) return undefined;
        const { session } = current;
        await renewSession(tx, { userId: session.userId, id, tokenHash, atMillis });
        if (factor) await setSessionFactor(tx, id, factor);
        return { ...session, factor: factor ?? session.factor, tokenHash, confirmedAt: atMillis };
      }),

    /** Lists the user's unexpired sessions, newest first. `idleMillis` does not apply to automation sessions. */
    list: (userId: string, nowMillis: number, idleMillis: number) =>
      read(undefined, async (tx) =>
        (await tx.all(openSessions, { userId, nowMillis, seenAfter: nowMillis - idleMillis })).map(toListed),
      ),

    end: (userId: string, id: string) =>
      write(undefined, async (tx) => ((await tx.run(endSession, { userId, id })) > 0 ? 'ended' : 'gone')),
  };
}

const sessionById = statement(() => db.select().from(sessions).where(matches(sessions.id)));
const columns = { session: getTableColumns(sessions), automation: getTableColumns(automationSessions) };
const ofSession = eq(automationSessions.id, sessions.id);
const sessionByToken = statement(() =>
  db
    .select({ ...columns, email: users.email })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .leftJoin(automationSessions, ofSession)
    .where(matches(sessions.tokenHash)),
);
const openSessions = statement(() =>
  db
    .select(columns)
    .from(sessions)
    .leftJoin(automationSessions, ofSession)
    .where(
      and(
        matches(sessions.userId),
        gt(sessions.expiresAt, input('nowMillis')),
        or(isNotNull(automationSessions.id), gt(sessions.lastSeenAt, input('seenAfter'))),
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.id)),
);
const currentPassword = statement(() =>
  db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, input('userId'))),
);
const insertSession = insertInto(sessions);
const setLocale = statement(() => db.update(users).set(bound('locale')).where(matches(users.id)));
const dropOldest = statement(() => {
  const ofUser = and(
    matches(sessions.userId),
    notExists(db.select({ id: automationSessions.id }).from(automationSessions).where(ofSession)),
  );
  const kept = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(ofUser)
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(input('limit'));
  return db.delete(sessions).where(and(ofUser, notInArray(sessions.id, kept)));
});
const recordUse = statement(() =>
  db
    .update(sessions)
    .set({ lastSeenAt: greater(sessions.lastSeenAt, 'lastSeenAt') })
    .where(matches(sessions.id)),
);
/** The columns of a missing row are null. */
function toListed({
  session,
  automation,
}: {
  session: Session;
  automation: AutomationRow | null;
}): ListedSession {
  return automation?.id == null ? session : { ...session, automation: toAutomation(automation) };
}

const withPassword = statement(() =>
  db
    .select({ session: getTableColumns(sessions), passwordHash: users.passwordHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(matches(sessions.id)),
);
const endSession = statement(() => db.delete(sessions).where(matches(sessions.id, sessions.userId)));

export type Sessions = ReturnType<typeof sqlSessions>;
