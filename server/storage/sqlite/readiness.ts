import { writeProbe } from '../sql/schema.ts';
import { db, insertInto, statement, textStatement } from '../sql/statements.ts';
import { StorageUnavailable, type Store } from '../store.ts';
import type { Connections } from './connections.ts';

/** Larger than a page, so that a full disk shows. */
const FILLER = Buffer.alloc(16_384);

const anyWorkspace = textStatement<{ one: number }>('SELECT 1 FROM workspaces LIMIT 1', 'one');
const fill = insertInto(writeProbe);
const empty = statement(() => db.delete(writeProbe));

export function sqliteReadiness({ database, isProven, migration }: Connections): Store['ready'] {
  return async () => {
    await database.read(undefined, (tx) => tx.get(anyWorkspace));
    if (isProven()) return { migration, writable: true };
    try {
      await database.write(undefined, async (tx) => {
        await tx.run(fill, { filler: FILLER });
        await tx.run(empty);
      });
      return { migration, writable: true };
    } catch (error) {
      if (error instanceof StorageUnavailable) return { migration, writable: false };
      throw error;
    }
  };
}
