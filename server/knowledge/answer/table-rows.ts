/** Chooses the rows of a table that a question names. */
import { getQueryWords } from '../search/match.ts';
import { hashNgrams } from '../search/tokenize.ts';
import { type Span, splitLines } from './lines.ts';

type Table = {
  /** The names of the columns with the rule below them, if the table has them. */
  head: Span | undefined;
  rows: readonly Span[];
};

/** Rows that a question names: their indices, and how many rows the table has. */
export type NamedRows = { named: readonly number[]; of: number };

const RULE = /^\|(?:\s*:?-+:?\s*\|)+$/;

export function readTable(answer: string, { start, end }: Span): Table {
  const lines = splitLines(answer.slice(0, end), start).filter((line) => line.end > line.start);
  const [first, second] = lines;
  const hasHead = second !== undefined && RULE.test(answer.slice(second.start, second.end));
  return {
    head: hasHead ? { start: first!.start, end: second.end } : undefined,
    rows: hasHead ? lines.slice(2) : lines,
  };
}

/** Share of a word's letter n-grams from which a row has the word, in one of its forms. */
const SHARED_MIN = 0.6;
/** Rows below this share of the best score are not named by the question. */
const SCORE_SHARE_MIN = 0.8;
/** A question that fits more of the rows is about the table. */
const NAMED_SHARE_MAX = 1 / 3;

/** Finds the few rows that have words of the question that other rows lack; none if it names no row. */
export function findNamedRows(answer: string, { rows }: Table, question: string, locale: string): NamedRows {
  const terms = rows.map(({ start, end }) => hashNgrams(answer.slice(start, end), locale));
  const scores = rows.map(() => 0);
  for (const { ngrams, isFunction } of getQueryWords(question, locale)) {
    if (isFunction || ngrams.length === 0) continue;
    const shares = terms.map((row) => [...ngrams].filter((ngram) => row.has(ngram)).length / ngrams.length);
    const having = shares.filter((share) => share >= SHARED_MIN).length;
    shares.forEach((share, row) => {
      if (share >= SHARED_MIN) scores[row]! += share * Math.log(rows.length / having);
    });
  }
  const best = Math.max(...scores);
  const named = scores.flatMap((score, row) => (score > 0 && score >= SCORE_SHARE_MIN * best ? [row] : []));
  const isFew = named.length <= Math.max(1, rows.length * NAMED_SHARE_MAX);
  return { named: isFew ? named : [], of: rows.length };
}
