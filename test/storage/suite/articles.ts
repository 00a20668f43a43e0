import { describe, expect, it } from 'vitest';
import type { ImportedArticle } from '../../../server/storage/articles.ts';
import { article, MORNING } from '../samples.ts';
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
      expect(outcome).toStrictEqual({
        slug: 'refunds',
        articleId,
        sourceChanged: true,
        translationsChanged: 1,
      });
      expect(await here().articles.findLive('refunds')).toStrictEqual({
        articleId,
        slug: 'refunds',
        locale: 'en',
        revision: 1,
        content: { title: 'Refunds', answer: refunds.answer, aliases: [], url: 'https://shop.example/r' },
        contentHash,
      });
      expect(await here().articles.count()).toStrictEqual({ articles: 1, translations: 1, revisions: 2 });
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
      expect(outcome).toMatchObject({ sourceChanged: false, translationsChanged: 0 });
      expect(await here().articles.count()).toStrictEqual({ articles: 1, translations: 1, revisions: 2 });
      expect(await passages('refunds')).toStrictEqual(before);
      expect(await here().audit.list(10)).toHaveLength(1);
    });

    it('adds a revision for changed content and serves it', async () => {
      const [first] = await publish(article('refunds', refunds, { de: german }));
      const changed = { answer: 'Refunds take two days.' };
      const [second] = await publish(article('refunds', changed, { de: { answer: 'Zwei Tage.' } }));
      expect(second).toStrictEqual({ ...first, sourceChanged: true, translationsChanged: 1 });
      expect(await here().articles.findLive('refunds')).toMatchObject({ revision: 2, content: changed });
      expect(await here().articles.count()).toStrictEqual({ articles: 1, translations: 1, revisions: 4 });
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
      expect(await here().audit.list(10)).toHaveLength(3);
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
      expect(Object.keys(served)).toStrictEqual(['de']);
      expect(served.de).not.toHaveProperty('translationId');
    });

    it('stores no article of a batch when one of them cannot be stored', async () => {
      const impossible = article('b', { answer: 'B.' }, { en: { answer: 'Not a translation.' } });
      await expect(publish(article('a', { answer: 'A.' }), impossible)).rejects.toThrow('own locale');
      expect(await here().articles.count()).toStrictEqual({ articles: 0, translations: 0, revisions: 0 });
      expect(await here().passages.partitions()).toStrictEqual([]);
      expect(await here().audit.list(10)).toStrictEqual([]);
    });

    it('adds one audit row for each article with what went live', async () => {
      const first = article('refunds', refunds, { de: german });
      await publish(first, article('shipping', { answer: 'By bike.' }));
      await here().articles.import([article('refunds', { answer: 'None.' })], {
        actor: 'mem_1',
        atMillis: MORNING + 1,
      });
      const [last, , opening] = await here().audit.list(10);
      expect(last).toMatchObject({
        atMillis: MORNING + 1,
        actor: 'mem_1',
        action: 'article.imported',
        subject: first.idIfNew,
        details: { slug: 'refunds', fromRevision: 1, toRevision: 2 },
      });
      expect(opening).toMatchObject({ id: first.auditId, actor: 'operator', subject: first.idIfNew });
      expect(opening?.details).toMatchObject({
        toRevision: 1,
        translations: [{ locale: 'de', revision: 1 }],
      });
    });

    it('finds nothing for a slug that was never imported', async () => {
      expect(await here().articles.findLive('nothing')).toBeUndefined();
    });
  });
}
