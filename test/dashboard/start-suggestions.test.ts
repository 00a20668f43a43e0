import { describe, expect, it } from 'vitest';
import {
  suggestCollections,
  suggestContact,
  suggestQuestions,
} from '../../client/dashboard/routes/start/suggestions.ts';

const toText = (place: string, title = place) => ({ articleId: place, title, place });
const toTexts = (...paths: string[]) => paths.map((path) => toText(`https://shop.example${path}`));

describe('suggested collections', () => {
  it('are the first parts of the paths that tell pages apart, without languages', () => {
    const texts = toTexts(
      '/en/help/gift-cards/buy',
      '/en/help/gift-cards/redeem.html',
      '/en/help/orders/cancel',
      '/en/help/orders/track',
      '/en/help/orders/return',
      '/en/help/imprint',
    );
    expect(suggestCollections(texts).map(({ name, articleIds }) => [name, articleIds.length])).toEqual([
      ['Gift cards', 2],
      ['Orders', 3],
    ]);
  });

  it('are written as readers see them', () => {
    const texts = toTexts('/%E9%85%8D%E9%80%81/a', '/%E9%85%8D%E9%80%81/b', '/caf%E9/a', '/caf%E9/b');
    expect(suggestCollections(texts).map(({ name }) => name)).toEqual(['配送', 'Caf%E9']);
  });

  it('are none where pages are on one level, in one folder, or have no address', () => {
    expect(suggestCollections(toTexts('/a', '/b', '/c'))).toEqual([]);
    expect(suggestCollections(toTexts('/help/a', '/help/b', '/help/c'))).toEqual([]);
    expect(suggestCollections([toText('returns.md'), toText('orders.md')])).toEqual([]);
    expect(suggestCollections([])).toEqual([]);
  });
});

describe('the suggested contact page', () => {
  it.each([
    '/contact',
    '/de/kontakt.html',
    '/fr/contactez-nous/',
    '/%E3%81%8A%E5%95%8F%E3%81%84%E5%90%88%E3%82%8F%E3%81%9B',
  ])('is found at %s', (path) => {
    const place = `https://shop.example${path}`;
    expect(suggestContact(['https://shop.example/', place])).toBe(place);
  });

  it('is neither a page about something else, nor one without https', () => {
    expect(
      suggestContact([
        'https://shop.example/contact-lenses',
        'https://shop.example/contact/history',
        'http://shop.example/contact',
      ]),
    ).toBeUndefined();
  });
});

it('suggested questions are three titles, questions first', () => {
  const titles = ['Shipping', 'How do I return an order?', 'Prices', 'どこに届きますか？'];
  const texts = titles.map((title) => toText('https://shop.example/a', title));
  expect(suggestQuestions(texts, [])).toEqual([
    'How do I return an order?',
    'どこに届きますか？',
    'Shipping',
  ]);
});

it('suggested questions come from different collections, before titles that ask nothing', () => {
  const texts = ['Lamp?', 'Bulb?', 'Post?', 'Desk'].map((title, at) =>
    toText(`https://shop.example/${['lamps', 'lamps', 'orders', 'desks'][at]}/${title}`, title),
  );
  const groups = [
    { name: 'Lamps', articleIds: [texts[0]!.articleId, texts[1]!.articleId] },
    { name: 'Orders', articleIds: [texts[2]!.articleId] },
  ];
  expect(suggestQuestions(texts, groups)).toEqual(['Lamp?', 'Post?', 'Bulb?']);
});
