/** What speaks for each part of an article: the scores of its sentences, and what its names have in common with the question. */
import { findPart, parseStructure, type Structure } from './blocks.ts';
import type { Span } from './lines.ts';
import { type Asks, classifyQuestion, createNameMatcher, type Match } from './question.ts';

export type QuoteRequest = {
  readonly title: string;
  readonly answer: string;
  /** In the order of the text; of the part of the article that was searched. */
  readonly sentences: readonly Span[];
  /** How well each sentence answers the question, 0 or more. */
  readonly scores: readonly number[];
  readonly question: string;
  readonly locale: string;
};

export type Evidence = {
  readonly structure: Structure;
  readonly asks: Asks;
  readonly title: Match;
  /** By the index of a heading's unit: how much it has in common with the question. */
  readonly headings: ReadonlyMap<number, number>;
  readonly sentences: readonly Span[];
  readonly scores: readonly number[];
};

const SECTIONS_MATCHED_MAX = 60;

export function gatherEvidence(request: QuoteRequest): Evidence {
  const { title, answer, question, locale } = request;
  const best = findBest(request.scores, 0, request.sentences.length);
  const part = findPart(answer, request.sentences[best]?.start ?? 0);
  const isInside = ({ start, end }: Span) => start >= part.start && end <= part.end;
  const sentences = request.sentences.filter(isInside);
  const scores = request.scores.filter((_, index) => isInside(request.sentences[index]!));
  const structure = parseStructure(answer, title, part);
  const match = createNameMatcher(question, locale);
  const headings = new Map<number, number>();
  for (const { heading } of structure.sections.slice(0, SECTIONS_MATCHED_MAX)) {
    if (heading === undefined) continue;
    const { wordsStart, end } = structure.units[heading]!;
    headings.set(heading, match(answer.slice(wordsStart, end)).overlap);
  }
  return { structure, asks: classifyQuestion(question), title: match(title), headings, sentences, scores };
}

/** The index of the highest score in [from, to), the first of equals. */
export function findBest(scores: ArrayLike<number>, from: number, to: number): number {
  let best = from;
  for (let at = from + 1; at < to; at += 1) if (scores[at]! > scores[best]!) best = at;
  return best;
}
