import { diffArrays } from 'diff';
import { parseTextBlocks } from '../../text-blocks.ts';

/** A paragraph of a text, with that of an earlier version. */
export type Paragraph = {
  text: string;
  /** The earlier text if it changed; empty if the paragraph is new. */
  before: string;
};

/** Returns the offsets of the paragraphs. A list, a table or a block of code is one paragraph. */
export function locateParagraphs(text: string): readonly { from: number; to: number }[] {
  const startOfLine = (at: number) => text.lastIndexOf('\n', at - 1) + 1;
  return parseTextBlocks(text).flatMap(({ kind, lines: [first], to }) => {
    if (!first) return [];
    const from = startOfLine(first.from);
    if (kind !== 'pre') return { from, to };
    // The lines before and after code are its fences.
    const end = text.indexOf('\n', to + 1);
    return { from: startOfLine(from - 1), to: end < 0 ? text.length : end };
  });
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
