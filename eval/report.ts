/** Tables of the turns' scores. */
import type { AnsweredMessage } from './answer-language.ts';
import { SMALL_CORPORA } from './corpora.ts';
import type { TurnScore } from './score.ts';
import { CATEGORIES, WITHOUT_ARTICLE } from './turns.ts';

type Rates = {
  n: number;
  /** Turns with a right answer; in categories without an answering article, turns without a citation. */
  right: number;
  wrong: number;
  refused: number;
};

export function sumOutcomes(scores: readonly TurnScore[]): Rates {
  const graded = scores.filter(({ outcome }) => outcome !== 'ungraded');
  const isRight = ({ outcome, turn }: TurnScore) =>
    WITHOUT_ARTICLE.includes(turn.category) ? outcome === 'refused' : outcome === 'right';
  const right = graded.filter(isRight).length;
  const wrong = graded.filter(({ outcome }) => outcome === 'wrong').length;
  return { n: graded.length, right, wrong, refused: graded.length - right - wrong };
}

type Procedures = {
  n: number;
  firstStep: number;
  halfOfSteps: number;
  meanChars: number;
  /** Lead-ins without what follows them, over all categories. */
  leadIns: number;
};

export function sumProcedures(scores: readonly TurnScore[]): Procedures {
  const procedures = scores.flatMap(({ procedure }) => procedure ?? []);
  return {
    n: procedures.length,
    firstStep: procedures.filter(({ firstStep }) => firstStep).length,
    halfOfSteps: procedures.filter(({ stepsShare }) => stepsShare >= 0.5).length,
    meanChars: mean(procedures.map(({ chars }) => chars)),
    leadIns: scores.reduce((sum, { leadIns }) => sum + leadIns, 0),
  };
}

type SmallTalk = { n: number; uncited: number; ownReply: number };

/** Counts replies to small talk, which are texts without a citation. */
export function sumSmallTalk(scores: readonly TurnScore[]): SmallTalk {
  const smallTalk = scores.filter(({ turn }) => turn.category === 'small-talk');
  const uncited = smallTalk.filter(({ cited }) => cited.length === 0);
  const withOwnReply = uncited.filter(({ finish, text }) => finish === 'stop' && text.trim() !== '');
  return { n: smallTalk.length, uncited: uncited.length, ownReply: withOwnReply.length };
}

type PageTargets = {
  n: number;
  right: number;
  /** Turns on a page where the guide should point at nothing. */
  without: number;
  falseHighlights: number;
};

export function sumPageTargets(scores: readonly TurnScore[]): PageTargets {
  const onPage = scores.filter(({ turn }) => turn.page !== undefined);
  const withTarget = onPage.filter(({ turn }) => turn.target !== undefined);
  const without = onPage.filter(({ turn }) => turn.target === undefined);
  const isRight = ({ turn, pointedAt }: TurnScore) =>
    pointedAt.length > 0 && pointedAt.every((id) => id === turn.target);
  return {
    n: withTarget.length,
    right: withTarget.filter(isRight).length,
    without: without.length,
    falseHighlights: without.filter(({ pointedAt }) => pointedAt.length > 0).length,
  };
}

export type Recall = { n: number; at1: number; at5: number };

export function sumRecall(scores: readonly TurnScore[]): Recall {
  const withGold = scores.filter(({ turn }) => turn.gold);
  const isFoundIn = (limit: number) => (score: TurnScore) =>
    score.found.slice(0, limit).some((slug) => score.turn.gold?.includes(slug));
  return {
    n: withGold.length,
    at1: withGold.filter(isFoundIn(1)).length,
    at5: withGold.filter(isFoundIn(5)).length,
  };
}

const BINS = 10;

/**
 * Expected calibration error of `answer_confidence`: its mean distance from the share of right answers. Without a citation, an answer counts as
 * right if the first article found answers the question; follow-ups without one are left out, because search does not know the conversation. Small
 * talk has no confidence.
 */
export function computeCalibrationError(scores: readonly TurnScore[]): { n: number; error: number } {
  const examples = scores
    .filter(({ turn, outcome }) => outcome !== 'ungraded' && turn.category !== 'small-talk')
    .filter(({ turn, outcome }) => outcome !== 'refused' || turn.category !== 'follow-up')
    .map(({ turn, outcome, confidence, found }) => {
      const wouldBeRight = found[0] !== undefined && (turn.gold?.includes(found[0]) ?? false);
      return { confidence, right: outcome === 'refused' ? wouldBeRight : outcome === 'right' };
    });
  const bins = Map.groupBy(examples, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  const gaps = [...bins.values()].map((bin) => {
    const right = bin.filter((example) => example.right).length;
    return Math.abs(right - bin.reduce((sum, { confidence }) => sum + confidence, 0));
  });
  return { n: examples.length, error: gaps.reduce((sum, gap) => sum + gap, 0) / (examples.length || 1) };
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

type Row = readonly (string | number)[];

export function formatReport(scores: readonly TurnScore[]): string {
  const parts = [
    formatRows(['category', 'n', 'right %', 'wrong %', 'refused %'], countOutcomesBy(scores, byCategory)),
    formatRows(['corpus', 'n', 'right %', 'wrong %', 'refused %'], countOutcomesBy(scores, byCorpus)),
    formatUntranslated(scores),
    formatRows(
      ['search', 'n', 'R@1 %', 'R@5 %'],
      groupBy(scores, byCategory).flatMap(([category, group]) => {
        const { n, at1, at5 } = sumRecall(group);
        return n === 0 ? [] : [[category, n, percent(at1, n), percent(at5, n)]];
      }),
    ),
    formatSent(scores),
    formatFigures(scores),
    formatRows(
      ['reliability of answer_confidence', 'n', 'calibration error'],
      [...groupBy(scores, byCorpus), ['all', scores] as const].map(([corpus, group]) => {
        const { n, error } = computeCalibrationError(group);
        return [corpus, n, error.toFixed(3)];
      }),
    ),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

const byCategory = ({ turn }: TurnScore) => turn.category;
const byCorpus = ({ corpus }: TurnScore) => corpus;

function groupBy(
  scores: readonly TurnScore[],
  getKey: (score: TurnScore) => string,
): [string, TurnScore[]][] {
  const order: readonly string[] = CATEGORIES;
  return [...Map.groupBy(scores, getKey)].sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

function countOutcomesBy(scores: readonly TurnScore[], getKey: (score: TurnScore) => string): Row[] {
  const groups = groupBy(scores, getKey);
  const answerable = scores.filter(({ turn }) => turn.gold);
  return [
    ...groups,
    ...(getKey === byCategory ? [['all that an article answers', answerable] as const] : []),
  ].flatMap(([name, group]) => {
    const { n, right, wrong, refused } = sumOutcomes(group);
    if (n === 0) return [];
    const isWithoutArticle = WITHOUT_ARTICLE.includes(name);
    return [[name, n, percent(right, n), percent(wrong, n), isWithoutArticle ? '' : percent(refused, n)]];
  });
}

/** Formats the turns in a language that the answering article is not translated to. */
function formatUntranslated(scores: readonly TurnScore[]): string {
  const untranslated = scores.filter(({ turn }) => turn.category === 'untranslated');
  if (untranslated.length === 0) return '';
  const isSmall = ({ corpus }: TurnScore) => SMALL_CORPORA.some((name) => name === corpus);
  const rows = countOutcomesBy(
    untranslated,
    (score) => `${isSmall(score) ? 'small workspaces' : score.corpus} ${score.locale}`,
  );
  return formatRows(['untranslated', 'n', 'right %', 'wrong %', 'refused %'], rows);
}

function formatSent(scores: readonly TurnScore[]): string {
  const recorded = scores.filter(({ goldSent }) => goldSent !== undefined);
  if (recorded.length === 0) return '';
  return formatRows(
    ['sent to the model', 'n', 'an article that answers %'],
    groupBy(recorded, byCategory).map(([category, group]) => {
      const sent = group.filter(({ goldSent }) => goldSent);
      return [category, group.length, percent(sent.length, group.length)];
    }),
  );
}

function formatFigures(scores: readonly TurnScore[]): string {
  const procedures = sumProcedures(scores);
  const smallTalk = sumSmallTalk(scores);
  const page = sumPageTargets(scores);
  const second = scores.filter(({ both }) => both !== undefined);
  const share = (part: number, n: number) => (n === 0 ? '-' : `${part} of ${n} (${percent(part, n)} %)`);
  return formatRows(
    ['figure', 'value'],
    [
      ['procedures: first step quoted', share(procedures.firstStep, procedures.n)],
      ['procedures: at least half of the steps', share(procedures.halfOfSteps, procedures.n)],
      ['procedures: mean length, characters', Math.round(procedures.meanChars)],
      ['lead-ins without what they announce, all turns', procedures.leadIns],
      ['small talk: without a citation', share(smallTalk.uncited, smallTalk.n)],
      ['small talk: reply of its own', share(smallTalk.ownReply, smallTalk.n)],
      ['two questions: both answered', share(second.filter(({ both }) => both).length, second.length)],
      ['page: target right', share(page.right, page.n)],
      ['page: false highlights', share(page.falseHighlights, page.without)],
    ],
  );
}

/** Formats how many short messages in a browser that prefers English are answered in their own language. */
export function formatAnswerLanguages(answered: readonly AnsweredMessage[]): string {
  const isSameLanguage = ({ language, answeredIn }: AnsweredMessage) => answeredIn.includes(language);
  const count = (name: string, group: readonly AnsweredMessage[]) => [
    name,
    group.length,
    group.filter(isSameLanguage).length,
  ];
  const isEnglish = ({ language }: AnsweredMessage) => language === 'en';
  return formatRows(
    ['messages in an English browser', 'n', 'answered in their language'],
    [
      count('in English', answered.filter(isEnglish)),
      count(
        'in other languages',
        answered.filter((one) => !isEnglish(one)),
      ),
    ],
  );
}

/** Lists the turns that went wrong, with what was cited. */
export function formatFailures(scores: readonly TurnScore[]): string {
  return scores
    .flatMap((score) => {
      const problems = findProblems(score);
      if (problems.length === 0) return [];
      const { corpus, half, locale, turn, cited, found, finish, confidence, text } = score;
      return [
        [
          `${turn.category} · ${corpus} ${locale} ${half} · ${turn.asks}`,
          `  ${problems.join(', ')}; ${finish}, confidence ${confidence.toFixed(2)}`,
          `  wanted ${[...(turn.gold ?? ['no article']), ...(turn.goldOfSecond ?? [])].join(' ')}${turn.target ? `, target ${turn.target}` : ''}`,
          ...[...new Set(cited.map(({ slug }) => slug))].map((slug) => `  cited ${slug}`),
          `  found ${found.join(' ')}`,
          `  ${text.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
        ].join('\n'),
      ];
    })
    .join('\n\n');
}

function findProblems(score: TurnScore): string[] {
  const { turn, outcome, leadIns, procedure, both, pointedAt } = score;
  const isWithoutArticle = WITHOUT_ARTICLE.includes(turn.category);
  const { ownReply } = sumSmallTalk([score]);
  return [
    ...(outcome === 'wrong' ? ['wrong'] : []),
    ...(outcome === 'refused' && !isWithoutArticle ? ['refused'] : []),
    ...(turn.category === 'small-talk' && outcome === 'refused' && ownReply === 0
      ? ['no reply of its own']
      : []),
    ...(leadIns > 0 ? ['lead-in'] : []),
    ...(procedure && !procedure.firstStep ? ['first step missing'] : []),
    ...(procedure && procedure.stepsShare < 0.5 ? ['most steps missing'] : []),
    ...(both === false ? ['one question of two'] : []),
    ...(turn.page !== undefined && pointedAt.some((id) => id !== turn.target)
      ? [`pointed at ${pointedAt.join(' ')}`]
      : []),
    ...(turn.target !== undefined && pointedAt.length === 0 ? ['pointed at nothing'] : []),
  ];
}

function percent(part: number, total: number): string {
  return ((100 * part) / total).toFixed(0);
}

function formatRows(head: Row, rows: readonly Row[]): string {
  const all = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, at) => Math.max(...all.map((row) => [...(row[at] ?? '')].length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd();
  const [title, ...body] = all.map(line);
  return [title, widths.map((width) => '-'.repeat(width)).join('  '), ...body].join('\n');
}
