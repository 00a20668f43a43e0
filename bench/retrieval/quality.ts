/** Computes recall, rank, quotes and abstention of one search engine over the languages. */
import type { Contender, Finding, Span } from './baselines.ts';
import type { Language, Question, Split } from './xquad.ts';

/** The outcome of one question, with its article in the corpus and without it. */
export type Outcome = {
  readonly locale: string;
  readonly split: Split;
  /** 1 for the first place; 0 when the article is not among the first ten. */
  readonly place: number;
  readonly goldQuoted: boolean;
  readonly quotedCharacters: number;
  readonly confidence: number;
  readonly confidenceWithout: number;
};

export type Row = {
  readonly recallAt1: number;
  readonly recallAt5: number;
  readonly mrrAt10: number;
  readonly ndcgAt10: number;
  readonly goldInTwoSentences: number;
  readonly quotedCharacters: number;
  readonly answerableKept: number;
  readonly unanswerableAnswered: number;
};

/** A question in `every` is asked of each language: 1 asks all. */
export async function outcomesOf(
  contender: Contender,
  { locale, articles, questions }: Language,
  every: number,
): Promise<Outcome[]> {
  const shelved = contender.open(locale, articles);
  const outcomes: Outcome[] = [];
  try {
    for (const article of articles) {
      const own = questions.filter(({ articleId }, at) => articleId === article.id && at % every === 0);
      const present: Finding[] = [];
      for (const { text } of own) present.push(await shelved.search(text));
      shelved.remove(article);
      for (const [at, question] of own.entries()) {
        const without = await shelved.search(question.text);
        outcomes.push(outcome(locale, question, present[at]!, without.confidence));
      }
      shelved.restore(article);
    }
  } finally {
    shelved.close();
  }
  return outcomes;
}

function outcome(locale: string, question: Question, finding: Finding, confidenceWithout: number): Outcome {
  const { articleIds, quoted, confidence } = finding;
  return {
    locale,
    split: question.split,
    place: articleIds.indexOf(question.articleId) + 1,
    goldQuoted: articleIds[0] === question.articleId && holds(quoted, question),
    quotedCharacters: quoted.reduce((sum, { start, end }) => sum + end - start, 0),
    confidence,
    confidenceWithout,
  };
}

/** The gold answer at its own place: in one quote, or across two that follow each other. */
function holds(quoted: readonly Span[], { goldStart, goldEnd }: Question): boolean {
  const inOrder = [...quoted].sort((a, b) => a.start - b.start);
  const [first, second] = inOrder;
  const adjoining = first && second && second.start - first.end <= 1;
  const spans = adjoining ? [{ start: first.start, end: second.end }] : inOrder;
  return spans.some(({ start, end }) => start <= goldStart && goldEnd <= end);
}

/** The threshold that keeps 90 of 100 answerable questions, whatever their language. */
export function thresholdFor90(outcomes: readonly Outcome[]): number {
  const kept = outcomes.map(({ confidence }) => confidence).sort((a, b) => a - b);
  return kept[Math.floor(kept.length * 0.1)] ?? 0;
}

export function rowOf(outcomes: readonly Outcome[], threshold: number): Row {
  const percent = (value: (outcome: Outcome) => number) =>
    (100 * outcomes.reduce((sum, one) => sum + value(one), 0)) / outcomes.length;
  return {
    recallAt1: percent(({ place }) => (place === 1 ? 1 : 0)),
    recallAt5: percent(({ place }) => (place >= 1 && place <= 5 ? 1 : 0)),
    mrrAt10: percent(({ place }) => (place ? 1 / place : 0)),
    ndcgAt10: percent(({ place }) => (place ? 1 / Math.log2(place + 1) : 0)),
    goldInTwoSentences: percent(({ goldQuoted }) => (goldQuoted ? 1 : 0)),
    quotedCharacters: percent(({ quotedCharacters }) => quotedCharacters) / 100,
    answerableKept: percent(({ confidence }) => (confidence >= threshold ? 1 : 0)),
    unanswerableAnswered: percent(({ confidenceWithout }) => (confidenceWithout >= threshold ? 1 : 0)),
  };
}

/** Languages weigh equally. */
export function meanOf(rows: readonly Row[]): Row {
  const names = Object.keys(rows[0]!) as (keyof Row)[];
  return Object.fromEntries(
    names.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0) / rows.length]),
  ) as Row;
}
