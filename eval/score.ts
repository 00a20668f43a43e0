/** Compares the service's answer to a turn with the expected one. */
import type { ChatEvent } from '../contract/chat-event.ts';
import type { Seed } from '../test/support/seeds.ts';
import { findSteps } from './steps.ts';
import type { Conversation, Turn } from './turns.ts';
import { WITHOUT_ARTICLE } from './turns.ts';

export type Citation = { slug: string; locale: string; quote: string };

/**
 * `right`: cites an article that answers, and no other. `wrong`: cites another one. `refused`: cites none.
 * `ungraded`: what is cited does not matter.
 */
export type Outcome = 'right' | 'wrong' | 'refused' | 'ungraded';

type ProcedureScore = {
  firstStep: boolean;
  stepsShare: number;
  chars: number;
};

export type TurnScore = {
  corpus: Conversation['corpus'];
  half: Conversation['half'];
  locale: string;
  turnIdx: number;
  turn: Turn;
  outcome: Outcome;
  finish: string;
  confidence: number;
  cited: readonly Citation[];
  text: string;
  /** Slugs that search finds for the message alone, best first. */
  found: readonly string[];
  /** Whether both questions of a message were answered. */
  both?: boolean;
  /** How well a procedure was quoted, for a how-to whose article was cited. */
  procedure?: ProcedureScore;
  /** Quotes that end in a colon but lack what follows it. */
  leadIns: number;
  /** Ids of the parts of the page that the guide pointed at. */
  pointedAt: readonly string[];
  /** Whether the passages sent to the model included an answering article. */
  goldSent?: boolean;
};

/** The articles of a corpus. */
export type Articles = {
  getSlug(articleId: string): string;
  getAnswer(slug: string, locale: string): string;
  /** Titles in all languages. */
  getTitles(slug: string): readonly string[];
};

export function indexArticles(seeds: readonly Seed[], slugs: ReadonlyMap<string, string>): Articles {
  const answers = new Map<string, string>();
  const titles = new Map<string, string[]>();
  for (const { slug, locale, title, answer, translations = [] } of seeds) {
    titles.set(slug, [title, ...translations.map((translation) => translation.title)]);
    answers.set(`${slug} ${locale}`, answer);
    for (const translation of translations) answers.set(`${slug} ${translation.locale}`, translation.answer);
  }
  return {
    getSlug: (articleId) => slugs.get(articleId) ?? articleId,
    getAnswer: (slug, locale) => answers.get(`${slug} ${locale}`) ?? '',
    getTitles: (slug) => titles.get(slug) ?? [],
  };
}

type AskedTurn = {
  conversation: Conversation;
  turnIdx: number;
  turn: Turn;
  events: readonly ChatEvent[];
  found: readonly string[];
  articles: Articles;
  /** The texts sent to a model, if one was asked. */
  sent: readonly string[] | undefined;
};

export function scoreTurn({
  conversation,
  turnIdx,
  turn,
  events,
  found,
  articles,
  sent,
}: AskedTurn): TurnScore {
  const { corpus, half, locale } = conversation;
  const text = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
  const cited = events.flatMap((event) =>
    event.type === 'citation'
      ? [{ slug: articles.getSlug(event.article_id), locale: event.content_locale, quote: event.quote }]
      : [],
  );
  const lastEvent = events.at(-1);
  const ended = lastEvent?.type === 'message_end' ? lastEvent : undefined;
  const outcome = grade(turn, cited);
  const procedure = outcome === 'right' ? scoreProcedure(turn, cited, text, articles) : undefined;
  return {
    ...{ corpus, half, locale, turnIdx, turn, outcome, cited, text, found },
    finish: ended?.finish_reason ?? `error ${lastEvent?.type === 'error' ? lastEvent.code : ''}`,
    confidence: ended?.answer_confidence ?? 0,
    ...(turn.goldOfSecond ? { both: citesBoth(turn, cited) } : {}),
    ...(procedure ? { procedure } : {}),
    ...(sent && turn.gold ? { goldSent: isSent(turn, sent, articles) } : {}),
    leadIns: countLeadIns(cited, articles),
    pointedAt: events.flatMap((event) =>
      event.type === 'action' && event.target ? [event.target.gp_id] : [],
    ),
  };
}

function grade({ category, gold, goldOfSecond = [] }: Turn, cited: readonly Citation[]): Outcome {
  if (!gold && !WITHOUT_ARTICLE.includes(category)) return 'ungraded';
  if (cited.length === 0) return 'refused';
  const isGold = ({ slug }: Citation) => [...(gold ?? []), ...goldOfSecond].includes(slug);
  return cited.every(isGold) ? 'right' : 'wrong';
}

function citesBoth({ gold = [], goldOfSecond = [] }: Turn, cited: readonly Citation[]): boolean {
  const citesOneOf = (slugs: readonly string[]) => cited.some(({ slug }) => slugs.includes(slug));
  return citesOneOf(gold) && citesOneOf(goldOfSecond);
}

/** Whether an answering article was sent to the model. The message is removed, because it may contain a title. */
function isSent({ asks, gold = [] }: Turn, sent: readonly string[], articles: Articles): boolean {
  const texts = sent.map((text) => text.replaceAll(asks, ''));
  return gold.flatMap(articles.getTitles).some((title) => texts.some((text) => text.includes(title)));
}

function scoreProcedure(
  { category, under }: Turn,
  cited: readonly Citation[],
  text: string,
  articles: Articles,
): ProcedureScore | undefined {
  if (category !== 'how-to') return undefined;
  const { slug, locale } = cited[0]!;
  const steps = findSteps({ slug, answer: articles.getAnswer(slug, locale), under });
  if (steps.length === 0) return undefined;
  const answer = toPlainText(text);
  const wasQuoted = steps.map((step) => answer.includes(toPlainText(step)));
  return {
    firstStep: wasQuoted[0]!,
    stepsShare: wasQuoted.filter(Boolean).length / steps.length,
    chars: [...text].length,
  };
}

/** Removes Markdown's emphasis and repeated spaces, so that rendering does not matter. */
function toPlainText(text: string): string {
  return text.replaceAll(/[*_`]/g, '').replaceAll(/\s+/g, ' ').trim();
}

const LEAD_IN = /[:：]\s*$/;
const COMPARED_CHARS = 20;

function countLeadIns(cited: readonly Citation[], articles: Articles): number {
  return cited.filter((citation, index) => {
    const { slug, locale, quote } = citation;
    if (!LEAD_IN.test(quote)) return false;
    const next = cited[index + 1];
    if (!next || next.slug !== slug) return true;
    const answer = articles.getAnswer(slug, locale);
    const following = answer.slice(answer.indexOf(quote) + quote.length);
    return !toPlainText(stripMarker(following)).startsWith(
      toPlainText(stripMarker(next.quote)).slice(0, COMPARED_CHARS),
    );
  }).length;
}

function stripMarker(text: string): string {
  return text.replace(/^\s*(?:\d+[.)]|[-*•])\s+/, '');
}
