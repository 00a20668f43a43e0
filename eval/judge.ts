import type { ChatEvent } from '../contract/chat-event.ts';
import type { Conversation, Turn } from './conversations.ts';
import { languageOf } from './language.ts';

/** The result of a turn, judged against the expected behaviour. */
export type Verdict = {
  readonly about: Conversation['about'];
  readonly locale: string;
  readonly asks: string;
  /** Said something, where there is something to say; nothing where there is not. */
  readonly answered: boolean | undefined;
  /** Every source is one of the articles that answer, and there is one. */
  readonly citedRightly: boolean | undefined;
  readonly refusedRightly: boolean | undefined;
  readonly languageRight: boolean;
  readonly finish: string;
  readonly cited: readonly string[];
  readonly text: string;
};

export function judge(
  { about, locale }: Conversation,
  turn: Turn,
  events: readonly ChatEvent[],
  slugOf: (articleId: string) => string,
): Verdict {
  const text = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
  const cited = events.flatMap((event) => (event.type === 'citation' ? [slugOf(event.article_id)] : []));
  const last = events.at(-1);
  const finish =
    last?.type === 'message_end' ? last.finish_reason : `error ${last?.type === 'error' ? last.code : ''}`;
  const hasAnswer = text !== '' && (finish === 'stop' || finish === 'length');
  const { from } = turn;
  return {
    ...{ about, locale, finish, cited, text },
    asks: turn.asks,
    answered: from ? hasAnswer : undefined,
    citedRightly: from ? cited.length > 0 && cited.every((slug) => from.includes(slug)) : undefined,
    refusedRightly: from ? undefined : finish === 'no_knowledge' || finish === 'refusal',
    // What follows the first paragraph may be titles of articles.
    languageRight: languageOf(text.split('\n\n')[0]!) === locale.split('-')[0],
  };
}

export type Totals = Readonly<
  Record<
    'answered' | 'citedRightly' | 'refusedRightly' | 'languageRight',
    readonly [right: number, of: number]
  >
>;

export function totalsOf(verdicts: readonly Verdict[]): Totals {
  const count = (part: keyof Totals): readonly [number, number] => {
    const judged = verdicts.map((verdict) => verdict[part]).filter((right) => right !== undefined);
    return [judged.filter(Boolean).length, judged.length];
  };
  return {
    answered: count('answered'),
    citedRightly: count('citedRightly'),
    refusedRightly: count('refusedRightly'),
    languageRight: count('languageRight'),
  };
}

/** A row a turn, and a row with what it came to altogether. */
export function tableOf(verdicts: readonly Verdict[]): string {
  const mark = (right: boolean | undefined) => (right === undefined ? '' : right ? 'yes' : 'NO');
  const rows = verdicts.map((verdict) => [
    verdict.locale,
    verdict.asks.replaceAll('|', ' '),
    mark(verdict.answered),
    mark(verdict.citedRightly),
    mark(verdict.refusedRightly),
    mark(verdict.languageRight),
    [...new Set(verdict.cited)].join(' ') || verdict.finish,
  ]);
  const sum = ([right, of]: readonly [number, number]) => `${right}/${of}`;
  const totals = totalsOf(verdicts);
  const head = [
    'locale',
    'question',
    'answered',
    'cited rightly',
    'refused rightly',
    'language right',
    'source',
  ];
  const foot = ['', 'all', ...Object.values(totals).map(sum), ''];
  return [head, head.map(() => '---'), ...rows, foot].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
