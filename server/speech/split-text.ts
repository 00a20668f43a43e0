/** Splits a text between sentences into parts of at most `charsMax` UTF-16 units; longer sentences are split between words, then characters. */
export function splitText(text: string, charsMax: number, locale?: string): string[] {
  return joinSegments(segmentText(text, charsMax, ['sentence', 'word', 'grapheme'], locale), charsMax);
}

type Granularity = 'sentence' | 'word' | 'grapheme';

function segmentText(
  text: string,
  charsMax: number,
  [granularity, ...finer]: readonly Granularity[],
  locale: string | undefined,
): string[] {
  if (text.length <= charsMax) return [text];
  // A single grapheme can exceed any limit through combining marks.
  if (!granularity) return text.match(new RegExp(`.{1,${Math.floor(charsMax / 2)}}`, 'gsv')) ?? [];
  const segments = new Intl.Segmenter(locale, { granularity }).segment(text);
  return Array.from(segments).flatMap(({ segment }) => segmentText(segment, charsMax, finer, locale));
}

function joinSegments(segments: readonly string[], charsMax: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const segment of segments) {
    if (part.length + segment.length > charsMax) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  parts.push(part);
  // Providers reject parts that are only white space.
  return parts.map((one) => one.trim()).filter((one) => one !== '');
}
