import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { RestoreRefused, restoreSqlite } from '../storage/sqlite/backup.ts';
import { withStore } from './open-store.ts';
import { assertWritable, toWriteError } from './target-file.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

type JsonOption = { readonly json?: boolean };

export function addBackup(program: Command, terminal: Terminal): void {
  addCommand(
    program,
    'backup <file>',
    'Write and verify a copy of the database. Works while the server runs.',
  )
    .addHelpText('after', '\nReplaces an existing file once the new backup is complete.')
    .action((file: string, options: JsonOption) => backup(terminal, resolve(file), options));

  addCommand(program, 'restore <file>', 'Replace the database with a backup. Stop the server first.')
    .option('--force', 'overwrite the existing database')
    .addHelpText(
      'after',
      '\nVerifies the backup first. Does not change the keys of visitor tokens, a separate file in DATA_DIR.',
    )
    .action((file: string, options: RestoreOptions) => restore(terminal, resolve(file), options));
}

async function backup(terminal: Terminal, file: string, options: JsonOption): Promise<void> {
  const { bytes, pages } = await withStore(terminal, async (store, { database }) => {
    assertWritable(file);
    if (existsSync(file) && realpathSync(file) === realpathSync(database.file)) {
      throw new CommandFailed(`${file} is the database itself. Pass another path.`);
    }
    return store.backup(file).catch((error) => {
      throw toWriteError(file, error);
    });
  });
  print(terminal, options, { file, bytes, pages }, `Wrote and verified ${file} (${bytes} bytes).`);
}

type RestoreOptions = JsonOption & { readonly force?: boolean };

async function restore(terminal: Terminal, file: string, options: RestoreOptions): Promise<void> {
  const { dataDir, database } = readConfig(terminal.env);
  if (!existsSync(file)) throw new CommandFailed(`No backup found at ${file}.`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { bytes, pages } = await restored(file, database.file, options.force ?? false);
  print(terminal, options, { file: database.file, bytes, pages }, `Restored ${database.file} from ${file}.`);
}

async function restored(file: string, databaseFile: string, force: boolean) {
  try {
    return await restoreSqlite(file, databaseFile, { force });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof RestoreRefused && !force ? '. Use --force to overwrite it' : '';
    throw new CommandFailed(`Nothing was restored: ${message}${hint}.`, { cause: error });
  }
}
