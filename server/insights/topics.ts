import { ANALYTICS, type Topics } from '../../contract/analytics.ts';
import { toIsoString } from '../base/clock.ts';
import { UNANSWERED } from '../chat/analytics-events.ts';
import { findKnownMessage } from '../chat/intent/known-messages.ts';
import { normalizeQuestion } from '../chat/normalize-question.ts';
import type { AskedQuestion } from '../storage/conversation-queries.ts';
import { createTopCounter } from './aggregate.ts';
import { findGroup, type Representative } from './grouping.ts';
import {
  type AnalyticsQuery,
  getPreviousSpan,
  listPeriodStarts,
  parseRange,
  type ReadingDeps,
  readQuestions,
} from './read-analytics.ts';
import { makeSignature, type SignatureDeps } from './signatures.ts';

/** Groups the questions of a range by meaning. A topic is wider than a group of the inbox, whose questions mean the same. */

/** The likelihood to mean the same from which a question joins a topic. */
const SAME_TOPIC = 0.5;
const REPRESENTATIVES_MAX = 5;
/** Finish reasons of questions that count as asked. */
const REASONS = ['stop', 'length', ...UNANSWERED] as const;

type Asked = {
  question: string;
  locale: string;
  answered: number;
  /** Questions in the range before. */
  before: number;
  /** Questions by the index of their period. */
  periods: Map<number, number>;
};

export async function readTopics(
  workspaceId: string,
  query: AnalyticsQuery,
  deps: ReadingDeps,
  signatures: SignatureDeps,
): Promise<Topics> {
  const { span, zone } = parseRange(query, deps.nowMillis);
  const starts = listPeriodStarts(query.by, span, zone);
  const asked = createTopCounter<Asked>(undefined, joinAsked);
  const both = { ...span, fromMillis: getPreviousSpan(span).fromMillis };
  for (const reason of REASONS) {
    for await (const question of readQuestions(reason, both, deps)) {
      if (findKnownMessage(question.question, question.requestedLocale)) continue;
      const { key, shown } = normalizeQuestion(question.question);
      asked.add(key, toAsked(question, shown, reason, starts));
    }
  }
  const frequent = asked.top(ANALYTICS.topicQuestionsMax);
  const topics = await groupByMeaning(workspaceId, frequent, deps, signatures);
  return {
    from: toIsoString(span.fromMillis),
    to: toIsoString(span.beforeMillis),
    starts: starts.map(toIsoString),
    topics: topics
      .map((questions) => toTopic(questions, starts.length))
      .filter(({ turns }) => turns > 0)
      .toSorted((a, b) => b.turns - a.turns)
      .slice(0, ANALYTICS.topicsMax),
  };
}

function toAsked(
  { requestedLocale, askedAt }: AskedQuestion,
  question: string,
  reason: (typeof REASONS)[number],
  starts: readonly number[],
): Asked {
  const period = starts.findLastIndex((start) => start <= askedAt);
  const isAnswered = period >= 0 && !UNANSWERED.some((each) => each === reason);
  return {
    question,
    locale: requestedLocale,
    answered: Number(isAnswered),
    before: Number(period < 0),
    periods: new Map(period < 0 ? [] : [[period, 1]]),
  };
}

/** Adds to the periods of the first. */
function joinAsked({ answered, before, periods }: Asked, added: Asked): Asked {
  for (const [period, count] of added.periods) periods.set(period, (periods.get(period) ?? 0) + count);
  return { ...added, answered: answered + added.answered, before: before + added.before, periods };
}

/** Puts each question into the topic that it fits best, the most frequent questions first. */
async function groupByMeaning(
  workspaceId: string,
  questions: readonly Asked[],
  { waitForSlot, signal }: ReadingDeps,
  signatures: SignatureDeps,
): Promise<readonly (readonly Asked[])[]> {
  const representatives: Representative[] = [];
  const topics = new Map<string, Asked[]>();
  for (const asked of questions) {
    if (signal.aborted) break;
    await waitForSlot();
    const { signature } = await makeSignature(workspaceId, asked, signatures);
    const groupId = findGroup(signature, representatives, SAME_TOPIC) ?? String(topics.size);
    const topic = topics.get(groupId) ?? [];
    topics.set(groupId, [...topic, asked]);
    if (topic.length < REPRESENTATIVES_MAX) representatives.push({ groupId, signature });
  }
  return [...topics.values()];
}

/** Names a topic by its most frequent question. */
function toTopic(questions: readonly Asked[], length: number): Topics['topics'][number] {
  const { question, locale } = questions[0]!;
  const { answered, before, periods } = questions.reduce(joinAsked);
  const counts = Array.from({ length }, (_, at) => periods.get(at) ?? 0);
  return {
    question,
    locale,
    turns: counts.reduce((sum, count) => sum + count, 0),
    answered,
    before,
    periods: counts,
    examples: questions.slice(1, 1 + ANALYTICS.topicExamplesMax).map((each) => each.question),
  };
}
