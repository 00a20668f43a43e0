/**
 * Finds words that a word unknown to a partition may mean: known words one typing error away, and the
 * parts of a compound. The index contains only hashes, so each possible spelling is looked up, and
 * each hit is compared with the word as a text spells it.
 */
import type { Passages } from '../../storage/passages.ts';
import type { Alternative } from '../dictionary/dictionary.ts';
import { decodeNormalized } from './chunks.ts';
import { createTermBuffer, eachWord, hashSpelling, hashTerms, readWord } from './tokenize.ts';

/** A known word that stands for another, with the number of chunks that contain it. */
type KnownAlternative = Alternative & { chunks: number };

const NEIGHBOUR_WEIGHT = 0.7;
const PART_WEIGHT = 0.5;
const NEIGHBOURS_MAX = 2;
/** Shorter words have too many neighbours. */
const MISSPELT_UNITS_MIN = 4;
const COMPOUND_UNITS_MIN = 7;
const PART_UNITS_MIN = 3;
const COMPARED_MAX = 6;

/** The index hashes the first letters of a word, so only errors in these letters hide it. */
const STEM_UNITS = 5;
/** Letters between the parts of German, Dutch and Nordic compounds. */
const LINKS = ['', 's', 'n', 'en', 'es', 'er', 'e'];

const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґ',
  'אבגדהוזחטיכלמנסעפצקרשת',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهوي',
];

export async function findAlternatives(
  passages: Passages,
  locale: string,
  word: string,
): Promise<KnownAlternative[]> {
  const alphabet = ALPHABETS.find((letters) => letters.includes(word[1] ?? ''));
  if (!alphabet || word.length < MISSPELT_UNITS_MIN) return [];
  const lookUp = createLookup(passages, locale);
  const neighbours = await lookUp(listNeighbours(word, alphabet), (spelling) => isSameWord(word, spelling));
  if (neighbours.length > 0) {
    const nearest = neighbours.slice(0, NEIGHBOURS_MAX);
    return nearest.map((neighbour) => ({ ...neighbour, weight: NEIGHBOUR_WEIGHT }));
  }
  return findParts(word, lookUp);
}

type Lookup = (
  spellings: readonly string[],
  isMeant: (spelling: string) => boolean,
) => Promise<{ hash: number; chunks: number; spelling: string }[]>;

/** Creates a function that finds spellings in the partition, most frequent first, and keeps those that are meant. */
function createLookup(passages: Passages, locale: string): Lookup {
  return async (spellings, isMeant) => {
    const hashes = new Set(spellings.map(hashSpelling));
    const counts = (await passages.termCounts(locale, [...hashes])).toSorted((a, b) => b.chunks - a.chunks);
    const hits = [];
    for (const { term, chunks } of counts.slice(0, COMPARED_MAX)) {
      const words = await readWords(passages, locale, term);
      const match = words.find(isMeant);
      if (match !== undefined) hits.push({ hash: term, chunks, spelling: match });
    }
    return hits;
  };
}

function listNeighbours(word: string, alphabet: string): string[] {
  const spellings: string[] = [];
  for (let at = 1; at <= Math.min(word.length, STEM_UNITS); at += 1) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    spellings.push(before + after.slice(1));
    if (after.length > 1) spellings.push(before + after[1] + after[0] + after.slice(2));
    if (word.length === MISSPELT_UNITS_MIN) continue;
    for (const letter of alphabet) spellings.push(before + letter + after, before + letter + after.slice(1));
  }
  spellings.push(word[1]! + word[0]! + word.slice(2));
  return spellings.filter((spelling) => spelling !== word && spelling.length >= PART_UNITS_MIN);
}

/** Returns the two known words that form the compound: the split with the shortest second word. */
async function findParts(word: string, lookUp: Lookup): Promise<KnownAlternative[]> {
  if (word.length < COMPOUND_UNITS_MIN) return [];
  for (let at = word.length - PART_UNITS_MIN; at >= PART_UNITS_MIN; at -= 1) {
    const right = word.slice(at);
    const [tail] = await lookUp([right], (spelling) => isInflected(right, spelling));
    if (!tail) continue;
    const lefts = LINKS.flatMap((link) => {
      const left = word.slice(0, at);
      return left.endsWith(link) && at - link.length >= PART_UNITS_MIN
        ? [left.slice(0, at - link.length)]
        : [];
    });
    const [head] = await lookUp(lefts, (spelling) => lefts.some((left) => isInflected(left, spelling)));
    if (head) return [head, tail].map(({ hash, chunks }) => ({ hash, chunks, weight: PART_WEIGHT }));
  }
  return [];
}

const buffer = createTermBuffer();

/** Returns the words with this hash in one chunk that contains it. */
async function readWords(passages: Passages, locale: string, term: number): Promise<string[]> {
  const [candidate] = await passages.candidates(locale, [{ term, weight: 1 }], 1);
  if (!candidate) return [];
  const words = new Set<string>();
  for (const bytes of [candidate.normalized, candidate.titles]) {
    const { units } = decodeNormalized(bytes);
    for (const [from, to] of eachWord(units)) {
      hashTerms(buffer, units, from, to);
      if (buffer.wordCount > 0 && buffer.words[0] === term) words.add(readWord(units, from, to));
    }
  }
  return [...words];
}

const ENDING_UNITS_MAX = 2;

/** Whether the words differ in their last letters at most. */
function isInflected(word: string, spelling: string): boolean {
  const common = Math.min(word.length, spelling.length);
  if (Math.abs(word.length - spelling.length) > ENDING_UNITS_MAX) return false;
  const compared = Math.max(PART_UNITS_MIN, common - 1);
  return word.slice(0, compared) === spelling.slice(0, compared);
}

/** Whether the words differ by one typing error and their endings. */
function isSameWord(word: string, spelling: string): boolean {
  if (Math.abs(word.length - spelling.length) > ENDING_UNITS_MAX) return false;
  let at = 0;
  while (at < word.length && word[at] === spelling[at]) at += 1;
  const [mine, others] = [word.slice(at), spelling.slice(at)];
  const swapped = mine[0] === others[1] && mine[1] === others[0] && endsAlike(mine.slice(2), others.slice(2));
  return (
    swapped ||
    endsAlike(mine.slice(1), others) ||
    endsAlike(mine, others.slice(1)) ||
    endsAlike(mine.slice(1), others.slice(1))
  );
}

/** Whether one ending starts with the other and is at most one letter longer. */
function endsAlike(a: string, b: string): boolean {
  return Math.abs(a.length - b.length) <= 1 && (a.startsWith(b) || b.startsWith(a));
}
