import { describe, expect, it } from 'vitest';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { type PlanInput, planRun } from '../../server/sources/plan.ts';
import type { ArticleState, LastApplied, SnapshotHead } from '../../server/storage/source-rows.ts';

const snapshot = (place: string, changes: Partial<SnapshotHead> = {}): SnapshotHead => ({
  place,
  kind: 'document',
  upload: '',
  readUrl: place,
  locale: 'en',
  title: 'Title',
  contentHash: 'new',
  ...changes,
});

const applied = (place: string, changes: Partial<LastApplied> = {}): LastApplied => ({
  place,
  locale: 'en',
  contentHash: 'old',
  upload: '',
  readUrl: place,
  removed: false,
  ...changes,
});

const article = (place: string, changes: Partial<ArticleState> = {}): ArticleState => ({
  id: `article of ${place}`,
  slug: place,
  locale: 'en',
  status: 'published',
  revision: 3,
  contentHash: 'old',
  sourceId: 'src',
  sourcePlace: place,
  translations: [],
  ...changes,
});

const german = (contentHash: string, status: 'published' | 'archived' = 'published') => ({
  id: 'tr',
  locale: 'de',
  status,
  revision: 2,
  contentHash,
});

function plan(input: Partial<PlanInput>) {
  const empty = { snapshots: [], lastApplied: [], articles: [], slugOwners: [], uploads: undefined };
  const { items, unchanged } = planRun({ ...empty, ...input });
  const outcomes = Object.fromEntries(
    items.map(({ place, outcome, reason }) => [
      place,
      reason === undefined ? outcome : `${outcome}: ${reason}`,
    ]),
  );
  return { outcomes, unchanged, items };
}

describe('planning the articles of a source', () => {
  it('adds new ones, changes those that differ, and leaves the others unchanged', () => {
    const { outcomes, unchanged } = plan({
      snapshots: [snapshot('a'), snapshot('b'), snapshot('c', { contentHash: 'old' })],
      lastApplied: [applied('b'), applied('c')],
      articles: [article('b'), article('c')],
    });
    expect(outcomes).toStrictEqual({ a: 'added', b: 'changed' });
    expect(unchanged).toBe(1);
  });

  it('counts a new address of the text as a change', () => {
    const same = { contentHash: 'old', url: 'https://new.example' };
    const { outcomes } = plan({
      snapshots: [snapshot('a', same)],
      lastApplied: [applied('a')],
      articles: [article('a')],
    });
    expect(outcomes).toStrictEqual({ a: 'changed' });
  });

  it.each([
    ['edited', article('a', { contentHash: 'edited' })],
    ['unpublished', article('a', { status: 'unpublished' })],
  ])('reports a conflict when the article was %s and the source has changed', (_, edited) => {
    const input = { lastApplied: [applied('a')], articles: [edited] };
    expect(plan({ ...input, snapshots: [snapshot('a')] }).outcomes).toStrictEqual({ a: 'conflict' });
    const unchanged = plan({ ...input, snapshots: [snapshot('a', { contentHash: 'old' })] });
    expect(unchanged).toMatchObject({ outcomes: {}, unchanged: 1 });
  });

  it('reports a conflict when a deleted article changes at the source, but not before', () => {
    const lastApplied = [applied('a')];
    expect(plan({ snapshots: [snapshot('a')], lastApplied }).outcomes).toStrictEqual({ a: 'conflict' });
    const same = snapshot('a', { contentHash: 'old' });
    expect(plan({ snapshots: [same], lastApplied })).toMatchObject({ outcomes: {}, unchanged: 1 });
  });

  it('applies a change that a member has already made in the workspace', () => {
    const { outcomes } = plan({
      snapshots: [snapshot('a')],
      lastApplied: [applied('a')],
      articles: [article('a', { contentHash: 'new' })],
    });
    expect(outcomes).toStrictEqual({ a: 'changed' });
  });

  it('reports a conflict with another article of the stated slug, unless it says the same', () => {
    const snapshots = [snapshot('a', { slug: 'returns' })];
    const owner = article('', { slug: 'returns' });
    expect(plan({ snapshots, slugOwners: [owner] }).outcomes).toStrictEqual({ a: 'conflict' });
    const same = { ...owner, contentHash: 'new' };
    expect(plan({ snapshots, slugOwners: [same] })).toMatchObject({ outcomes: {}, unchanged: 1 });
  });

  it('restores a removed article that has returned', () => {
    const { outcomes } = plan({
      snapshots: [snapshot('a', { contentHash: 'old' })],
      lastApplied: [applied('a', { removed: true })],
      articles: [article('a', { status: 'unpublished' })],
    });
    expect(outcomes).toStrictEqual({ a: 'changed' });
  });
});

describe('planning the translations of a source', () => {
  const translation = snapshot('a/de', { locale: 'de', translationOf: 'a' });
  const last = applied('a/de', { locale: 'de', translationOf: 'a' });

  it('adds a translation with its article, or to one of an earlier run', () => {
    const both = plan({ snapshots: [snapshot('a'), translation] });
    expect(both.outcomes).toStrictEqual({ a: 'added', 'a/de': 'added' });
    expect(both.items.map(({ root }) => root)).toStrictEqual(['a', 'a']);
    const later = plan({ snapshots: [translation], lastApplied: [applied('a')], articles: [article('a')] });
    expect(later.outcomes).toMatchObject({ 'a/de': 'added' });
  });

  it('refuses a translation without its article, a second one, and one into the article’s own language', () => {
    expect(plan({ snapshots: [translation] }).outcomes).toStrictEqual({
      'a/de': 'refused: no_source_article',
    });
    const second = { ...translation, place: 'a/de-2' };
    const own = { ...translation, place: 'a/en', locale: 'en' };
    expect(plan({ snapshots: [snapshot('a'), translation, second, own] }).outcomes).toStrictEqual({
      a: 'added',
      'a/de': 'added',
      'a/de-2': 'refused: duplicate',
      'a/en': 'refused: duplicate',
    });
  });

  it('refuses more translations than an article may have', () => {
    const many = Array.from({ length: ARTICLE_LIMITS.localesPerArticleMax + 1 }, (_, at) =>
      snapshot(`a/${at}`, { locale: `x${at}`, translationOf: 'a' }),
    );
    const { items } = plan({ snapshots: [snapshot('a'), ...many] });
    expect(items.filter(({ reason }) => reason === 'too_many_locales')).toHaveLength(1);
  });

  it.each([
    ['edited', german('edited'), 'conflict'],
    ['archived', german('old', 'archived'), 'conflict'],
    ['untouched', german('old'), 'changed'],
  ])('decides about a changed text whose translation is %s', (_, known, outcome) => {
    const { outcomes } = plan({
      snapshots: [snapshot('a', { contentHash: 'old' }), translation],
      lastApplied: [applied('a'), last],
      articles: [article('a', { translations: [known] })],
    });
    expect(outcomes).toStrictEqual({ 'a/de': outcome });
  });

  it('reports a conflict with a translation that was made in the workspace', () => {
    const { outcomes } = plan({
      snapshots: [snapshot('a', { contentHash: 'old' }), translation],
      lastApplied: [applied('a')],
      articles: [article('a', { translations: [german('made here')] })],
    });
    expect(outcomes).toStrictEqual({ 'a/de': 'conflict' });
  });
});

describe('planning for texts that are gone from a source', () => {
  const lastApplied = [applied('a'), applied('b')];
  const articles = [article('a'), article('b')];
  const same = snapshot('a', { contentHash: 'old' });
  const refused = (place: string, reason: string) => snapshot(place, { kind: 'refused', reason });

  it('removes pages that are gone or were not found, once', () => {
    expect(plan({ snapshots: [same], lastApplied, articles }).outcomes).toStrictEqual({ b: 'removed' });
    const gone = snapshot('b', { kind: 'gone' });
    expect(plan({ snapshots: [same, gone], lastApplied, articles }).outcomes).toStrictEqual({ b: 'removed' });
    const before = [applied('a'), applied('b', { removed: true })];
    expect(plan({ snapshots: [same], lastApplied: before, articles }).outcomes).toStrictEqual({});
  });

  it.each(['timeout', 'unreachable', 'http_status', 'too_large'])(
    'keeps the article of a page that is refused with %s',
    (reason) => {
      const { outcomes } = plan({ snapshots: [same, refused('b', reason)], lastApplied, articles });
      expect(outcomes).toStrictEqual({ b: `refused: ${reason}` });
    },
  );

  it('keeps the article of a page whose address led elsewhere and cannot be read now', () => {
    const moved = [applied('a'), applied('b', { readUrl: 'b?old' })];
    const { outcomes } = plan({
      snapshots: [same, refused('b?old', 'timeout')],
      lastApplied: moved,
      articles,
    });
    expect(outcomes).toStrictEqual({ 'b?old': 'refused: timeout' });
  });

  it.each(['duplicate', 'no_index', 'draft'])(
    'removes a page that the website withdraws with %s',
    (reason) => {
      const { outcomes } = plan({ snapshots: [same, refused('b', reason)], lastApplied, articles });
      expect(outcomes).toStrictEqual({ b: `removed: ${reason}` });
    },
  );

  it('removes only what is gone when the limit of pages was reached', () => {
    const snapshots = [same, refused('c', 'too_many_pages')];
    expect(plan({ snapshots, lastApplied, articles }).outcomes).toStrictEqual({
      c: 'refused: too_many_pages',
    });
    const gone = [...snapshots, snapshot('b', { kind: 'gone' as const })];
    expect(plan({ snapshots: gone, lastApplied, articles }).outcomes).toMatchObject({ b: 'removed' });
  });

  it('removes the texts of files that were uploaded again, and of no others', () => {
    const places = ['manual.zip/a.md', 'manual.zip/b.pdf#page-2', 'other.md'];
    const uploads = ['manual.zip', 'manual.zip', 'other.md'];
    const input = {
      lastApplied: places.map((place, at) => applied(place, { upload: uploads[at]!, readUrl: undefined })),
      articles: places.map((place) => article(place)),
      uploads: ['manual.zip'],
    };
    expect(plan(input).outcomes).toStrictEqual({
      'manual.zip/a.md': 'removed',
      'manual.zip/b.pdf#page-2': 'removed',
    });
    const broken = [refused('manual.zip/b.pdf', 'unreadable')];
    expect(plan({ ...input, snapshots: broken }).outcomes).toStrictEqual({
      'manual.zip/a.md': 'removed',
      'manual.zip/b.pdf': 'refused: unreadable',
    });
    expect(plan({ ...input, snapshots: [refused('manual.zip', 'encrypted')] }).outcomes).toStrictEqual({
      'manual.zip': 'refused: encrypted',
    });
  });
});
