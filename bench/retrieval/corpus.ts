/** A temporary database with published articles, written as the service writes them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import type { Passages } from '../../server/storage/passages.ts';
import { migrate } from '../../server/storage/sqlite/migrate.ts';
import { removePassages, sqlitePassages, writePassage } from '../../server/storage/sqlite/passages.ts';

export type CorpusArticle = {
  id: string;
  title?: string;
  text: string;
  aliases?: readonly string[];
  /** Absent for a source. */
  translationId?: string;
};

export type Corpus = {
  /** Writes all articles in one transaction. */
  put(workspaceId: string, locale: string, articles: readonly CorpusArticle[]): void;
  remove(workspaceId: string, articleId: string): void;
  passages(workspaceId: string): Passages;
  bytes(): number;
  close(): void;
};

export function openCorpus(): Corpus {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const file = join(folder, 'corpus.db');
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
          writePassage(write, workspaceId, indexPassage(toVariant(article, locale)));
        }
      })();
    },
    remove(workspaceId, articleId) {
      write.transaction(() => removePassages(write, workspaceId, articleId))();
    },
    passages: (workspaceId) => sqlitePassages({ db: read, read: async (query) => query() }, workspaceId),
    bytes: () => (read.pragma('page_count', { simple: true }) as number) * 4096,
    close() {
      read.close();
      write.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function toVariant({ id, title, text, aliases, translationId }: CorpusArticle, locale: string) {
  return {
    articleId: id,
    slug: id,
    locale,
    revision: 1,
    sourceRevision: 1,
    title: title ?? '',
    answer: text,
    aliases: aliases ?? [],
    translationId,
    stale: false,
  };
}
