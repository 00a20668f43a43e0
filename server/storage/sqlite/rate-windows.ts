import { gt, lte, sql } from 'drizzle-orm';
import type { RateWindows } from '../rate-windows.ts';
import { rateWindows } from '../schema.ts';
import type { Connections } from './connections.ts';
import { placeholder } from './statements.ts';

export function sqliteRateWindows({ reader, writer, read, write }: Connections): RateWindows {
  const running = reader
    .select()
    .from(rateWindows)
    .where(gt(rateWindows.expiresAtMillis, placeholder('nowMillis')))
    .prepare();
  const put = writer
    .insert(rateWindows)
    .values({
      key: placeholder('key'),
      points: placeholder('points'),
      expiresAtMillis: placeholder('expiresAtMillis'),
    })
    .onConflictDoUpdate({
      target: rateWindows.key,
      set: { points: sql`excluded.points`, expiresAtMillis: sql`excluded.expires_at_millis` },
    })
    .prepare();
  const dropExpired = writer
    .delete(rateWindows)
    .where(lte(rateWindows.expiresAtMillis, placeholder('nowMillis')))
    .prepare();

  return {
    save: (windows, nowMillis) =>
      write(() => {
        for (const window of windows) put.run(window);
        dropExpired.run({ nowMillis });
      }),
    load: (nowMillis) => read(() => running.all({ nowMillis })),
  };
}
