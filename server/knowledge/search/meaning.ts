/**
 * Compares the meaning of English texts by their words, so that "display too dark" matches an article
 * on the brightness of screens. Uses a table of word vectors; word-vectors/NOTICE.md names its source.
 */
import { getLanguage } from '../../text.ts';
import { type NormalizedText, PART } from './chunks.ts';
import type { ArticleMatch } from './search-partition.ts';
import { MARKER } from './tokenize.ts';

/** Articles to compare, which bounds the time. Articles further down keep their rank. */
const COMPARED_MAX = 30;
/** Weight of similarity relative to words. Fitted on short questions and the development turns of eval/. */
const SIMILARITY_WEIGHT = 0.8;
/** Words in each compared part of a text; longer parts have no single meaning. */
const PART_WORDS = 100;
/** Words to compare in a chunk; later text says little about the subject. */
const WORDS_MAX = 200;

/** Reranks English search results by meaning; scores stay in 0..1. Keeps the scores of other languages. */
export async function orderByMeaning(
  question: string,
  matches: readonly ArticleMatch[],
): Promise<readonly ArticleMatch[]> {
  loading ??= loadTable();
  const table = await loading;
  const questionVector = createVector(table);
  const words = question.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  const knownCount = words.filter((word) => addWord(table, questionVector, word)).length;
  if (knownCount === 0) return matches;
  // Misspelt words and names have no vector.
  const weight = SIMILARITY_WEIGHT * (knownCount / words.length);
  const compared = matches.slice(0, COMPARED_MAX).map((match) => {
    if (getLanguage(match.locale) !== 'en') return match;
    const similarity = measureSimilarity(table, questionVector, match);
    if (similarity === undefined) return match;
    return { ...match, score: (match.score + weight * similarity) / (1 + weight) };
  });
  const lowest = Math.min(...compared.map(({ score }) => score));
  const rest = matches
    .slice(COMPARED_MAX)
    .map((match) => ({ ...match, score: Math.min(match.score, lowest) }));
  return [...compared.toSorted((a, b) => b.score - a.score), ...rest];
}

/** Returns the normalized sum of the word vectors of an English text, or undefined when no word is known. */
export async function measureMeaning(text: string): Promise<Float32Array | undefined> {
  loading ??= loadTable();
  const table = await loading;
  const sum = createVector(table);
  for (const word of text.toLowerCase().match(/[a-z]{2,}/g) ?? []) addWord(table, sum, word);
  const length = Math.hypot(...sum);
  return length === 0 ? undefined : sum.map((value) => value / length);
}

/**
 * Returns the greatest cosine of the question with the title, alone or together with a part of the text, 0..1.
 * Returns undefined when no word of the title is known: the text alone says too little about its subject.
 */
function measureSimilarity(
  table: WordTable,
  questionVector: Float32Array,
  { chunk, titles }: ArticleMatch,
): number | undefined {
  const title = createVector(table);
  addUnits(table, title, titles.units, 0, titles.ends[0] ?? 0);
  if (title.every((value) => value === 0)) return undefined;
  let best = getCosine(questionVector, title);
  let part = title.slice();
  let [words, partWords, from] = [0, 0, 0];
  for (let at = 0; at < chunk.ends.length && words < WORDS_MAX; at += 1) {
    const added = addUnits(table, part, chunk.units, from, chunk.ends[at]!);
    words += added;
    partWords += added;
    from = chunk.ends[at]!;
    const endsLead = chunk.parts[at] === PART.lead && chunk.parts[at + 1] !== PART.lead;
    const isLast = at === chunk.ends.length - 1 || words >= WORDS_MAX;
    if (partWords < PART_WORDS && !endsLead && !isLast) continue;
    best = Math.max(best, getCosine(questionVector, part));
    part = title.slice();
    partWords = 0;
  }
  return Math.max(0, best);
}

/** Adds the words of normalized text, and returns their number. */
function addUnits(
  table: WordTable,
  vector: Float32Array,
  units: NormalizedText['units'],
  from: number,
  to: number,
): number {
  let words = 0;
  let start = from;
  for (let at = from; at <= to; at += 1) {
    if (at < to && units[at]! > MARKER.denseNext) continue;
    if (at > start && units[start] === MARKER.spaced) {
      addWord(table, vector, String.fromCharCode(...units.subarray(start + 1, at)));
      words += 1;
    }
    start = at;
  }
  return words;
}

type WordTable = {
  readonly dimensions: number;
  readonly rows: ReadonlyMap<string, number>;
  /** One factor per row. */
  readonly factors: Uint8Array;
  /** Two numbers per byte; see NUMBER_OFFSET. */
  readonly vectors: Uint8Array;
};

/** Added to the numbers -7 to 7 to store them in four bits. */
const NUMBER_OFFSET = 8;

let loading: Promise<WordTable> | undefined;

/** Loads the table on first use: it has 1 MB, and installations without English articles never need it. */
async function loadTable(): Promise<WordTable> {
  const { default: file } = await import('./word-vectors/english.json', { with: { type: 'json' } });
  return {
    dimensions: file.dimensions,
    rows: new Map(file.words.split(' ').map((word, row) => [word, row])),
    factors: Buffer.from(file.factors, 'base64'),
    vectors: Buffer.from(file.vectors, 'base64'),
  };
}

const createVector = ({ dimensions }: WordTable) => new Float32Array(dimensions);

/** Returns whether the word is known. */
function addWord(
  { dimensions, rows, factors, vectors }: WordTable,
  sum: Float32Array,
  word: string,
): boolean {
  const row = rows.get(word);
  if (row === undefined) return false;
  const factor = factors[row]!;
  const first = row * dimensions;
  for (let at = 0; at < dimensions; at += 1) {
    const pair = vectors[(first + at) >> 1]!;
    const number = (first + at) % 2 === 0 ? pair & 15 : pair >> 4;
    sum[at]! += (number - NUMBER_OFFSET) * factor;
  }
  return true;
}

function getCosine(a: Float32Array, b: Float32Array): number {
  let [product, squaresOfA, squaresOfB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    product += a[at]! * b[at]!;
    squaresOfA += a[at]! ** 2;
    squaresOfB += b[at]! ** 2;
  }
  return product / (Math.sqrt(squaresOfA * squaresOfB) || 1);
}
