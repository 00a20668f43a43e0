import { ASCII_ONLY, getLanguage, normalizeForSearch, stripMarks } from '../../base/text.ts';

/**
 * Splits text into sentences and words, and words into the hashed terms that search matches.
 *
 * A normalized word is lower-case, compatibility-normalized and, in scripts where diacritics are
 * not letters, without diacritics. It is stored as UTF-16 code units after a marker that says which
 * terms it yields, so stored tokens can be scanned without knowing their language.
 */

/** A range of UTF-16 offsets: `start` inclusive, `end` exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Stored with the index. When it changes, stored articles are indexed again. */
export const tokenizerVersion = `4/icu-${process.versions.icu}`;

/** The unit before each word. Normalized words never contain these units. */
export const MARKER = {
  /** Words separated by spaces: padded n-grams of four. */
  spaced: 1,
  /** Han, Kana, Hangul: n-grams of two. */
  dense: 2,
  /** Thai, Lao, Khmer, Burmese: n-grams of three. */
  unspaced: 3,
  /** Counts as a word but yields no n-grams. */
  wordOnly: 4,
  /** Yields the n-grams of a spaced word but does not count as a word. */
  ngramsOnly: 5,
  /**
   * A dense word directly after another. Its n-grams span the boundary, since segmentation is
   * unreliable there.
   */
  denseNext: 6,
} as const;

/** Longest sentence; text without a sentence break is cut at a space near this length. */
const SENTENCE_UNITS_MAX = 1_200;
const THAI_SENTENCE_UNITS_MIN = 80;
const WORD_UNITS_MAX = 64;

const segmenters = new Map<string, Intl.Segmenter>();

function getSegmenter(locale: string, granularity: 'word' | 'sentence'): Intl.Segmenter {
  const key = `${granularity} ${locale}`;
  let segmenter = segmenters.get(key);
  if (!segmenter) {
    if (segmenters.size > 200) segmenters.clear();
    segmenter = new Intl.Segmenter(locale, { granularity });
    segmenters.set(key, segmenter);
  }
  return segmenter;
}

/**
 * Whether diacritics distinguish words of this language in Latin script. Its words are indexed with
 * and without them.
 */
const hasMeaningfulMarks = (locale: string) => getLanguage(locale) === 'vi';

function getMarker(unit: number): number {
  if (unit < 0x0e00) return MARKER.spaced;
  if (unit < 0x0f00) return MARKER.unspaced;
  if (unit < 0x1000) return MARKER.spaced;
  if (unit < 0x10a0) return MARKER.unspaced;
  if (unit < 0x1100) return MARKER.spaced;
  if (unit < 0x1200) return MARKER.dense;
  if (unit >= 0x1780 && unit < 0x1800) return MARKER.unspaced;
  if (unit >= 0x2e80 && unit < 0xa000) return MARKER.dense;
  if (unit >= 0xac00 && unit < 0xd7b0) return MARKER.dense;
  if (unit >= 0xd840 && unit < 0xd880) return MARKER.dense;
  if (unit >= 0xf900 && unit < 0xfb00) return MARKER.dense;
  return MARKER.spaced;
}

function pushWord(out: number[], marker: number, word: string): void {
  out.push(marker);
  const length = Math.min(word.length, WORD_UNITS_MAX);
  for (let at = 0; at < length; at += 1) out.push(word.charCodeAt(at));
}

const HYPHEN = /^[-\u2010\u00ad]$/;

/**
 * Splits text into normalized words.
 * @param isQuery true for a question: where diacritics matter, words match as written, n-grams without diacritics
 */
export function tokenize(text: string, locale: string, isQuery = false): Uint16Array {
  const out: number[] = [];
  const keepMarks = hasMeaningfulMarks(locale);
  const normalized = keepMarks ? text.normalize('NFKC').toLowerCase() : normalizeForSearch(text, locale);
  let denseEnd = -1;
  let lastWord = '';
  let isHyphenated = false;
  for (const piece of getSegmenter(locale, 'word').segment(normalized)) {
    if (!piece.isWordLike) {
      isHyphenated = lastWord !== '' && HYPHEN.test(piece.segment);
      if (!isHyphenated) lastWord = '';
      continue;
    }
    if (getMarker(piece.segment.charCodeAt(0)) === MARKER.dense) {
      pushWord(out, denseEnd === piece.index ? MARKER.denseNext : MARKER.dense, piece.segment);
      denseEnd = piece.index + piece.segment.length;
      continue;
    }
    // "Wi-Fi" is also found as "wifi".
    if (isHyphenated && !isQuery) pushWord(out, MARKER.wordOnly, lastWord + piece.segment);
    isHyphenated = false;
    lastWord = piece.segment;
    for (const word of piece.segment.split(/['’ʼ_]/u)) {
      if (word === '') continue;
      const unmarked = keepMarks && !ASCII_ONLY.test(word) ? stripMarks(word) : word;
      if (unmarked === word) {
        pushWord(out, getMarker(word.charCodeAt(0)), word);
      } else {
        pushWord(out, MARKER.wordOnly, word);
        pushWord(out, isQuery ? MARKER.ngramsOnly : MARKER.spaced, unmarked);
      }
    }
  }
  return Uint16Array.from(out);
}

const THAI_OR_LAO = /[\u0e00-\u0eff]/;
/**
 * Initials, "Dr." and the like. A number counts only after a short word, as in "am 12. Mai";
 * otherwise it ends its sentence.
 */
const ABBREVIATION =
  /(?:^|[^\p{L}\p{N}])(?:\p{L}|\p{Lu}\p{Ll}|(?:^|(?<![\p{L}\p{N}])\p{L}{1,3}\s)\d{1,2})\.$/u;
const NO_LETTER = /^[^\p{L}\p{N}]*$/u;

/** Splits text into trimmed sentences, in order. A line break always ends a sentence. */
export function splitSentences(text: string, locale: string): Span[] {
  const spans: Span[] = [];
  for (const line of text.matchAll(/[^\n\r\u2028\u2029]+/g)) {
    const cuts = THAI_OR_LAO.test(line[0]) ? findBreaksAtSpaces(line[0]) : findSentenceEnds(line[0], locale);
    let start = 0;
    for (const end of cuts) {
      pushTrimmed(spans, text, line.index + start, line.index + end);
      start = end;
    }
  }
  return spans;
}

/** Returns the offsets of sentence ends. Abbreviations, initials and ordinals do not end a sentence. */
function findSentenceEnds(line: string, locale: string): number[] {
  const cuts: number[] = [];
  for (const piece of getSegmenter(locale, 'sentence').segment(line)) {
    const end = piece.index + piece.segment.length;
    const isAbbreviation = end < line.length && ABBREVIATION.test(piece.segment.trimEnd());
    if (!isAbbreviation) cuts.push(end);
  }
  if (cuts.at(-1) !== line.length) cuts.push(line.length);
  return cuts;
}

/**
 * Returns offsets of breaks for Thai and Lao, which separate sentences by spaces that also occur
 * inside sentences: breaks at a space after a minimum length.
 */
function findBreaksAtSpaces(line: string): number[] {
  const cuts: number[] = [];
  let start = 0;
  for (const space of line.matchAll(/\s+/g)) {
    const end = space.index + space[0].length;
    if (space.index - start >= THAI_SENTENCE_UNITS_MIN && line.length - end >= THAI_SENTENCE_UNITS_MIN / 2) {
      cuts.push(end);
      start = end;
    }
  }
  cuts.push(line.length);
  return cuts;
}

function pushTrimmed(spans: Span[], text: string, from: number, to: number): void {
  const piece = text.slice(from, to);
  if (NO_LETTER.test(piece)) return;
  let start = from + (piece.length - piece.trimStart().length);
  const end = to - (piece.length - piece.trimEnd().length);
  while (end - start > SENTENCE_UNITS_MAX) {
    const cut = start + findCut(text.slice(start, start + SENTENCE_UNITS_MAX));
    pushTrimmed(spans, text, start, cut);
    start = cut;
    while (/\s/.test(text[start] ?? '')) start += 1;
  }
  if (end > start) spans.push({ start, end });
}

function findCut(piece: string): number {
  const space = Math.max(piece.lastIndexOf(' '), piece.lastIndexOf('，'), piece.lastIndexOf('、')) + 1;
  if (space > SENTENCE_UNITS_MAX / 2) return space;
  const last = piece.charCodeAt(piece.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? piece.length - 1 : piece.length;
}

/** Matching uses hashes: of word stems, and of the letter n-grams inside words. */

const STEM_UNITS = 5;
/**
 * Korean only: a unit is a syllable of two or three letters, and particles directly follow the
 * noun.
 */
const STEM_SYLLABLES = 2;
const PAD = 0x5f;
const WORD_SEED = 0x2f0b4a97;
const NGRAM_SEED = 0x51ed270b;

/** Reused: a search hashes tens of thousands of terms, too many to allocate each time. */
interface TermBuffer {
  words: Int32Array;
  wordCount: number;
  ngrams: Int32Array;
  ngramCount: number;
}

export function createTermBuffer(): TermBuffer {
  return { words: new Int32Array(1_024), wordCount: 0, ngrams: new Int32Array(1_024), ngramCount: 0 };
}

/**
 * Fills the buffer with every word (its first five letters) and every n-gram of `units[from, to)`,
 * in order. The n-grams of a dense word also use the units before `from` and after `to`.
 */
export function hashTerms(buffer: TermBuffer, units: Uint16Array, from: number, to: number): void {
  if (buffer.words.length < to - from) {
    buffer.words = new Int32Array((to - from) * 2);
    buffer.ngrams = new Int32Array((to - from) * 2);
  }
  buffer.wordCount = 0;
  buffer.ngramCount = 0;
  let at = from;
  while (at < to) {
    const start = at + 1;
    let end = start;
    while (end < to && units[end]! > MARKER.denseNext) end += 1;
    hashWord(buffer, units, start, end);
    at = end;
  }
}

/** Yields where each word begins, at its marker, and ends. */
export function* eachWord(units: Uint16Array): Generator<readonly [from: number, to: number]> {
  for (let from = 0; from < units.length; ) {
    let to = from + 1;
    while (to < units.length && units[to]! > MARKER.denseNext) to += 1;
    yield [from, to];
    from = to;
  }
}

/** Returns the word that begins at the marker `from`. */
export const readWord = (units: Uint16Array, from: number, to: number) =>
  String.fromCharCode(...units.subarray(from + 1, to));

const sharedBuffer = createTermBuffer();

/** Returns the n-grams of a text, by which inflected words match too. */
export function hashNgrams(text: string, locale: string, isQuery = false): Set<number> {
  const units = tokenize(text, locale, isQuery);
  hashTerms(sharedBuffer, units, 0, units.length);
  return new Set(sharedBuffer.ngrams.subarray(0, sharedBuffer.ngramCount));
}

function hashWord(buffer: TermBuffer, units: Uint16Array, start: number, end: number): void {
  const marker = units[start - 1]!;
  if (marker !== MARKER.ngramsOnly) buffer.words[buffer.wordCount++] = hashStem(units, start, end);
  if (marker === MARKER.spaced || marker === MARKER.ngramsOnly) {
    pushPaddedNgrams(buffer, units, start, end);
  } else if (marker === MARKER.unspaced) {
    pushNgrams(buffer, units, start, end, 3);
  } else if (marker === MARKER.dense) {
    if (end - start > 1 || units[end] !== MARKER.denseNext) pushNgrams(buffer, units, start, end, 2);
  } else if (marker === MARKER.denseNext) {
    buffer.ngrams[buffer.ngramCount++] = mixBits(
      hashUnit(hashUnit(NGRAM_SEED, units[start - 2]!), units[start]!),
    );
    if (end - start > 1) pushNgrams(buffer, units, start, end, 2);
  }
}

function hashStem(units: Uint16Array, from: number, end: number): number {
  const start = units[from]! >> 8 === 0x06 ? skipArabicPrefix(units, from, end) : from;
  const stop = Math.min(end, start + (isHangul(units[from]!) ? STEM_SYLLABLES : STEM_UNITS));
  return hashUnits(units, start, stop);
}

/** Returns the term of a normalized word, as `hashTerms` does for one in a text. */
export function hashSpelling(word: string): number {
  const units = new Uint16Array(word.length);
  for (let at = 0; at < word.length; at += 1) units[at] = word.charCodeAt(at);
  return hashStem(units, 0, units.length);
}

function hashUnits(units: Uint16Array, start: number, stop: number): number {
  let hash = WORD_SEED;
  for (let at = start; at < stop; at += 1) hash = hashUnit(hash, units[at]!);
  return mixBits(hash);
}

/** Lengths of further stems to index, since many compounds share their first five letters; few words are longer. */
const LONG_STEMS_UNITS = [10, 15];

/** Adds the longer stems of the words in `units`. They only select candidates and do not count as words. */
export function addLongStems(units: Uint16Array, stems: Set<number>): void {
  let start = 0;
  for (let at = 1; at <= units.length; at += 1) {
    if (at < units.length && units[at]! > MARKER.denseNext) continue;
    for (const length of LONG_STEMS_UNITS) {
      if (at - start > length) stems.add(hashUnits(units, start + 1, start + 1 + length));
    }
    start = at;
  }
}

const isHangul = (unit: number) => unit >= 0xac00 && unit < 0xd7b0;

const ALEF = 0x0627;
const LAM = 0x0644;
const AND_PREFIXES = [0x0648, 0x0641];
const PREPOSITION_PREFIXES = [0x0628, 0x0643];

/**
 * Arabic attaches "and", "with" and "the" to the word. Skips them, so that the stem contains the
 * word itself.
 */
function skipArabicPrefix(units: Uint16Array, from: number, end: number): number {
  let at = from;
  if (AND_PREFIXES.includes(units[at]!)) at += 1;
  if (PREPOSITION_PREFIXES.includes(units[at]!)) at += 1;
  if (units[at] === ALEF && units[at + 1] === LAM && end - at >= 5) return at + 2;
  return units[from] === LAM && units[from + 1] === LAM && end - from >= 5 ? from + 2 : from;
}

/** Adds the n-grams of four units over `_word_`. */
function pushPaddedNgrams(buffer: TermBuffer, units: Uint16Array, start: number, end: number): void {
  const { ngrams } = buffer;
  let count = buffer.ngramCount;
  if (end - start < 3) {
    let hash = hashUnit(NGRAM_SEED, PAD);
    for (let at = start; at < end; at += 1) hash = hashUnit(hash, units[at]!);
    ngrams[count++] = mixBits(hashUnit(hash, PAD));
  } else {
    let a = PAD;
    let b = units[start]!;
    let c = units[start + 1]!;
    for (let at = start + 2; at <= end; at += 1) {
      const d = at < end ? units[at]! : PAD;
      ngrams[count++] = mixFour(a, b, c, d);
      a = b;
      b = c;
      c = d;
    }
  }
  buffer.ngramCount = count;
}

function pushNgrams(buffer: TermBuffer, units: Uint16Array, start: number, end: number, size: number): void {
  const width = Math.min(size, end - start);
  for (let at = start; at + width <= end; at += 1) {
    let hash = NGRAM_SEED;
    for (let next = at; next < at + width; next += 1) hash = hashUnit(hash, units[next]!);
    buffer.ngrams[buffer.ngramCount++] = mixBits(hash);
  }
}

/**
 * Two independent products are faster than a chain of four. This is the innermost loop of every
 * search.
 */
function mixFour(a: number, b: number, c: number, d: number): number {
  return mixBits((Math.imul(a | (b << 16), 0x2c1b3c6d) + Math.imul(c | (d << 16), 0x297a2d39)) | 0);
}

function hashUnit(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/** Spreads a hash over all 32 bits, since its low bits select a table slot. */
function mixBits(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x7feb352d);
  h ^= h >>> 15;
  return h | 0;
}
