import { once } from '../../base/cache.ts';
import { hasUnspacedLetters, normalizeForSearch } from '../../base/text.ts';

const getSegmenter = once(() => new Intl.Segmenter(undefined, { granularity: 'word' }));
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Returns how many words a message has. */
export function countWords(message: string): number {
  const text = normalizeForSearch(message, 'und');
  if (!hasUnspacedLetters(text)) return text.match(WORD)?.length ?? 0;
  return [...getSegmenter().segment(text)].filter(({ isWordLike }) => isWordLike).length;
}
