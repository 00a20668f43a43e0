import type { Holdings } from '../holdings.ts';
import type { Connections } from './connections.ts';
import { prepareConversationRemoval, runWithinJobTime } from './erasure.ts';
import type { EventWrites } from './events.ts';

export function sqliteHoldings(
  { writer, write, wal }: Connections,
  events: EventWrites,
): (workspaceId: string) => Holdings {
  const oldest = writer.$client
    .prepare(
      'SELECT id FROM conversations WHERE workspace_id = ? AND started_at < ? ORDER BY started_at LIMIT 1',
    )
    .pluck();
  const { deletePart, deleteRow } = prepareConversationRemoval(writer);

  return (workspaceId) => ({
    deleteOlder: ({ conversationsBeforeMillis, eventsBeforeMillis }) =>
      write(() => {
        const deleted = { conversations: 0, events: 0 };
        const more = runWithinJobTime(() => {
          const id = oldest.get(workspaceId, conversationsBeforeMillis) as string | undefined;
          if (id !== undefined) {
            if (deletePart(workspaceId, id)) return true;
            deleted.conversations += deleteRow(workspaceId, id);
            return true;
          }
          const rows = events.deleteSomeBefore(workspaceId, eventsBeforeMillis);
          deleted.events += rows;
          return rows > 0;
        });
        if (deleted.conversations + deleted.events > 0 || more) wal.containsDeletedRows = true;
        return { ...deleted, more };
      }),
  });
}
