import { describe, expect, it } from 'vitest';
import { type ChangeDeps, publishArticle, unpublishArticle } from '../../server/knowledge/article-changes.ts';
import { createIndexing } from '../../server/knowledge/search/indexing.ts';
import type { Articles } from '../../server/storage/articles.ts';
import { anEmptyWorkspaceForEach, importLines, returns, store, WORKSPACE } from './importing.ts';

anEmptyWorkspaceForEach();

const needsWith = (articles: Articles): ChangeDeps => ({
  articles,
  indexing: createIndexing(),
  clock: { now: () => 7 },
  actor: 'mem_1',
});

async function takenDown(): Promise<{ articleId: string; articles: Articles }> {
  await importLines(returns);
  const { articles } = store.in(WORKSPACE);
  const articleId = (await articles.findId('returns'))!;
  await unpublishArticle({ articleId, baseRevision: 1 }, needsWith(articles));
  return { articleId, articles };
}

async function servedLocales(articleId: string): Promise<string[]> {
  return (await store.in(WORKSPACE).passages.liveVariants([articleId])).map(({ locale }) => locale);
}

describe('republishing an article', () => {
  it('reads the translations again when they changed after the first read', async () => {
    const { articleId, articles } = await takenDown();
    let readings = 0;
    const changing: Articles = {
      ...articles,
      // A read from before the change, when no translation was published.
      liveTexts: async (id) => {
        readings += 1;
        return readings < 3 ? [] : articles.liveTexts(id);
      },
    };
    await publishArticle({ articleId, baseRevision: 2 }, needsWith(changing));
    expect(readings).toBe(3);
    expect(await servedLocales(articleId)).toEqual(['de', 'en']);
    expect(await articles.find(articleId)).toMatchObject({ revision: 3, live: { revision: 3 } });
  });

  it('never serves a partial set of translations, however often they change', async () => {
    const { articleId, articles } = await takenDown();
    const changing: Articles = { ...articles, liveTexts: async () => [] };
    await expect(publishArticle({ articleId, baseRevision: 2 }, needsWith(changing))).rejects.toThrow(
      'changed',
    );
    expect(await servedLocales(articleId)).toEqual([]);
    expect(await articles.find(articleId)).toMatchObject({ status: 'unpublished', revision: 2 });
  });
});
