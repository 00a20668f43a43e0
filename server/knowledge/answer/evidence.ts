/** What speaks for each part of an article: the scores of its sentences, and what its names have in common with the question. */
import { parseStructure, type Structure } from './blocks.ts';
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

export function gatherEvidence({
  title,
  answer,
  sentences,
  scores,
  question,
  locale,
}: QuoteRequest): Evidence {
  const structure = parseStructure(answer, title);
  const match = createNameMatcher(question, locale);
  const headings = new Map<number, number>();
  for (const { heading } of structure.sections.slice(0, SECTIONS_MATCHED_MAX)) {
    if (heading === undefined) continue;
    const { wordsStart, end } = structure.units[heading]!;
    headings.set(heading, match(answer.slice(wordsStart, end)).overlap);
  }
  return { structure, asks: classifyQuestion(question), title: match(title), headings, sentences, scores };
}
