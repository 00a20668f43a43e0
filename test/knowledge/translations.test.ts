import { describe, expect, it } from 'vitest';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import type { TranslationRecord } from '../../contract/translations.ts';
import { expectError } from '../support/response.ts';
import {
  addArticle,
  aTeamWithoutArticles,
  bringTo,
  changeArticle,
  ENGLISH,
  expectOk,
  GERMAN,
  liveTitles,
  pathOf,
  readServed,
  readTranslation,
  requestTranslation,
  STEPS,
  takeStep,
  team,
  translate,
  tryStep,
} from './translating.ts';

const UNKNOWN_ARTICLE = 'art_01kakv2fxse7wtg6x5r0h8rjbm';
const UNKNOWN = { articleId: UNKNOWN_ARTICLE, id: 'tr_01kakv2fxse7wtg6x5r0h8rjbm', revision: 1 };

describe('translations', () => {
  aTeamWithoutArticles();

  describe('translations of an article', () => {
    it('lists translations by locale for every member', async () => {
      const { id } = await addArticle(team);
      for (const locale of ['pt-BR', 'de', 'fr']) await translate(team.as('admin'), id, locale);
      const { json } = await team
        .as('member')
        .get<{ data: TranslationRecord[] }>(`/knowledge/articles/${id}/translations`);
      expect(Object.keys(json)).toEqual(['data']);
      expect(json.data.map(({ locale }) => locale)).toEqual(['de', 'fr', 'pt-BR']);
    });

    it('normalizes text and generates a missing summary', async () => {
      const { id } = await addArticle(team);
      const translation = await translate(team.as('owner'), id, 'de', {
        title: '  Geschenk\n verpackung ',
        answer: '\n\n# Verpacken\r\nWir **verpacken** Geschenke.  ',
        searchAliases: ['ein  packen', 'ein packen'],
      });
      expect(translation).toMatchObject({
        title: 'Geschenk verpackung',
        answer: '# Verpacken\nWir **verpacken** Geschenke.',
        searchAliases: ['ein packen'],
        searchSummary: 'Verpacken Wir verpacken Geschenke.',
      });
      const summary = { ...GERMAN, searchSummary: 'Mine.' };
      const answer = await requestTranslation(team.as('owner'), id, 'fr', summary as typeof GERMAN);
      expect(expectError(answer, 'request/invalid').issues).toMatchObject([{ code: 'unrecognized_keys' }]);
    });

    it('limits summaries to 280 characters', async () => {
      const { id } = await addArticle(team);
      const long = { ...GERMAN, answer: 'Ein langer Satz, der kein Ende nimmt, '.repeat(100) };
      const translation = await translate(team.as('owner'), id, 'de', long);
      expect(translation.searchSummary.length).toBeLessThanOrEqual(ARTICLE_LIMITS.searchSummaryCharsMax);
      expect(translation.searchSummary).toMatch(/…$/);
    });

    it.each([
      ['title', { ...GERMAN, title: '\u0007\u0007' }, 'body.title'],
      ['answer', { ...GERMAN, answer: '\ufeff' }, 'body.answer'],
      ['alias', { ...GERMAN, searchAliases: ['gut', '\u0000'] }, 'body.searchAliases.1'],
    ])('rejects a %s that is empty after normalization', async (_what, text, path) => {
      const { id } = await addArticle(team);
      const answer = await requestTranslation(team.as('owner'), id, 'de', text);
      expect(expectError(answer, 'request/invalid').issues).toMatchObject([{ path }]);
    });

    it('rejects a new translation of an outdated source revision', async () => {
      const article = await addArticle(team);
      const { live } = await changeArticle(team, article.id, 'We wrap gifts for nothing.');
      const path = `/knowledge/articles/${article.id}/translations`;
      const given = { locale: 'de', ...GERMAN, baseRevision: article.live!.revision };
      const error = expectError(await team.as('owner').post(path, given), 'translation/conflict');
      expect(error.currentSourceRevision).toBe(live!.revision);
      const again = { ...given, baseRevision: live!.revision };
      expect(expectOk(await team.as('owner').post<TranslationRecord>(path, again)).sourceRevision).toBe(
        live!.revision,
      );
    });

    it('does not become fresh through an edit based on an outdated source revision', async () => {
      const owner = team.as('owner');
      const article = await addArticle(team);
      const translation = await translate(owner, article.id);
      const { live } = await changeArticle(team, article.id, 'We wrap gifts for nothing.');
      const edit = { ...GERMAN, answer: 'Wir verpacken für zwei Euro.', baseRevision: translation.revision };
      for (const sourceRevision of [translation.currentSourceRevision, live!.revision + 1]) {
        const response = await owner.put(pathOf(translation), { ...edit, sourceRevision });
        const error = expectError(response, 'translation/source_changed');
        expect(error.currentSourceRevision).toBe(live!.revision);
      }
      expect(await readTranslation(team, translation)).toMatchObject({
        stale: true,
        revision: translation.revision,
        answer: GERMAN.answer,
      });
      const saved = await owner.put(pathOf(translation), { ...edit, sourceRevision: live!.revision });
      expect(expectOk(saved)).toMatchObject({ stale: false, sourceRevision: live!.revision });
    });

    it('reports a newer revision of the translation before one of the article', async () => {
      const owner = team.as('owner');
      const article = await addArticle(team);
      const translation = await translate(owner, article.id);
      await changeArticle(team, article.id, 'We wrap gifts for nothing.');
      expectOk(await owner.put(pathOf(translation), { ...GERMAN, baseRevision: 1 }));
      const late = { ...GERMAN, baseRevision: 1, sourceRevision: translation.currentSourceRevision };
      expectError(await owner.put(pathOf(translation), late), 'translation/conflict');
    });

    it('compares with the working copy while the article was never published', async () => {
      const article = await addArticle(team, ENGLISH, false);
      const translation = await translate(team.as('owner'), article.id);
      expect(translation).toMatchObject({ sourceRevision: 1, currentSourceRevision: 1, stale: false });
      const edit = { baseRevision: 1, title: ENGLISH.title, answer: 'We wrap gifts in paper.' };
      expectOk(await team.as('owner').put(`/knowledge/articles/${article.id}`, edit));
      expect(await readTranslation(team, translation)).toMatchObject({
        sourceRevision: 1,
        currentSourceRevision: 2,
        stale: true,
      });
    });

    it('go live with their article when they were published before it', async () => {
      const article = await addArticle(team, ENGLISH, false);
      const translation = await bringTo(
        'published',
        team.as('owner'),
        await translate(team.as('owner'), article.id),
      );
      expect(translation.live).toMatchObject({ revision: translation.revision, stale: false });
      expect(await liveTitles(team, article.id)).toEqual({});
      const path = `/knowledge/articles/${article.id}/publish`;
      expectOk(await team.as('owner').post(path, { baseRevision: 1 }));
      expect(await liveTitles(team, article.id)).toEqual({ en: ENGLISH.title, de: GERMAN.title });
    });

    it('does not become stale when only the URL of the article changes', async () => {
      const article = await addArticle(team, { ...ENGLISH, url: 'https://shop.example/gifts' });
      const translation = await translate(team.as('owner'), article.id);
      const edit = { baseRevision: article.revision, ...ENGLISH, url: 'https://shop.example/wrapping' };
      const { revision } = expectOk(
        await team.as('owner').put<{ revision: number }>(`/knowledge/articles/${article.id}`, edit),
      );
      expectOk(
        await team.as('owner').post(`/knowledge/articles/${article.id}/publish`, { baseRevision: revision }),
      );
      expect(await readTranslation(team, translation)).toMatchObject({
        stale: false,
        currentSourceRevision: revision + 1,
      });
    });

    it('is deleted with the article, with all revisions', async () => {
      const { articles } = team.harness.service.store.in(team.workspace.id);
      const before = await articles.count();
      const article = await addArticle(team);
      const translation = await bringTo(
        'published',
        team.as('owner'),
        await translate(team.as('owner'), article.id),
      );
      expect(await articles.count()).not.toEqual(before);
      expectOk(await team.as('owner').delete(`/knowledge/articles/${article.id}`));
      expect(await articles.count()).toEqual(before);
      expect(await liveTitles(team, article.id)).toEqual({});
      expectError(await team.as('owner').get(pathOf(translation)), 'article/not_found');
    });
  });

  describe('locale of a translation', () => {
    it.each([
      ['de-de', 'de-DE'],
      ['iw', 'he'],
      ['ZH-hant-tw', 'zh-Hant-TW'],
    ])('is canonicalized from %s to %s', async (given, kept) => {
      const { id } = await addArticle(team);
      expect((await translate(team.as('owner'), id, given)).locale).toBe(kept);
      expectError(await requestTranslation(team.as('owner'), id, kept), 'translation/locale_taken');
      expectError(await requestTranslation(team.as('owner'), id, given), 'translation/locale_taken');
    });

    it.each(['d', 'de_DE', 'deutsch-land-x', 'de-', 'de-u-co-phonebk', 'de-x-shop'])(
      'must be a language tag, unlike %s',
      async (locale) => {
        const { id } = await addArticle(team);
        const error = expectError(await requestTranslation(team.as('owner'), id, locale), 'request/invalid');
        expect(error.issues).toMatchObject([{ path: 'body.locale' }]);
      },
    );

    it.each([
      ['of an unregistered language', 'xx'],
      ['of an unregistered script', 'de-Abcd'],
      ['of an unregistered region', 'de-XX'],
      ['of an unregistered variant', 'de-abcde'],
      ['of a private language', 'qaa'],
      ['of a private script', 'de-Qaaa'],
      ['of a private region', 'de-ZZ'],
      ['of an undetermined language', 'und'],
      ['of an undetermined language with a region', 'und-DE'],
      ['of no language', 'zxx'],
    ])('must be registered, unlike one %s (%s)', async (_what, locale) => {
      const { id } = await addArticle(team);
      const error = expectError(await requestTranslation(team.as('owner'), id, locale), 'request/invalid');
      expect(error.issues).toMatchObject([{ path: 'body.locale', code: 'invalid_locale' }]);
      const article = await team.as('owner').post('/knowledge/articles', { ...ENGLISH, locale });
      expect(expectError(article, 'request/invalid').issues).toMatchObject([{ path: 'body.locale' }]);
    });

    it.each(['yue', 'nan', 'sr-Latn', 'es-419', 'ca-ES-valencia', 'de-CH-1996', 'sgn', 'ase', 'aaa'])(
      'may be the registered %s',
      async (locale) => {
        const { id } = await addArticle(team);
        expect((await translate(team.as('owner'), id, locale)).locale).toBe(locale);
      },
    );

    it('must differ from that of the article', async () => {
      const { id } = await addArticle(team);
      expectError(await requestTranslation(team.as('owner'), id, 'EN'), 'translation/source_locale');
      expect((await translate(team.as('owner'), id, 'en-GB')).locale).toBe('en-GB');
    });

    it('is one of at most 32, counting archived and differently spelled ones', async () => {
      const { id } = await addArticle(team);
      const locales =
        'de fr es it pt nl sv da nb fi pl cs sk hu ro bg el tr uk ar he fa hi bn th vi id ms ja ko zh sw'.split(
          ' ',
        );
      expect(locales).toHaveLength(ARTICLE_LIMITS.localesPerArticleMax);
      const made = [];
      for (const locale of locales) made.push(await translate(team.as('owner'), id, locale));
      expectError(await requestTranslation(team.as('owner'), id, 'ta'), 'translation/too_many_locales');
      expectError(await requestTranslation(team.as('owner'), id, 'IW'), 'translation/locale_taken');
      await takeStep(team.as('owner'), 'archive', made[0]!);
      expectError(await requestTranslation(team.as('owner'), id, 'ta'), 'translation/too_many_locales');
      expectOk(await team.as('owner').delete(`${pathOf(made[1]!)}?baseRevision=1`));
      expect((await translate(team.as('owner'), id, 'ta')).locale).toBe('ta');
    });
  });

  describe('deleting a translation', () => {
    const remove = (translation: TranslationRecord, role: 'owner' | 'admin' | 'member' = 'owner') =>
      team.as(role).delete(`${pathOf(translation)}?baseRevision=${translation.revision}`);

    it.each(['draft', 'in_review', 'changes_requested', 'approved', 'archived'] as const)(
      'deletes one that is %s and was never published, with its revisions',
      async (status) => {
        const { articles, audit } = team.harness.service.store.in(team.workspace.id);
        const { id } = await addArticle(team);
        const before = await articles.count();
        const translation = await bringTo(status, team.as('owner'), await translate(team.as('owner'), id));
        expectOk(await remove(translation, 'admin'));
        expect(await articles.count()).toEqual(before);
        expectError(await team.as('owner').get(pathOf(translation)), 'translation/not_found');
        expectError(await remove(translation), 'translation/not_found');
        const [row] = await audit.list(1);
        expect(row).toMatchObject({ action: 'translation.deleted', subject: translation.id });
        expect((await translate(team.as('owner'), id)).revision).toBe(1);
      },
    );

    it('keeps one that was ever published', async () => {
      const { id } = await addArticle(team);
      const published = await bringTo('published', team.as('owner'), await translate(team.as('owner'), id));
      expectError(await remove(published), 'translation/was_published');
      const archived = await takeStep(team.as('owner'), 'archive', published);
      expectError(await remove(archived), 'translation/was_published');
      const restored = await takeStep(team.as('owner'), 'restore', archived);
      expectError(await remove(restored), 'translation/was_published');
      expect(await readTranslation(team, restored)).toMatchObject({ revisionCount: restored.revision });
    });

    it('fails with a conflict when another member has changed it', async () => {
      const translation = await translate(team.as('owner'), (await addArticle(team)).id);
      const { revision } = await takeStep(team.as('admin'), 'submit', translation);
      expect(expectError(await remove(translation), 'translation/conflict').currentRevision).toBe(revision);
      expectError(await team.as('owner').delete(pathOf(translation)), 'request/invalid');
    });

    it('is for owners and admins', async () => {
      const translation = await translate(team.as('owner'), (await addArticle(team)).id);
      expectError(await remove(translation, 'member'), 'tenant/role_required');
    });
  });

  describe('unknown translation', () => {
    it.each(STEPS)('returns 404 for the step %s', async (step) => {
      const { id: articleId } = await addArticle(team);
      const elsewhere = await translate(team.as('owner'), (await addArticle(team)).id);
      expectError(await tryStep(team.as('owner'), step, UNKNOWN), 'article/not_found');
      const unknown = { ...UNKNOWN, articleId };
      expectError(await tryStep(team.as('owner'), step, unknown), 'translation/not_found');
      const ofAnother = { ...elsewhere, articleId };
      expectError(await tryStep(team.as('owner'), step, ofAnother), 'translation/not_found');
    });

    it('returns 404 for reading, listing, creating and deleting', async () => {
      const { id: articleId } = await addArticle(team);
      const owner = team.as('owner');
      expectError(await owner.get(pathOf(UNKNOWN)), 'article/not_found');
      expectError(await owner.get(pathOf({ ...UNKNOWN, articleId })), 'translation/not_found');
      expectError(await owner.delete(`${pathOf(UNKNOWN)}?baseRevision=1`), 'article/not_found');
      const list = `/knowledge/articles/${UNKNOWN_ARTICLE}/translations`;
      expectError(await owner.get(list), 'article/not_found');
      expectError(await requestTranslation(owner, UNKNOWN_ARTICLE, 'de'), 'article/not_found');
    });

    it('returns 404 for translations of another workspace', async () => {
      const translation = await translate(team.as('owner'), (await addArticle(team)).id);
      const stranger = team.as('stranger');
      const there = `/api/tenants/${team.elsewhere.id}${pathOf(translation)}`;
      expectError(await stranger.get(there), 'article/not_found');
      expectError(
        await stranger.get(`/api/tenants/${team.workspace.id}${pathOf(translation)}`),
        'tenant/not_found',
      );
      expectError(await stranger.put(there, { baseRevision: 1, ...GERMAN }), 'article/not_found');
    });
  });
});

const GERMAN_QUESTION = 'Wie viel kostet die Geschenkverpackung?';
const ENGLISH_QUESTION = 'How much is gift wrapping?';
describe('published translation', () => {
  /** The text of a translation that visitors are served, and the guide's note about it. */

  aTeamWithoutArticles();

  async function citationFor(acceptLanguage: string, message = GERMAN_QUESTION) {
    // The list of languages is cached for a moment.
    team.harness.clock.advance(61_000);
    const { harness } = team;
    const { jwt } = await harness.boot();
    const turn = { message, conversation_id: `conv-${harness.clock.now()}` };
    const events = await harness.ask(jwt, turn, { 'accept-language': acceptLanguage });
    return events.find((event) => event.type === 'citation');
  }

  it('is cited to visitors of its language, with content locale and fallback reason', async () => {
    const owner = team.as('owner');
    const article = await addArticle(team, { ...ENGLISH, url: 'https://shop.example.com/gifts' });
    const approved = await bringTo('approved', owner, await translate(owner, article.id));
    expect(await citationFor('de', ENGLISH_QUESTION)).toMatchObject({
      title: ENGLISH.title,
      requested_locale: 'de',
      content_locale: 'en',
      fallback_reason: 'source_article',
    });

    const live = await takeStep(team.as('admin'), 'publish', approved);
    const exact = await citationFor('de');
    expect(exact).toMatchObject({
      article_id: article.id,
      translation_id: live.id,
      revision: live.revision,
      title: GERMAN.title,
      url: 'https://shop.example.com/gifts',
      requested_locale: 'de',
      content_locale: 'de',
      stale: false,
    });
    expect(exact).not.toHaveProperty('fallback_reason');
    expect(await citationFor('de-AT, en;q=0.5')).toMatchObject({
      requested_locale: 'de-AT',
      content_locale: 'de',
      fallback_reason: 'base_language',
    });
    const source = await citationFor('fr', ENGLISH_QUESTION);
    expect(source).toMatchObject({ content_locale: 'en', fallback_reason: 'source_article' });
    expect(source).not.toHaveProperty('translation_id');

    await changeArticle(team, article.id, 'We wrap gifts for five euros. Choose it at the checkout.');
    expect(await citationFor('de')).toMatchObject({
      translation_id: live.id,
      revision: live.revision,
      stale: true,
    });

    const newer = await takeStep(owner, 'edit', live, { answer: 'Wir verpacken Geschenke für fünf Euro.' });
    expect(await citationFor('de')).toMatchObject({ revision: live.revision, title: GERMAN.title });

    await takeStep(owner, 'archive', newer);
    expect(await citationFor('de', ENGLISH_QUESTION)).toMatchObject({
      content_locale: 'en',
      fallback_reason: 'source_article',
    });
  });

  it('is found by its search aliases', async () => {
    const owner = team.as('owner');
    const article = await addArticle(team, { title: 'Warranty', answer: 'Two years on everything.' });
    const text = { title: 'Garantie', answer: 'Zwei Jahre auf alles.', searchAliases: ['Gewährleistung'] };
    const live = await bringTo('published', owner, await translate(owner, article.id, 'de', text));
    expect(await readServed(team, 'Gewährleistung', 'de')).toEqual([
      expect.objectContaining({ translationId: live.id, title: 'Garantie', requestedLocale: 'de' }),
    ]);
  });

  it('is indexed without blocking other requests when its text is long', async () => {
    const owner = team.as('owner');
    const article = await addArticle(team, { title: 'Terms', answer: 'The terms of the shop.' });
    const answer = 'Die Bedingungen des Ladens gelten für jede Bestellung. '.repeat(1800);
    const text = { title: 'Bedingungen', answer };
    const live = await bringTo('published', owner, await translate(owner, article.id, 'de', text));
    expect(await readServed(team, 'Bedingungen des Ladens', 'de')).toContainEqual(
      expect.objectContaining({ translationId: live.id }),
    );
  });
});
