import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { evictLeastUsed } from '../../base/cache.ts';
import { createTaskThread } from '../../base/task-thread.ts';
import { getWorkerFile } from '../../base/worker-file.ts';
import type { Embeddings } from '../../storage/embeddings.ts';
import type { SimilarArticle } from './similarity.ts';
import type { Selection, VectorRow } from './vector-table.ts';

/** The vectors of recently used workspaces, in the memory of a thread. */
export type LoadedVectors = {
  /** Whether the workspace has vectors; loads them on first use. */
  has(workspaceId: string): Promise<boolean>;
  search(
    workspaceId: string,
    question: readonly number[],
    selection: Selection,
  ): Promise<readonly SimilarArticle[]>;
  /** Lets the next search reload the workspace's vectors, and use the old ones meanwhile; without a workspace, all. */
  outdate(workspaceId?: string): void;
  close(): Promise<void>;
};

const BYTES_MAX = 256 * 1024 * 1024;
/** Memory of a passage besides its vectors. */
const PASSAGE_BYTES = 100;
/** Reading one batch blocks the event loop for less than a millisecond. */
const ROWS_PER_BATCH = 100;

type Table = { number: number; bytes: number };
type Entry = { table: Promise<Table>; bytes: number; isOutdated: boolean };

export function createLoadedVectors(
  getStore: (workspaceId: string) => { embeddings: Embeddings },
  model: string,
  bytesMax = BYTES_MAX,
): LoadedVectors {
  const thread = createTaskThread<VectorTask, readonly SimilarArticle[]>(WORKER_FILE, () => cache.clear());
  let lastNumber = 0;

  /** Sends what needs no reply: a thread that ends loses its tables in any case. */
  const post = (task: VectorTask) => void thread.run(task).catch(() => {});

  async function load(workspaceId: string): Promise<Table> {
    const number = ++lastNumber;
    const { embeddings } = getStore(workspaceId);
    const bytes = await readVectors(embeddings, model, bytesMax, (rows) =>
      post({ type: 'add', table: number, rows }),
    );
    return { number, bytes };
  }

  const cache = new TableCache(load, ({ number }) => post({ type: 'drop', table: number }), bytesMax);
  return {
    has: async (workspaceId) => (await cache.open(workspaceId)).bytes > 0,
    async search(workspaceId, question, selection) {
      const { number } = await cache.open(workspaceId);
      return thread.run({ type: 'search', table: number, question, ...selection });
    },
    outdate: (workspaceId) => cache.outdate(workspaceId),
    close: thread.close,
  };
}

/** Keeps loaded tables up to `bytesMax`, and drops the least recently used ones. */
class TableCache {
  readonly #load: (workspaceId: string) => Promise<Table>;
  readonly #drop: (table: Table) => void;
  readonly #bytesMax: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();

  constructor(load: (workspaceId: string) => Promise<Table>, drop: (table: Table) => void, bytesMax: number) {
    this.#load = load;
    this.#drop = drop;
    this.#bytesMax = bytesMax;
  }

  async open(workspaceId: string): Promise<Table> {
    const cachedEntry = this.#entries.get(workspaceId);
    // Outdated vectors are searched until the new ones are loaded, unless there are none.
    if (cachedEntry?.isOutdated && cachedEntry.bytes === 0) this.#remove(workspaceId, cachedEntry);
    const entry = this.#entries.get(workspaceId) ?? this.#add(workspaceId);
    this.#entries.delete(workspaceId);
    this.#entries.set(workspaceId, entry);
    const table = await entry.table;
    if (entry.isOutdated) this.#renew(workspaceId, entry);
    return table;
  }

  outdate(workspaceId?: string): void {
    for (const [id, entry] of this.#entries) if (id === (workspaceId ?? id)) entry.isOutdated = true;
  }

  clear(): void {
    this.#entries.clear();
  }

  #add(workspaceId: string): Entry {
    const entry: Entry = { table: this.#load(workspaceId), bytes: 0, isOutdated: false };
    this.#entries.set(workspaceId, entry);
    entry.table.then(
      ({ bytes }) => {
        entry.bytes = bytes;
        this.#evict();
      },
      () => this.#entries.delete(workspaceId),
    );
    return entry;
  }

  #renew(workspaceId: string, entry: Entry): void {
    entry.isOutdated = false;
    const oldTable = entry.table;
    this.#load(workspaceId).then(
      async (table) => {
        entry.table = Promise.resolve(table);
        entry.bytes = table.bytes;
        this.#drop(await oldTable);
        this.#evict();
      },
      () => {
        entry.isOutdated = true;
      },
    );
  }

  #remove(workspaceId: string, { table }: Entry): void {
    this.#entries.delete(workspaceId);
    table.then(this.#drop, () => {});
  }

  #evict(): void {
    evictLeastUsed(this.#entries, this.#bytesMax, (workspaceId, entry) => this.#remove(workspaceId, entry));
  }
}

/** Reads up to `bytesMax` and leaves out the rest. Returns the number of bytes. */
async function readVectors(
  embeddings: Embeddings,
  model: string,
  bytesMax: number,
  onRows: (rows: readonly VectorRow[]) => void,
): Promise<number> {
  let bytes = 0;
  let rows = await embeddings.list(model, ROWS_PER_BATCH);
  while (rows.length > 0 && bytes <= bytesMax) {
    onRows(rows);
    for (const { vectors } of rows) bytes += vectors.byteLength + PASSAGE_BYTES;
    await yieldToEventLoop();
    rows = rows.length < ROWS_PER_BATCH ? [] : await embeddings.list(model, ROWS_PER_BATCH, rows.at(-1));
  }
  return bytes;
}

/** For the worker thread that holds and compares vectors: comparing 100,000 takes up to a tenth of a second. */
export type VectorTask =
  | { type: 'add'; table: number; rows: readonly VectorRow[] }
  | { type: 'drop'; table: number }
  | ({ type: 'search'; table: number; question: readonly number[] } & Selection);

const WORKER_FILE = getWorkerFile('vector-worker', import.meta.url);
