import { asc, gt, lte, sql } from 'drizzle-orm';
import type { SqlDatabase } from './database.ts';
import { databaseMarks, featureFlags, installations, rateWindows, workspaceOrigins } from './schema/index.ts';
import { bound, db, input, matches, onKey, putInto, statement } from './statements.ts';

type FeatureFlag = 'kill_switch';

/**
 * An installation check: the newest origin that booted the guide on an allowed domain of a workspace.
 */
export type Installation = Omit<typeof installations.$inferSelect, 'workspaceId'>;

/** The current window of one key in one rate limit. */
export type RateWindow = typeof rateWindows.$inferSelect;

const flag = statement(() => db.select().from(featureFlags).where(matches(featureFlags.name)));
const putFlag = putInto(featureFlags, featureFlags.name);

export function sqlFeatureFlags({ read, write }: SqlDatabase) {
  return {
    isOn: (name: FeatureFlag) => read(undefined, async (tx) => (await tx.get(flag, { name }))?.isOn ?? false),
    set: (name: FeatureFlag, isOn: boolean, changedAt: number) =>
      write(undefined, async (tx) => {
        await tx.run(putFlag, { name, isOn, changedAt });
      }),
  };
}

const runningWindows = statement(() =>
  db
    .select()
    .from(rateWindows)
    .where(gt(rateWindows.expiresAtMillis, input('nowMillis')))
    .orderBy(asc(rateWindows.key)),
);
const putWindow = putInto(rateWindows, rateWindows.key);
const dropExpiredWindows = statement(() =>
  db.delete(rateWindows).where(lte(rateWindows.expiresAtMillis, input('nowMillis'))),
);

export function sqlRateWindows({ read, write }: SqlDatabase) {
  return {
    /** Stores the windows, replacing those with the same keys, and deletes expired ones. */
    save: (windows: readonly RateWindow[], nowMillis: number) =>
      write(undefined, async (tx) => {
        for (const window of windows) await tx.run(putWindow, window);
        await tx.run(dropExpiredWindows, { nowMillis });
      }),
    /** Returns every window that has not expired. */
    load: (nowMillis: number) => read(undefined, (tx) => tx.all(runningWindows, { nowMillis })),
  };
}

const keyRing = statement(() => db.select({ id: databaseMarks.keyRingId }).from(databaseMarks));
const setKeyRing = statement(() => db.update(databaseMarks).set(bound('keyRingId')));

/** The id of the key ring that visitors' ids and tokens were made with; undefined until a key ring was used. */
export function sqlKeyRingId({ read, write }: SqlDatabase) {
  return {
    get: () => read(undefined, async (tx) => (await tx.get(keyRing))?.id ?? undefined),
    set: (keyRingId: string) =>
      write(undefined, async (tx) => {
        await tx.run(setKeyRing, { keyRingId });
      }),
  };
}

const sealedKeys = statement(() => db.select({ text: databaseMarks.sealedKeys }).from(databaseMarks));
const setSealedKeys = statement(() => db.update(databaseMarks).set(bound('sealedKeys')));

/** The key ring itself if nodes share it through the database, encrypted by the caller; otherwise undefined. */
export function sqlSealedKeys({ read, write }: SqlDatabase) {
  return {
    get: () => read(undefined, async (tx) => (await tx.get(sealedKeys))?.text ?? undefined),
    /** Returns 'conflict' and stores nothing unless the stored text is still `from`. */
    replace: (from: string | undefined, to: string) =>
      write(undefined, async (tx) => {
        const stored = (await tx.get(sealedKeys))?.text ?? undefined;
        if (stored !== from) return 'conflict';
        await tx.run(setSealedKeys, { sealedKeys: to });
        return 'replaced';
      }),
  };
}

const putInstallation = statement(() =>
  db
    .insert(installations)
    .select(
      sql`SELECT ${workspaceOrigins.workspaceId}, ${workspaceOrigins.origin}, ${input('origin')}, ${input('atMillis')}
        FROM ${workspaceOrigins}
        WHERE ${workspaceOrigins.workspaceId} = ${input('workspaceId')}
        AND ${workspaceOrigins.origin} = ${input('domain')}`,
    )
    .onConflictDoUpdate({
      target: onKey(installations.workspaceId, installations.domain),
      set: { origin: sql`excluded.origin`, atMillis: sql`excluded.at_millis` },
      setWhere: sql`excluded.at_millis > ${installations.atMillis}`,
    }),
);
const forgetInstallations = statement(() =>
  db.delete(installations).where(
    sql`${installations.workspaceId} = ${input('workspaceId')} AND ${installations.domain} NOT IN
        (SELECT ${workspaceOrigins.origin} FROM ${workspaceOrigins}
        WHERE ${workspaceOrigins.workspaceId} = ${input('workspaceId')})`,
  ),
);

export function sqlInstallations({ write }: SqlDatabase) {
  return {
    /**
     * Stores each row that is newer than the stored one for its domain. Skips domains that are no longer
     * allowed and removed workspaces.
     */
    keep: (installations: readonly (Installation & { workspaceId: string })[]) =>
      write(undefined, async (tx) => {
        for (const installation of installations) await tx.run(putInstallation, installation);
        for (const workspaceId of new Set(installations.map((installation) => installation.workspaceId)))
          await tx.run(forgetInstallations, { workspaceId });
      }),
  };
}

const ofWorkspace = statement(() =>
  db
    .select({ domain: installations.domain, origin: installations.origin, atMillis: installations.atMillis })
    .from(installations)
    .where(matches(installations.workspaceId)),
);

export function sqlWorkspaceInstallations({
  read,
}: SqlDatabase): (workspaceId: string) => () => Promise<readonly Installation[]> {
  return (workspaceId: string) => () => read(workspaceId, (tx) => tx.all(ofWorkspace, { workspaceId }));
}

/** Keeps rate-limit windows across restarts; at run time they are in memory. */
export type RateWindows = ReturnType<typeof sqlRateWindows>;
