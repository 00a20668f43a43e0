import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { getBackupKeyFile, writeBackup } from '../backup/backup.ts';
import { listBackups, nameTime } from '../backup/kept-backups.ts';
import { createFolder } from '../base/files.ts';
import { type Config, readConfig } from '../settings/config.ts';
import { IncompatibleDatabase } from '../storage/migrations.ts';
import {
  copySqlite,
  findPendingMigration,
  RestoreRefused,
  readBackupRingId,
  restoreSqlite,
} from '../storage/sqlite/backup.ts';
import { copyKeyFile, KeyRingRefused, keyFileIn, readKeyRingId } from '../tokens/key-ring.ts';
import { assertDatabaseExists, withStore } from './open-store.ts';
import { addCommand, assertWritable, CommandFailed, print, type Terminal, toWriteError } from './terminal.ts';

type JsonOption = { json?: boolean };

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

  addCommand(
    program,
    'rollback',
    'After a return to an earlier version: make the database usable for it. Stop the server first.',
  )
    .addHelpText(
      'after',
      '\nKeeps the database if this version can use it. Otherwise restores the backup from before the upgrade, and keeps' +
        '\nwhat was written since in a file beside that backup.',
    )
    .action((options: JsonOption) => rollBack(terminal, options));
}

async function backup(terminal: Terminal, file: string, options: JsonOption): Promise<void> {
  const outcome = await withStore(terminal, async (store, { database, dataDir }) => {
    assertWritable(file);
    if (existsSync(file) && realpathSync(file) === realpathSync(database.file)) {
      throw new CommandFailed(`${file} is the database itself. Pass another path.`);
    }
    return writeBackup(store, file, dataDir).catch((error) => {
      throw toWriteError(file, error);
    });
  });
  const { keys } = outcome;
  const text = `Wrote and verified ${file} (${outcome.bytes} bytes).`;
  print(terminal, options, { file, ...outcome }, keys ? `${text} Its keys are in ${keys}.` : text);
}

type RestoreOptions = JsonOption & { force?: boolean; withoutKeys?: boolean };

async function restore(terminal: Terminal, file: string, options: RestoreOptions): Promise<void> {
  const { dataDir, database } = readConfig(terminal.env);
  if (!existsSync(file)) throw new CommandFailed(`No backup found at ${file}.`);
  createFolder(dataDir);
  const { bytes, pages, keys } = await restoreFiles(file, database.file, dataDir, options);
  const text = `Restored ${database.file} from ${file}.`;
  const texts = {
    restored: `${text} Restored the keys, too.`,
    kept: `${text} The keys in DATA_DIR are those of the backup.`,
    none: text,
  };
  print(terminal, options, { file: database.file, bytes, pages, keys }, texts[keys]);
}

async function restoreFiles(file: string, databaseFile: string, dataDir: string, options: RestoreOptions) {
  try {
    const keys = chooseKeys(file, dataDir, options);
    const outcome = await restoreSqlite(file, databaseFile, {
      force: options.force ?? false,
      beforeReplacing: () => {
        if (keys === 'restored') copyKeyFile(getBackupKeyFile(file), keyFileIn(dataDir));
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
  const backupKeysRingId = readKeyRingId(getBackupKeyFile(file));
  const currentRingId = readKeyRingId(keyFileIn(dataDir));
  if (withoutKeys || (ringId === undefined && backupKeysRingId === undefined)) return 'none';
  const wantedRingId = ringId ?? backupKeysRingId;
  // The keys may have been rotated since the backup.
  if (currentRingId === wantedRingId) return 'kept';
  if (backupKeysRingId === undefined) {
    throw new KeyRingRefused(
      `${getBackupKeyFile(file)} is missing, and without these keys every visitor gets a new id. Put it beside the backup, or restore the database alone with --without-keys`,
    );
  }
  if (backupKeysRingId !== wantedRingId)
    throw new KeyRingRefused(`${getBackupKeyFile(file)} holds the keys of another database`);
  if (currentRingId !== undefined && !force)
    throw new RestoreRefused(`${keyFileIn(dataDir)} holds the keys of another database`);
  return 'restored';
}

/** Restores the backup from before the upgrade, unless this version can use the database as it is. */
async function rollBack(terminal: Terminal, options: JsonOption): Promise<void> {
  const config = readConfig(terminal.env);
  const { dataDir, database } = config;
  if (database.postgres)
    throw new CommandFailed(
      'PostgreSQL is restored with its own tools: docs/operations.md, "Backups of PostgreSQL".',
    );
  assertDatabaseExists(config);
  if (isUsable(database.file)) {
    const text =
      'This version can use the database as it is, so nothing was rolled back and nothing is lost. Start the server.';
    return print(terminal, options, { restored: null, kept: null }, text);
  }
  const backup = findUsableBackup(config);
  const keptFile = join(database.backups.folder, `rolled-back-${nameTime(terminal.clock.now())}.db`);
  await copySqlite(database.file, keptFile);
  await restoreFiles(backup.file, database.file, dataDir, { force: true });
  const text = `Restored ${backup.file}. Data written since ${new Date(backup.atMillis).toISOString()} is in ${keptFile} only.`;
  print(terminal, options, { restored: backup.file, kept: keptFile }, text);
}

function findUsableBackup({ database: { backups } }: Config) {
  const usableBackup = listBackups(backups.folder).find(
    ({ kind, file }) => kind === 'before_upgrade' && isUsable(file),
  );
  if (usableBackup) return usableBackup;
  throw new CommandFailed(
    `${backups.folder} holds no backup from before the upgrade that this version can use. Restore another one with \`guidepost restore FILE --force\`.`,
  );
}

/** Whether this version can use the database, after its own migrations. */
function isUsable(file: string): boolean {
  try {
    findPendingMigration(file);
    return true;
  } catch (error) {
    if (error instanceof IncompatibleDatabase) return false;
    throw error;
  }
}

type KeysOutcome = 'restored' | 'kept' | 'none';
