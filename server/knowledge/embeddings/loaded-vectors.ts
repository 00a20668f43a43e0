import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Embeddings } from '../../storage/embeddings.ts';
import type { SimilarArticle } from './vector-table.ts';
import { startVectorThread } from './vector-thread.ts';

/** The vectors of the workspaces that were asked for last, in the memory of a thread. */
export type LoadedVectors = {
  /** Whether the workspace has any; loads them on first use. */
  has(workspaceId: string): Promise<boolean>;
  search(workspaceId: string, question: readonly number[], limit: number): Promise<readonly SimilarArticle[]>;
  /** Makes the next use load them again, while the known ones are still searched. */
  outdate(workspaceId: string): void;
  close(): Promise<void>;
};

const BYTES_MAX = 256 * 1024 * 1024;
/** Memory of a chunk besides its vector. */
const CHUNK_BYTES = 100;
/** Reading one batch blocks the event loop for less than a millisecond. */
const ROWS_A_BATCH = 100;

type Table = { readonly number: number; readonly bytes: number };
type Entry = { table: Promise<Table>; bytes: number; isOutdated: boolean };

export function createLoadedVectors(
  storeOf: (workspaceId: string) => { readonly embeddings: Embeddings },
  model: string,
  bytesMax = BYTES_MAX,
): LoadedVectors {
  /** Least recently used first. */
  const entries = new Map<string, Entry>();
  const thread = startVectorThread(() => entries.clear());
  let lastNumber = 0;

  /** What does not fit is left out. */
  async function load(workspaceId: string): Promise<Table> {
    const { embeddings } = storeOf(workspaceId);
    const number = ++lastNumber;
    let bytes = 0;
    let rows = await embeddings.list(model, ROWS_A_BATCH);
    while (rows.length > 0 && bytes <= bytesMax) {
      thread.add(number, rows);
      for (const { vectors } of rows) bytes += vectors.byteLength + CHUNK_BYTES;
      await nextTurn();
      rows = rows.length < ROWS_A_BATCH ? [] : await embeddings.list(model, ROWS_A_BATCH, rows.at(-1));
    }
    return { number, bytes };
  }

  function remove(workspaceId: string, { table }: Entry): void {
    entries.delete(workspaceId);
    table.then(
      ({ number }) => thread.drop(number),
      () => {},
    );
  }

  function evict(): void {
    let bytes = 0;
    for (const entry of entries.values()) bytes += entry.bytes;
    for (const [workspaceId, entry] of entries) {
      if (bytes <= bytesMax || entries.size === 1) return;
      remove(workspaceId, entry);
      bytes -= entry.bytes;
    }
  }

  function add(workspaceId: string): Entry {
    const entry: Entry = { table: load(workspaceId), bytes: 0, isOutdated: false };
    entries.set(workspaceId, entry);
    entry.table.then(
      ({ bytes }) => {
        entry.bytes = bytes;
        evict();
      },
      () => entries.delete(workspaceId),
    );
    return entry;
  }

  function renew(workspaceId: string, entry: Entry): void {
    entry.isOutdated = false;
    const known = entry.table;
    load(workspaceId).then(
      async (table) => {
        entry.table = Promise.resolve(table);
        entry.bytes = table.bytes;
        thread.drop((await known).number);
        evict();
      },
      () => {
        entry.isOutdated = true;
      },
    );
  }

  async function open(workspaceId: string): Promise<Table> {
    const known = entries.get(workspaceId);
    // What is outdated is searched while it is loaded again, unless there is nothing in it.
    if (known?.isOutdated && known.bytes === 0) remove(workspaceId, known);
    const entry = entries.get(workspaceId) ?? add(workspaceId);
    entries.delete(workspaceId);
    entries.set(workspaceId, entry);
    const table = await entry.table;
    if (entry.isOutdated) renew(workspaceId, entry);
    return table;
  }

  return {
    has: async (workspaceId) => (await open(workspaceId)).bytes > 0,
    async search(workspaceId, question, limit) {
      const { number } = await open(workspaceId);
      return thread.search(number, question, limit);
    },
    outdate(workspaceId) {
      const entry = entries.get(workspaceId);
      if (entry) entry.isOutdated = true;
    },
    close: thread.close,
  };
}
