import { and, desc, eq, getTableColumns, notInArray, sql } from 'drizzle-orm';
import type { Sessions } from '../sessions.ts';
import type { SqlDatabase } from './database.ts';
import { sessions, users } from './schema.ts';
import {
  boundLimit,
  db,
  equals,
  greater,
  insertInto,
  matches,
  placeholder,
  statement,
} from './statements.ts';
import { renewSession } from './user-writes.ts';

export function sqlSessions({ read, write }: SqlDatabase): Sessions {
  return {
    open: (session, sessionsMax, verifiedHash) =>
      write(undefined, async (tx) => {
        const { userId } = session;
        const known = await tx.get(currentPassword, { userId });
        if (!known) return 'gone';
        if (verifiedHash !== undefined && known.passwordHash !== verifiedHash) return 'conflict';
        await tx.run(insert, session);
        await tx.run(dropOldest, { userId, limit: sessionsMax });
        return 'opened';
      }),

    find: (id) => read(undefined, (tx) => tx.get(byId, { id })),

    findByToken: (tokenHash) => read(undefined, (tx) => tx.get(byToken, { tokenHash })),

    recordUse: (id, lastSeenAt) =>
      write(undefined, async (tx) => {
        await tx.run(recordUse, { id, lastSeenAt });
      }),

    confirm: (id, { tokenHash, atMillis, verifiedHash }) =>
      write(undefined, async (tx) => {
        const known = await tx.get(withPassword, { id });
        if (known?.passwordHash !== verifiedHash) return undefined;
        const { session } = known;
        await renewSession(tx, { userId: session.userId, id, tokenHash, atMillis });
        return { ...session, tokenHash, confirmedAt: atMillis };
      }),

    list: (userId, nowMillis, idleMillis) =>
      read(undefined, (tx) => tx.all(alive, { userId, nowMillis, seenAfter: nowMillis - idleMillis })),

    end: (userId, id) =>
      write(undefined, async (tx) => ((await tx.run(end, { userId, id })) > 0 ? 'ended' : 'gone')),
  };
}

const byId = statement(() => db.select().from(sessions).where(matches(sessions.id)));
const byToken = statement(() =>
  db
    .select({ ...getTableColumns(sessions), email: users.email })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(matches(sessions.tokenHash)),
);
const alive = statement(() =>
  db
    .select()
    .from(sessions)
    .where(
      and(
        equals(sessions.userId, 'userId'),
        sql`${sessions.expiresAt} > +${placeholder('nowMillis')}`,
        sql`${sessions.lastSeenAt} > +${placeholder('seenAfter')}`,
      ),
    )
    .orderBy(desc(sessions.createdAt), desc(sessions.id)),
);
const currentPassword = statement(() =>
  db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, placeholder('userId'))),
);
const insert = insertInto(sessions);
const dropOldest = statement(() => {
  const ofUser = equals(sessions.userId, 'userId');
  const kept = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(ofUser)
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(boundLimit);
  return db.delete(sessions).where(and(ofUser, notInArray(sessions.id, kept)));
});
const recordUse = statement(() =>
  db
    .update(sessions)
    .set({ lastSeenAt: greater(sessions.lastSeenAt, 'lastSeenAt') })
    .where(matches(sessions.id)),
);
const withPassword = statement(() =>
  db
    .select({ session: getTableColumns(sessions), passwordHash: users.passwordHash })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(matches(sessions.id)),
);
const end = statement(() => db.delete(sessions).where(matches(sessions.id, sessions.userId)));
