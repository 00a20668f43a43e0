import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import {
  hashContent,
  normalizeLine,
  normalizeText,
  summarize,
} from '../../server/knowledge/article-content.ts';
import { stripMarkup, toVisibleText } from '../../server/sanitize/visible-text.ts';
import { openTeam, type Team } from '../accounts/team.ts';
import { expectError } from '../fixtures/answer.ts';
import { fc } from '../fixtures/seeded-random.ts';

describe('normalizeText', () => {
  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(normalizeText(normalizeText(text))).toBe(normalizeText(text));
        expect(normalizeLine(normalizeLine(text))).toBe(normalizeLine(text));
        expect(normalizeLine(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('normalizing several lines', () => {
  it('removes leading line breaks and trailing white space', () => {
    const unit = fc.constantFrom('a', ' ', '\n', '\t', '\r', '\u00a0', '\u2028', '\u3000', '\ufeff', '<b>');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 8 }), (text) => {
        const cleaned = toVisibleText(stripMarkup(toVisibleText(text)));
        expect(normalizeText(text)).toBe(cleaned.replace(/^\n+|\s+$/g, ''));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('content hash', () => {
  const content = fc.record(
    {
      title: fc.string(),
      answer: fc.string(),
      aliases: fc.array(fc.string(), { maxLength: 2 }),
      url: fc.webUrl(),
    },
    { requiredKeys: ['title', 'answer', 'aliases'] },
  );

  it('does not depend on the order of fields', () => {
    fc.assert(
      fc.property(content, ({ title, answer, aliases, ...rest }) => {
        expect(hashContent({ ...rest, aliases, answer, title })).toBe(
          hashContent({ title, answer, aliases, ...rest }),
        );
      }),
    );
  });

  it('differs for contents that are equal only when concatenated', () => {
    const base = { title: 'a', answer: 'b', aliases: ['c'] };
    const others = [
      { title: 'ab', answer: '', aliases: ['c'] },
      { title: 'a', answer: 'b', aliases: ['c', ''] },
      { title: 'a', answer: 'bc', aliases: [] },
    ];
    expect(new Set([base, ...others].map(hashContent)).size).toBe(4);
  });

  it('ignores the URL, because a new URL needs no new translation', () => {
    const base = { title: 'a', answer: 'b', aliases: ['c'] };
    const moved = { ...base, url: 'https://shop.example' };
    expect(hashContent(moved)).toBe(hashContent(base));
  });

  it('equals the known hash, because stored hashes must stay valid', () => {
    expect(hashContent({ title: 'Returns', answer: 'Within 30 days.', aliases: ['refund'] })).toBe(
      '59560b0c4fb3b34b3a236d8b63bbe2fd271b6a8f57e5b02f31c7a2870e57c773',
    );
  });
});

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

describe('content of maximum length', () => {
  /** Content of maximum length must pass the body limit in every script and every JSON escaping. */

  let team: Team;
  beforeAll(async () => {
    team = await openTeam();
  });
  afterAll(() => team.close());

  const post = (content: Record<string, unknown>) => team.as('owner').post('/knowledge/articles', content);
  const article = (content: Record<string, unknown>) => ({ title: 'T', answer: 'Yes.', ...content });

  it.each([
    ['a Japanese answer', { answer: 'あ'.repeat(LIMITS.answerCharsMax) }],
    ['an emoji answer', { answer: '😀'.repeat(LIMITS.answerCharsMax) }],
    ['an emoji title', { title: '😀'.repeat(LIMITS.titleCharsMax) }],
    [
      'emoji search aliases',
      {
        aliases: Array.from(
          { length: LIMITS.aliasesMax },
          (_, at) => String.fromCodePoint(0x1f600 + at) + '😀'.repeat(LIMITS.aliasCharsMax - 1),
        ),
      },
    ],
  ])('accepts %s of maximum length', async (_what, content) => {
    const { status, json } = await post(article(content));
    expect(status, JSON.stringify(json).slice(0, 500)).toBe(201);
  });

  it('accepts text of maximum length when every character is escaped in JSON', async () => {
    const escaped = '\\ud83d\\ude00'.repeat(LIMITS.answerCharsMax);
    const { baseUrl } = team.harness;
    const { status } = await fetch(`${baseUrl}/api/tenants/${team.workspace.id}/knowledge/articles`, {
      method: 'POST',
      headers: {
        cookie: team.as('owner').cookie,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      body: `{"title":"Escaped","answer":"${escaped}"}`,
    });
    expect(status).toBe(201);
  });

  it('rejects text one character over the limit', async () => {
    const title = '😀'.repeat(LIMITS.titleCharsMax + 1);
    expectError(await post(article({ title })), 'request/invalid');
    const answer = 'あ'.repeat(LIMITS.answerCharsMax + 1);
    expectError(await post(article({ answer })), 'request/invalid');
  });
});
