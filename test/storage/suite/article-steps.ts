import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { hashContent } from '../../../server/knowledge/article-content.ts';
import { indexContent } from '../../../server/knowledge/search/indexing.ts';
import type { ArticleTransition } from '../../../server/storage/articles.ts';
import type { RepublishedTranslation } from '../../../server/storage/passage-writes.ts';
import type { ArticleContent } from '../../../server/storage/passages.ts';
import { article, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

type Change = Partial<
  Pick<ArticleTransition, 'event' | 'status' | 'live' | 'variants' | 'authorId' | 'atMillis'>
> & {
  answer?: string;
  url?: string;
};

export function describeArticleSteps(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const audit = (action: string, subject: string) => ({
    id: newId('aud'),
    atMillis: MORNING,
    actor: 'mem_1',
    action,
    subject,
    details: {},
  });
  const content = (answer: string, url?: string): ArticleContent => ({
    title: 'Refunds',
    answer,
    aliases: ['money back'],
    url,
  });

  async function draft(slug = 'refunds', workspaceId = subject().here): Promise<string> {
    const articleId = newId('art');
    const text = content('Refunds take five days.');
    const outcome = await subject()
      .store.in(workspaceId)
      .articles.create({
        articleId,
        slug,
        locale: 'en',
        content: text,
        contentHash: hashContent(text),
        searchSummary: text.answer,
        authorId: 'mem_1',
        atMillis: MORNING,
        audit: audit('article.created', articleId),
      });
    expect(outcome).toBe('created');
    return articleId;
  }

  /** Applies a step to the newest revision unless another is given. */
  async function step(articleId: string, change: Change & { baseRevision?: number } = {}) {
    const known = await here().articles.find(articleId);
    const { answer, url, baseRevision, ...rest } = change;
    const text = content(answer ?? known?.content.answer ?? '', url ?? known?.content.url);
    return here().articles.apply({
      articleId,
      baseRevision: baseRevision ?? known?.revision ?? 1,
      event: 'edited',
      status: known?.status ?? 'draft',
      content: text,
      contentHash: hashContent(text),
      searchSummary: text.answer,
      live: 'keep',
      authorId: 'mem_2',
      atMillis: MORNING + 1,
      audit: audit('article.edited', articleId),
      ...(change.live === 'this' ? { indexed: indexContent('refunds', 'en', text) } : {}),
      ...rest,
    });
  }
  const publish = (articleId: string, change: Change = {}) =>
    step(articleId, { event: 'published', status: 'published', live: 'this', ...change });
  const takeDown = (articleId: string) =>
    step(articleId, { event: 'unpublished', status: 'unpublished', live: 'none' });

  async function served(articleId: string) {
    const variants = await here().passages.liveVariants([articleId]);
    const loaded = await here().passages.load(variants.map(({ passageId }) => passageId));
    return loaded.map(({ locale, answer, revision, stale, url }) => ({
      locale,
      answer,
      revision,
      stale,
      url,
    }));
  }

  /** Imports a published article with a German translation that has no URL of its own. */
  async function translated(): Promise<string> {
    const imported = article(
      'refunds',
      { title: 'Refunds', answer: 'Refunds take five days.', url: 'https://shop.example/r' },
      { de: { answer: 'Fünf Tage.' } },
    );
    await here().articles.import([imported], { actor: 'operator', atMillis: MORNING });
    return imported.idIfNew;
  }
  async function republished(articleId: string): Promise<RepublishedTranslation[]> {
    return (await here().articles.liveTexts(articleId)).map(
      ({ translationId, revision, locale, content }) => ({
        translationId,
        revision,
        indexed: indexContent('refunds', locale, content),
      }),
    );
  }

  describe('article steps', () => {
    it('creates a draft with one revision', async () => {
      const id = await draft();
      const text = content('Refunds take five days.');
      expect(await here().articles.find(id)).toEqual({
        id,
        slug: 'refunds',
        locale: 'en',
        status: 'draft',
        revision: 1,
        content: text,
        contentHash: hashContent(text),
        searchSummary: text.answer,
        variants: [],
        tags: [],
        audience: [],
        createdAt: MORNING,
        createdBy: 'mem_1',
        updatedAt: MORNING,
        updatedBy: 'mem_1',
      });
      expect(await here().articles.revisions(id, 10)).toEqual([
        {
          revision: 1,
          event: 'created',
          content: text,
          contentHash: hashContent(text),
          authorId: 'mem_1',
          createdAt: MORNING,
        },
      ]);
      expect(await here().audit.list(10)).toMatchObject([{ action: 'article.created', subject: id }]);
      expect(await here().articles.findId('refunds')).toBe(id);
      expect(await here().articles.findLive('refunds')).toBeUndefined();
    });

    it('rejects a slug that is taken in the workspace, not one taken elsewhere', async () => {
      const id = await draft();
      const taken = {
        ...(await here().articles.find(id))!,
        articleId: newId('art'),
        authorId: 'mem_1',
        atMillis: 1,
      };
      expect(await here().articles.create({ ...taken, audit: audit('article.created', 'x') })).toBe(
        'slug_taken',
      );
      await draft('refunds', subject().there);
    });

    it('returns a conflict and writes nothing when the base revision is outdated', async () => {
      const id = await draft();
      await step(id, { answer: 'Two days.' });
      const late = await step(id, { baseRevision: 1, answer: 'Nine days.' });
      expect(late).toEqual({
        outcome: 'conflict',
        currentRevision: 2,
        changedBy: 'mem_2',
        changedAt: MORNING + 1,
      });
      expect(await here().articles.find(id)).toMatchObject({ revision: 2, content: { answer: 'Two days.' } });
      expect(await here().audit.list(10)).toHaveLength(2);
    });

    it('changes the served article only when the step publishes', async () => {
      const id = await draft();
      await publish(id);
      await step(id, { answer: 'Two days.' });
      expect(await served(id)).toMatchObject([{ answer: 'Refunds take five days.', revision: 2 }]);
      expect(await here().articles.find(id)).toMatchObject({
        status: 'published',
        revision: 3,
        live: { revision: 2, publishedAt: MORNING + 1, publishedBy: 'mem_2' },
      });
      await publish(id);
      expect(await served(id)).toMatchObject([{ answer: 'Two days.', revision: 4 }]);
    });

    it('updates the staleness of translations and passes them the new URL', async () => {
      const id = await translated();
      await publish(id, { answer: 'Two days.', url: 'https://shop.example/moved' });
      const german = async () => (await served(id)).find(({ locale }) => locale === 'de');
      expect(await german()).toMatchObject({ stale: true, url: 'https://shop.example/moved' });
      const imported = article('refunds', { title: 'Refunds', answer: 'Refunds take five days.' });
      const undone = { content: imported.content, contentHash: imported.contentHash };
      const { revision } = (await here().articles.find(id))!;
      await here().articles.apply({
        ...undone,
        articleId: id,
        baseRevision: revision,
        event: 'published',
        status: 'published',
        live: 'this',
        indexed: imported.indexed,
        searchSummary: '',
        authorId: 'mem_2',
        atMillis: MORNING,
        audit: audit('article.published', id),
      });
      expect(await german()).toMatchObject({ stale: false, url: undefined });
    });

    it('unpublishes and republishes translations with their article', async () => {
      const id = await translated();
      const texts = await republished(id);
      await takeDown(id);
      expect(await served(id)).toEqual([]);
      expect(await here().passages.partitions()).toEqual([]);
      const [variant] = (await here().articles.find(id))!.variants;
      expect(variant).toMatchObject({ locale: 'de', status: 'published', live: { revision: 1 } });

      expect(await publish(id)).toEqual({ outcome: 'outdated' });
      const other = texts.map((text) => ({ ...text, revision: 9 }));
      expect(await publish(id, { variants: other })).toEqual({ outcome: 'outdated' });
      expect(await served(id)).toEqual([]);
      expect(await publish(id, { variants: texts })).toEqual({ outcome: 'applied' });
      const again = await served(id);
      // The import had no aliases, so the published content differs now.
      expect(again).toMatchObject([
        { locale: 'de', answer: 'Fünf Tage.', stale: true, url: 'https://shop.example/r' },
        { locale: 'en', stale: false },
      ]);
    });

    it('rejects steps on deleted articles and on articles of another workspace', async () => {
      const id = await draft();
      const there = subject().store.in(subject().there);
      expect(await there.articles.find(id)).toBeUndefined();
      expect(await there.articles.revisions(id, 10)).toEqual([]);
      expect(await there.articles.remove(id, MORNING, audit('article.deleted', id))).toBe('gone');
      expect(await here().articles.remove(id, MORNING, audit('article.deleted', id))).toBe('removed');
      expect(await step(id, { baseRevision: 1 })).toEqual({ outcome: 'gone' });
      expect(await here().articles.remove(id, MORNING, audit('article.deleted', id))).toBe('gone');
    });

    it('leaves only audit rows of a deleted article', async () => {
      const id = await translated();
      await step(id, { answer: 'Two days.' });
      expect(await here().articles.remove(id, MORNING, audit('article.deleted', id))).toBe('removed');
      expect(await here().articles.count()).toEqual({ articles: 0, translations: 0, revisions: 0 });
      expect(await here().passages.partitions()).toEqual([]);
      expect(await here().articles.liveTexts(id)).toEqual([]);
      expect((await here().audit.list(10)).map(({ action }) => action)).toContain('article.deleted');
    });
  });

  describe('article lists', () => {
    it('lists articles newest first, in pages, with the states of their translations', async () => {
      const oldest = await translated();
      const middle = await draft('b');
      const newest = await draft('c');
      await draft('elsewhere', subject().there);
      const first = await here().articles.list(2);
      expect(first.map(({ id }) => id)).toEqual([newest, middle]);
      const second = await here().articles.list(2, middle);
      expect(second.map(({ id }) => id)).toEqual([oldest]);
      expect(second[0]).toMatchObject({
        slug: 'refunds',
        status: 'published',
        content: { title: 'Refunds', aliases: [], url: 'https://shop.example/r' },
        live: { revision: 1, url: 'https://shop.example/r' },
        variants: [{ locale: 'de', status: 'published', revision: 1, live: { revision: 1 } }],
      });
      expect(second[0]!.content).not.toHaveProperty('answer');
    });

    it('lists revisions newest first, in pages', async () => {
      const id = await draft();
      for (const answer of ['Two.', 'Three.', 'Four.']) await step(id, { answer });
      const numbers = async (limit: number, before?: number) =>
        (await here().articles.revisions(id, limit, before)).map(({ revision }) => revision);
      expect(await numbers(3)).toEqual([4, 3, 2]);
      expect(await numbers(3, 2)).toEqual([1]);
    });
  });
}
