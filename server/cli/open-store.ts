import { existsSync } from 'node:fs';
import { openStore } from '../backup/open-store.ts';
import { createFolder } from '../base/files.ts';
import { newId } from '../base/ids.ts';
import { getSystemErrorText } from '../base/log.ts';
import { type Config, readConfig } from '../settings/config.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { CommandFailed, type Terminal } from './terminal.ts';

/** Opens the configured database for the action, then closes it. Works while a server runs. */
export async function withStore<T>(
  terminal: Terminal,
  action: (store: Store, config: Config) => Promise<T>,
  ifMissing: 'create' | 'fail' = 'fail',
): Promise<T> {
  const config = readConfig(terminal.env);
  if (ifMissing === 'create') createFolder(config.dataDir);
  else if (!config.database.postgres) assertDatabaseExists(config);
  const store = await openDatabase(terminal, config);
  try {
    return await action(store, config);
  } finally {
    await store.close();
  }
}

/** Throws if there is no database file: a typo in DATA_DIR must not create one. */
export function assertDatabaseExists({ database: { file } }: Config): void {
  if (existsSync(file)) return;
  throw new CommandFailed(
    `There is no database at ${file}. Set DATA_DIR to the data folder of the server, or create a workspace first.`,
  );
}

async function openDatabase({ stderr }: Terminal, { database }: Config): Promise<Store> {
  const error = (_fields: object, message: string) => void stderr.write(`guidepost: Warning: ${message}\n`);
  try {
    return await openStore(database, { info() {}, error });
  } catch (error) {
    const reason = getSystemErrorText(error);
    if (reason === undefined) throw error;
    throw new CommandFailed(`Cannot open the database ${database.file}: ${reason}.`, { cause: error });
  }
}

/** Finds a workspace by its id or app id. */
export async function getWorkspace({ workspaces }: Store, id: string): Promise<Workspace> {
  const found = (await workspaces.find(id)) ?? (await workspaces.findByAppId(id));
  if (!found)
    throw new CommandFailed(
      `No workspace with id ${id}. Run \`guidepost workspace list\` to see all workspaces.`,
    );
  return found;
}

/** The actor in audit entries: the command line has no account. */
export const OPERATOR = 'operator';

export function newAuditEntry(
  { clock }: Pick<Terminal, 'clock'>,
  action: string,
  subject: string,
  details: AuditEntry['details'],
): AuditEntry {
  return { id: newId('aud'), atMillis: clock.now(), actor: OPERATOR, action, subject, details };
}
