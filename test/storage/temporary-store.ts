import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store, WorkspaceStore } from '../../server/storage/store.ts';
import { placeMigrated } from '../support/database-file.ts';
import { workspace } from '../support/stored-samples.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Creates a folder that is deleted after the test. Call it from a test or from beforeEach. */
export function temporaryFolder(): string {
  const folder = tempDir();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns a database path where no file exists yet. */
export function temporaryFile(): string {
  return join(temporaryFolder(), 'guidepost.db');
}

/** Creates an empty, migrated database file. */
export async function migratedFile(): Promise<string> {
  const file = temporaryFile();
  await placeMigrated(file);
  return file;
}

/** Opens a store on a new file with one workspace; closed after the test. */
export async function temporaryStore(
  options: { bytesMax?: number } = {},
): Promise<{ store: Store; file: string; workspaceId: string }> {
  const file = await migratedFile();
  const store = openSqlite({ file, ...options });
  onTestFinished(() => store.close());
  const { id: workspaceId, ...rest } = workspace();
  await store.workspaces.create({ id: workspaceId, ...rest });
  return { store, file, workspaceId };
}

/** The store of the running test, and two workspaces in it. */
export type Subject = {
  store: Store;
  here: string;
  there: string;
  reopen: () => Promise<Store>;
};

const WITHIN = { fromMillis: 0, beforeMillis: 1 };
const FILTERS = [
  {},
  { within: WITHIN },
  { locale: 'de' },
  { visitorId: 'v', within: WITHIN, locale: 'de' },
  { conversationId: 'c' },
  { conversationId: 'c', visitorId: 'v', within: WITHIN, locale: 'de' },
];

/** Runs the queries whose statements depend on their filters, so that all variants of the statements are built. */
export async function queryEverything({ events, conversations }: WorkspaceStore): Promise<void> {
  for (const filter of FILTERS) {
    for (const typed of [filter, { ...filter, type: 'turn' } as const]) {
      await events.queryRows(1, typed);
      await events.queryLines(1, typed);
    }
    await conversations.queryTurns(1, filter);
    await conversations.queryConversations(1, filter);
  }
}
