import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { article, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

export function describeArticleAddresses(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const by = { actor: 'mem_1', atMillis: MORNING };
  const publish = async (slug: string, title: string, titles: Record<string, string> = {}, locale = 'en') => {
    const translations = Object.entries(titles).map(([to, text]) => [to, { title: text, answer: 'Text.' }]);
    const imported = article(slug, { title, answer: 'Text.' }, Object.fromEntries(translations));
    const indexed = { ...imported.indexed, locale };
    const [outcome] = await here().articles.import([{ ...imported, locale, indexed }], by);
    return outcome!.articleId;
  };
  const listSlugs = async (articleId: string) =>
    (await here().addresses.list([articleId])).map(({ locale, slug }) => `${locale}/${slug}`);

  describe('addresses of articles', () => {
    it('names each published text after its title, in the letters of its script', async () => {
      const id = await publish('returns', 'Returning an order', {
        de: 'Wie geht’s zurück?',
        ja: '注文の返品',
      });
      expect(await listSlugs(id)).toEqual(['de/wie-gehts-zurück', 'en/returning-an-order', 'ja/注文の返品']);
    });

    it('keeps the earlier slug of an article whose title changed, and gives it to no other', async () => {
      const id = await publish('returns', 'Returns');
      await publish('returns', 'Send it back');
      expect(await listSlugs(id)).toEqual(['en/send-it-back']);
      expect(await here().addresses.find('returns')).toMatchObject({
        rows: [{ articleId: id, locale: 'en' }],
        variants: [{ slug: 'send-it-back', isSource: true }],
      });
      const other = await publish('other', 'Returns');
      expect(await listSlugs(other)).toEqual(['en/returns-2']);
      await publish('returns', 'Returns');
      expect(await listSlugs(id)).toEqual(['en/returns']);
    });

    it('numbers equal titles, also in different languages, and leaves out the names of pages', async () => {
      const ids = [
        await publish('a', 'Search'),
        await publish('b', 'Search', {}, 'de'),
        await publish('c', '???'),
      ];
      expect((await Promise.all(ids.map(listSlugs))).flat()).toEqual([
        'en/search-2',
        'de/search-3',
        'en/article',
      ]);
    });

    it('lets an article use the same slug in several languages', async () => {
      const id = await publish('api', 'API', { de: 'API' });
      expect(await listSlugs(id)).toEqual(['de/api', 'en/api']);
    });

    it('forgets the slugs of a deleted article, and lists no text of an unpublished one', async () => {
      const id = await publish('returns', 'Returns');
      await here().articles.remove(id, MORNING);
      expect(await here().addresses.find('returns')).toEqual({ rows: [], variants: [] });
    });

    it('finds a collection by its slug and by earlier ones', async () => {
      const id = newId('col');
      const audit = {
        ...{ id: newId('aud'), atMillis: MORNING, actor: 'mem_1' },
        ...{ action: 'collection.created', subject: id, details: {} },
      };
      const { collections } = here();
      await collections.create({ id, name: 'Orders', createdAt: MORNING, createdBy: 'mem_1' }, 10, audit);
      await collections.rename(id, 'Bestellungen', 20, { ...audit, id: newId('aud') });
      const found = { id, slug: 'bestellungen' };
      expect(await collections.findBySlug('orders')).toEqual(found);
      expect(await collections.findBySlug('bestellungen')).toEqual(found);
      expect(await collections.findBySlug('other')).toBeUndefined();
    });
  });
}
