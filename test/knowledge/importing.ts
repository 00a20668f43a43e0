import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { ImportDraft, ImportProblem } from '../../server/knowledge/import/article-input.ts';
import { importArticles, openImport } from '../../server/knowledge/import/import.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { placeMigrated } from '../support/database-file.ts';
import { SETTINGS } from '../support/seeds.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Creates an empty workspace to import into, a new one for each test. */

export const WORKSPACE = 'ws_import';
export let folder: string;
export let store: Store;

export function anEmptyWorkspaceForEach(): void {
  beforeEach(async () => {
    folder = tempDir();
    const file = join(folder, 'guidepost.db');
    await placeMigrated(file);
    store = openSqlite({ file });
    await store.workspaces.create({
      id: WORKSPACE,
      appId: 'gp_import',
      name: 'Import',
      settings: SETTINGS,
      createdAt: 1,
    });
  });

  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
}

export const returns = {
  slug: 'returns',
  locale: 'en',
  title: 'Returning an order',
  answer: 'You can return any order within 30 days.',
  translations: [{ locale: 'de', title: 'Rückgabe', answer: 'Sie können jede Bestellung zurückgeben.' }],
};
export const shipping = {
  slug: 'shipping',
  locale: 'en',
  title: 'Shipping',
  answer: 'Orders ship on weekdays.',
};

export function fileOf(content: string | Buffer, name = 'articles.jsonl'): string {
  const file = join(folder, 'in', name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

export const toJsonLines = (...values: unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');

export async function importAt(path: string, signal?: AbortSignal) {
  const problems: ImportProblem[] = [];
  const drafts: ImportDraft[] = [];
  const { articles, audit } = store.in(WORKSPACE);
  const report = await importArticles(
    await openImport(path, 'en', Date.now()),
    { workspaceId: WORKSPACE, articles, audit, clock: { now: () => 5 }, actor: 'operator' },
    { onProblem: (problem) => problems.push(problem), onDraft: (draft) => drafts.push(draft), signal },
  );
  return { report, problems, drafts };
}

export const importLines = (...values: unknown[]) => importAt(fileOf(toJsonLines(...values)));
export const live = (slug: string) => store.in(WORKSPACE).articles.findLive(slug);
