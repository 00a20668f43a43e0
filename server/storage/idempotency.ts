import { and, desc, isNull, lt } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import { idempotencyKeys, sessions } from './schema/index.ts';
import { bound, db, input, insertInto, matches, type Stored, statement, withoutNulls } from './statements.ts';

/** The claim of a session's request to its idempotency key; a repeated request gets the first response. */
type IdempotencyClaim = Omit<Stored<typeof idempotencyKeys>, 'workspaceId' | 'status' | 'body'>;

export function sqlIdempotencyKeys({ write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /**
     * Claims the key for this request, and deletes all but the newest `keysMax` keys of the session. Returns the stored
     * request when another one has the key, unless that one has expired, or began before `abandonedBefore` without
     * ending. Returns 'gone' when the session has ended.
     */
    claim: (
      claim: IdempotencyClaim,
      { abandonedBefore, keysMax }: { abandonedBefore: number; keysMax: number },
    ) =>
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

    /** Stores the response to the request that has the key. */
    complete: (
      claim: Pick<IdempotencyClaim, 'sessionId' | 'key' | 'startedAt'>,
      response: { status: number; body: string | undefined },
    ) =>
      write(workspaceId, async (tx) => {
        await tx.run(complete, { workspaceId, ...claim, ...response });
      }),

    /** Releases the key after a failure. */
    release: (claim: Pick<IdempotencyClaim, 'sessionId' | 'key' | 'startedAt'>) =>
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
const ofSession = and(matches(idempotencyKeys.workspaceId, idempotencyKeys.sessionId));
const newest = statement(() =>
  db
    .select({ startedAt: idempotencyKeys.startedAt })
    .from(idempotencyKeys)
    .where(ofSession)
    .orderBy(desc(idempotencyKeys.startedAt))
    .limit(input('limit')),
);
const removeOlder = statement(() =>
  db.delete(idempotencyKeys).where(and(ofSession, lt(idempotencyKeys.startedAt, input('startedAt')))),
);
