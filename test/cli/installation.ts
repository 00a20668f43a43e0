import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { tempDir } from '../fixtures/temp-dir.ts';
import { commandLine } from './command-line.ts';

/** A new data folder and command line for each test of a file. */

export let dataDir: string;
export let cli: ReturnType<typeof commandLine>;

export function anInstallationForEach(): void {
  beforeEach(() => {
    dataDir = join(tempDir(), 'data');
    cli = commandLine(dataDir);
  });
  afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }));
}

export const databaseFile = () => join(dataDir, 'guidepost.db');

export async function inStore<T>(action: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite({ file: databaseFile() });
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

export const actionsIn = (workspaceId: string) =>
  inStore(async (store) => (await store.in(workspaceId).audit.list(100)).map(({ action }) => action));

export function articlesFile(...articles: unknown[]): string {
  const file = join(dataDir, '..', 'articles.jsonl');
  writeFileSync(file, articles.map((article) => JSON.stringify(article)).join('\n'));
  return file;
}

export const returns = { slug: 'returns', locale: 'en', title: 'Returns', answer: 'Within 30 days.' };
