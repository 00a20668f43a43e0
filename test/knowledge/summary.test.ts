import { describe, expect, it } from 'vitest';
import { summarize } from '../../server/knowledge/article-content.ts';
import { fc } from '../fixtures/seeded-random.ts';

const graphemes = (text: string) =>
  [...new Intl.Segmenter('und').segment(text)].map(({ segment }) => segment);

describe('summarize', () => {
  it('returns a short answer whole, on one line', () => {
    expect(summarize('Orders ship on weekdays.\n\nReturns are free.', 'en')).toBe(
      'Orders ship on weekdays. Returns are free.',
    );
  });

  it('ends with the last sentence that fits', () => {
    const sentence = 'This sentence is here to take up room in the summary of an answer, and nothing else.';
    const summary = summarize(`${sentence} `.repeat(10), 'en');
    expect(summary).toBe(`${sentence} ${sentence} ${sentence}`);
  });

  it('ends with a whole sentence in scripts without spaces between sentences', () => {
    const sentence = '登録した住所はいつでも変更できます。';
    const summary = summarize(sentence.repeat(40), 'ja');
    expect(summary.endsWith('。')).toBe(true);
    expect(summary.length).toBeGreaterThan(200);
  });

  it.each([
    ['en', 'word '],
    ['de', 'Donaudampfschifffahrtsgesellschaft '],
    ['ar', 'كلمة '],
    ['th', 'ภาษาไทยไม่มีช่องว่าง'],
    ['hi', 'क्षत्रिय'],
    ['ja', '東京都庁'],
    ['en', '👩‍👩‍👧‍👦'],
    ['en', 'e\u0301\u0323'],
  ])('cuts an endless sentence between graphemes: %s %s', (locale, piece) => {
    const answer = piece.repeat(200);
    const summary = summarize(answer, locale);
    expect(summary.length).toBeLessThanOrEqual(280);
    expect(summary.length).toBeGreaterThan(200);
    expect(summary.endsWith('…')).toBe(true);
    const kept = graphemes(summary.slice(0, -1));
    expect(graphemes(answer).slice(0, kept.length)).toEqual(kept);
  });

  it('removes Markdown syntax', () => {
    const answer =
      '# Returns\n\n- Open **Orders**.\n- Choose [Return](https://shop.example/r).\n\n> Keep `the receipt`.';
    expect(summarize(answer, 'en')).toBe('Returns Open Orders. Choose Return. Keep the receipt.');
  });

  it('returns at most 280 well-formed characters on one line for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 2_000 }).map((text) => text.toWellFormed()),
        fc.constantFrom('en', 'th', 'zh-Hans', 'ar', 'vi'),
        (answer, locale) => {
          const summary = summarize(answer, locale);
          expect(summary.length).toBeLessThanOrEqual(280);
          expect(summary.isWellFormed()).toBe(true);
          expect(summary).not.toMatch(/\n/);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('handles one grapheme that is longer than the limit', () => {
    const summary = summarize(`a${'\u0301'.repeat(1_000)}`, 'en');
    expect(summary.length).toBeLessThanOrEqual(280);
    expect(summary.startsWith('a\u0301')).toBe(true);
  });
});
