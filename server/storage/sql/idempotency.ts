import { and, desc, isNull, lt } from 'drizzle-orm';
import type { IdempotencyKeys } from '../idempotency.ts';
import type { SqlDatabase } from './database.ts';
import { idempotencyKeys, sessions } from './schema.ts';
import {
  bound,
  boundLimit,
  db,
  equals,
  insertInto,
  matches,
  placeholder,
  statement,
  withoutNulls,
} from './statements.ts';

export function sqlIdempotencyKeys({ write }: SqlDatabase): (workspaceId: string) => IdempotencyKeys {
  return (workspaceId) => ({
    claim: (claim, { abandonedBefore, keysMax }) =>
      write(workspaceId, async (tx) => {
        const { sessionId, key, startedAt } = claim;
        if (!(await tx.get(session, { id: sessionId }))) return 'gone';
        const stored = await tx.get(ofKey, { workspaceId, sessionId, key });
        if (stored) {
          const isAbandoned = stored.status === null && stored.startedAt < abandonedBefore;
          if (!isAbandoned && stored.expiresAt > startedAt) {
            const { payloadHash, status, body } = stored;
            return withoutNulls({ payloadHash, status, body });
          }
          await tx.run(remove, { workspaceId, sessionId, key, startedAt: stored.startedAt });
        }
        await tx.run(insert, { ...claim, workspaceId });
        const oldest = (await tx.all(newest, { workspaceId, sessionId, limit: keysMax })).at(-1)!;
        await tx.run(removeOlder, { workspaceId, sessionId, startedAt: oldest.startedAt });
        return 'claimed';
      }),

    complete: (claim, response) =>
      write(workspaceId, async (tx) => {
        await tx.run(complete, { workspaceId, ...claim, ...response });
      }),

    release: (claim) =>
      write(workspaceId, async (tx) => {
        await tx.run(remove, { workspaceId, ...claim });
      }),
  });
}

const session = statement(() => db.select({ id: sessions.id }).from(sessions).where(matches(sessions.id)));
const isThis = matches(idempotencyKeys.workspaceId, idempotencyKeys.sessionId, idempotencyKeys.key);
const ofKey = statement(() => db.select().from(idempotencyKeys).where(isThis));
const insert = insertInto(idempotencyKeys);
const isThisRequest = and(isThis, matches(idempotencyKeys.startedAt), isNull(idempotencyKeys.status));
const complete = statement(() =>
  db.update(idempotencyKeys).set(bound('status', 'body')).where(isThisRequest),
);
const remove = statement(() =>
  db.delete(idempotencyKeys).where(and(isThis, matches(idempotencyKeys.startedAt))),
);
const ofSession = and(
  equals(idempotencyKeys.workspaceId, 'workspaceId'),
  equals(idempotencyKeys.sessionId, 'sessionId'),
);
const newest = statement(() =>
  db
    .select({ startedAt: idempotencyKeys.startedAt })
    .from(idempotencyKeys)
    .where(ofSession)
    .orderBy(desc(idempotencyKeys.startedAt))
    .limit(boundLimit),
);
const removeOlder = statement(() =>
  db.delete(idempotencyKeys).where(and(ofSession, lt(idempotencyKeys.startedAt, placeholder('startedAt')))),
);
