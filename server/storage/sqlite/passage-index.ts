import type { PassageIndex } from '../passages.ts';
import type { Connections } from './connections.ts';
import { passagesBefore, readTokenizerVersion, writePassage, writeTokenizerVersion } from './passages.ts';

/** The index over all workspaces. */
export function sqlitePassageIndex({ writer, reader, read, write }: Connections): PassageIndex {
  const db = writer.$client;
  const renewal = reader.$client.prepare(`SELECT value FROM passage_metadata WHERE name = 'renewal'`).pluck();
  const remember = db.prepare(`INSERT OR REPLACE INTO passage_metadata (name, value) VALUES ('renewal', ?)`);
  const forget = db.prepare(`DELETE FROM passage_metadata WHERE name = 'renewal'`);

  return {
    state: () =>
      read(() => {
        const tokenizer = readTokenizerVersion(reader.$client);
        const underWay = renewal.get() as string | undefined;
        return {
          ...(tokenizer === undefined ? {} : { tokenizer }),
          ...(underWay === undefined ? {} : { renewal: JSON.parse(underWay) }),
        };
      }),

    before: (passageId, limit) => read(() => passagesBefore(reader.$client, passageId, limit)),

    renew: (passages, { tokenizer, downTo }) =>
      write(() => {
        for (const { passageId, titles, chunks } of passages) {
          const [current] = passagesBefore(db, passageId + 1, 1);
          // It was published anew or taken down meanwhile.
          if (current?.passageId !== passageId) continue;
          writePassage(db, current.workspaceId, { ...current.variant, titles, chunks });
        }
        remember.run(JSON.stringify({ tokenizer, downTo }));
      }),

    finish: (tokenizer) =>
      write(() => {
        writeTokenizerVersion(db, tokenizer);
        forget.run();
      }),
  };
}
