import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { members, users, workspaces } from '../sql/schema.ts';
import type { PasswordChange } from '../users.ts';
import type { InsertAudit } from './audit.ts';
import type { Drizzle } from './connections.ts';
import { sessionWrites } from './sessions.ts';
import { bound, equals, insertInto, matches, placeholder } from './statements.ts';

/** The accounts of an address: the proved one first. */
export function selectByEmail(db: Drizzle) {
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
