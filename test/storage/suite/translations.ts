import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import { hashContent } from '../../../server/knowledge/article-content.ts';
import type { ImportedTranslation } from '../../../server/storage/article-import.ts';
import type { ArticleContent } from '../../../server/storage/passages.ts';
import type {
  ArticleVersion,
  NewTranslation,
  Review,
  TranslationTransition,
} from '../../../server/storage/translations.ts';
import { article, MINUTE, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';

const BY = { actor: 'operator', atMillis: MORNING };
const PUBLISHED: ArticleVersion = { revision: 1, liveRevision: 1 };
const source = article('refunds', { answer: 'Refunds take five days.', url: 'https://shop.example/r' });
const german: ArticleContent = { title: 'Erstattung', answer: 'Fünf Tage.', aliases: ['Geld zurück'] };
const indexed = { ...source.indexed, locale: 'de', ...german };

const audit = (subject: string, atMillis: number) => ({
  id: newId('aud'),
  atMillis,
  actor: 'mem_ada',
  action: 'translation.step',
  subject,
  details: {},
});

export function describeTranslations(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const there = () => subject().store.in(subject().there);

  async function publishedArticle(): Promise<string> {
    const idIfNew = newId('art');
    await here().articles.import([{ ...source, idIfNew }], BY);
    return idIfNew;
  }

  function draft(articleId: string, changes: Partial<NewTranslation> = {}): NewTranslation {
    const translationId = newId('tr');
    return {
      translationId,
      articleId,
      locale: 'de',
      articleVersion: PUBLISHED,
      source: { revision: 1, contentHash: source.contentHash },
      content: german,
      contentHash: hashContent(german),
      searchSummary: german.answer,
      authorId: 'mem_ada',
      atMillis: MORNING,
      audit: audit(translationId, MORNING),
      ...changes,
    };
  }

  function step(translationId: string, changes: Partial<TranslationTransition> = {}): TranslationTransition {
    const atMillis = MORNING + MINUTE;
    return {
      translationId,
      baseRevision: 1,
      articleVersion: PUBLISHED,
      event: 'submitted',
      status: 'in_review',
      source: 'keep',
      content: german,
      contentHash: hashContent(german),
      searchSummary: german.answer,
      live: 'keep',
      authorId: 'mem_bob',
      atMillis,
      audit: audit(translationId, atMillis),
      ...changes,
    };
  }

  async function drafted(): Promise<{ articleId: string; id: string }> {
    const articleId = await publishedArticle();
    const input = draft(articleId);
    expect(await here().translations.create(input, 32)).toBe('created');
    return { articleId, id: input.translationId };
  }

  async function livePassage(articleId: string) {
    const variants = await here().passages.liveVariants([articleId]);
    const translationPassageIds = variants.filter(({ source }) => !source).map(({ passageId }) => passageId);
    return (await here().passages.load(translationPassageIds))[0];
  }

  const goLive = (id: string, changes: Partial<TranslationTransition> = {}) =>
    here().translations.apply(
      step(id, { event: 'published', status: 'published', live: 'this', indexed, ...changes }),
    );

  describe('translations', () => {
    it('deletes a translation with its revisions, in its own workspace only', async () => {
      const { articleId, id } = await drafted();
      const row = audit(id, MORNING);
      expect(await there().translations.remove(id, 1, row)).toBe('gone');
      expect(await here().translations.remove(id, 2, row)).toMatchObject({
        outcome: 'conflict',
        currentRevision: 1,
      });
      expect(await here().translations.remove(id, 1, row)).toBe('removed');
      expect(await here().translations.find(articleId, id)).toBeUndefined();
      expect(await here().translations.countRevisions(id)).toBe(0);
      expect(await here().translations.remove(id, 1, row)).toBe('gone');
    });

    it('does not delete a translation that was ever published', async () => {
      const { id } = await drafted();
      await goLive(id);
      const archived = { baseRevision: 2, event: 'archived', status: 'archived', live: 'none' } as const;
      await here().translations.apply(step(id, archived));
      expect(await here().translations.remove(id, 3, audit(id, MORNING))).toBe('was_published');
      expect(await here().translations.countRevisions(id)).toBe(3);
    });

    it('creates a draft with its first revision and an audit row', async () => {
      const { articleId, id } = await drafted();
      const made = {
        id,
        articleId,
        locale: 'de',
        status: 'draft',
        revision: 1,
        source: { revision: 1, contentHash: source.contentHash },
        content: german,
        contentHash: hashContent(german),
        searchSummary: german.answer,
        createdAt: MORNING,
        createdBy: 'mem_ada',
        updatedAt: MORNING,
        updatedBy: 'mem_ada',
      };
      expect(await here().translations.find(articleId, id)).toEqual(made);
      expect(await here().translations.list(articleId)).toEqual([made]);
      expect(await here().translations.revisions(id, 10)).toEqual([
        {
          revision: 1,
          event: 'created',
          status: 'draft',
          sourceRevision: 1,
          content: german,
          contentHash: hashContent(german),
          authorId: 'mem_ada',
          createdAt: MORNING,
        },
      ]);
      expect((await here().audit.list(1))[0]).toMatchObject({ subject: id });
    });

    it('allows one translation for each locale, not that of the source, up to a limit', async () => {
      const articleId = await publishedArticle();
      const create = (changes: Partial<NewTranslation>) =>
        here().translations.create(draft(articleId, changes), 2);
      expect(await create({})).toBe('created');
      expect(await create({})).toBe('locale_taken');
      expect(await create({ locale: 'en' })).toBe('source_locale');
      expect(await create({ locale: 'fr' })).toBe('created');
      expect(await create({ locale: 'it' })).toBe('too_many_locales');
      expect(await create({ locale: 'fr' })).toBe('locale_taken');
      expect((await here().translations.list(articleId)).map(({ locale }) => locale)).toEqual(['de', 'fr']);
    });

    it('rejects a translation of a changed or unknown article', async () => {
      const articleId = await publishedArticle();
      const create = (changes: Partial<NewTranslation>) =>
        here().translations.create(draft(articleId, changes), 32);
      expect(await create({ articleVersion: { revision: 2, liveRevision: 1 } })).toBe('outdated');
      expect(await create({ articleVersion: { revision: 1 } })).toBe('outdated');
      expect(await create({ articleId: newId('art') })).toBe('gone');
      expect(await there().translations.create(draft(articleId), 32)).toBe('gone');
      expect(await here().translations.list(articleId)).toEqual([]);
      expect(await here().audit.list(10)).toEqual([]);
    });

    it('adds revisions and keeps the last review until it is replaced', async () => {
      const { articleId, id } = await drafted();
      const review: Review = {
        decision: 'request_changes',
        revision: 2,
        authorId: 'mem_ada',
        reviewerId: 'mem_bob',
        reviewNote: 'Kürzer.',
        reviewedAt: MORNING + MINUTE,
      };
      const { translations } = here();
      const reviewed = { event: 'changes_requested', status: 'changes_requested', review } as const;
      expect(await translations.apply(step(id))).toEqual({ outcome: 'applied' });
      await translations.apply(step(id, { baseRevision: 2, ...reviewed }));
      expect(await translations.find(articleId, id)).toMatchObject({ status: 'changes_requested', review });
      await translations.apply(step(id, { baseRevision: 3, review: 'keep' }));
      expect(await translations.find(articleId, id)).toMatchObject({ revision: 4, review });
      await translations.apply(step(id, { baseRevision: 4 }));
      expect(await translations.find(articleId, id)).not.toHaveProperty('review');
      const rows = await translations.revisions(id, 10);
      expect(rows.map(({ revision }) => revision)).toEqual([5, 4, 3, 2, 1]);
      expect(rows[2]).toMatchObject({ reviewerId: 'mem_bob', reviewNote: 'Kürzer.' });
      expect(rows[1]).not.toHaveProperty('reviewerId');
    });

    it('counts and pages revisions, and finds the author of the last one of a kind', async () => {
      const { id } = await drafted();
      const { translations } = here();
      for (let baseRevision = 1; baseRevision < 6; baseRevision += 1) {
        const event = baseRevision === 3 ? 'edited' : 'submitted';
        await translations.apply(step(id, { baseRevision, event, authorId: `mem_${baseRevision}` }));
      }
      expect(await translations.countRevisions(id)).toBe(6);
      const revisionsOf = async (limit: number, before?: number) =>
        (await translations.revisions(id, limit, before)).map(({ revision }) => revision);
      expect(await revisionsOf(2)).toEqual([6, 5]);
      expect(await revisionsOf(3, 5)).toEqual([4, 3, 2]);
      expect(await translations.lastAuthor(id, ['created', 'edited'])).toBe('mem_3');
      expect(await translations.lastAuthor(id, ['created'])).toBe('mem_ada');
      expect(await translations.lastAuthor(id, ['archived'])).toBeUndefined();
    });

    it('accepts one of many concurrent steps and returns its author to the others', async () => {
      const { id } = await drafted();
      const steps = Array.from({ length: 100 }, (_, at) => step(id, { authorId: `mem_${at}` }));
      const outcomes = await Promise.all(steps.map((each) => here().translations.apply(each)));
      expect(outcomes.filter(({ outcome }) => outcome === 'applied')).toHaveLength(1);
      const winner = steps[outcomes.findIndex(({ outcome }) => outcome === 'applied')]!;
      expect(outcomes.filter(({ outcome }) => outcome === 'conflict')).toHaveLength(99);
      expect(outcomes.find(({ outcome }) => outcome === 'conflict')).toEqual({
        outcome: 'conflict',
        currentRevision: 2,
        changedBy: winner.authorId,
        changedAt: winner.atMillis,
      });
      expect(await here().translations.countRevisions(id)).toBe(2);
    });

    it('rejects a step decided on an outdated state of the article', async () => {
      const { id } = await drafted();
      const before = await here().audit.list(10);
      const seen = [{ revision: 2, liveRevision: 1 }, { revision: 1, liveRevision: 2 }, { revision: 1 }];
      for (const articleVersion of seen) {
        expect(await goLive(id, { articleVersion })).toEqual({ outcome: 'outdated' });
      }
      expect(await here().translations.countRevisions(id)).toBe(1);
      expect(await here().audit.list(10)).toEqual(before);
    });

    it('finds passages of the published revision only', async () => {
      const { articleId, id } = await drafted();
      await goLive(id);
      const live = {
        revision: 2,
        source: { revision: 1, contentHash: source.contentHash },
        publishedAt: MORNING + MINUTE,
        publishedBy: 'mem_bob',
      };
      expect(await here().translations.find(articleId, id)).toMatchObject({ status: 'published', live });
      expect(await livePassage(articleId)).toMatchObject({
        translationId: id,
        locale: 'de',
        revision: 2,
        sourceRevision: 1,
        title: german.title,
        url: source.content.url,
        stale: false,
      });
      const content = { ...german, title: 'Neu' };
      await here().translations.apply(step(id, { baseRevision: 2, content, event: 'edited' }));
      expect(await here().translations.find(articleId, id)).toMatchObject({ content, live });
      expect(await livePassage(articleId)).toMatchObject({ revision: 2, title: german.title });
      await here().translations.apply(
        step(id, { baseRevision: 3, event: 'archived', status: 'archived', live: 'none' }),
      );
      expect(await here().translations.find(articleId, id)).not.toHaveProperty('live');
      expect(await livePassage(articleId)).toBeUndefined();
    });

    it('finds translations only while their article is published', async () => {
      const { articleId, id } = await drafted();
      const { content, contentHash, searchSummary } = source;
      await here().articles.apply({
        articleId,
        baseRevision: 1,
        event: 'unpublished',
        status: 'unpublished',
        content,
        contentHash,
        searchSummary,
        live: 'none',
        authorId: 'mem_ada',
        atMillis: MORNING,
        audit: audit(articleId, MORNING),
      });
      const { indexed: _, ...unindexed } = step(id, {
        event: 'published',
        status: 'published',
        live: 'this',
        articleVersion: { revision: 2 },
      });
      expect(await here().translations.apply(unindexed)).toEqual({ outcome: 'applied' });
      expect(await here().translations.find(articleId, id)).toMatchObject({ live: { revision: 2 } });
      expect(await here().passages.liveVariants([articleId])).toEqual([]);
    });

    it('deletes translations and their revisions with the article', async () => {
      const { articleId, id } = await drafted();
      await goLive(id);
      await here().articles.remove(articleId, MORNING, audit(articleId, MORNING));
      expect(await here().translations.list(articleId)).toEqual([]);
      expect(await here().translations.countRevisions(id)).toBe(0);
      expect(await here().passages.partitions()).toEqual([]);
      expect(await here().translations.apply(step(id, { baseRevision: 2 }))).toEqual({ outcome: 'gone' });
    });

    it('does not find translations from another workspace or article', async () => {
      const { articleId, id } = await drafted();
      const { translations } = there();
      expect(await translations.find(articleId, id)).toBeUndefined();
      expect(await translations.list(articleId)).toEqual([]);
      expect(await translations.revisions(id, 10)).toEqual([]);
      expect(await translations.countRevisions(id)).toBe(0);
      expect(await translations.lastAuthor(id, ['created'])).toBeUndefined();
      expect(await translations.apply(step(id))).toEqual({ outcome: 'gone' });
      expect(await here().translations.find(newId('art'), id)).toBeUndefined();
      expect(await here().translations.countRevisions(id)).toBe(1);
    });
  });
}

export function describeWaitingTranslations(subject: () => Subject): void {
  const source = article('refunds', { answer: 'Refunds take five days.' });
  const changed = article('refunds', { answer: 'Refunds take six days.' });
  const here = () => subject().store.in(subject().here);
  const translation = (locale: string): ImportedTranslation => ({ ...source, idIfNew: newId('tr'), locale });
  const waiting = (limit = 10, afterId?: string) =>
    here().translations.listReviewQueue(['in_review'], limit, afterId);
  const publish = (which: typeof source, translations: readonly ImportedTranslation[], atMillis: number) =>
    here().articles.import([{ ...which, translations }], { actor: 'operator', atMillis });

  describe('review queue candidates', () => {
    it('lists translations by status, and published ones whose source has changed, by id', async () => {
      const [german, french] = [translation('de'), translation('fr')];
      await publish(source, [german, french], MORNING);
      expect(await waiting()).toEqual([]);
      const [outcome] = await publish(changed, [], MORNING + MINUTE);
      const [first, second, ...others] = await waiting();
      expect(others).toEqual([]);
      expect([first!.locale, second!.locale].toSorted()).toEqual(['de', 'fr']);
      expect(first!.id < second!.id).toBe(true);
      expect(first).toMatchObject({
        articleId: outcome!.articleId,
        status: 'published',
        title: source.content.title,
        articleTitle: changed.content.title,
        liveSourceHash: source.contentHash,
        compared: { contentHash: changed.contentHash, at: MORNING + MINUTE, by: 'operator' },
      });
      expect(await waiting(1)).toEqual([first]);
      expect(await waiting(1, first!.id)).toEqual([second]);
      const { store, there } = subject();
      expect(await store.in(there).translations.listReviewQueue(['in_review'], 10)).toEqual([]);
    });

    it('lists every translation of the given status', async () => {
      await publish(source, [translation('de')], MORNING);
      const listed = await here().translations.listReviewQueue(['published'], 10);
      expect(listed.map(({ locale, status }) => `${locale} ${status}`)).toEqual(['de published']);
    });
  });
}
