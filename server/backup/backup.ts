import { ExpectedError } from '../base/expected-error.ts';
import { createLoadedDictionaries } from '../knowledge/dictionary/dictionary.ts';
import { createRetriever } from '../knowledge/search/retrieve.ts';
import type { Store } from '../storage/store.ts';
import { copyKeyFile, keyFileIn, readKeyRingId } from '../tokens/key-ring.ts';

/** Returns the path of the keys of a backup, which are stored beside it. */
export const getBackupKeyFile = (backupFile: string) => `${backupFile}.keys`;

/** The database was copied, but its keys were not. */
class KeysNotCopied extends ExpectedError {
  override readonly name = 'KeysNotCopied';
}

type Backup = {
  bytes: number;
  pages: number;
  /** The file with the keys; undefined when the database has none yet, or has them sealed in it. */
  keys: string | undefined;
};

/** Writes a copy of the database with its keys beside it, verifies the copy and asks it a question. */
export async function writeBackup(store: Store, file: string, dataDir: string): Promise<Backup> {
  const written = await store.backup(file, askQuestion);
  const isSealed = (await store.sealedKeys.get()) !== undefined;
  return { ...written, keys: isSealed ? undefined : copyKeys(dataDir, file, await store.keyRingId.get()) };
}

function copyKeys(dataDir: string, file: string, ringId: string | undefined): string | undefined {
  const source = keyFileIn(dataDir);
  const currentRingId = readKeyRingId(source);
  if (ringId !== undefined && currentRingId !== ringId) {
    const problem = currentRingId === undefined ? 'is missing' : 'holds the keys of another database';
    throw new KeysNotCopied(`Wrote ${file}, but not its keys: ${source} ${problem}.`);
  }
  if (currentRingId === undefined) return undefined;
  const target = getBackupKeyFile(file);
  copyKeyFile(source, target);
  return target;
}

/** Titles to try per workspace: several, because some consist only of words that every article contains. */
const TITLES_PER_WORKSPACE = 5;

/** Asks for published articles by their titles, as a visitor would; a copy without articles passes. */
async function askQuestion(copy: Store): Promise<void> {
  const retriever = createRetriever({
    passages: (workspaceId) => copy.in(workspaceId).passages,
    dictionaries: createLoadedDictionaries(copy.in).get,
  });
  for (const { id } of await copy.workspaces.list()) {
    const { passages } = copy.in(id);
    const [partition] = await passages.partitions();
    if (!partition) continue;
    const titles = await passages.titles(partition.locale, TITLES_PER_WORKSPACE);
    for (const { title } of titles) {
      const { results } = await retriever.retrieve({
        workspaceId: id,
        question: title,
        acceptLanguage: partition.locale,
      });
      if (results.length > 0) return;
    }
    if (titles.length > 0) throw new Error('the copy does not find its own articles');
  }
}
