import type { PassageIndex } from '../passages.ts';
import type { Connections } from './connections.ts';
import { passagesBefore, readAnalyserVersion, writeAnalyserVersion, writePassage } from './passages.ts';

/** The index over all workspaces. */
export function sqlitePassageIndex({ writer, reader, read, write }: Connections): PassageIndex {
  const db = writer.$client;
  const renewal = reader.$client.prepare(`SELECT value FROM passage_meta WHERE name = 'renewal'`).pluck();
  const remember = db.prepare(`INSERT OR REPLACE INTO passage_meta (name, value) VALUES ('renewal', ?)`);
  const forget = db.prepare(`DELETE FROM passage_meta WHERE name = 'renewal'`);

  return {
    state: () =>
      read(() => {
        const analyser = readAnalyserVersion(reader.$client);
        const underWay = renewal.get() as string | undefined;
        return {
          ...(analyser === undefined ? {} : { analyser }),
          ...(underWay === undefined ? {} : { renewal: JSON.parse(underWay) }),
        };
      }),

    before: (passageId, limit) => read(() => passagesBefore(reader.$client, passageId, limit)),

    renew: (passages, { analyser, downTo }) =>
      write(() => {
        for (const { passageId, labels, windows } of passages) {
          const [current] = passagesBefore(db, passageId + 1, 1);
          // It was published anew or taken down meanwhile.
          if (current?.passageId !== passageId) continue;
          writePassage(db, current.workspaceId, { ...current.variant, labels, windows });
        }
        remember.run(JSON.stringify({ analyser, downTo }));
      }),

    finish: (analyser) =>
      write(() => {
        writeAnalyserVersion(db, analyser);
        forget.run();
      }),
  };
}
