/**
 * Writes event rows one after another, each up to 4 ms after its own timestamp. Arguments: file,
 * workspace, count.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '../../server/base/ids.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';

const WRITERS = 16;

/** Returns the ids of the stored events. */
export async function writeEvents(store: Store, workspaceId: string, rows: number): Promise<string[]> {
  const { events } = store.in(workspaceId);
  const ids: string[] = [];
  const write = async () => {
    while (ids.length < rows) {
      const id = newId('evt');
      const atMillis = Date.now();
      ids.push(id);
      // An event from late in a loop iteration, or after a long one, is stored behind later events.
      await wait(ids.length % 5);
      await events.append([{ id, atMillis, type: 'boot', data: {} }]);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  return ids;
}

if (import.meta.main) {
  const [file = '', workspaceId = '', rows = ''] = process.argv.slice(2);
  const store = openSqlite({ file });
  const ids = await writeEvents(store, workspaceId, Number(rows));
  await store.close();
  process.stdout.write(JSON.stringify(ids));
}
