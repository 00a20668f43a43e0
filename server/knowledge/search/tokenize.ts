/**
 * Text to what can be matched: sentence breaks with offsets, and every sentence as a run of folded words.
 *
 * A folded word is lower-case, compatibility-normalised and, where marks are not letters, free of them. It is written
 * as UTF-16 code units behind a marker that says which terms it yields (see terms.ts), so that a stored run can be
 * scanned without knowing its language.
 */

/** A piece of text by its UTF-16 offsets: `start` inclusive, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Written with every index; another value means that stored articles have to be indexed again. */
export const tokenizerVersion = `1/icu-${process.versions.icu}`;

/** What stands before each word of a run. Text never holds these units: folding leaves only words. */
export const marker = {
  /** Words set apart by spaces: grams of four, padded. */
  spaced: 1,
  /** Han, Kana, Hangul: grams of two. */
  dense: 2,
  /** Thai, Lao, Khmer, Burmese: grams of three. */
  unspaced: 3,
  /** Counts as a word but yields no grams. */
  wordOnly: 4,
  /** Yields the grams of a spaced word but does not count as a word. */
  gramsOnly: 5,
  /** A dense word that follows another at once: its grams reach back over the border, which is a guess anyway. */
  denseNext: 6,
} as const;

/** No sentence is longer; a text without any break is cut at a space near this length. */
const sentenceUnitsMax = 1_200;
const thaiSentenceUnitsMin = 80;
const wordUnitsMax = 64;

const segmenters = new Map<string, Intl.Segmenter>();

function segmenter(locale: string, granularity: 'word' | 'sentence'): Intl.Segmenter {
  const key = `${granularity} ${locale}`;
  let found = segmenters.get(key);
  if (!found) {
    if (segmenters.size > 200) segmenters.clear();
    found = new Intl.Segmenter(locale, { granularity });
    segmenters.set(key, found);
  }
  return found;
}

const language = (locale: string) => locale.split('-', 1)[0]!.toLowerCase();

/** Languages in Latin script whose marks tell words apart; their bare form is matched beside the written one. */
const marksMatter = (locale: string) => language(locale) === 'vi';

const asciiOnly = /^[\0-\x7f]*$/;
/** The first lookahead spares most characters the look back; a run is taken whole, so that a long one costs no more than its length. */
const marksOnLetters = /(?=\p{M})(?<=[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}])\p{M}+/gu;
const firmMarks = /[\p{Mc}\p{Me}]+/gu;
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};
const lettersPattern = new RegExp(`[${Object.keys(letters).join('')}]|\u0640`, 'gu');

const digits = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Folds case, compatibility forms and the marks of scripts where marks are not letters. */
export function fold(text: string, locale: string): string {
  const lang = language(locale);
  const lower =
    lang === 'tr' || lang === 'az' || lang === 'lt'
      ? text.normalize('NFKC').toLocaleLowerCase(lang)
      : text.normalize('NFKC').toLowerCase();
  return asciiOnly.test(lower) ? lower : bare(lower);
}

function bare(text: string): string {
  return text
    .normalize('NFD')
    .replace(marksOnLetters, (marks) => marks.match(firmMarks)?.join('') ?? '')
    .normalize('NFC')
    .replace(lettersPattern, (letter) => letters[letter] ?? '')
    .replace(digits, (digit) => String((digit.charCodeAt(0) - (digit < '\u06f0' ? 0x660 : 0x6f0)) & 15));
}

function markerOf(unit: number): number {
  if (unit < 0x0e00) return marker.spaced;
  if (unit < 0x0f00) return marker.unspaced;
  if (unit < 0x1000) return marker.spaced;
  if (unit < 0x10a0) return marker.unspaced;
  if (unit < 0x1100) return marker.spaced;
  if (unit < 0x1200) return marker.dense;
  if (unit >= 0x1780 && unit < 0x1800) return marker.unspaced;
  if (unit >= 0x2e80 && unit < 0xa000) return marker.dense;
  if (unit >= 0xac00 && unit < 0xd7b0) return marker.dense;
  if (unit >= 0xd840 && unit < 0xd880) return marker.dense;
  if (unit >= 0xf900 && unit < 0xfb00) return marker.dense;
  return marker.spaced;
}

function pushWord(out: number[], mark: number, word: string): void {
  out.push(mark);
  const length = Math.min(word.length, wordUnitsMax);
  for (let at = 0; at < length; at += 1) out.push(word.charCodeAt(at));
}

/**
 * The folded words of one piece of text.
 * @param asked true for a question: where marks matter, it matches words as written and grams without marks.
 */
export function tokenize(text: string, locale: string, asked = false): Uint16Array {
  const out: number[] = [];
  const withMarks = marksMatter(locale);
  const normalized = withMarks ? text.normalize('NFKC').toLowerCase() : fold(text, locale);
  let afterDense = -1;
  for (const piece of segmenter(locale, 'word').segment(normalized)) {
    if (!piece.isWordLike) continue;
    if (markerOf(piece.segment.charCodeAt(0)) === marker.dense) {
      pushWord(out, afterDense === piece.index ? marker.denseNext : marker.dense, piece.segment);
      afterDense = piece.index + piece.segment.length;
      continue;
    }
    for (const word of piece.segment.split(/['’ʼ_]/u)) {
      if (word === '') continue;
      const plain = withMarks && !asciiOnly.test(word) ? bare(word) : word;
      if (plain === word) {
        pushWord(out, markerOf(word.charCodeAt(0)), word);
      } else {
        pushWord(out, marker.wordOnly, word);
        pushWord(out, asked ? marker.gramsOnly : marker.spaced, plain);
      }
    }
  }
  return Uint16Array.from(out);
}

const thaiOrLao = /[\u0e00-\u0eff]/;
/** Initials, "Dr." and the like; a number only after a short word, as in "am 12. Mai", else it ends its sentence. */
const abbreviation =
  /(?:^|[^\p{L}\p{N}])(?:\p{L}|\p{Lu}\p{Ll}|(?:^|(?<![\p{L}\p{N}])\p{L}{1,3}\s)\d{1,2})\.$/u;
const noLetter = /^[^\p{L}\p{N}]*$/u;

/** The sentences of a text, trimmed, in order. A line break always ends one. */
export function splitSentences(text: string, locale: string): Span[] {
  const spans: Span[] = [];
  for (const line of text.matchAll(/[^\n\r\u2028\u2029]+/g)) {
    const cuts = thaiOrLao.test(line[0]) ? cutsAtSpaces(line[0]) : cutsAtStops(line[0], locale);
    let start = 0;
    for (const end of cuts) {
      pushTrimmed(spans, text, line.index + start, line.index + end);
      start = end;
    }
  }
  return spans;
}

/** Offsets where sentences end, keeping abbreviations, initials and ordinals with what follows them. */
function cutsAtStops(line: string, locale: string): number[] {
  const cuts: number[] = [];
  for (const piece of segmenter(locale, 'sentence').segment(line)) {
    const end = piece.index + piece.segment.length;
    const open = end < line.length && abbreviation.test(piece.segment.trimEnd());
    if (!open) cuts.push(end);
  }
  if (cuts.at(-1) !== line.length) cuts.push(line.length);
  return cuts;
}

/** Thai and Lao put a space, not a stop, between sentences, and elsewhere too: cut where enough has been said. */
function cutsAtSpaces(line: string): number[] {
  const cuts: number[] = [];
  let start = 0;
  for (const space of line.matchAll(/\s+/g)) {
    const end = space.index + space[0].length;
    if (space.index - start >= thaiSentenceUnitsMin && line.length - end >= thaiSentenceUnitsMin / 2) {
      cuts.push(end);
      start = end;
    }
  }
  cuts.push(line.length);
  return cuts;
}

function pushTrimmed(spans: Span[], text: string, from: number, to: number): void {
  const piece = text.slice(from, to);
  if (noLetter.test(piece)) return;
  let start = from + (piece.length - piece.trimStart().length);
  const end = to - (piece.length - piece.trimEnd().length);
  while (end - start > sentenceUnitsMax) {
    const cut = start + longCut(text.slice(start, start + sentenceUnitsMax));
    pushTrimmed(spans, text, start, cut);
    start = cut;
    while (/\s/.test(text[start] ?? '')) start += 1;
  }
  if (end > start) spans.push({ start, end });
}

function longCut(piece: string): number {
  const space = Math.max(piece.lastIndexOf(' '), piece.lastIndexOf('，'), piece.lastIndexOf('、')) + 1;
  if (space > sentenceUnitsMax / 2) return space;
  const last = piece.charCodeAt(piece.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? piece.length - 1 : piece.length;
}

/** What a run of folded words is matched by: hashes of shortened words, and of the letter groups inside them. */

const shortenedUnits = 5;
/** Of Korean, where one unit is a syllable of two or three letters and particles follow the noun at once. */
const shortenedSyllables = 2;
const pad = 0x5f;
const wordSeed = 0x2f0b4a97;
const gramSeed = 0x51ed270b;

/** Filled again and again: a search hashes tens of thousands of terms, too many to allocate or call back for. */
export interface TermBuffer {
  words: Int32Array;
  wordCount: number;
  ngrams: Int32Array;
  gramCount: number;
}

export function createTermBuffer(): TermBuffer {
  return { words: new Int32Array(1_024), wordCount: 0, ngrams: new Int32Array(1_024), gramCount: 0 };
}

/**
 * Fills the buffer with every word (its first five letters) and every gram of `units[from, to)`, in order. A dense word
 * looks at the units before and after it, even beyond `from` and `to`.
 */
export function hashTerms(buffer: TermBuffer, units: Uint16Array, from: number, to: number): void {
  if (buffer.words.length < to - from) {
    buffer.words = new Int32Array((to - from) * 2);
    buffer.ngrams = new Int32Array((to - from) * 2);
  }
  buffer.wordCount = 0;
  buffer.gramCount = 0;
  let at = from;
  while (at < to) {
    const start = at + 1;
    let end = start;
    while (end < to && units[end]! > marker.denseNext) end += 1;
    hashWord(buffer, units, start, end);
    at = end;
  }
}

function hashWord(buffer: TermBuffer, units: Uint16Array, start: number, end: number): void {
  const mark = units[start - 1]!;
  if (mark !== marker.gramsOnly) buffer.words[buffer.wordCount++] = wordHash(units, start, end);
  if (mark === marker.spaced || mark === marker.gramsOnly) {
    paddedGrams(buffer, units, start, end);
  } else if (mark === marker.unspaced) {
    plainGrams(buffer, units, start, end, 3);
  } else if (mark === marker.dense) {
    if (end - start > 1 || units[end] !== marker.denseNext) plainGrams(buffer, units, start, end, 2);
  } else if (mark === marker.denseNext) {
    buffer.ngrams[buffer.gramCount++] = mixed(step(step(gramSeed, units[start - 2]!), units[start]!));
    if (end - start > 1) plainGrams(buffer, units, start, end, 2);
  }
}

function wordHash(units: Uint16Array, from: number, end: number): number {
  const start = units[from]! >> 8 === 0x06 ? afterArabicArticle(units, from, end) : from;
  const stop = Math.min(end, start + (isHangul(units[from]!) ? shortenedSyllables : shortenedUnits));
  let hash = wordSeed;
  for (let at = start; at < stop; at += 1) hash = step(hash, units[at]!);
  return mixed(hash);
}

const isHangul = (unit: number) => unit >= 0xac00 && unit < 0xd7b0;

const alef = 0x0627;
const lam = 0x0644;
const and = [0x0648, 0x0641];
const withOrLike = [0x0628, 0x0643];

/** Arabic script writes "and", "with" and "the" onto the word, where they would use up the letters that count. */
function afterArabicArticle(units: Uint16Array, from: number, end: number): number {
  let at = from;
  if (and.includes(units[at]!)) at += 1;
  if (withOrLike.includes(units[at]!)) at += 1;
  if (units[at] === alef && units[at + 1] === lam && end - at >= 5) return at + 2;
  return units[from] === lam && units[from + 1] === lam && end - from >= 5 ? from + 2 : from;
}

/** Groups of four over `_word_`. */
function paddedGrams(buffer: TermBuffer, units: Uint16Array, start: number, end: number): void {
  const { ngrams } = buffer;
  let count = buffer.gramCount;
  if (end - start < 3) {
    let hash = step(gramSeed, pad);
    for (let at = start; at < end; at += 1) hash = step(hash, units[at]!);
    ngrams[count++] = mixed(step(hash, pad));
  } else {
    let a = pad;
    let b = units[start]!;
    let c = units[start + 1]!;
    for (let at = start + 2; at <= end; at += 1) {
      const d = at < end ? units[at]! : pad;
      ngrams[count++] = fourMixed(a, b, c, d);
      a = b;
      b = c;
      c = d;
    }
  }
  buffer.gramCount = count;
}

function plainGrams(buffer: TermBuffer, units: Uint16Array, start: number, end: number, size: number): void {
  const width = Math.min(size, end - start);
  for (let at = start; at + width <= end; at += 1) {
    let hash = gramSeed;
    for (let next = at; next < at + width; next += 1) hash = step(hash, units[next]!);
    buffer.ngrams[buffer.gramCount++] = mixed(hash);
  }
}

/** Two independent products instead of a chain of four: this is the innermost loop of every search. */
function fourMixed(a: number, b: number, c: number, d: number): number {
  return mixed((Math.imul(a | (b << 16), 0x2c1b3c6d) + Math.imul(c | (d << 16), 0x297a2d39)) | 0);
}

function step(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** Spreads a hash over all 32 bits, so that its low ones can choose a place in a table. */
function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x7feb352d);
  h ^= h >>> 15;
  return h | 0;
}
