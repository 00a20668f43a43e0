/** Computes recall, rank, quotes and abstention of one search engine over the languages. */
import type { Baseline, Finding, Span } from './baselines.ts';
import type { Language, Question, Split } from './xquad.ts';

/** The outcome of one question, with its article in the corpus and without it. */
export type Outcome = {
  locale: string;
  split: Split;
  /** Rank of the article, from 1; 0 if it is not in the first ten. */
  rank: number;
  goldQuoted: boolean;
  quotedCharacters: number;
  confidence: number;
  confidenceWithout: number;
};

export type Row = {
  recallAt1: number;
  recallAt5: number;
  mrrAt10: number;
  ndcgAt10: number;
  goldInTwoSentences: number;
  quotedCharacters: number;
  answerableKept: number;
  unanswerableAnswered: number;
};

/** Asks every n-th question of each language, with n = `step`. */
export async function measureOutcomes(
  baseline: Baseline,
  { locale, articles, questions }: Language,
  step: number,
): Promise<Outcome[]> {
  const index = baseline.open(locale, articles);
  const outcomes: Outcome[] = [];
  try {
    for (const article of articles) {
      const articleQuestions = questions.filter(
        ({ articleId }, at) => articleId === article.id && at % step === 0,
      );
      const findings: Finding[] = [];
      for (const { text } of articleQuestions) findings.push(await index.search(text));
      index.remove(article);
      for (const [at, question] of articleQuestions.entries()) {
        const resultWithout = await index.search(question.text);
        outcomes.push(toOutcome(locale, question, findings[at]!, resultWithout.confidence));
      }
      index.restore(article);
    }
  } finally {
    index.close();
  }
  return outcomes;
}

function toOutcome(locale: string, question: Question, finding: Finding, confidenceWithout: number): Outcome {
  const { articleIds, quoted, confidence } = finding;
  return {
    locale,
    split: question.split,
    rank: articleIds.indexOf(question.articleId) + 1,
    goldQuoted: articleIds[0] === question.articleId && containsGold(quoted, question),
    quotedCharacters: quoted.reduce((sum, { start, end }) => sum + end - start, 0),
    confidence,
    confidenceWithout,
  };
}

/** Whether a quote, or two adjacent ones, contain the gold answer at its position. */
function containsGold(quoted: readonly Span[], { goldStart, goldEnd }: Question): boolean {
  const inOrder = [...quoted].sort((a, b) => a.start - b.start);
  const [first, second] = inOrder;
  const adjoining = first && second && second.start - first.end <= 1;
  const spans = adjoining ? [{ start: first.start, end: second.end }] : inOrder;
  return spans.some(({ start, end }) => start <= goldStart && goldEnd <= end);
}

/** The threshold that keeps 90 % of the answerable questions over all languages. */
export function findThresholdFor90(outcomes: readonly Outcome[]): number {
  const confidences = outcomes.map(({ confidence }) => confidence).sort((a, b) => a - b);
  return confidences[Math.floor(confidences.length * 0.1)] ?? 0;
}

export function toRow(outcomes: readonly Outcome[], threshold: number): Row {
  const percent = (value: (outcome: Outcome) => number) =>
    (100 * outcomes.reduce((sum, outcome) => sum + value(outcome), 0)) / outcomes.length;
  return {
    recallAt1: percent(({ rank }) => (rank === 1 ? 1 : 0)),
    recallAt5: percent(({ rank }) => (rank >= 1 && rank <= 5 ? 1 : 0)),
    mrrAt10: percent(({ rank }) => (rank ? 1 / rank : 0)),
    ndcgAt10: percent(({ rank }) => (rank ? 1 / Math.log2(rank + 1) : 0)),
    goldInTwoSentences: percent(({ goldQuoted }) => (goldQuoted ? 1 : 0)),
    quotedCharacters: percent(({ quotedCharacters }) => quotedCharacters) / 100,
    answerableKept: percent(({ confidence }) => (confidence >= threshold ? 1 : 0)),
    unanswerableAnswered: percent(({ confidenceWithout }) => (confidenceWithout >= threshold ? 1 : 0)),
  };
}

/** Averages rows; each language has the same weight. */
export function averageRows(rows: readonly Row[]): Row {
  const names = Object.keys(rows[0]!) as (keyof Row)[];
  return Object.fromEntries(
    names.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0) / rows.length]),
  ) as Row;
}
