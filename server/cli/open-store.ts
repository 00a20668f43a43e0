import { existsSync, mkdirSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { getSystemErrorText } from '../system-error.ts';
import { CommandFailed, type Terminal } from './terminal.ts';

/** Runs an action on the database that the environment names, and closes it whatever comes. A server may run on it. */
export async function withStore<T>(
  terminal: Terminal,
  action: (store: Store, config: Config) => Promise<T>,
  missing: 'create' | 'refuse' = 'refuse',
): Promise<T> {
  const config = readConfig(terminal.env);
  if (missing === 'create') mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  else requireDatabase(config);
  const store = opened(config);
  try {
    return await action(store, config);
  } finally {
    await store.close();
  }
}

/** A typing error in DATA_DIR should leave nothing behind in another folder. */
export function requireDatabase({ database: { file } }: Config): void {
  if (existsSync(file)) return;
  throw new CommandFailed(
    `There is no database at ${file}. Set DATA_DIR to the folder of the server, or create a workspace first.`,
  );
}

function opened({ database }: Config): Store {
  try {
    return openSqlite(database);
  } catch (error) {
    const reason = getSystemErrorText(error);
    if (reason === undefined) throw error;
    throw new CommandFailed(`The database ${database.file} cannot be opened: ${reason}.`, { cause: error });
  }
}

/** The workspace of this id, or of this app id. */
export async function getWorkspace({ workspaces }: Store, id: string): Promise<Workspace> {
  const found = (await workspaces.find(id)) ?? (await workspaces.findByAppId(id));
  if (!found)
    throw new CommandFailed(`There is no workspace ${id}; \`guidepost workspace list\` shows them.`);
  return found;
}
