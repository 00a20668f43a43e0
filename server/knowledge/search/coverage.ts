/** How much of a question's words a text contains. */
import type { Matches, QueryTerms } from './match.ts';

/** By word: 1 where it occurs, else by an alternative that occurs or by the share of its n-grams. */
export type WordCoverage = Float64Array;

/** Unrelated words share about this many of their n-grams by coincidence. */
const CHANCE_OVERLAP = 0.2;

/** Coverage of each question word in each sentence. */
export function coverWords(matches: Matches, terms: QueryTerms): WordCoverage[] {
  const seen = new Int32Array(terms.termCount).fill(-1);
  const all: WordCoverage[] = [];
  let from = 0;
  for (let sentence = 0; sentence < matches.hitEnds.length; sentence += 1) {
    const coverage = new Float64Array(terms.wordCount);
    const to = matches.hitEnds[sentence]!;
    for (let at = from; at < to; at += 1) {
      const term = matches.hits[at]!;
      seen[term] = sentence;
      if (term >= terms.ngramsFrom) continue;
      const word = terms.wordOf[term]!;
      coverage[word] = Math.max(coverage[word]!, terms.shareOf[term]!);
    }
    from = to;
    for (let word = 0; word < terms.wordCount; word += 1) {
      if (coverage[word] === 1) continue;
      const share = getNgramCoverage(terms.ngramsByWord[word]!, seen, sentence);
      if (share > coverage[word]!) coverage[word] = share;
    }
    all.push(coverage);
  }
  return all;
}

function getNgramCoverage(ngrams: readonly number[], seen: Int32Array, sentence: number): number {
  if (ngrams.length === 0) return 0;
  let count = 0;
  for (const ngram of ngrams) if (seen[ngram] === sentence) count += 1;
  return Math.max(0, count / ngrams.length - CHANCE_OVERLAP) / (1 - CHANCE_OVERLAP);
}

/** Share of the question's word weight that is covered, 0..1. */
export function weighCoverage(
  coverage: WordCoverage,
  query: { readonly weights: Float64Array; readonly wordsWeight: number },
): number {
  let sum = 0;
  for (let word = 0; word < coverage.length; word += 1) sum += coverage[word]! * query.weights[word]!;
  return sum / query.wordsWeight;
}

export interface Coverage {
  /** Share of the question that the title and the whole chunk contain, 0..1. */
  readonly chunk: number;
  /** Share of the question that the title contains, 0..1. */
  readonly title: number;
}

type ScoredText = { readonly matches: Matches; readonly titleMatches: Matches; readonly title: number };

export function measureCoverage(
  { matches, titleMatches, title }: ScoredText,
  query: { readonly terms: QueryTerms; readonly weights: Float64Array; readonly wordsWeight: number },
): Coverage {
  const named = coverWords(titleMatches, query.terms)[title] ?? new Float64Array(query.terms.wordCount);
  return {
    chunk: weighCoverage(coverWords(matches, query.terms).reduce(joinCoverage, named), query),
    title: weighCoverage(named, query),
  };
}

function joinCoverage(a: WordCoverage, b: WordCoverage): WordCoverage {
  return a.map((part, word) => Math.max(part, b[word]!));
}
