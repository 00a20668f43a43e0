import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import type { TranslationDetail, TranslationRecord } from '../../contract/translations.ts';
import { type Office, openOffice } from '../accounts/office.ts';
import { expectRefusal } from '../fixtures/answer.ts';
import {
  addArticle,
  askToTranslate,
  bringTo,
  changeArticle,
  done,
  ENGLISH,
  GERMAN,
  liveTitles,
  pathOf,
  STEPS,
  take,
  translate,
  tryStep,
} from './translating.ts';

let office: Office;
beforeAll(async () => {
  office = await openOffice({ articles: [] });
});
afterAll(() => office.close());
// Mutations are rate-limited by member and minute.
beforeEach(() => office.harness.clock.advance(61_000));

const UNKNOWN_ARTICLE = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
const UNKNOWN = { articleId: UNKNOWN_ARTICLE, id: 'tr_01kakv2fxse7wtg6x5r0h8rjbm', revision: 1 };
const read = async (translation: TranslationRecord) =>
  done(await office.as('member').get<TranslationDetail>(pathOf(translation)));

describe('translations of an article', () => {
  it('lists translations by locale for every member', async () => {
    const { id } = await addArticle(office);
    for (const locale of ['pt-BR', 'de', 'fr']) await translate(office.as('admin'), id, locale);
    const { json } = await office
      .as('member')
      .get<{ data: TranslationRecord[] }>(`/knowledge/articles/${id}/translations`);
    expect(Object.keys(json)).toEqual(['data']);
    expect(json.data.map(({ locale }) => locale)).toEqual(['de', 'fr', 'pt-BR']);
  });

  it('normalizes text and generates a missing summary', async () => {
    const { id } = await addArticle(office);
    const made = await translate(office.as('owner'), id, 'de', {
      title: '  Geschenk\n verpackung ',
      answer: '\n\n# Verpacken\r\nWir **verpacken** Geschenke.  ',
      searchAliases: ['ein  packen', 'ein packen'],
    });
    expect(made).toMatchObject({
      title: 'Geschenk verpackung',
      answer: '# Verpacken\nWir **verpacken** Geschenke.',
      searchAliases: ['ein packen'],
      searchSummary: 'Verpacken Wir verpacken Geschenke.',
    });
    const summary = { ...GERMAN, searchSummary: 'Mine.' };
    const answer = await askToTranslate(office.as('owner'), id, 'fr', summary as typeof GERMAN);
    expect(expectRefusal(answer, 'request/invalid').issues).toMatchObject([{ code: 'unrecognized_keys' }]);
  });

  it('limits summaries to 280 characters', async () => {
    const { id } = await addArticle(office);
    const long = { ...GERMAN, answer: 'Ein langer Satz, der kein Ende nimmt, '.repeat(100) };
    const made = await translate(office.as('owner'), id, 'de', long);
    expect(made.searchSummary.length).toBeLessThanOrEqual(LIMITS.searchSummaryCharsMax);
    expect(made.searchSummary).toMatch(/…$/);
  });

  it.each([
    ['title', { ...GERMAN, title: '\u0007\u0007' }, 'body.title'],
    ['answer', { ...GERMAN, answer: '\ufeff' }, 'body.answer'],
    ['alias', { ...GERMAN, searchAliases: ['gut', '\u0000'] }, 'body.searchAliases.1'],
  ])('rejects a %s that is empty after normalization', async (_what, text, path) => {
    const { id } = await addArticle(office);
    const answer = await askToTranslate(office.as('owner'), id, 'de', text);
    expect(expectRefusal(answer, 'request/invalid').issues).toMatchObject([{ path }]);
  });

  it('rejects a new translation of an outdated source revision', async () => {
    const article = await addArticle(office);
    const { live } = await changeArticle(office, article.id, 'We wrap gifts for nothing.');
    const path = `/knowledge/articles/${article.id}/translations`;
    const given = { locale: 'de', ...GERMAN, baseRevision: article.live!.revision };
    const refusal = expectRefusal(await office.as('owner').post(path, given), 'translation/conflict');
    expect(refusal.currentSourceRevision).toBe(live!.revision);
    const again = { ...given, baseRevision: live!.revision };
    expect(done(await office.as('owner').post<TranslationRecord>(path, again)).sourceRevision).toBe(
      live!.revision,
    );
  });

  it('compares with the working copy while the article was never published', async () => {
    const article = await addArticle(office, ENGLISH, false);
    const made = await translate(office.as('owner'), article.id);
    expect(made).toMatchObject({ sourceRevision: 1, currentSourceRevision: 1, stale: false });
    const edit = { baseRevision: 1, title: ENGLISH.title, answer: 'We wrap gifts in paper.' };
    done(await office.as('owner').put(`/knowledge/articles/${article.id}`, edit));
    expect(await read(made)).toMatchObject({ sourceRevision: 1, currentSourceRevision: 2, stale: true });
  });

  it('goes live with its article when it is published first', async () => {
    const article = await addArticle(office, ENGLISH, false);
    const made = await bringTo(
      'published',
      office.as('owner'),
      await translate(office.as('owner'), article.id),
    );
    expect(made.live).toMatchObject({ revision: made.revision, stale: false });
    expect(await liveTitles(office, article.id)).toEqual({});
    const path = `/knowledge/articles/${article.id}/publish`;
    done(await office.as('owner').post(path, { baseRevision: 1 }));
    expect(await liveTitles(office, article.id)).toEqual({ en: ENGLISH.title, de: GERMAN.title });
  });

  it('does not become stale when only the URL of the article changes', async () => {
    const article = await addArticle(office, { ...ENGLISH, url: 'https://shop.example/gifts' });
    const made = await translate(office.as('owner'), article.id);
    const edit = { baseRevision: article.revision, ...ENGLISH, url: 'https://shop.example/wrapping' };
    const { revision } = done(
      await office.as('owner').put<{ revision: number }>(`/knowledge/articles/${article.id}`, edit),
    );
    done(
      await office.as('owner').post(`/knowledge/articles/${article.id}/publish`, { baseRevision: revision }),
    );
    expect(await read(made)).toMatchObject({ stale: false, currentSourceRevision: revision + 1 });
  });

  it('is deleted with the article, with all revisions', async () => {
    const { articles } = office.harness.service.store.in(office.workspace.id);
    const before = await articles.count();
    const article = await addArticle(office);
    const made = await bringTo(
      'published',
      office.as('owner'),
      await translate(office.as('owner'), article.id),
    );
    expect(await articles.count()).not.toEqual(before);
    done(await office.as('owner').delete(`/knowledge/articles/${article.id}`));
    expect(await articles.count()).toEqual(before);
    expect(await liveTitles(office, article.id)).toEqual({});
    expectRefusal(await office.as('owner').get(pathOf(made)), 'article/not_found');
  });
});

describe('locale of a translation', () => {
  it.each([
    ['de-de', 'de-DE'],
    ['iw', 'he'],
    ['ZH-hant-tw', 'zh-Hant-TW'],
  ])('is canonicalized from %s to %s', async (given, kept) => {
    const { id } = await addArticle(office);
    expect((await translate(office.as('owner'), id, given)).locale).toBe(kept);
    expectRefusal(await askToTranslate(office.as('owner'), id, kept), 'translation/locale_taken');
    expectRefusal(await askToTranslate(office.as('owner'), id, given), 'translation/locale_taken');
  });

  it.each(['d', 'de_DE', 'deutsch-land-x', 'de-', 'de-u-co-phonebk', 'de-x-shop'])(
    'must be a language tag, unlike %s',
    async (locale) => {
      const { id } = await addArticle(office);
      const refusal = expectRefusal(await askToTranslate(office.as('owner'), id, locale), 'request/invalid');
      expect(refusal.issues).toMatchObject([{ path: 'body.locale' }]);
    },
  );

  it('must differ from that of the article', async () => {
    const { id } = await addArticle(office);
    expectRefusal(await askToTranslate(office.as('owner'), id, 'EN'), 'translation/source_locale');
    expect((await translate(office.as('owner'), id, 'en-GB')).locale).toBe('en-GB');
  });

  it('is one of at most 32, counting archived and differently spelled ones', async () => {
    const { id } = await addArticle(office);
    const locales =
      'de fr es it pt nl sv da nb fi pl cs sk hu ro bg el tr uk ar he fa hi bn th vi id ms ja ko zh sw'.split(
        ' ',
      );
    expect(locales).toHaveLength(LIMITS.localesPerArticleMax);
    const made = [];
    for (const locale of locales) made.push(await translate(office.as('owner'), id, locale));
    expectRefusal(await askToTranslate(office.as('owner'), id, 'ta'), 'translation/too_many_locales');
    expectRefusal(await askToTranslate(office.as('owner'), id, 'IW'), 'translation/locale_taken');
    await take(office.as('owner'), 'archive', made[0]!);
    expectRefusal(await askToTranslate(office.as('owner'), id, 'ta'), 'translation/too_many_locales');
  });
});

describe('unknown translation', () => {
  it.each(STEPS)('returns 404 for the step %s', async (step) => {
    const { id: articleId } = await addArticle(office);
    const elsewhere = await translate(office.as('owner'), (await addArticle(office)).id);
    expectRefusal(await tryStep(office.as('owner'), step, UNKNOWN), 'article/not_found');
    const unknown = { ...UNKNOWN, articleId };
    expectRefusal(await tryStep(office.as('owner'), step, unknown), 'translation/not_found');
    const ofAnother = { ...elsewhere, articleId };
    expectRefusal(await tryStep(office.as('owner'), step, ofAnother), 'translation/not_found');
  });

  it('returns 404 for reading, listing and creating', async () => {
    const { id: articleId } = await addArticle(office);
    const owner = office.as('owner');
    expectRefusal(await owner.get(pathOf(UNKNOWN)), 'article/not_found');
    expectRefusal(await owner.get(pathOf({ ...UNKNOWN, articleId })), 'translation/not_found');
    const list = `/knowledge/articles/${UNKNOWN_ARTICLE}/translations`;
    expectRefusal(await owner.get(list), 'article/not_found');
    expectRefusal(await askToTranslate(owner, UNKNOWN_ARTICLE, 'de'), 'article/not_found');
  });

  it('returns 404 for translations of another workspace', async () => {
    const made = await translate(office.as('owner'), (await addArticle(office)).id);
    const stranger = office.as('stranger');
    const there = `/api/tenants/${office.elsewhere.id}${pathOf(made)}`;
    expectRefusal(await stranger.get(there), 'article/not_found');
    expectRefusal(
      await stranger.get(`/api/tenants/${office.workspace.id}${pathOf(made)}`),
      'tenant/not_found',
    );
    expectRefusal(await stranger.put(there, { baseRevision: 1, ...GERMAN }), 'article/not_found');
  });
});
