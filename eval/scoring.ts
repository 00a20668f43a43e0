import type { ChatEvent } from '../contract/chat-event.ts';
import type { Conversation, Turn } from './conversations.ts';
import { detectLanguage } from './language.ts';

/** The result of a turn, compared with the expected behaviour. */
export type TurnScore = {
  readonly about: Conversation['about'];
  readonly locale: string;
  readonly asks: string;
  /** Whether it answered; undefined if no article answers the question. */
  readonly answered: boolean | undefined;
  /** Whether it cited only articles that answer the question, and at least one. */
  readonly citedCorrectly: boolean | undefined;
  readonly declinedCorrectly: boolean | undefined;
  readonly languageCorrect: boolean;
  readonly finish: string;
  readonly cited: readonly string[];
  readonly text: string;
};

export function scoreTurn(
  { about, locale }: Conversation,
  turn: Turn,
  events: readonly ChatEvent[],
  getSlug: (articleId: string) => string,
): TurnScore {
  const text = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
  const cited = events.flatMap((event) => (event.type === 'citation' ? [getSlug(event.article_id)] : []));
  const last = events.at(-1);
  const finish =
    last?.type === 'message_end' ? last.finish_reason : `error ${last?.type === 'error' ? last.code : ''}`;
  const hasAnswer = text !== '' && (finish === 'stop' || finish === 'length');
  const { from } = turn;
  return {
    ...{ about, locale, finish, cited, text },
    asks: turn.asks,
    answered: from ? hasAnswer : undefined,
    citedCorrectly: from ? cited.length > 0 && cited.every((slug) => from.includes(slug)) : undefined,
    declinedCorrectly: from ? undefined : finish === 'no_knowledge' || finish === 'refusal',
    // Later paragraphs may contain article titles.
    languageCorrect: detectLanguage(text.split('\n\n')[0]!) === locale.split('-')[0],
  };
}

export type Totals = Readonly<
  Record<
    'answered' | 'citedCorrectly' | 'declinedCorrectly' | 'languageCorrect',
    readonly [right: number, of: number]
  >
>;

export function sumScores(scores: readonly TurnScore[]): Totals {
  const count = (part: keyof Totals): readonly [number, number] => {
    const scored = scores.map((score) => score[part]).filter((right) => right !== undefined);
    return [scored.filter(Boolean).length, scored.length];
  };
  return {
    answered: count('answered'),
    citedCorrectly: count('citedCorrectly'),
    declinedCorrectly: count('declinedCorrectly'),
    languageCorrect: count('languageCorrect'),
  };
}

/** Formats one row per turn, and the totals. */
export function formatTable(scores: readonly TurnScore[]): string {
  const mark = (right: boolean | undefined) => (right === undefined ? '' : right ? 'yes' : 'NO');
  const rows = scores.map((score) => [
    score.locale,
    score.asks.replaceAll('|', ' '),
    mark(score.answered),
    mark(score.citedCorrectly),
    mark(score.declinedCorrectly),
    mark(score.languageCorrect),
    [...new Set(score.cited)].join(' ') || score.finish,
  ]);
  const sum = ([right, of]: readonly [number, number]) => `${right}/${of}`;
  const totals = sumScores(scores);
  const head = [
    'locale',
    'question',
    'answered',
    'cited correctly',
    'declined correctly',
    'language correct',
    'source',
  ];
  const foot = ['', 'all', ...Object.values(totals).map(sum), ''];
  return [head, head.map(() => '---'), ...rows, foot].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
