import { diffArrays } from 'diff';
import { lexer } from 'marked';

/** A paragraph of the original, with its text at the time of the translation. */
export type Paragraph = {
  text: string;
  /** The earlier text if it changed; empty if the paragraph is new. */
  before: string;
};

/** Returns the offsets of the paragraphs. A list, a table or a block of code is one paragraph. */
export function locateParagraphs(text: string): readonly { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  let from = 0;
  for (const { type, raw } of lexer(text)) {
    if (type !== 'space') ranges.push({ from, to: from + raw.trimEnd().length });
    from += raw.length;
  }
  return ranges;
}

const splitParagraphs = (text: string) => locateParagraphs(text).map(({ from, to }) => text.slice(from, to));

/** Pairs the paragraphs of two versions. A removed one has an empty text. */
export function pairParagraphs(before: string, after: string): readonly Paragraph[] {
  const pairs: Paragraph[] = [];
  let removed: string[] = [];
  const flush = (added: readonly string[]) => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      pairs.push({ before: removed[index] ?? '', text: added[index] ?? '' });
    }
    removed = [];
  };
  for (const part of diffArrays(splitParagraphs(before), splitParagraphs(after))) {
    if (part.removed) removed = part.value;
    else if (part.added) flush(part.value);
    else {
      flush([]);
      for (const text of part.value) pairs.push({ text, before: text });
    }
  }
  flush([]);
  return pairs;
}

/**
 * Adds the index of the paragraph of the translation that corresponds to each pair. A translation with as many
 * paragraphs as the changed text corresponds to that text, any other to the text before the changes.
 */
export function numberParagraphs(
  pairs: readonly Paragraph[],
  translatedCount: number,
): readonly (Paragraph & { counterpart: number })[] {
  const isUpdated = pairs.filter(({ text }) => text !== '').length === translatedCount;
  let next = 0;
  return pairs.map((pair) => {
    const counterpart = next;
    if ((isUpdated ? pair.text : pair.before) !== '') next += 1;
    return { ...pair, counterpart };
  });
}
