import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { RestoreRefused, readBackupRingId, restoreSqlite } from '../storage/sqlite/backup.ts';
import { copyKeyFile, KeyRingRefused, keyFileIn, readKeyRingId } from '../tokens/key-ring.ts';
import { withStore } from './open-store.ts';
import { addCommand, assertWritable, CommandFailed, print, type Terminal, toWriteError } from './terminal.ts';

type JsonOption = { readonly json?: boolean };

/** The keys of a backup lie beside it. */
const keyFileOf = (backupFile: string) => `${backupFile}.keys`;

export function addBackup(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'backup <file>',
    'Write and verify a copy of the database, and the keys beside it. Works while the server runs.',
  )
    .addHelpText(
      'after',
      '\nWrites <file> and <file>.keys, which only you can read: keep both, and keep the keys secret.' +
        '\nReplaces an existing file once the new backup is complete.',
    )
    .action((file: string, options: JsonOption) => backup(terminal, resolve(file), options));

  addCommand(
    program,
    'restore <file>',
    'Replace the database and its keys with a backup. Stop the server first.',
  )
    .option('--force', 'overwrite the existing database and keys')
    .option('--without-keys', 'restore the database alone, when <file>.keys is lost')
    .addHelpText(
      'after',
      '\nVerifies the backup first. Keeps the keys in DATA_DIR if they are those of the backup.',
    )
    .action((file: string, options: RestoreOptions) => restore(terminal, resolve(file), options));
}

async function backup(terminal: Terminal, file: string, options: JsonOption): Promise<void> {
  const outcome = await withStore(terminal, async (store, { database, dataDir }) => {
    assertWritable(file);
    if (existsSync(file) && realpathSync(file) === realpathSync(database.file)) {
      throw new CommandFailed(`${file} is the database itself. Pass another path.`);
    }
    const written = await store.backup(file).catch((error) => {
      throw toWriteError(file, error);
    });
    const ringId = await store.keyRingId.get();
    const isSealed = (await store.sealedKeys.get()) !== undefined;
    return { ...written, keys: isSealed ? undefined : backUpKeys(dataDir, file, ringId) };
  });
  const { keys } = outcome;
  const text = `Wrote and verified ${file} (${outcome.bytes} bytes).`;
  print(terminal, options, { file, ...outcome }, keys ? `${text} Its keys are in ${keys}.` : text);
}

/** Returns the file with the keys; undefined when the database has none yet. */
function backUpKeys(dataDir: string, file: string, ringId: string | undefined): string | undefined {
  const from = keyFileIn(dataDir);
  const found = readKeyRingId(from);
  if (ringId !== undefined && found !== ringId) {
    throw new CommandFailed(
      `Wrote ${file}, but not its keys: ${from} ${found === undefined ? 'is missing' : 'holds the keys of another database'}.`,
    );
  }
  if (found === undefined) return undefined;
  const to = keyFileOf(file);
  copyKeyFile(from, to);
  return to;
}

type RestoreOptions = JsonOption & { readonly force?: boolean; readonly withoutKeys?: boolean };

async function restore(terminal: Terminal, file: string, options: RestoreOptions): Promise<void> {
  const { dataDir, database } = readConfig(terminal.env);
  if (!existsSync(file)) throw new CommandFailed(`No backup found at ${file}.`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { bytes, pages, keys } = await restored(file, database.file, dataDir, options);
  const text = `Restored ${database.file} from ${file}.`;
  const texts = {
    restored: `${text} Restored the keys, too.`,
    kept: `${text} The keys in DATA_DIR are those of the backup.`,
    none: text,
  };
  print(terminal, options, { file: database.file, bytes, pages, keys }, texts[keys]);
}

async function restored(file: string, databaseFile: string, dataDir: string, options: RestoreOptions) {
  try {
    const keys = chooseKeys(file, dataDir, options);
    const outcome = await restoreSqlite(file, databaseFile, {
      force: options.force ?? false,
      beforeReplacing: () => {
        if (keys === 'restored') copyKeyFile(keyFileOf(file), keyFileIn(dataDir));
      },
    });
    return { ...outcome, keys };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof RestoreRefused && !options.force ? '. Use --force to overwrite it' : '';
    throw new CommandFailed(`Nothing was restored: ${message}${hint}.`, { cause: error });
  }
}

/** Decides which keys belong to the backup, before anything changes. */
function chooseKeys(file: string, dataDir: string, { force, withoutKeys }: RestoreOptions): KeysOutcome {
  const ringId = readBackupRingId(file);
  const beside = readKeyRingId(keyFileOf(file));
  const current = readKeyRingId(keyFileIn(dataDir));
  if (withoutKeys || (ringId === undefined && beside === undefined)) return 'none';
  const wanted = ringId ?? beside;
  // They may have been rotated since the backup.
  if (current === wanted) return 'kept';
  if (beside === undefined) {
    throw new KeyRingRefused(
      `${keyFileOf(file)} is missing, and without these keys every visitor gets a new id. Put it beside the backup, or restore the database alone with --without-keys`,
    );
  }
  if (beside !== wanted) throw new KeyRingRefused(`${keyFileOf(file)} holds the keys of another database`);
  if (current !== undefined && !force)
    throw new RestoreRefused(`${keyFileIn(dataDir)} holds the keys of another database`);
  return 'restored';
}

type KeysOutcome = 'restored' | 'kept' | 'none';
