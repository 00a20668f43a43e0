import { describe, expect, it } from 'vitest';
import { splitText } from '../../server/speech/split-text.ts';
import { fc } from '../fixtures/seeded-random.ts';

describe('splitText', () => {
  it('fills each part with whole sentences', () => {
    expect(splitText('One. Two is longer. Three!', 20)).toEqual(['One. Two is longer.', 'Three!']);
  });

  it('returns a short text as it is', () => {
    expect(splitText('One. Two.', 20)).toEqual(['One. Two.']);
  });

  it('splits long sentences between words and long words between characters', () => {
    expect(splitText('one two three four five', 10)).toEqual(['one two', 'three four', 'five']);
    expect(splitText('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl']);
  });

  it('never splits a grapheme', () => {
    expect(splitText('👩‍👩‍👧‍👦'.repeat(3), 12)).toEqual(['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']);
    const marked = `a${'\u0301'.repeat(30)}😀`;
    expect(splitText(marked, 4).every((part) => part.length <= 4 && part.isWellFormed())).toBe(true);
  });

  it('returns no part that is too long or empty, and loses only white space', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 2, max: 60 }),
        (text, max) => {
          const parts = splitText(text, max);
          expect(parts.every((part) => part.length <= max && part.trim() !== '')).toBe(true);
          expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        },
      ),
      { numRuns: 200 },
    );
  });
});
