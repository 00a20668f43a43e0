import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { ImportedArticle } from '../../../server/storage/article-import.ts';
import { article, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

const BY = { actor: 'operator', atMillis: MORNING };

export function describeArticles(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const publish = (...articles: ImportedArticle[]) => here().articles.import(articles, BY);
  const refunds = { answer: 'Refunds take five days.' };
  const german = { answer: 'Erstattungen dauern fünf Tage.' };

  async function passages(slug: string) {
    const live = await here().articles.findLive(slug);
    const variants = await here().passages.liveVariants([live!.articleId]);
    const loaded = await here().passages.load(variants.map(({ passageId }) => passageId));
    return Object.fromEntries(loaded.map((passage) => [passage.locale, passage]));
  }

  describe('imported articles', () => {
    it('publishes articles at once, with their translations', async () => {
      const imported = article(
        'refunds',
        { title: 'Refunds', ...refunds, url: 'https://shop.example/r' },
        { de: german },
      );
      const [outcome] = await publish(imported);
      const { idIfNew: articleId, contentHash } = imported;
      expect(outcome).toEqual({
        slug: 'refunds',
        articleId,
        sourceChanged: true,
        translationsChanged: 1,
        organizationChanged: false,
      });
      expect(await here().articles.findLive('refunds')).toEqual({
        articleId,
        slug: 'refunds',
        locale: 'en',
        revision: 1,
        content: { title: 'Refunds', answer: refunds.answer, aliases: [], url: 'https://shop.example/r' },
        contentHash,
      });
      expect(await here().articles.count()).toEqual({ articles: 1, translations: 1, revisions: 2 });
      const { en, de } = await passages('refunds');
      expect(en).toMatchObject({
        articleId,
        revision: 1,
        sourceRevision: 1,
        stale: false,
        answer: refunds.answer,
      });
      expect(en).not.toHaveProperty('translationId');
      expect(de).toMatchObject({
        translationId: imported.translations[0]!.idIfNew,
        sourceRevision: 1,
        stale: false,
      });
    });

    it('adds no revision when nothing changed', async () => {
      await publish(article('refunds', refunds, { de: german }));
      const before = await passages('refunds');
      const [outcome] = await publish(article('refunds', refunds, { de: german }));
      expect(outcome).toMatchObject({
        sourceChanged: false,
        translationsChanged: 0,
        organizationChanged: false,
      });
      expect(await here().articles.count()).toEqual({ articles: 1, translations: 1, revisions: 2 });
      expect(await passages('refunds')).toEqual(before);
    });

    it('adds a revision for changed content and serves it', async () => {
      const [first] = await publish(article('refunds', refunds, { de: german }));
      const changed = { answer: 'Refunds take two days.' };
      const [second] = await publish(article('refunds', changed, { de: { answer: 'Zwei Tage.' } }));
      expect(second).toEqual({ ...first, sourceChanged: true, translationsChanged: 1 });
      expect(await here().articles.findLive('refunds')).toMatchObject({ revision: 2, content: changed });
      expect(await here().articles.count()).toEqual({ articles: 1, translations: 1, revisions: 4 });
      const { en, de } = await passages('refunds');
      expect(en).toMatchObject({ revision: 2, answer: changed.answer });
      expect(de).toMatchObject({ revision: 2, sourceRevision: 2, answer: 'Zwei Tage.', stale: false });
    });

    it('marks translations missing from a changed source stale until the source changes back', async () => {
      await publish(article('refunds', refunds, { de: german, fr: { answer: 'Cinq jours.' } }));
      const changed = { answer: 'Refunds take two days.' };
      await publish(article('refunds', changed, { fr: { answer: 'Deux jours.' } }));
      const { de, fr } = await passages('refunds');
      expect(de).toMatchObject({ stale: true, revision: 1, sourceRevision: 1, answer: german.answer });
      expect(fr).toMatchObject({ stale: false, revision: 2, sourceRevision: 2 });
      await publish(article('refunds', refunds));
      expect((await passages('refunds')).de).toMatchObject({ stale: false });
      expect((await passages('refunds')).fr).toMatchObject({ stale: true });
    });

    it('confirms an unchanged translation that is imported with the changed source', async () => {
      const changed = { answer: 'Refunds take five days!' };
      await publish(article('refunds', refunds, { de: german }));
      const [outcome] = await publish(article('refunds', changed, { de: german }));
      expect(outcome).toMatchObject({ sourceChanged: true, translationsChanged: 0 });
      expect((await passages('refunds')).de).toMatchObject({ stale: false, revision: 1, sourceRevision: 2 });
    });

    it('confirms a stale translation that is imported later', async () => {
      const changed = { answer: 'Refunds take five days!' };
      await publish(article('refunds', refunds, { de: german }));
      await publish(article('refunds', changed));
      expect((await passages('refunds')).de).toMatchObject({ stale: true });
      const [outcome] = await publish(article('refunds', changed, { de: german }));
      expect(outcome).toMatchObject({ sourceChanged: false, translationsChanged: 0 });
      expect((await passages('refunds')).de).toMatchObject({ stale: false, sourceRevision: 2 });
    });

    it('uses the URL of the article for translations without one', async () => {
      const own = { answer: 'Cinq jours.', url: 'https://shop.example/fr/r' };
      const at = (url: string) => ({ ...refunds, url });
      await publish(article('refunds', at('https://shop.example/r'), { de: german, fr: own }));
      expect((await passages('refunds')).de?.url).toBe('https://shop.example/r');
      await publish(article('refunds', at('https://shop.example/moved')));
      const { de, fr } = await passages('refunds');
      expect(de?.url).toBe('https://shop.example/moved');
      expect(fr?.url).toBe(own.url);
    });

    it('changes the language of the source', async () => {
      await publish(article('refunds', refunds, { de: german }));
      const source = article('refunds', german);
      await publish({ ...source, locale: 'de', indexed: { ...source.indexed, locale: 'de' } });
      expect(await here().articles.findLive('refunds')).toMatchObject({ locale: 'de', revision: 2 });
      const served = await passages('refunds');
      expect(Object.keys(served)).toEqual(['de']);
      expect(served.de).not.toHaveProperty('translationId');
    });

    it('stores no article of a batch when one of them cannot be stored', async () => {
      const impossible = article('b', { answer: 'B.' }, { en: { answer: 'Not a translation.' } });
      await expect(publish(article('a', { answer: 'A.' }), impossible)).rejects.toThrow('own locale');
      expect(await here().articles.count()).toEqual({ articles: 0, translations: 0, revisions: 0 });
      expect(await here().passages.partitions()).toEqual([]);
      expect(await here().audit.list(10)).toEqual([]);
    });

    it('finds nothing for a slug that was never imported', async () => {
      expect(await here().articles.findLive('nothing')).toBeUndefined();
    });
  });
}

/** Tests imports over articles that owners have changed since the last import. */
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
      expect([revision, content.url]).toEqual([2, 'https://shop.example/b']);
      const variants = await here().passages.liveVariants([articleId]);
      const passages = await here().passages.load(variants.map(({ passageId }) => passageId));
      expect(passages.map(({ url, stale }) => [url, stale])).toEqual([
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
      const withMoreLocales = article('refunds', { answer: 'Never.' }, locales(13, 20));
      const [rejected, done] = await here().articles.import(
        [withMoreLocales, article('other', { answer: 'Yes.' })],
        BY,
        32,
      );
      expect(rejected).toEqual({
        slug: 'refunds',
        articleId: first.idIfNew,
        sourceChanged: false,
        translationsChanged: 0,
        organizationChanged: false,
        skipReason: 'too_many_locales',
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
      const [outcome] = await here().articles.import([again], BY);
      expect(outcome).toMatchObject({ skipReason: 'outdated', sourceChanged: false });
      expect(await servedLocales(first.idIfNew)).toEqual([]);

      const { translationId, revision } = texts.find(({ locale }) => locale === 'fr')!;
      const { indexed } = first.translations.find(({ locale }) => locale === 'fr')!;
      const republished = [{ translationId, revision, indexed }];
      const [done] = await here().articles.import([{ ...again, republished }], BY);
      expect(done).toMatchObject({ sourceChanged: true });
      expect(await servedLocales(first.idIfNew)).toEqual(['de', 'en', 'fr']);
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
