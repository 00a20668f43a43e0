/** Splits a text into sentences or words, also where a page has an `Intl` of its own, which cannot. */
export function segment(text: string, granularity: 'sentence' | 'word', locale?: string): string[] {
  if (!Intl.Segmenter) return text.split(granularity === 'word' ? /\b/ : /(?<=[.!?]\s+)(?=\S)/);
  const segmenter = new Intl.Segmenter(locale, { granularity });
  // A page may have an `Array.from` that does not know iterables.
  return [...segmenter.segment(text)].map((part) => part.segment);
}
