import { sql } from 'drizzle-orm';
import { tokenMonths } from '../schema.ts';
import type { TokenMonths } from '../token-months.ts';
import type { Connections } from './connections.ts';
import { matches, placeholder } from './statements.ts';

export function sqliteTokenMonths({
  reader,
  writer,
  read,
  write,
}: Connections): (workspaceId: string) => TokenMonths {
  const month = (db: typeof reader) =>
    db
      .select({ tokens: tokenMonths.tokens })
      .from(tokenMonths)
      .where(matches(tokenMonths.workspaceId, tokenMonths.period))
      .prepare();
  const [monthToRead, monthToWrite] = [month(reader), month(writer)];
  const set = writer
    .insert(tokenMonths)
    .values({
      workspaceId: placeholder('workspaceId'),
      period: placeholder('period'),
      tokens: placeholder('tokens'),
    })
    .onConflictDoUpdate({
      target: [tokenMonths.workspaceId, tokenMonths.period],
      set: { tokens: sql`excluded.tokens` },
    })
    .prepare();

  return (workspaceId) => ({
    used: (period) => read(() => monthToRead.get({ workspaceId, period })?.tokens ?? 0),
    reserve: (period, grant) =>
      write(() => {
        const used = monthToWrite.get({ workspaceId, period })?.tokens ?? 0;
        const granted = grant(used);
        if (granted) set.run({ workspaceId, period, tokens: Math.max(0, used + granted) });
        return granted;
      }),
  });
}
