import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { indexPassage } from '../../server/knowledge/search/chunks.ts';
import type { PublishedVariant } from '../../server/storage/passages.ts';
import { migrate } from '../../server/storage/sqlite/migrate.ts';
import { removePassages, sqlitePassages, writePassage } from '../../server/storage/sqlite/passages.ts';
import { tempDir } from '../fixtures/temp-dir.ts';

export type Published = Pick<PublishedVariant, 'articleId' | 'locale' | 'title' | 'answer'> &
  Partial<PublishedVariant>;

/** Passages in a database of their own, read over a second connection as in the service. */
export function openShelf() {
  const folder = tempDir();
  const db = new Database(join(folder, 'shelf.db'));
  db.pragma('journal_mode = WAL');
  migrate(db);
  const read = new Database(join(folder, 'shelf.db'), { readonly: true });
  return {
    db,
    publish(workspaceId: string, ...variants: readonly Published[]) {
      db.transaction(() => {
        for (const variant of variants) writePassage(db, workspaceId, indexPassage(complete(variant)));
      })();
    },
    remove(workspaceId: string, articleId: string, locale?: string) {
      db.transaction(() => removePassages(db, workspaceId, articleId, locale))();
    },
    passages: (workspaceId: string) =>
      sqlitePassages({ db: read, read: async (query) => query() }, workspaceId),
    close() {
      read.close();
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Shelf = ReturnType<typeof openShelf>;

/** A source is a variant without a `translationId`. */
export function complete(variant: Published): PublishedVariant {
  return { slug: variant.articleId, revision: 1, sourceRevision: 1, aliases: [], stale: false, ...variant };
}
