import { gt, lte, sql } from 'drizzle-orm';
import type { FeatureFlags } from '../feature-flags.ts';
import type { Installation, Installations } from '../installations.ts';
import type { RateWindows } from '../rate-windows.ts';
import { databaseMarks, featureFlags, installations, rateWindows, workspaceOrigins } from '../sql/schema.ts';
import { StorageUnavailable, type Store } from '../store.ts';
import type { Connections } from './connections.ts';
import { matches, placeholder, putInto } from './statements.ts';

export function sqliteFeatureFlags({ reader, writer, read, write }: Connections): FeatureFlags {
  const byName = reader.select().from(featureFlags).where(matches(featureFlags.name)).prepare();
  const put = putInto(writer, featureFlags, featureFlags.name);

  return {
    isOn: (name) => read(() => byName.get({ name })?.isOn ?? false),
    set: (name, isOn, changedAt) =>
      write(() => {
        put({ name, isOn, changedAt });
      }),
  };
}

export function sqliteRateWindows({ reader, writer, read, write }: Connections): RateWindows {
  const running = reader
    .select()
    .from(rateWindows)
    .where(gt(rateWindows.expiresAtMillis, placeholder('nowMillis')))
    .prepare();
  const put = putInto(writer, rateWindows, rateWindows.key);
  const dropExpired = writer
    .delete(rateWindows)
    .where(lte(rateWindows.expiresAtMillis, placeholder('nowMillis')))
    .prepare();

  return {
    save: (windows, nowMillis) =>
      write(() => {
        for (const window of windows) put(window);
        dropExpired.run({ nowMillis });
      }),
    load: (nowMillis) => read(() => running.all({ nowMillis })),
  };
}

/** Larger than a page, so that a full disk shows. */
const PROBE_BYTES = 16_384;

export function sqliteReadiness({
  reader,
  writer,
  read,
  write,
  isProven,
  migration,
}: Connections): Store['ready'] {
  const works = reader.$client.prepare('SELECT 1 FROM workspaces LIMIT 1');
  const fill = writer.$client.prepare('INSERT INTO write_probe (filler) VALUES (zeroblob(?))');
  const empty = writer.$client.prepare('DELETE FROM write_probe');

  return async () => {
    await read(() => works.get());
    if (isProven()) return { migration, writable: true };
    try {
      await write(() => {
        fill.run(PROBE_BYTES);
        empty.run();
      });
      return { migration, writable: true };
    } catch (error) {
      if (error instanceof StorageUnavailable) return { migration, writable: false };
      throw error;
    }
  };
}

export function sqliteKeyRingId({ reader, writer, read, write }: Connections): Store['keyRingId'] {
  const get = reader.select({ id: databaseMarks.keyRingId }).from(databaseMarks).prepare();
  const set = writer
    .update(databaseMarks)
    .set({ keyRingId: sql`${placeholder('id')}` })
    .prepare();
  return {
    get: () => read(() => get.get()?.id ?? undefined),
    set: (id) =>
      write(() => {
        set.run({ id });
      }),
  };
}

export function sqliteInstallations({ writer, write }: Connections): Installations {
  const put = writer
    .insert(installations)
    .select(
      sql`SELECT ${workspaceOrigins.workspaceId}, ${workspaceOrigins.origin}, ${placeholder('origin')}, ${placeholder('atMillis')}
        FROM ${workspaceOrigins}
        WHERE ${workspaceOrigins.workspaceId} = ${placeholder('workspaceId')} AND ${workspaceOrigins.origin} = ${placeholder('domain')}`,
    )
    .onConflictDoUpdate({
      target: [installations.workspaceId, installations.domain],
      set: { origin: sql`excluded.origin`, atMillis: sql`excluded.at_millis` },
      setWhere: sql`excluded.at_millis > ${installations.atMillis}`,
    })
    .prepare();
  const forget = writer
    .delete(installations)
    .where(
      sql`${installations.workspaceId} = ${placeholder('workspaceId')} AND ${installations.domain} NOT IN
        (SELECT ${workspaceOrigins.origin} FROM ${workspaceOrigins} WHERE ${workspaceOrigins.workspaceId} = ${placeholder('workspaceId')})`,
    )
    .prepare();
  return {
    keep: (installations) =>
      write(() => {
        for (const one of installations) put.run(one);
        for (const workspaceId of new Set(installations.map((one) => one.workspaceId)))
          forget.run({ workspaceId });
      }),
  };
}

export function sqliteWorkspaceInstallations({
  reader,
  read,
}: Connections): (workspaceId: string) => () => Promise<readonly Installation[]> {
  const all = reader
    .select({ domain: installations.domain, origin: installations.origin, atMillis: installations.atMillis })
    .from(installations)
    .where(matches(installations.workspaceId))
    .prepare();
  return (workspaceId) => () => read(() => all.all({ workspaceId }));
}
