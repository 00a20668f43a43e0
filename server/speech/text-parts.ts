/** A text in parts of at most so many UTF-16 units, cut between sentences; between words or characters only where a sentence is too long. */
export function textParts(text: string, charsMax: number, locale?: string): string[] {
  return joined(piecesOf(text, charsMax, ['sentence', 'word', 'grapheme'], locale), charsMax);
}

type Granularity = 'sentence' | 'word' | 'grapheme';

function piecesOf(
  text: string,
  charsMax: number,
  [granularity, ...finer]: readonly Granularity[],
  locale: string | undefined,
): string[] {
  if (text.length <= charsMax) return [text];
  // A letter with more marks than anybody writes is cut where it has to be.
  if (!granularity) return text.match(new RegExp(`.{1,${Math.floor(charsMax / 2)}}`, 'gsv')) ?? [];
  const segments = new Intl.Segmenter(locale, { granularity }).segment(text);
  return Array.from(segments).flatMap(({ segment }) => piecesOf(segment, charsMax, finer, locale));
}

function joined(pieces: readonly string[], charsMax: number): string[] {
  const parts: string[] = [];
  let part = '';
  for (const piece of pieces) {
    if (part.length + piece.length > charsMax) {
      parts.push(part);
      part = '';
    }
    part += piece;
  }
  parts.push(part);
  // There is nothing to say about a pause.
  return parts.map((one) => one.trim()).filter((one) => one !== '');
}
