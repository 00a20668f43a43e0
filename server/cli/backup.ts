import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { RestoreRefused, restoreSqlite } from '../storage/sqlite/backup.ts';
import { withStore } from './open-store.ts';
import { checkTarget, notWritten } from './target-file.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

type JsonOption = { readonly json?: boolean };

export function addBackup(program: Command, terminal: Terminal): void {
  addCommand(program, 'backup <file>', 'Write a verified copy of the database, also while the server runs.')
    .addHelpText('after', '\nAn earlier backup of that name is replaced when the new one is complete.')
    .action((file: string, options: JsonOption) => backup(terminal, resolve(file), options));

  addCommand(program, 'restore <file>', 'Put a backup in the place of the database. Stop the server first.')
    .option('--force', 'replace a database that is there; what is in it is lost')
    .addHelpText(
      'after',
      '\nThe backup is verified first. The keys of visitor tokens are a file of their own in DATA_DIR and stay as they are.',
    )
    .action((file: string, options: RestoreOptions) => restore(terminal, resolve(file), options));
}

async function backup(terminal: Terminal, file: string, options: JsonOption): Promise<void> {
  const { bytes, pages } = await withStore(terminal, async (store, { database }) => {
    checkTarget(file);
    if (existsSync(file) && realpathSync(file) === realpathSync(database.file)) {
      throw new CommandFailed(`${file} is the database itself; name another file.`);
    }
    return store.backup(file).catch((error) => {
      throw notWritten(file, error);
    });
  });
  print(terminal, options, { file, bytes, pages }, `Wrote and verified ${file} (${bytes} bytes).`);
}

type RestoreOptions = JsonOption & { readonly force?: boolean };

async function restore(terminal: Terminal, file: string, options: RestoreOptions): Promise<void> {
  const { dataDir, database } = readConfig(terminal.env);
  if (!existsSync(file)) throw new CommandFailed(`There is no backup at ${file}.`);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { bytes, pages } = await restored(file, database.file, options.force ?? false);
  print(terminal, options, { file: database.file, bytes, pages }, `${database.file} is what ${file} was.`);
}

async function restored(file: string, databaseFile: string, force: boolean) {
  try {
    return await restoreSqlite(file, databaseFile, { force });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof RestoreRefused && !force ? '; --force replaces it' : '';
    throw new CommandFailed(`Nothing was restored: ${message}${hint}.`, { cause: error });
  }
}
