import type { embeddingMonths, tokenMonths } from '../sql/schema.ts';
import type { TokenMonths } from '../token-months.ts';
import type { Connections } from './connections.ts';
import { matches, putInto } from './statements.ts';

export function sqliteTokenMonths(
  { reader, writer, read, write }: Connections,
  months: typeof tokenMonths | typeof embeddingMonths,
): (workspaceId: string) => TokenMonths {
  const month = (db: typeof reader) =>
    db
      .select({ tokens: months.tokens })
      .from(months)
      .where(matches(months.workspaceId, months.period))
      .prepare();
  const [monthToRead, monthToWrite] = [month(reader), month(writer)];
  const set = putInto(writer, months, months.workspaceId, months.period);

  return (workspaceId) => ({
    used: (period) => read(() => monthToRead.get({ workspaceId, period })?.tokens ?? 0),
    reserve: (period, grant) =>
      write(() => {
        const used = monthToWrite.get({ workspaceId, period })?.tokens ?? 0;
        const granted = grant(used);
        if (granted) set({ workspaceId, period, tokens: Math.max(0, used + granted) });
        return granted;
      }),
  });
}
