import { tokenMonths } from '../schema.ts';
import type { TokenMonths } from '../token-months.ts';
import type { Connections } from './connections.ts';
import { matches, putInto } from './statements.ts';

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
  const set = putInto(writer, tokenMonths, tokenMonths.workspaceId, tokenMonths.period);

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
