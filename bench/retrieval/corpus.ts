/** A database in a temporary folder that holds published articles, written as the service writes them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import type { Passages } from '../../server/storage/passages.ts';
import { migrate } from '../../server/storage/sqlite/migrate.ts';
import { removePassages, sqlitePassages, writePassage } from '../../server/storage/sqlite/passages.ts';

export type Shelved = { readonly id: string; readonly title?: string; readonly text: string };

export type Shelf = {
  /** In one transaction. */
  put(workspaceId: string, locale: string, articles: readonly Shelved[]): void;
  remove(workspaceId: string, articleId: string): void;
  passages(workspaceId: string): Passages;
  bytes(): number;
  close(): void;
};

export function openShelf(): Shelf {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const file = join(folder, 'shelf.db');
  const write = new Database(file);
  write.pragma('journal_mode = WAL');
  write.pragma('synchronous = NORMAL');
  migrate(write);
  const read = new Database(file, { readonly: true });
  read.pragma('mmap_size = 1073741824');
  return {
    put(workspaceId, locale, articles) {
      write.transaction(() => {
        for (const article of articles) {
          writePassage(write, workspaceId, indexPassage(variantOf(article, locale)));
        }
      })();
    },
    remove(workspaceId, articleId) {
      write.transaction(() => removePassages(write, workspaceId, articleId))();
    },
    passages: (workspaceId) => sqlitePassages({ read }, workspaceId),
    bytes: () => (read.pragma('page_count', { simple: true }) as number) * 4096,
    close() {
      read.close();
      write.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function variantOf({ id, title, text }: Shelved, locale: string) {
  return {
    articleId: id,
    slug: id,
    locale,
    revision: 1,
    sourceRevision: 1,
    title: title ?? '',
    answer: text,
    aliases: [],
    stale: false,
  };
}
