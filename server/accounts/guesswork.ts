import type { RankOfLeaked } from './leaked-passwords.ts';

/**
 * How much guessing a password takes, as the power of ten of the guesses: the cheapest way to put it together of words that an attacker
 * tries first, years, repetitions and single characters.
 */

const WORD_CHARS_MIN = 3;
const WORD_CHARS_MAX = 40;
const KNOWN_WORD = 0.3;
const REPETITION = 0.3;
const YEAR = 2;
const CHARACTER = 1.5;
/** A word with signs in the place of letters is tried a few times. */
const DISGUISE = 0.3;

const DISGUISES: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
};

/** How early a word is tried: 0 for what is known about the person. */
type Tried = (word: string) => number | undefined;

/**
 * @param text in lower case
 * @param known words, in lower case, that are tried before all others
 */
export function guesswork(text: string, known: ReadonlySet<string>, rankOfLeaked: RankOfLeaked): number {
  const tried: Tried = (word) => (known.has(word) ? 0 : rankOfLeaked(word));
  const characters = [...text];
  const plain = characters.map((character) => DISGUISES[character] ?? character);
  const cheapest = [0];
  for (let end = 1; end <= characters.length; end += 1) {
    let least = cheapest[end - 1]! + characterCost(characters, end - 1);
    for (let start = Math.max(0, end - WORD_CHARS_MAX); start <= end - WORD_CHARS_MIN; start += 1) {
      const piece = characters.slice(start, end).join('');
      const cost = pieceCost(piece, plain.slice(start, end).join(''), tried);
      if (cost === undefined) continue;
      const isRepetition = characters.slice(0, start).join('').includes(piece);
      least = Math.min(least, cheapest[start]! + (isRepetition ? Math.min(cost, REPETITION) : cost));
    }
    cheapest.push(least);
  }
  return cheapest.at(-1)!;
}

function characterCost(characters: readonly string[], at: number): number {
  return characters[at] === characters[at - 1] ? REPETITION : CHARACTER;
}

function pieceCost(piece: string, plain: string, tried: Tried): number | undefined {
  const asItIs = wordCost(piece, tried);
  if (asItIs !== undefined) return asItIs;
  if (/^(?:19|20)\d\d$/.test(piece)) return YEAR;
  const disguised = plain === piece ? undefined : wordCost(plain, tried);
  return disguised === undefined ? undefined : disguised + DISGUISE;
}

function wordCost(word: string, tried: Tried): number | undefined {
  const rank = tried(word);
  return rank === undefined ? undefined : Math.max(KNOWN_WORD, Math.log10(rank));
}
