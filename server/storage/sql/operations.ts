import { asc, gt, lte, sql } from 'drizzle-orm';
import type { FeatureFlags, Installation, Installations, RateWindows } from '../operations.ts';
import type { Store } from '../store.ts';
import type { SqlDatabase } from './database.ts';
import { databaseMarks, featureFlags, installations, rateWindows, workspaceOrigins } from './schema.ts';
import { bound, db, matches, onKey, placeholder, putInto, statement } from './statements.ts';

const flag = statement(() => db.select().from(featureFlags).where(matches(featureFlags.name)));
const putFlag = putInto(featureFlags, featureFlags.name);

export function sqlFeatureFlags({ read, write }: SqlDatabase): FeatureFlags {
  return {
    isOn: (name) => read(undefined, async (tx) => (await tx.get(flag, { name }))?.isOn ?? false),
    set: (name, isOn, changedAt) =>
      write(undefined, async (tx) => {
        await tx.run(putFlag, { name, isOn, changedAt });
      }),
  };
}

const runningWindows = statement(() =>
  db
    .select()
    .from(rateWindows)
    .where(gt(rateWindows.expiresAtMillis, placeholder('nowMillis')))
    .orderBy(asc(rateWindows.key)),
);
const putWindow = putInto(rateWindows, rateWindows.key);
const dropExpiredWindows = statement(() =>
  db.delete(rateWindows).where(lte(rateWindows.expiresAtMillis, placeholder('nowMillis'))),
);

export function sqlRateWindows({ read, write }: SqlDatabase): RateWindows {
  return {
    save: (windows, nowMillis) =>
      write(undefined, async (tx) => {
        for (const window of windows) await tx.run(putWindow, window);
        await tx.run(dropExpiredWindows, { nowMillis });
      }),
    load: (nowMillis) => read(undefined, (tx) => tx.all(runningWindows, { nowMillis })),
  };
}

const keyRing = statement(() => db.select({ id: databaseMarks.keyRingId }).from(databaseMarks));
const setKeyRing = statement(() => db.update(databaseMarks).set(bound('keyRingId')));

export function sqlKeyRingId({ read, write }: SqlDatabase): Store['keyRingId'] {
  return {
    get: () => read(undefined, async (tx) => (await tx.get(keyRing))?.id ?? undefined),
    set: (keyRingId) =>
      write(undefined, async (tx) => {
        await tx.run(setKeyRing, { keyRingId });
      }),
  };
}

const sealedKeys = statement(() => db.select({ text: databaseMarks.sealedKeys }).from(databaseMarks));
const setSealedKeys = statement(() => db.update(databaseMarks).set(bound('sealedKeys')));

export function sqlSealedKeys({ read, write }: SqlDatabase): Store['sealedKeys'] {
  return {
    get: () => read(undefined, async (tx) => (await tx.get(sealedKeys))?.text ?? undefined),
    replace: (from, to) =>
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
      sql`SELECT ${workspaceOrigins.workspaceId}, ${workspaceOrigins.origin}, ${placeholder('origin')}, ${placeholder('atMillis')}
        FROM ${workspaceOrigins}
        WHERE ${workspaceOrigins.workspaceId} = ${placeholder('workspaceId')} AND ${workspaceOrigins.origin} = ${placeholder('domain')}`,
    )
    .onConflictDoUpdate({
      target: onKey(installations.workspaceId, installations.domain),
      set: { origin: sql`excluded.origin`, atMillis: sql`excluded.at_millis` },
      setWhere: sql`excluded.at_millis > ${installations.atMillis}`,
    }),
);
const forgetInstallations = statement(() =>
  db.delete(installations).where(
    sql`${installations.workspaceId} = ${placeholder('workspaceId')} AND ${installations.domain} NOT IN
        (SELECT ${workspaceOrigins.origin} FROM ${workspaceOrigins} WHERE ${workspaceOrigins.workspaceId} = ${placeholder('workspaceId')})`,
  ),
);

export function sqlInstallations({ write }: SqlDatabase): Installations {
  return {
    keep: (installations) =>
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
  return (workspaceId) => () => read(workspaceId, (tx) => tx.all(ofWorkspace, { workspaceId }));
}
