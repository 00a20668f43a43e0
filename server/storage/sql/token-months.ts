import type { TokenMonths } from '../token-months.ts';
import type { SqlDatabase } from './database.ts';
import type { embeddingMonths, tokenMonths } from './schema.ts';
import { db, matches, putInto, statement } from './statements.ts';

export function sqlTokenMonths(
  { read, write }: SqlDatabase,
  months: typeof tokenMonths | typeof embeddingMonths,
): (workspaceId: string) => TokenMonths {
  const month = statement(() =>
    db.select({ tokens: months.tokens }).from(months).where(matches(months.workspaceId, months.period)),
  );
  const set = putInto(months, months.workspaceId, months.period);

  return (workspaceId) => ({
    used: (period) =>
      read(workspaceId, async (tx) => (await tx.get(month, { workspaceId, period }))?.tokens ?? 0),
    reserve: (period, grant) =>
      write(workspaceId, async (tx) => {
        const used = (await tx.get(month, { workspaceId, period }))?.tokens ?? 0;
        const granted = grant(used);
        if (granted) await tx.run(set, { workspaceId, period, tokens: Math.max(0, used + granted) });
        return granted;
      }),
  });
}
