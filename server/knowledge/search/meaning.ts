/**
 * What English texts mean, by the words in them, to tell that "display too dark" is about the
 * brightness of screens. Uses a table of word vectors; word-vectors/NOTICE.md says where it is from.
 */
import { getLanguage } from '../../text.ts';
import { type NormalizedText, PART } from './chunks.ts';
import type { ArticleMatch } from './search-partition.ts';
import { MARKER } from './tokenize.ts';
import table from './word-vectors/english.json' with { type: 'json' };

/** Bounds the time. Articles beyond these stay where they are. */
const COMPARED_MAX = 30;
/** What the similarity counts, next to the words. Fitted on short questions and the development turns of eval/. */
const SIMILARITY_WEIGHT = 0.8;
/** Longer parts of a text mean too many things at once. */
const PART_WORDS = 100;
/** What comes later in a text says little about its subject. */
const WORDS_MAX = 200;

/** Orders what was found by words also by what it means; scores stay in 0..1. Does nothing in other languages. */
export function orderByMeaning(question: string, found: readonly ArticleMatch[]): readonly ArticleMatch[] {
  const asked = createVector();
  const words = question.toLowerCase().match(/[a-z]{2,}/g) ?? [];
  const known = words.filter((word) => addWord(asked, word)).length;
  if (known === 0) return found;
  // Words that are misspelt or names have no vector.
  const weight = SIMILARITY_WEIGHT * (known / words.length);
  const compared = found.slice(0, COMPARED_MAX).map((match) => {
    if (getLanguage(match.locale) !== 'en') return match;
    const similarity = measureSimilarity(asked, match);
    if (similarity === undefined) return match;
    return { ...match, score: (match.score + weight * similarity) / (1 + weight) };
  });
  const lowest = Math.min(...compared.map(({ score }) => score));
  const rest = found.slice(COMPARED_MAX).map((match) => ({ ...match, score: Math.min(match.score, lowest) }));
  return [...compared.toSorted((a, b) => b.score - a.score), ...rest];
}

/**
 * The greatest cosine of the question with the title alone, and with each part of the text below it, 0..1.
 * Undefined without a word of the title that is known: the text alone says too little about its subject.
 */
function measureSimilarity(asked: Float32Array, { chunk, titles }: ArticleMatch): number | undefined {
  const title = createVector();
  addUnits(title, titles.units, 0, titles.ends[0] ?? 0);
  if (title.every((value) => value === 0)) return undefined;
  let best = getCosine(asked, title);
  let part = title.slice();
  let [words, partWords, from] = [0, 0, 0];
  for (let at = 0; at < chunk.ends.length && words < WORDS_MAX; at += 1) {
    const added = addUnits(part, chunk.units, from, chunk.ends[at]!);
    words += added;
    partWords += added;
    from = chunk.ends[at]!;
    const endsLead = chunk.parts[at] === PART.lead && chunk.parts[at + 1] !== PART.lead;
    const isLast = at === chunk.ends.length - 1 || words >= WORDS_MAX;
    if (partWords < PART_WORDS && !endsLead && !isLast) continue;
    best = Math.max(best, getCosine(asked, part));
    part = title.slice();
    partWords = 0;
  }
  return Math.max(0, best);
}

/** Adds the words of normalized text, and returns how many there were. */
function addUnits(vector: Float32Array, units: NormalizedText['units'], from: number, to: number): number {
  let words = 0;
  let start = from;
  for (let at = from; at <= to; at += 1) {
    if (at < to && units[at]! > MARKER.denseNext) continue;
    if (at > start && units[start] === MARKER.spaced) {
      addWord(vector, String.fromCharCode(...units.subarray(start + 1, at)));
      words += 1;
    }
    start = at;
  }
  return words;
}

const { dimensions } = table;
/** Four bits hold the numbers -7 to 7. */
const NUMBER_OFFSET = 8;

let loaded: { readonly places: ReadonlyMap<string, number>; readonly vectors: Float32Array } | undefined;

/** The table takes 7 MB and some milliseconds, so it is read when it is first needed. */
function load() {
  const words = table.words.split(' ');
  const factors = Buffer.from(table.factors, 'base64');
  const pairs = Buffer.from(table.vectors, 'base64');
  const vectors = new Float32Array(words.length * dimensions);
  for (let at = 0; at < vectors.length; at += 1) {
    const pair = pairs[at >> 1]!;
    const number = at % 2 === 0 ? pair & 15 : pair >> 4;
    vectors[at] = (number - NUMBER_OFFSET) * factors[Math.floor(at / dimensions)]!;
  }
  return { places: new Map(words.map((word, at) => [word, at * dimensions])), vectors };
}

const createVector = () => new Float32Array(dimensions);

/** Returns whether the word is known. */
function addWord(sum: Float32Array, word: string): boolean {
  loaded ??= load();
  const place = loaded.places.get(word);
  if (place === undefined) return false;
  for (let at = 0; at < dimensions; at += 1) sum[at]! += loaded.vectors[place + at]!;
  return true;
}

function getCosine(a: Float32Array, b: Float32Array): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < dimensions; at += 1) {
    product += a[at]! * b[at]!;
    ofA += a[at]! ** 2;
    ofB += b[at]! ** 2;
  }
  return product / (Math.sqrt(ofA * ofB) || 1);
}
