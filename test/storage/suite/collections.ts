import { describe, expect, it } from 'vitest';
import { EVERYTHING, PUBLIC, toGrants } from '../../../server/base/audience.ts';
import { newId } from '../../../server/base/ids.ts';
import { indexContent } from '../../../server/knowledge/search/indexing.ts';
import type { ArticleHead } from '../../../server/storage/article-queries.ts';
import type { ArticleFilter, ArticleSort } from '../../../server/storage/article-search.ts';
import { article, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

export function describeCollections(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const audit = (action: string) => ({
    id: newId('aud'),
    atMillis: MORNING,
    actor: 'mem_1',
    action,
    subject: 'col_1',
    details: {},
  });
  const create = async (name: string, collectionsMax = 10) => {
    const id = newId('col');
    const row = { id, name, createdAt: MORNING, createdBy: 'mem_1' };
    const outcome = await here().collections.create(row, collectionsMax, audit('collection.created'));
    return { id, outcome };
  };
  const publish = async (slug: string, more: object = {}, atMillis = MORNING) => {
    const imported = { ...article(slug, { title: slug, answer: 'An answer.' }), ...more };
    const by = { actor: 'mem_1', atMillis };
    const [outcome] = await here().articles.import([imported], by);
    return outcome!.articleId;
  };
  const moveInto = (articleIds: string[], collectionId: string | null) =>
    here().articles.organize(articleIds, { collectionId });
  const tagWith = (articleId: string, tag: string, tagsMax = 3) =>
    here().articles.organize([articleId], { tag, tagsMax });

  async function search(filter: ArticleFilter, sort: ArticleSort = 'created_desc', limit = 50) {
    const found: ArticleHead[] = [];
    for (let after: Parameters<ReturnType<typeof here>['articles']['search']>[0]['after']; ; ) {
      const step = await here().articles.search({ filter, sort, limit, after });
      found.push(...step.rows);
      after = step.continueAfter;
      if (!after) return found.map(({ slug }) => slug);
    }
  }

  describe('collections', () => {
    it('lists collections by name with the number of their articles', async () => {
      const shipping = await create('Shipping');
      const billing = await create('Billing');
      const id = await publish('invoices');
      await moveInto([id], billing.id);
      expect(await here().collections.list()).toEqual([
        { id: billing.id, name: 'Billing', articles: 1 },
        { id: shipping.id, name: 'Shipping', articles: 0 },
      ]);
      expect(await here().articles.find(id)).toMatchObject({ collectionId: billing.id });
    });

    it('rejects a name that is taken and more collections than allowed', async () => {
      const { id } = await create('Billing');
      expect(await create('Billing')).toMatchObject({ outcome: 'name_taken' });
      expect(await create('Shipping', 1)).toMatchObject({ outcome: 'too_many' });
      const other = await create('Shipping');
      const rename = (name: string) =>
        here().collections.rename(other.id, name, 20, audit('collection.renamed'));
      expect(await rename('Billing')).toBe('name_taken');
      expect(await rename('Shipping')).toBe('renamed');
      const there = subject().store.in(subject().there).collections;
      expect(await there.has(id)).toBe(false);
      expect(await there.rename(id, 'Theirs', 20, audit('collection.renamed'))).toBe('gone');
      expect(await there.remove(id, audit('collection.deleted'))).toBe('gone');
    });

    it('keeps the articles of a deleted collection', async () => {
      const { id } = await create('Billing');
      const articleId = await publish('invoices');
      await moveInto([articleId], id);
      expect(await here().collections.remove(id, audit('collection.deleted'))).toBe('removed');
      expect(await here().articles.find(articleId)).not.toHaveProperty('collectionId');
    });

    it('reports which articles were moved, and their previous collections', async () => {
      const { id } = await create('Billing');
      const [one, two] = [await publish('one'), await publish('two')];
      expect(await moveInto([one, 'art_unknown'], id)).toMatchObject([
        { articleId: one, outcome: 'changed', before: { collectionId: null } },
        { articleId: 'art_unknown', outcome: 'gone' },
      ]);
      expect(await moveInto([one, two], id)).toMatchObject([
        { articleId: one, outcome: 'unchanged' },
        { articleId: two, outcome: 'changed' },
      ]);
      expect(
        await subject().store.in(subject().there).articles.organize([one], { collectionId: null }),
      ).toMatchObject([{ outcome: 'gone' }]);
    });

    it('keeps tags sorted and each once, up to a maximum', async () => {
      const id = await publish('one');
      expect(await tagWith(id, 'b')).toMatchObject([{ outcome: 'changed' }]);
      expect(await tagWith(id, 'a')).toMatchObject([{ outcome: 'changed' }]);
      expect(await tagWith(id, 'a', 2)).toMatchObject([{ outcome: 'unchanged' }]);
      expect(await tagWith(id, 'c', 2)).toEqual([{ articleId: id, outcome: 'too_many_tags' }]);
      expect((await here().articles.find(id))!.tags).toEqual(['a', 'b']);
      await here().articles.organize([id], { untag: 'b' });
      expect(await here().collections.listTags()).toEqual([{ tag: 'a', articles: 1 }]);
      await here().articles.organize([id], { untag: 'a' });
      expect(await here().collections.listTags()).toEqual([]);
    });

    it('sets the collection and tags of imported articles, and keeps the stored ones when an import has none', async () => {
      const organized = () => ({ collection: { idIfNew: newId('col'), name: 'Billing' }, tags: ['b', 'a'] });
      const one = await publish('one', organized());
      await publish('two', organized());
      expect(await here().collections.list()).toMatchObject([{ name: 'Billing', articles: 2 }]);
      const by = { actor: 'mem_1', atMillis: MORNING };
      const again = article('one', { title: 'one', answer: 'An answer.' });
      const [same] = await here().articles.import([again], by);
      expect(same).toMatchObject({ sourceChanged: false, organizationChanged: false });
      const [cleared] = await here().articles.import([{ ...again, tags: [] }], by);
      expect(cleared).toMatchObject({ sourceChanged: false, organizationChanged: true });
      expect(await here().articles.find(one)).toMatchObject({ tags: [], collectionId: expect.any(String) });
    });
  });

  describe('the audience of an article', () => {
    const READERS = {
      public: PUBLIC,
      signedIn: toGrants({}),
      pro: toGrants({ attributes: ['plan=pro'] }),
      all: EVERYTHING,
    };
    const restrict = (articleId: string, audience: string[]) =>
      here().articles.organize([articleId], { audience });

    it('hides its texts from every read of the index for others', async () => {
      const open = await publish('open');
      const signedIn = await publish('signed');
      const pro = await publish('pro');
      await restrict(signedIn, ['signed_in']);
      await restrict(pro, ['plan=team', 'plan=pro']);
      const passageIds = (await here().passagesFor(EVERYTHING).liveVariants([open, signedIn, pro])).map(
        ({ passageId }) => passageId,
      );
      const terms = [
        ...indexContent('open', 'en', { title: '', answer: 'An answer.', aliases: [] }).chunks[0]!.terms,
      ].map((term) => ({ term, weight: 1 }));
      const expected = { public: [open], signedIn: [open, signedIn], pro: [open, signedIn, pro] };
      for (const [reader, grants] of Object.entries(READERS)) {
        const visible = expected[reader as keyof typeof expected] ?? [open, signedIn, pro];
        const passages = here().passagesFor(grants);
        const reads = [
          await passages.titles('en', 10),
          await passages.chunks('en', 10),
          await passages.candidates('en', terms, visible.length),
          await passages.liveVariants([open, signedIn, pro]),
          await passages.load(passageIds),
        ];
        for (const rows of reads) expect(rows.map(({ articleId }) => articleId).sort()).toEqual(visible);
        expect(await passages.languages()).toEqual([{ locale: 'en', articles: visible.length }]);
        expect((await passages.hiddenArticles()).sort()).toEqual(
          [open, signedIn, pro].filter((id) => !visible.includes(id)),
        );
        expect((await search({ visibleTo: grants })).length).toBe(visible.length);
      }
      expect(await search({ audience: 'restricted' })).toEqual(['pro', 'signed']);
      expect(await search({ audience: 'everyone' })).toEqual(['open']);
    });

    it('is kept by an import that states none, replaced by one that does, and applies to later texts', async () => {
      const id = await publish('one', { audience: ['signed_in'] });
      expect(await publish('one', {}, MORNING + 1)).toBe(id);
      const by = { actor: 'mem_1', atMillis: MORNING + 2 };
      await here().articles.import([article('one', { title: 'one', answer: 'Another answer.' })], by);
      expect(await here().articles.find(id)).toMatchObject({ audience: ['signed_in'] });
      expect(await here().passages.titles('en', 10)).toEqual([]);
      expect(await restrict(id, ['signed_in'])).toMatchObject([{ outcome: 'unchanged' }]);
      await publish('one', { audience: [] });
      expect(await here().articles.find(id)).toMatchObject({ audience: [] });
      expect(await here().passages.titles('en', 10)).toHaveLength(1);
    });
  });

  describe('sorted and filtered articles', () => {
    it.each([
      ['created_asc', ['b', 'Ä', 'c']],
      ['created_desc', ['c', 'Ä', 'b']],
      ['updated_asc', ['b', 'c', 'Ä']],
      ['updated_desc', ['Ä', 'c', 'b']],
      ['title_asc', ['Ä', 'b', 'c']],
      ['title_desc', ['c', 'b', 'Ä']],
    ] as const)('sorts by %s, also in pages', async (sort, expected) => {
      await publish('b', {}, MORNING);
      await publish('Ä', {}, MORNING + 2);
      await publish('c', {}, MORNING + 1);
      await subject()
        .store.in(subject().there)
        .articles.import([article('elsewhere', { answer: 'No.' })], { actor: 'mem_1', atMillis: MORNING });
      expect(await search({}, sort)).toEqual(expected);
      expect(await search({}, sort, 1)).toEqual(expected);
    });

    it('filters by words, status, collection and tag', async () => {
      const { id } = await create('Billing');
      const [invoices] = [await publish('invoices_100%'), await publish('returns')];
      await moveInto([invoices], id);
      await tagWith(invoices, 'a_b');
      expect(await search({ words: ['invoice', '100%'] })).toEqual(['invoices_100%']);
      expect(await search({ words: ['s_1'] })).toEqual(['invoices_100%']);
      expect(await search({ words: ['s%1'] })).toEqual([]);
      expect(await search({ words: ['invoice', 'returns'] })).toEqual([]);
      expect(await search({ collectionId: id })).toEqual(['invoices_100%']);
      expect(await search({ collectionId: null })).toEqual(['returns']);
      expect(await search({ tag: 'a_b' })).toEqual(['invoices_100%']);
      expect(await search({ tag: 'a' })).toEqual([]);
      expect(await search({ status: 'draft' })).toEqual([]);
      expect(await search({ status: 'published', words: ['returns'] })).toEqual(['returns']);
    });

    it('returns the ids of all that match', async () => {
      const ids = [await publish('one'), await publish('two')];
      await publish('other');
      expect(await here().articles.searchIds({ words: ['o'] })).toMatchObject({ ids: expect.any(Array) });
      const { ids: found } = await here().articles.searchIds({ words: ['one'] });
      expect(found).toEqual([ids[0]]);
    });
  });
}
