import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import { article, MORNING } from '../samples.ts';
import type { Subject } from '../temporary-store.ts';

const BY = { actor: 'operator', atMillis: MORNING };

/** Imports over articles that owners have changed since. */
export function describeArticleImports(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const refunds = { answer: 'Refunds take five days.' };
  const german = { answer: 'Fünf Tage.' };
  const locales = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`en-x-t${from + at}`, german]));

  async function takeDown(articleId: string): Promise<void> {
    const { content, contentHash, searchSummary, revision } = (await here().articles.find(articleId))!;
    await here().articles.apply({
      content,
      contentHash,
      searchSummary,
      articleId,
      baseRevision: revision,
      event: 'unpublished',
      status: 'unpublished',
      live: 'none',
      authorId: 'mem_1',
      atMillis: MORNING,
      audit: { ...BY, id: newId('aud'), action: 'article.unpublished', subject: articleId, details: {} },
    });
  }

  async function servedLocales(articleId: string) {
    return (await here().passages.liveVariants([articleId])).map(({ locale }) => locale);
  }

  describe('importing over existing articles', () => {
    it('adds a revision for a new URL alone and makes no translation stale', async () => {
      const at = (url: string) => ({ ...refunds, url });
      await here().articles.import([article('refunds', at('https://shop.example/a'), { de: german })], BY);
      const [outcome] = await here().articles.import([article('refunds', at('https://shop.example/b'))], BY);
      expect(outcome).toMatchObject({ sourceChanged: true });
      const { articleId, revision, content } = (await here().articles.findLive('refunds'))!;
      expect([revision, content.url]).toStrictEqual([2, 'https://shop.example/b']);
      const variants = await here().passages.liveVariants([articleId]);
      const passages = await here().passages.load(variants.map(({ passageId }) => passageId));
      expect(passages.map(({ url, stale }) => [url, stale])).toStrictEqual([
        ['https://shop.example/b', false],
        ['https://shop.example/b', false],
      ]);
    });

    it('adds a revision for a new URL of a translation', async () => {
      const own = (url: string) => article('refunds', refunds, { de: { ...german, url } });
      await here().articles.import([own('https://shop.example/de/a')], BY);
      const [outcome] = await here().articles.import([own('https://shop.example/de/b')], BY);
      expect(outcome).toMatchObject({ sourceChanged: false, translationsChanged: 1 });
    });

    it('rejects an article that would exceed the locale limit, counting stored locales', async () => {
      const first = article('refunds', refunds, locales(20));
      await here().articles.import([first], BY, 32);
      const more = article('refunds', { answer: 'Never.' }, locales(13, 20));
      const [rejected, done] = await here().articles.import(
        [more, article('other', { answer: 'Yes.' })],
        BY,
        32,
      );
      expect(rejected).toStrictEqual({
        slug: 'refunds',
        articleId: first.idIfNew,
        sourceChanged: false,
        translationsChanged: 0,
        undone: 'too_many_locales',
      });
      expect(done).toMatchObject({ slug: 'other', sourceChanged: true });
      expect(await here().articles.findLive('refunds')).toMatchObject({ revision: 1, content: refunds });
      const [enough] = await here().articles.import([article('refunds', refunds, locales(32))], BY, 32);
      expect(enough).toMatchObject({ translationsChanged: 12 });
      expect(await here().articles.count()).toMatchObject({ translations: 32 });
    });

    it('republishes an unpublished article with the translations missing from the import', async () => {
      const first = article('refunds', refunds, { de: german, fr: { answer: 'Cinq jours.' } });
      await here().articles.import([first], BY);
      const texts = await here().articles.liveTexts(first.idIfNew);
      await takeDown(first.idIfNew);
      const again = article('refunds', refunds, { de: german });
      const [undone] = await here().articles.import([again], BY);
      expect(undone).toMatchObject({ undone: 'outdated', sourceChanged: false });
      expect(await servedLocales(first.idIfNew)).toStrictEqual([]);

      const { translationId, revision } = texts.find(({ locale }) => locale === 'fr')!;
      const { indexed } = first.translations.find(({ locale }) => locale === 'fr')!;
      const republished = [{ translationId, revision, indexed }];
      const [done] = await here().articles.import([{ ...again, republished }], BY);
      expect(done).toMatchObject({ sourceChanged: true });
      expect(await servedLocales(first.idIfNew)).toStrictEqual(['de', 'en', 'fr']);
    });

    it('archives a translation, in a new revision, when the source takes its language', async () => {
      await here().articles.import([article('refunds', refunds, { de: german })], BY);
      const { translations: _, ...source } = article('refunds', german);
      const moved = {
        ...source,
        locale: 'de',
        indexed: { ...source.indexed, locale: 'de' },
        translations: [],
      };
      await here().articles.import([moved], BY);
      const { articleId } = (await here().articles.findLive('refunds'))!;
      expect((await here().articles.find(articleId))?.variants).toMatchObject([
        { locale: 'de', status: 'archived', revision: 2 },
      ]);
      expect(await here().articles.count()).toMatchObject({ revisions: 4 });
    });
  });
}
