import { and, asc, eq, gt, isNull, lte, notExists, sql } from 'drizzle-orm';
import { members, setupLinks, users, workspaces } from '../schema.ts';
import type { PasswordChange, User, Users } from '../users.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { sessionWrites } from './sessions.ts';
import { bound, equals, insertInto, matches, placeholder, withoutNulls } from './statements.ts';
import type { WorkspaceWrites } from './workspaces.ts';

export function sqliteUsers(
  connections: Connections,
  insertAudit: InsertAudit,
  { insertWorkspace }: WorkspaceWrites,
): Users {
  const { read, write } = connections;
  const accounts = prepareUserStatements(connections);
  const { openLink, existingUser, link, insertLink, dropExpired, dropLinks, insertMember, withoutMembers } =
    prepareSetupStatements(connections);

  return {
    any: () => read(() => accounts.anyUser.get() !== undefined),
    find: (id) => read(() => toUser(accounts.byId.get({ id }))),
    listByEmail: (email) => read(() => accounts.byEmail.all({ email }).map((row) => withoutNulls(row))),

    changePassword: ({ userId, from, to, keep, audit }) =>
      write(() => {
        const user = accounts.current.get({ id: userId });
        if (!user) return 'gone';
        if (user.passwordHash !== from) return 'conflict';
        if (!accounts.renew(userId, keep.sessionId, keep.tokenHash, keep.atMillis)) return 'gone';
        accounts.setPassword.run({ id: userId, passwordHash: to });
        accounts.endOthers(userId, keep.sessionId);
        accounts.auditEverywhere(userId, audit, insertAudit);
        return 'changed';
      }),

    proveAddress: ({ email, passwordHash, nowMillis, audit }) =>
      write(() => {
        const id = accounts.listByEmail(email)[0]?.id;
        if (id === undefined) return undefined;
        accounts.proveAddress({ newUserId: id, email, passwordHash, nowMillis });
        accounts.auditEverywhere(id, audit, insertAudit);
        return toUser(accounts.current.get({ id }));
      }),

    rehash: (userId, from, to) =>
      write(() => {
        accounts.rehash.run({ id: userId, from, to });
      }),

    addSetupLink: (tokenHash, expiresAt, nowMillis) =>
      write(() => {
        dropExpired.run({ nowMillis });
        insertLink({ tokenHash, expiresAt });
      }),

    findSetupLink: (tokenHash, nowMillis) => read(() => openLink.get({ tokenHash, nowMillis })),

    setUp: ({ tokenHash, nowMillis, workspace, owner, audit, adopt }) =>
      write(() => {
        if (existingUser.get() || !link.get({ tokenHash, nowMillis })) return 'gone';
        const orphans = withoutMembers.all();
        const outcome = insertWorkspace(workspace, owner);
        if (outcome === 'app_id_taken') return outcome;
        if (outcome !== 'created') throw new Error(`the first owner: ${outcome}`);
        insertAudit(workspace.id, audit);
        for (const { id: workspaceId } of orphans) {
          const adoption = adopt(workspaceId);
          const { userId } = owner;
          insertMember({ id: adoption.memberId, workspaceId, userId, role: 'owner', createdAt: nowMillis });
          insertAudit(workspaceId, adoption.audit);
        }
        dropLinks.run();
        return 'set_up';
      }),
  };
}

function prepareUserStatements({ reader, writer }: Connections) {
  const anyUser = reader.select({ id: users.id }).from(users).limit(1).prepare();
  const byId = reader.select().from(users).where(matches(users.id)).prepare();
  const byEmail = selectByEmail(reader);
  const current = writer.select().from(users).where(matches(users.id)).prepare();
  const rehash = writer
    .update(users)
    .set({ passwordHash: sql`${placeholder('to')}` })
    .where(and(matches(users.id), eq(users.passwordHash, placeholder('from'))))
    .prepare();
  return { anyUser, byId, byEmail, current, rehash, ...sessionWrites(writer), ...userWrites(writer) };
}

type Row = typeof users.$inferSelect;

function toUser(row: Row | undefined): User | undefined {
  return row && withoutNulls(row);
}

/** The accounts of an address: the proved one first. */
function selectByEmail(db: Drizzle) {
  return db
    .select()
    .from(users)
    .where(equals(users.email, 'email'))
    .orderBy(sql`${users.workspaceId} IS NOT NULL`, asc(users.createdAt), asc(users.id))
    .prepare();
}

/** User writes for use inside a write job. */
export function userWrites(writer: Drizzle) {
  const byEmail = selectByEmail(writer);
  const insertUser = insertInto(writer, users);
  const setPassword = writer.update(users).set(bound('passwordHash')).where(matches(users.id)).prepare();
  const setProved = writer
    .update(users)
    .set({ ...bound('passwordHash'), workspaceId: null, addressProvedAt: sql`${placeholder('nowMillis')}` })
    .where(matches(users.id))
    .prepare();
  const moveMembers = writer
    .update(members)
    .set({ userId: sql`${placeholder('into')}` })
    .where(eq(members.userId, placeholder('from')))
    .prepare();
  const remove = writer.delete(users).where(matches(users.id)).prepare();
  const memberships = writer
    .select({ workspaceId: members.workspaceId, memberId: members.id })
    .from(members)
    .innerJoin(workspaces, and(eq(workspaces.id, members.workspaceId), isNull(workspaces.removedAt)))
    .where(equals(members.userId, 'userId'))
    .orderBy(asc(members.id))
    .prepare();
  const { endOthers } = sessionWrites(writer);

  const listByEmail = (email: string) => byEmail.all({ email });
  /** Moves the memberships of an account to another one and removes it, with its sessions. */
  function absorb(from: string, into: string): void {
    moveMembers.run({ from, into });
    remove.run({ id: from });
  }

  function insertProved({ userId: id, email, passwordHash }: NewAccount, createdAt: number): void {
    insertUser({ id, email, passwordHash, createdAt, workspaceId: null, addressProvedAt: createdAt });
  }

  return {
    listByEmail,
    setPassword,
    absorb,
    insertProved,

    insertUnproved(
      { userId: id, email, passwordHash }: NewAccount,
      workspaceId: string,
      createdAt: number,
    ): void {
      insertUser({ id, email, passwordHash, createdAt, workspaceId, addressProvedAt: null });
    },

    /** Makes one proved account of all accounts of the address, or a new one, and returns its id. */
    proveAddress({ email, newUserId, passwordHash, nowMillis }: ProvedAccount): string {
      const [first, ...others] = listByEmail(email);
      if (!first) {
        insertProved({ userId: newUserId, email, passwordHash }, nowMillis);
        return newUserId;
      }
      setProved.run({ id: first.id, passwordHash, nowMillis });
      endOthers(first.id, '');
      for (const { id } of others) absorb(id, first.id);
      return first.id;
    },

    auditEverywhere(userId: string, audit: PasswordChange['audit'], insertAudit: InsertAudit): void {
      for (const { workspaceId, memberId } of memberships.all({ userId })) {
        insertAudit(workspaceId, audit(workspaceId, memberId));
      }
    },
  };
}

type NewAccount = { readonly userId: string; readonly email: string; readonly passwordHash: string };
type ProvedAccount = {
  readonly email: string;
  readonly newUserId: string;
  readonly passwordHash: string;
  readonly nowMillis: number;
};

function prepareSetupStatements({ reader, writer }: Connections) {
  const isLinkOpen = and(matches(setupLinks.tokenHash), gt(setupLinks.expiresAt, placeholder('nowMillis')));
  const openLink = reader
    .select({ expiresAt: setupLinks.expiresAt })
    .from(setupLinks)
    .where(isLinkOpen)
    .prepare();
  const existingUser = writer.select({ id: users.id }).from(users).limit(1).prepare();
  const link = writer.select().from(setupLinks).where(isLinkOpen).prepare();
  const insertLink = insertInto(writer, setupLinks);
  const dropExpired = writer
    .delete(setupLinks)
    .where(lte(setupLinks.expiresAt, placeholder('nowMillis')))
    .prepare();
  const dropLinks = writer.delete(setupLinks).prepare();
  const insertMember = insertInto(writer, members);
  const withoutMembers = writer
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(
      and(
        isNull(workspaces.removedAt),
        notExists(
          writer.select({ id: members.id }).from(members).where(eq(members.workspaceId, workspaces.id)),
        ),
      ),
    )
    .prepare();
  return { openLink, existingUser, link, insertLink, dropExpired, dropLinks, insertMember, withoutMembers };
}
