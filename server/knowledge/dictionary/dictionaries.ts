import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dictionaries } from '../../storage/dictionaries.ts';
import type { Dictionary } from './dictionary.ts';
import { type DictionaryTable, openDictionary } from './open-dictionary.ts';
import { decodeWordTable, type WordTable } from './word-table.ts';

/** The dictionaries of the workspaces that were asked for last, in memory. */
export type LoadedDictionaries = {
  /** Loads the workspace's dictionary on first use. */
  get(workspaceId: string): Promise<Dictionary>;
  /** Makes the next use load it again. */
  drop(workspaceId: string): void;
};

const BYTES_MAX = 64 * 1024 * 1024;
/** Memory of a workspace without dictionaries. */
const EMPTY_BYTES = 1_000;

type Entry = { readonly dictionary: Promise<Dictionary>; bytes: number };

export function createLoadedDictionaries(
  storeOf: (workspaceId: string) => { readonly dictionaries: Dictionaries },
  bytesMax = BYTES_MAX,
): LoadedDictionaries {
  /** Least recently used first. */
  const entries = new Map<string, Entry>();

  function evict(): void {
    let bytes = 0;
    for (const entry of entries.values()) bytes += entry.bytes;
    for (const [workspaceId, entry] of entries) {
      if (bytes <= bytesMax || entries.size === 1) return;
      entries.delete(workspaceId);
      bytes -= entry.bytes;
    }
  }

  function add(workspaceId: string): Promise<Dictionary> {
    const loading = load(storeOf(workspaceId).dictionaries);
    const entry: Entry = { dictionary: loading.then(openDictionary), bytes: EMPTY_BYTES };
    entries.set(workspaceId, entry);
    loading.then(
      (tables) => {
        entry.bytes += tables.reduce((sum, { table }) => sum + table.bytes, 0);
        evict();
      },
      () => entries.delete(workspaceId),
    );
    return entry.dictionary;
  }

  return {
    get(workspaceId) {
      const known = entries.get(workspaceId);
      if (!known) return add(workspaceId);
      entries.delete(workspaceId);
      entries.set(workspaceId, known);
      return known.dictionary;
    },
    drop(workspaceId) {
      entries.delete(workspaceId);
    },
  };
}

async function load(dictionaries: Dictionaries): Promise<DictionaryTable[]> {
  const tables: DictionaryTable[] = [];
  for (const { from, to } of await dictionaries.list()) {
    const content = await dictionaries.find(from, to);
    const table = content && decodeIfReadable(content);
    if (table) tables.push({ from, to, table });
    // A table has up to a megabyte.
    await nextTurn();
  }
  return tables;
}

/** Searches do without a table that is damaged or of another build until it is learned again. */
function decodeIfReadable(content: Uint8Array): WordTable | undefined {
  try {
    return decodeWordTable(content);
  } catch {
    return undefined;
  }
}
