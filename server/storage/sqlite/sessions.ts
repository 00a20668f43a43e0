import { and, desc, eq, getTableColumns, ne, sql } from 'drizzle-orm';
import type { Sessions } from '../sessions.ts';
import { sessions, users } from '../sql/schema.ts';
import type { Connections, Drizzle } from './connections.ts';
import { bound, equals, insertInto, matches, placeholder } from './statements.ts';

export function sqliteSessions(connections: Connections): Sessions {
  const { read, write } = connections;
  const { byId, byToken, alive } = prepareReads(connections);
  const { currentPassword, insert, dropOldest, recordUse, owner, renew, end } = prepareWrites(connections);

  return {
    open: (session, sessionsMax, verifiedHash) =>
      write(() => {
        const { userId } = session;
        const known = currentPassword.get({ userId });
        if (!known) return 'gone';
        if (verifiedHash !== undefined && known.passwordHash !== verifiedHash) return 'conflict';
        insert(session);
        dropOldest.run({ userId, kept: sessionsMax });
        return 'opened';
      }),

    find: (id) => read(() => byId.get({ id })),

    findByToken: (tokenHash) => read(() => byToken.get({ tokenHash })),

    recordUse: (id, atMillis) =>
      write(() => {
        recordUse.run({ id, atMillis });
      }),

    confirm: (id, { tokenHash, atMillis, verifiedHash }) =>
      write(() => {
        const known = owner.get({ id });
        if (known?.passwordHash !== verifiedHash) return undefined;
        renew(known.session.userId, id, tokenHash, atMillis);
        return { ...known.session, tokenHash, confirmedAt: atMillis };
      }),

    list: (userId, nowMillis, idleMillis) =>
      read(() => alive.all({ userId, nowMillis, seenAfter: nowMillis - idleMillis })),

    end: (userId, id) => write(() => (end.run({ userId, id }).changes > 0 ? 'ended' : 'gone')),
  };
}

function prepareReads({ reader }: Connections) {
  const byId = reader.select().from(sessions).where(matches(sessions.id)).prepare();
  const byToken = reader
    .select({ ...getTableColumns(sessions), email: users.email })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(matches(sessions.tokenHash))
    .prepare();
  const alive = reader
    .select()
    .from(sessions)
    .where(
      and(
        equals(sessions.userId, 'userId'),
        sql`${sessions.expiresAt} > +${placeholder('nowMillis')}`,
        sql`${sessions.lastSeenAt} > +${placeholder('seenAfter')}`,
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .prepare();
  return { byId, byToken, alive };
}

function prepareWrites({ writer }: Connections) {
  const currentPassword = writer
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, placeholder('userId')))
    .prepare();
  const insert = insertInto(writer, sessions);
  const dropOldest = writer
    .delete(sessions)
    .where(
      sql`${sessions.id} IN (
        SELECT id FROM sessions WHERE user_id = +${placeholder('userId')}
        ORDER BY created_at DESC, id DESC LIMIT -1 OFFSET 0 + ${placeholder('kept')})`,
    )
    .prepare();
  const recordUse = writer
    .update(sessions)
    .set({ lastSeenAt: sql`max(${sessions.lastSeenAt}, ${placeholder('atMillis')})` })
    .where(matches(sessions.id))
    .prepare();
  const owner = writer
    .select({ session: getTableColumns(sessions), passwordHash: users.passwordHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(matches(sessions.id))
    .prepare();
  const { renew } = sessionWrites(writer);
  const end = writer.delete(sessions).where(matches(sessions.id, sessions.userId)).prepare();
  return { currentPassword, insert, dropOldest, recordUse, owner, renew, end };
}

/** Session writes for the write jobs that change a password. */
export function sessionWrites(writer: Drizzle) {
  const endOthers = writer
    .delete(sessions)
    .where(and(matches(sessions.userId), ne(sessions.id, placeholder('keptId'))))
    .prepare();
  const renew = writer
    .update(sessions)
    .set({ ...bound('tokenHash'), confirmedAt: sql`${placeholder('atMillis')}` })
    .where(matches(sessions.id, sessions.userId))
    .prepare();
  return {
    /** Ends all sessions of a user except one. */
    endOthers: (userId: string, keptId: string) => endOthers.run({ userId, keptId }).changes,
    /** Gives a session a new token; false when it does not exist. */
    renew: (userId: string, id: string, tokenHash: string, atMillis: number) =>
      renew.run({ userId, id, tokenHash, atMillis }).changes > 0,
  };
}
