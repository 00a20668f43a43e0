import { and, asc, count, eq, gt, isNull, lt, lte, or, sql } from 'drizzle-orm';
import type { MembershipAudit } from './audit.ts';
import type { SqlDatabase, Tx, WriteTx } from './database.ts';
import { type NewMail, queueMail } from './mails.ts';
import {
  authenticatorApps,
  factorChallenges,
  members,
  passkeys,
  recoveryCodes,
  workspaces,
} from './schema/index.ts';
import {
  bound,
  db,
  input,
  insertInto,
  matches,
  putInto,
  type Stored,
  statement,
  withoutNulls,
} from './statements.ts';
import {
  auditAllMemberships,
  dropFactors,
  endOtherSessions,
  type SessionFactor,
  setSessionFactor,
} from './user-writes.ts';

/** Passkeys, authenticator apps and recovery codes of users, and the steps in which they are set up and proved. */

export type Passkey = Stored<typeof passkeys>;
export type AuthenticatorApp = Stored<typeof authenticatorApps>;
export type FactorChallenge = Stored<typeof factorChallenges>;

export type Factors = {
  /** Oldest first. */
  passkeys: Passkey[];
  app?: AuthenticatorApp | undefined;
  recoveryCodesLeft: number;
  /** Whether there is a passkey or an app. */
  hasAny: boolean;
  /** Whether a workspace of the user requires a second factor. */
  isRequired: boolean;
};

/** What a change of the factors tells. */
type FactorChange = {
  /** For each of the user's workspaces. */
  audit: MembershipAudit;
  mail?: NewMail | undefined;
};

type NewFactor = FactorChange & {
  /** The session in which the user has just proved the new factor. */
  sessionId: string;
  /** Kept if the user has none yet. */
  codeHashes: readonly string[];
};

/** `hasNewCodes` says whether the recovery codes that came with a first factor were kept. */
type Added = { hasNewCodes: boolean };

export function sqlFactors({ read, write }: SqlDatabase) {
  return {
    ofUser: (userId: string) => read(undefined, (tx) => readFactors(tx, userId), 'atOnce'),

    findPasskey: (credentialId: string) =>
      read(undefined, async (tx) => {
        const row = await tx.get(byCredential, { credentialId });
        return row && withoutNulls(row);
      }),

    /** Begins a step, and deletes those that have expired. */
    addChallenge: (challenge: typeof factorChallenges.$inferInsert, nowMillis: number) =>
      write(undefined, async (tx) => {
        await tx.run(dropExpired, { nowMillis });
        await tx.run(insertChallenge, challenge);
      }),

    findChallenge: (tokenHash: string, nowMillis: number) =>
      read(undefined, (tx) => findChallenge(tx, tokenHash, nowMillis)),

    /** Ends a step and returns it; undefined if it is unknown, expired or used. */
    takeChallenge: (tokenHash: string, nowMillis: number) =>
      write(undefined, async (tx) => {
        const challenge = await findChallenge(tx, tokenHash, nowMillis);
        return (await tx.run(dropChallenge, { tokenHash })) > 0 ? challenge : undefined;
      }),

    addPasskey: (passkey: Passkey, passkeysMax: number, added: NewFactor) =>
      write(undefined, async (tx): Promise<Added | 'taken' | 'too_many'> => {
        if (await tx.get(byCredential, passkey)) return 'taken';
        if ((await tx.get(countPasskeys, passkey))!.rows >= passkeysMax) return 'too_many';
        await tx.run(insertPasskey, passkey);
        return addFactor(tx, passkey.userId, 'passkey', added);
      }),

    renamePasskey: (userId: string, id: string, name: string) =>
      write(undefined, async (tx) => {
        await tx.run(renamePasskey, { userId, id, name });
        const row = await tx.get(passkeyById, { userId, id });
        return row && withoutNulls(row);
      }),

    /** Returns 'last_factor' when a workspace requires one and no other is left. */
    removePasskey: (userId: string, id: string, change: FactorChange) =>
      write(undefined, async (tx) => {
        if (!(await tx.get(passkeyById, { userId, id }))) return 'gone';
        return removeFactor(tx, userId, change, () => tx.run(dropPasskey, { userId, id }));
      }),

    /** Replaces an earlier app. */
    putApp: (app: AuthenticatorApp, added: NewFactor) =>
      write(undefined, async (tx) => {
        await tx.run(putApp, app);
        return addFactor(tx, app.userId, 'totp', added);
      }),

    /** Returns 'last_factor' when a workspace requires one and no other is left. */
    removeApp: (userId: string, change: FactorChange) =>
      write(undefined, async (tx) => {
        if (!(await tx.get(appOfUser, { userId }))) return 'gone';
        return removeFactor(tx, userId, change, () => tx.run(dropApp, { userId }));
      }),

    /** Returns false when a code of this period, or of a later one, was used before. */
    useCode: (userId: string, lastPeriod: number) =>
      write(undefined, async (tx) => (await tx.run(usePeriod, { userId, lastPeriod })) > 0),

    /** Returns false when the code is unknown or used. */
    useRecoveryCode: (userId: string, codeHash: string, mail?: NewMail) =>
      write(undefined, async (tx) => {
        if ((await tx.run(dropCode, { userId, codeHash })) === 0) return false;
        await queueMail(tx, mail);
        return true;
      }),

    /** Returns false when the passkey has signed as often before: somebody has a copy of it. */
    usePasskey: (id: string, counter: number, lastUsedAt: number) =>
      write(undefined, async (tx) => (await tx.run(countUse, { id, counter, lastUsedAt })) > 0),

    renewCodes: (userId: string, codeHashes: readonly string[], { audit, mail }: FactorChange) =>
      write(undefined, async (tx) => {
        await tx.run(dropCodes, { userId });
        for (const codeHash of codeHashes) await tx.run(insertCode, { userId, codeHash });
        await auditAllMemberships(tx, userId, audit);
        await queueMail(tx, mail);
      }),

    /** Removes all factors of a user and ends all sessions. Returns false when there are none. */
    reset: (userId: string, { audit, mail }: FactorChange) =>
      write(undefined, async (tx) => {
        if (!(await readFactors(tx, userId)).hasAny) return false;
        await dropFactors(tx, userId);
        await endOtherSessions(tx, userId, '');
        await auditAllMemberships(tx, userId, audit);
        await queueMail(tx, mail);
        return true;
      }),
  };
}

async function readFactors(tx: Tx, userId: string): Promise<Factors> {
  const [keys, app, codes, requiring] = await Promise.all([
    tx.all(passkeysOfUser, { userId }),
    tx.get(appOfUser, { userId }),
    tx.get(countCodes, { userId }),
    tx.get(requiringWorkspace, { userId }),
  ]);
  return {
    passkeys: keys.map(withoutNulls),
    app,
    recoveryCodesLeft: codes!.rows,
    hasAny: keys.length > 0 || app !== undefined,
    isRequired: requiring !== undefined,
  };
}

async function findChallenge(tx: Tx, tokenHash: string, nowMillis: number) {
  const row = await tx.get(openChallenge, { tokenHash, nowMillis });
  return row && withoutNulls(row);
}

async function addFactor(
  tx: WriteTx,
  userId: string,
  factor: SessionFactor,
  { sessionId, codeHashes, audit, mail }: NewFactor,
): Promise<Added> {
  const hasNewCodes = (await tx.get(countCodes, { userId }))!.rows === 0;
  if (hasNewCodes) for (const codeHash of codeHashes) await tx.run(insertCode, { userId, codeHash });
  await setSessionFactor(tx, sessionId, factor);
  await auditAllMemberships(tx, userId, audit);
  await queueMail(tx, mail);
  return { hasNewCodes };
}

/** Recovery codes go with the last factor that they stand for. */
async function removeFactor(
  tx: WriteTx,
  userId: string,
  { audit, mail }: FactorChange,
  remove: () => Promise<unknown>,
): Promise<'removed' | 'last_factor'> {
  const { passkeys: keys, app, isRequired } = await readFactors(tx, userId);
  const isLast = keys.length + (app ? 1 : 0) === 1;
  if (isLast && isRequired) return 'last_factor';
  await remove();
  if (isLast) await tx.run(dropCodes, { userId });
  await auditAllMemberships(tx, userId, audit);
  await queueMail(tx, mail);
  return 'removed';
}

/** SQLite reads true in JSON as 1. */
export const requiresSecondFactor = sql`coalesce(cast(json_extract(${workspaces.settings}, '$.requireSecondFactor') AS text), '') IN ('1', 'true')`;

const byCredential = statement(() => db.select().from(passkeys).where(matches(passkeys.credentialId)));
const passkeyById = statement(() => db.select().from(passkeys).where(matches(passkeys.userId, passkeys.id)));
const passkeysOfUser = statement(() =>
  db
    .select()
    .from(passkeys)
    .where(matches(passkeys.userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id)),
);
const countPasskeys = statement(() =>
  db.select({ rows: count() }).from(passkeys).where(matches(passkeys.userId)),
);
const insertPasskey = insertInto(passkeys);
const renamePasskey = statement(() =>
  db.update(passkeys).set(bound('name')).where(matches(passkeys.userId, passkeys.id)),
);
const dropPasskey = statement(() => db.delete(passkeys).where(matches(passkeys.userId, passkeys.id)));
const countUse = statement(() =>
  db
    .update(passkeys)
    .set(bound('counter', 'lastUsedAt'))
    .where(
      and(
        matches(passkeys.id),
        or(lt(passkeys.counter, input('counter')), sql`${passkeys.counter} = 0 AND ${input('counter')} = 0`),
      ),
    ),
);
const appOfUser = statement(() =>
  db.select().from(authenticatorApps).where(matches(authenticatorApps.userId)),
);
const putApp = putInto(authenticatorApps, authenticatorApps.userId);
const dropApp = statement(() => db.delete(authenticatorApps).where(matches(authenticatorApps.userId)));
const usePeriod = statement(() =>
  db
    .update(authenticatorApps)
    .set(bound('lastPeriod'))
    .where(and(matches(authenticatorApps.userId), lt(authenticatorApps.lastPeriod, input('lastPeriod')))),
);
const countCodes = statement(() =>
  db.select({ rows: count() }).from(recoveryCodes).where(matches(recoveryCodes.userId)),
);
const insertCode = insertInto(recoveryCodes);
const dropCode = statement(() =>
  db.delete(recoveryCodes).where(matches(recoveryCodes.userId, recoveryCodes.codeHash)),
);
const dropCodes = statement(() => db.delete(recoveryCodes).where(matches(recoveryCodes.userId)));
const insertChallenge = insertInto(factorChallenges);
const openChallenge = statement(() =>
  db
    .select()
    .from(factorChallenges)
    .where(and(matches(factorChallenges.tokenHash), gt(factorChallenges.expiresAt, input('nowMillis')))),
);
const dropChallenge = statement(() => db.delete(factorChallenges).where(matches(factorChallenges.tokenHash)));
const dropExpired = statement(() =>
  db.delete(factorChallenges).where(lte(factorChallenges.expiresAt, input('nowMillis'))),
);
const requiringWorkspace = statement(() =>
  db
    .select({ id: workspaces.id })
    .from(members)
    .innerJoin(workspaces, and(eq(workspaces.id, members.workspaceId), isNull(workspaces.removedAt)))
    .where(and(matches(members.userId), requiresSecondFactor))
    .limit(1),
);
