import { StorageUnavailable, type Store } from '../store.ts';
import type { Connections } from './connections.ts';

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
