import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTeam, type Team } from '../accounts/team.ts';
import {
  addArticle,
  bringTo,
  changeArticle,
  ENGLISH,
  GERMAN,
  served,
  take,
  translate,
} from './translating.ts';

/** What visitors are served of a translation, and what the guide says about it. */

let team: Team;
beforeAll(async () => {
  team = await openTeam({ articles: [] });
});
afterAll(() => team.close());

const GERMAN_QUESTION = 'Wie viel kostet die Geschenkverpackung?';
const ENGLISH_QUESTION = 'How much is gift wrapping?';

async function citationFor(acceptLanguage: string, message = GERMAN_QUESTION) {
  // The list of languages is cached for a moment.
  team.harness.clock.advance(61_000);
  const { harness } = team;
  const { jwt } = await harness.boot();
  const turn = { message, conversation_id: `conv-${harness.clock.now()}` };
  const events = await harness.ask(jwt, turn, { 'accept-language': acceptLanguage });
  return events.find((event) => event.type === 'citation');
}

describe('published translation', () => {
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

    const live = await take(team.as('admin'), 'publish', approved);
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

    const newer = await take(owner, 'edit', live, { answer: 'Wir verpacken Geschenke für fünf Euro.' });
    expect(await citationFor('de')).toMatchObject({ revision: live.revision, title: GERMAN.title });

    await take(owner, 'archive', newer);
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
    expect(await served(team, 'Gewährleistung', 'de')).toEqual([
      expect.objectContaining({ translationId: live.id, title: 'Garantie', requestedLocale: 'de' }),
    ]);
  });

  it('is indexed without blocking other requests when its text is long', async () => {
    const owner = team.as('owner');
    const article = await addArticle(team, { title: 'Terms', answer: 'The terms of the shop.' });
    const answer = 'Die Bedingungen des Ladens gelten für jede Bestellung. '.repeat(1800);
    const text = { title: 'Bedingungen', answer };
    const live = await bringTo('published', owner, await translate(owner, article.id, 'de', text));
    expect(await served(team, 'Bedingungen des Ladens', 'de')).toContainEqual(
      expect.objectContaining({ translationId: live.id }),
    );
  });
});
