import { describe, expect, it } from 'vitest';
import { hashContent, normalizeLine, normalizeText } from '../../server/knowledge/article-content.ts';
import { stripMarkup } from '../../server/sanitize/markup.ts';
import { toVisibleText } from '../../server/sanitize/visible-text.ts';
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
