import { ANALYTICS, type Analytics, type AnalyticsFigures } from '../../contract/analytics.ts';
import { toIsoString } from '../clock.ts';
import type { AskedQuestion } from '../storage/conversations.ts';
import type { EventRow } from '../storage/events.ts';
import { createDistinctCounter, createLatencyHistogram, createTopCounter } from './counters.ts';
import { normalizeQuestion } from './normalize-question.ts';

/** Aggregates event rows in time order. Memory is bounded, whatever the number of rows. */

type Aggregates = Pick<
  Analytics,
  'totals' | 'periods' | 'articles' | 'fallbacks' | 'consents' | 'hits' | 'unanswered'
>;
type Consent = Omit<Analytics['consents'][number], 'count'>;

export type AnalyticsAggregator = {
  /** Call in time order. */
  add(row: EventRow): void;
  addUnanswered(question: AskedQuestion): void;
  finish(): Aggregates;
};

/** @param starts the start of each period; the first is the start of the range */
export function createAnalyticsAggregator(starts: readonly number[]): AnalyticsAggregator {
  const totals = createMetrics();
  const periods = createPeriodAggregator(starts);
  const articles = createTopCounter<{ article: string; locale: string }>();
  const fallbacks = createTopCounter<{ reason: string }>();
  const consents = createTopCounter<Consent>();
  const hits = createTopCounter<{ bucket: string }>();
  const unanswered = createTopCounter<{ question: string; last: string }>();

  function addToLists({ type, data }: EventRow): void {
    if (type === 'citation') {
      const { article_id: article, content_locale: locale, fallback_reason: reason } = toTexts(data);
      articles.add(`${article} ${locale}`, { article: article!, locale: locale! });
      if (reason) fallbacks.add(reason, { reason });
    } else if (type === 'consent') {
      const { region_code: region, mode, decision } = toTexts(data);
      consents.add(`${region} ${mode} ${decision}`, { region, mode, decision } as Consent);
    } else if (type === 'rate_limited') {
      const { bucket } = toTexts(data);
      hits.add(bucket!, { bucket: bucket! });
    }
  }

  return {
    add(row) {
      totals.add(row);
      periods.add(row);
      addToLists(row);
    },
    addUnanswered({ question, askedAt }) {
      const normalized = normalizeQuestion(question);
      unanswered.add(normalized.key, { question: normalized.shown, last: toIsoString(askedAt) });
    },
    finish() {
      const { rowsMax } = ANALYTICS;
      return {
        totals: totals.toMetrics(),
        periods: periods.finish(),
        articles: articles
          .top(rowsMax)
          .map(({ article, locale, count }) => ({ article, locale, citations: count })),
        fallbacks: [...fallbacks.top(rowsMax)],
        consents: [...consents.top(rowsMax)],
        unanswered: unanswered.top(rowsMax).map(({ question, count, last }) => ({ question, count, last })),
        hits: [...hits.top(rowsMax)],
      };
    },
  };
}

const toTexts = (data: EventRow['data']) => data as Readonly<Record<string, string | null>>;

/** Only the current period keeps counters; finished ones keep their metrics. */
function createPeriodAggregator(starts: readonly number[]) {
  const done: Analytics['periods'] = [];
  let current = createMetrics();
  const closePeriod = () => {
    done.push({ start: toIsoString(starts[done.length]!), ...current.toMetrics() });
    current = createMetrics();
  };
  return {
    add(row: EventRow) {
      while (row.atMillis >= (starts[done.length + 1] ?? Number.POSITIVE_INFINITY)) closePeriod();
      current.add(row);
    },
    finish() {
      while (done.length < starts.length) closePeriod();
      return done;
    },
  };
}

export type MetricsAggregator = { add(row: EventRow): void; toMetrics(): AnalyticsFigures };

type Outcome = 'done' | 'declined' | 'target_missing' | 'failed';

export function createMetrics(): MetricsAggregator {
  const visitors = createDistinctCounter();
  const latencies = createLatencyHistogram();
  const outcomes: Record<Outcome, number> = { done: 0, declined: 0, target_missing: 0, failed: 0 };
  const feedback = { up: 0, down: 0 };
  let [boots, conversations, turns, answered, citations, proposed, limited, voice] = [0, 0, 0, 0, 0, 0, 0, 0];

  function addTurn({ first, answered: isAnswered, first_text_millis: millis }: EventRow['data']): void {
    turns += 1;
    if (first === true) conversations += 1;
    if (isAnswered === true) answered += 1;
    if (typeof millis === 'number') latencies.add(millis);
  }

  return {
    add({ type, visitorId, data }) {
      if (visitorId !== undefined) visitors.add(visitorId);
      if (type === 'boot') boots += 1;
      else if (type === 'turn') addTurn(data);
      else if (type === 'citation') citations += 1;
      else if (type === 'action') proposed += 1;
      else if (type === 'action_outcome') outcomes[data.outcome as Outcome] += 1;
      else if (type === 'feedback') feedback[data.rating as 'up' | 'down'] += 1;
      else if (type === 'voice') voice += Number(data.seconds);
      else if (type === 'rate_limited') limited += 1;
    },
    toMetrics() {
      const { done, declined, target_missing: missing, failed } = outcomes;
      const latency = latencies.percentiles();
      return {
        boots,
        visitors: visitors.count(),
        conversations,
        turns,
        answered,
        unanswered: turns - answered,
        citations,
        actions: { proposed, confirmed: done + missing + failed, declined, done, missing, failed },
        feedback,
        voice,
        limited,
        ...(latency ? { latency } : {}),
      };
    },
  };
}
