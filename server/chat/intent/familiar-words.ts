/** Small talk consists of few words; most questions have one that no example of small talk has. */
import { hasUnspacedLetters, normalizeForSearch } from '../../text.ts';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns the words of a message, for comparing. */
export function readMessageWords(message: string): readonly string[] {
  const text = normalizeForSearch(message, 'und');
  if (!hasUnspacedLetters(text)) return text.match(WORD) ?? [];
  return [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []));
}

/** Returns a function that tells whether these texts have all words of a message. */
export function learnWords(texts: Iterable<string>): (words: readonly string[]) => boolean {
  const known = new Set<string>();
  for (const text of texts) for (const word of readMessageWords(text)) known.add(word);
  return (words) => words.every((word) => known.has(word));
}
