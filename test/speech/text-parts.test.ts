import { describe, expect, it } from 'vitest';
import { textParts } from '../../server/speech/text-parts.ts';
import { fc } from '../fixtures/seeded-random.ts';

describe('the parts of a text', () => {
  it('are whole sentences, as many at once as fit', () => {
    expect(textParts('One. Two is longer. Three!', 20)).toEqual(['One. Two is longer.', 'Three!']);
  });

  it('are the text itself where it fits', () => {
    expect(textParts('One. Two.', 20)).toEqual(['One. Two.']);
  });

  it('are cut between words where a sentence is too long, and between letters where a word is', () => {
    expect(textParts('one two three four five', 10)).toEqual(['one two', 'three four', 'five']);
    expect(textParts('abcdefghijkl', 5)).toEqual(['abcde', 'fghij', 'kl']);
  });

  it('do not divide what is one sign', () => {
    expect(textParts('👩‍👩‍👧‍👦'.repeat(3), 12)).toEqual(['👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦', '👩‍👩‍👧‍👦']);
    const marked = `a${'\u0301'.repeat(30)}😀`;
    expect(textParts(marked, 4).every((part) => part.length <= 4 && part.isWellFormed())).toBe(true);
  });

  it('are never too long, never empty, and lose nothing but spaces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.integer({ min: 2, max: 60 }),
        (text, max) => {
          const parts = textParts(text, max);
          expect(parts.every((part) => part.length <= max && part.trim() !== '')).toBe(true);
          expect(parts.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
        },
      ),
      { numRuns: 200 },
    );
  });
});
