import type { Folded } from './chunks.ts';
import { type Matches, matchesOf, type Probe, probeFor, type QueryWord } from './match.ts';

/**
 * Scores candidates against a question. Every part of a score is a share of what the whole question is worth, so that
 * scores compare between questions, languages and partitions of any size.
 */

/** Lengths that are usual in a partition. */
export interface Usual {
  readonly windowWords: number;
  readonly windowGrams: number;
  readonly sentenceWords: number;
  readonly sentenceGrams: number;
}

/** The question, ready to be compared: what each term is worth, and what all words and all grams are worth. */
export interface Scale {
  readonly probe: Probe;
  readonly worth: Float64Array;
  readonly wordsWorth: number;
  readonly gramsWorth: number;
  readonly usual: Usual;
}

export interface Scored {
  /** The candidate's place in the list that was given. */
  readonly candidate: number;
  /** 0..1 */
  readonly score: number;
  /** How much of the question one sentence alone speaks of, 0..1. */
  readonly covered: number;
  /** How well the best label fits, 0..1. */
  readonly label: number;
  readonly matches: Matches;
}

export interface Ranking {
  /** Best first. */
  readonly scored: readonly Scored[];
  readonly scale: Scale;
}

/** How a text without the term pushes its worth: rare terms tell most. */
export function rarity(texts: number, withTerm: number): number {
  return Math.log(1 + (texts - withTerm + 0.5) / (withTerm + 0.5));
}

/**
 * @param asked the question's words with the rarity of each in the partition
 * @param candidates window and labels (title first) of each
 */
export function rank(
  asked: readonly { readonly word: QueryWord; readonly rarity: number }[],
  candidates: readonly { readonly window: Folded; readonly titles: Folded }[],
  usual: Usual,
): Ranking {
  const probe = probeFor(asked.map(({ word }) => word));
  const found = candidates.map(({ window, titles }) => ({
    window: matchesOf(window, probe),
    titles: matchesOf(titles, probe),
  }));
  const scale = scaleOf(
    probe,
    asked.map((one) => one.rarity),
    found.map(({ window }) => window),
    usual,
  );
  const scored = found.map(({ window, titles }, candidate) => score(candidate, window, titles, scale));
  return { scored: scored.sort((a, b) => b.score - a.score), scale };
}

/** Grams are counted in the candidates alone: a table of all grams would hardly rank better and cost the most room. */
function scaleOf(probe: Probe, rarities: readonly number[], chunks: readonly Matches[], usual: Usual): Scale {
  const chunksWith = new Uint32Array(probe.terms);
  const lastSeen = new Int32Array(probe.terms).fill(-1);
  chunks.forEach(({ hits }, at) => {
    for (const term of hits) {
      if (lastSeen[term] !== at) chunksWith[term]! += 1;
      lastSeen[term] = at;
    }
  });
  const worth = new Float64Array(probe.terms);
  let wordsWorth = 0;
  let gramsWorth = 0;
  for (let term = 0; term < probe.terms; term += 1) {
    if (term < probe.words) {
      worth[term] = rarities[term]!;
      wordsWorth += worth[term]!;
    } else {
      worth[term] = rarity(chunks.length, chunksWith[term]!);
      gramsWorth += worth[term]!;
    }
  }
  return { probe, worth, wordsWorth: wordsWorth || 1, gramsWorth: gramsWorth || 1, usual };
}

const wordWeight = 0.5;
const gramWeight = 1;
const passageSizes = [1, 2, 3];
const passageWeight = 0.4;
const coveredWeight = 0.1;
/** What all parts of a perfect text add up to. */
const partsTotal = (wordWeight + gramWeight) * (1 + passageSizes.length * passageWeight) + coveredWeight;
const usualLabelWords = 6;
const usualLabelGrams = 30;

/** The whole window, its best run of one, two and three sentences, and its best label. */
function score(candidate: number, window: Matches, titles: Matches, scale: Scale): Scored {
  const { usual } = scale;
  const sentences = window.hitEnds.length;
  let sum = share(window, 0, sentences, usual.windowWords, usual.windowGrams, scale);
  for (const size of passageSizes) {
    let best = 0;
    for (let from = 0; from < sentences; from += 1) {
      const to = Math.min(sentences, from + size);
      const part = share(window, from, to, usual.sentenceWords * size, usual.sentenceGrams * size, scale);
      if (part > best) best = part;
    }
    sum += passageWeight * best;
  }
  const covered = Math.max(0, ...wordsCovered(window, scale).map((words) => worthOf(words, scale)));
  const text = (sum + coveredWeight * covered) / partsTotal;
  const label = bestLabel(titles, scale);
  return { candidate, score: 1 - (1 - text) * (1 - label), covered, label, matches: window };
}

/** A label that the question repeats whole is worth twice one of which it shares a little. */
function bestLabel(titles: Matches, scale: Scale): number {
  let best = 0;
  for (let at = 0; at < titles.hitEnds.length; at += 1) {
    const asked = share(titles, at, at + 1, usualLabelWords, usualLabelGrams, scale);
    const one = asked * (0.5 + 0.5 * partAsked(titles, at, scale));
    if (one > best) best = one;
  }
  return best / (wordWeight + gramWeight);
}

/** The part of a label's grams that the question holds. */
function partAsked(titles: Matches, at: number, { probe }: Scale): number {
  const ngrams = new Set<number>();
  for (let hit = at > 0 ? titles.hitEnds[at - 1]! : 0; hit < titles.hitEnds[at]!; hit += 1) {
    if (titles.hits[hit]! >= probe.words) ngrams.add(titles.hits[hit]!);
  }
  return Math.min(1, ngrams.size / (titles.ngrams[at]! || 1));
}

/** A repeated term adds less each time, a long text needs more repetition: BM25 with full length normalisation. */
const saturation = 0.6;

/** Words and grams of sentences [from, to), as weighted shares of the question's worth. */
export function share(
  matches: Matches,
  from: number,
  to: number,
  defaultWords: number,
  usualGrams: number,
  scale: Scale,
): number {
  let words = 0;
  let ngrams = 0;
  for (let at = from; at < to; at += 1) {
    words += matches.words[at]!;
    ngrams += matches.ngrams[at]!;
  }
  const wordBar = (saturation * words) / (defaultWords || 1);
  const gramBar = (saturation * ngrams) / (usualGrams || 1);
  const { counts, touched } = occurrences(matches, from, to, scale.probe.terms);
  let wordSum = 0;
  let gramSum = 0;
  for (const term of touched) {
    const count = counts[term]!;
    counts[term] = 0;
    if (term < scale.probe.words) wordSum += (scale.worth[term]! * count) / (count + wordBar);
    else gramSum += (scale.worth[term]! * count) / (count + gramBar);
  }
  touched.length = 0;
  return (wordWeight * wordSum) / scale.wordsWorth + (gramWeight * gramSum) / scale.gramsWorth;
}

/** One set of counters for all calls: `share` leaves them at zero. */
let counters = new Uint16Array(1_024);
const touchedTerms: number[] = [];

function occurrences(matches: Matches, from: number, to: number, terms: number) {
  if (counters.length < terms) counters = new Uint16Array(terms * 2);
  const stop = to > 0 ? matches.hitEnds[to - 1]! : 0;
  for (let at = from > 0 ? matches.hitEnds[from - 1]! : 0; at < stop; at += 1) {
    const term = matches.hits[at]!;
    if (counters[term] === 0) touchedTerms.push(term);
    counters[term]! += 1;
  }
  return { counts: counters, touched: touchedTerms };
}

/** Words that have nothing to do with each other share this part of their grams now and then. */
const chancePart = 0.2;

/** Per sentence and word of the question: 1 where the word stands, else by the part of its grams that do. */
export function wordsCovered(matches: Matches, scale: Scale): Float64Array[] {
  const { probe } = scale;
  const seen = new Int32Array(probe.terms).fill(-1);
  const all: Float64Array[] = [];
  let from = 0;
  for (let sentence = 0; sentence < matches.hitEnds.length; sentence += 1) {
    const to = matches.hitEnds[sentence]!;
    for (let at = from; at < to; at += 1) seen[matches.hits[at]!] = sentence;
    from = to;
    const covered = new Float64Array(probe.words);
    for (let word = 0; word < probe.words; word += 1) {
      covered[word] = seen[word] === sentence ? 1 : partSeen(probe.gramsOf[word]!, seen, sentence);
    }
    all.push(covered);
  }
  return all;
}

function partSeen(ngrams: readonly number[], seen: Int32Array, sentence: number): number {
  if (ngrams.length === 0) return 0;
  let count = 0;
  for (const gram of ngrams) if (seen[gram] === sentence) count += 1;
  return Math.max(0, count / ngrams.length - chancePart) / (1 - chancePart);
}

/** The part of all words' worth that the coverage amounts to, 0..1. */
export function worthOf(covered: ArrayLike<number>, scale: Scale): number {
  let sum = 0;
  for (let word = 0; word < scale.probe.words; word += 1) sum += covered[word]! * scale.worth[word]!;
  return sum / scale.wordsWorth;
}

/** Which sentences of an answer to quote. */

const coverageWeight = 0.5;
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
      coverageWeight * worthOf(words, scale),
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
