/** Which sentences of an answer to quote. */
import type { Matches } from './matching.ts';
import { type Scale, share, wordsCovered, worthOf } from './rank.ts';

const coveredWeight = 0.5;
const neighbourWeight = 0.25;
const newlyCoveredWeight = 1.5;
const nextToFirst = 0.15;

/**
 * The two sentences that hold the answer likeliest, best first: the first for what it says of the question and what
 * stands around it; the second for what the first leaves open.
 * @returns places of sentences in the window; fewer where it has fewer
 */
export function bestSentences(matches: Matches, scale: Scale): number[] {
  const { usual } = scale;
  const covered = wordsCovered(matches, scale);
  const own = covered.map(
    (words, at) =>
      share(matches, at, at + 1, usual.sentenceWords, usual.sentenceGrams, scale) +
      coveredWeight * worthOf(words, scale),
  );
  const inPlace = own.map(
    (value, at) => value + neighbourWeight * Math.max(own[at - 1] ?? 0, own[at + 1] ?? 0),
  );
  const first = best(inPlace, -1);
  if (first < 0) return [];
  const second = best(
    inPlace.map((value, at) => {
      const open = covered[at]!.map((part, word) => Math.max(0, part - covered[first]![word]!));
      const near = Math.abs(at - first) === 1 ? nextToFirst : 0;
      return value + newlyCoveredWeight * worthOf(open, scale) + near;
    }),
    first,
  );
  return second < 0 ? [first] : [first, second];
}

function best(values: readonly number[], except: number): number {
  let place = -1;
  values.forEach((value, at) => {
    if (at !== except && (place < 0 || value > values[place]!)) place = at;
  });
  return place;
}

/** The sentence of another text with `count` sentences that stands where this one stands in its own of `ownCount`. */
export function samePlace(place: number, ownCount: number, count: number): number {
  if (ownCount === count || ownCount < 2) return Math.min(place, count - 1);
  return Math.round((place * (count - 1)) / (ownCount - 1));
}
