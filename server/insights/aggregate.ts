import { ANALYTICS, type Analytics, type AnalyticsFigures } from '../../contract/analytics.ts';
import type { FeedbackReason, RatingDetails } from '../../contract/chat.ts';
import { toIsoString } from '../base/clock.ts';
import { getLanguage } from '../base/text.ts';
import { normalizeQuestion } from '../chat/normalize-question.ts';
import type { AskedQuestion } from '../storage/conversation-queries.ts';
import type { EventRow } from '../storage/event-queries.ts';

/** Aggregates event rows in time order. Memory is bounded, whatever the number of rows. */

type Lists = Pick<
  Analytics,
  | 'articles'
  | 'pages'
  | 'languages'
  | 'fallbacks'
  | 'reasons'
  | 'consents'
  | 'hits'
  | 'unanswered'
  | 'anonymous'
  | 'searched'
>;
type Consent = Omit<Analytics['consents'][number], 'count'>;

export type AnalyticsAggregator = {
  /** Call in time order. */
  add(row: EventRow): void;
  addUnanswered(question: AskedQuestion): void;
  /** For searches without a visitor. */
  addSearches(words: string, results: number, count: number): void;
  addRating(rating: RatingDetails): void;
  finish(): Lists & Pick<Analytics, 'totals' | 'periods'>;
};

/** @param starts the start of each period; the first is the start of the range */
export function createAnalyticsAggregator(starts: readonly number[]): AnalyticsAggregator {
  const totals = createMetrics();
  const periods = createPeriodAggregator(starts);
  const events = createEventLists();
  const unanswered = createTopCounter<{ question: string; last: string }>();
  const reasons = createTopCounter<{ reason: FeedbackReason }>();
  return {
    add(row) {
      totals.add(row);
      periods.add(row);
      events.add(row);
    },
    addUnanswered({ question, askedAt }) {
      const normalized = normalizeQuestion(question);
      unanswered.add(normalized.key, { question: normalized.shown, last: toIsoString(askedAt) });
    },
    addSearches: events.addSearches,
    addRating(rating) {
      for (const reason of rating.reasons ?? []) reasons.add(reason, { reason });
    },
    finish: () => ({
      totals: totals.toMetrics(),
      periods: periods.finish(),
      ...events.finish(),
      reasons: [...reasons.top(ROWS_MAX)],
      unanswered: unanswered.top(ROWS_MAX).map(({ question, count, last }) => ({ question, count, last })),
    }),
  };
}

const ROWS_MAX = ANALYTICS.rowsMax;

/** Counts the lists that are made from event rows. */
function createEventLists() {
  const articles = createTopCounter<{ article: string; locale: string }>();
  const pages = createTopCounter<{ path: string; answered: number }>(KEYS_MAX, addAnswered);
  const languages = createTopCounter<{ locale: string; answered: number; native: number }>(
    KEYS_MAX,
    (before, added) => ({ ...addAnswered(before, added), native: before.native + added.native }),
  );
  const fallbacks = createTopCounter<{ reason: string }>();
  const consents = createTopCounter<Consent>();
  const hits = createTopCounter<{ bucket: string }>();
  const anonymous = createAnonymousFigures();
  const searched = createTopCounter<{ words: string; results: number }>();

  function addSearches(words: string, results: number, count = 1): void {
    searched.add(normalizeQuestion(words).key, { words, results }, count);
  }

  function addTurn({ visitorId, data }: EventRow): void {
    const { path, requested_locale: locale, content_locale: shown } = toTexts(data);
    const answered = Number(data.answered === true);
    if (visitorId === undefined && data.library !== true && !answered) anonymous.add(data);
    // Rows of earlier versions have no path.
    if (path) pages.add(path, { path, answered });
    const isNative = !!locale && !!shown && getLanguage(shown) === getLanguage(locale);
    if (locale) languages.add(locale, { locale, answered, native: Number(isNative) });
  }

  return {
    addSearches,
    add(row: EventRow): void {
      const { type, data } = row;
      if (type === 'turn') addTurn(row);
      else if (type === 'citation') {
        const { article_id: article, content_locale: locale, fallback_reason: reason } = toTexts(data);
        articles.add(`${article} ${locale}`, { article: article!, locale: locale! });
        if (reason) fallbacks.add(reason, { reason });
      } else if (type === 'consent') {
        const { region_code: region, mode, decision } = toTexts(data);
        consents.add(`${region} ${mode} ${decision}`, { region, mode, decision } as Consent);
      } else if (type === 'rate_limited') {
        const { bucket } = toTexts(data);
        hits.add(bucket!, { bucket: bucket! });
      } else if (type === 'search') {
        const { words } = toTexts(data);
        if (words) addSearches(words, Number(data.results));
      }
    },
    finish: (): Omit<Lists, 'reasons' | 'unanswered'> => ({
      articles: articles
        .top(ROWS_MAX)
        .map(({ article, locale, count }) => ({ article, locale, citations: count })),
      pages: pages.top(ROWS_MAX).map(({ count: turns, ...row }) => ({ ...row, turns })),
      languages: languages.top(ROWS_MAX).map(({ count: turns, ...row }) => ({ ...row, turns })),
      fallbacks: [...fallbacks.top(ROWS_MAX)],
      consents: [...consents.top(ROWS_MAX)],
      anonymous: anonymous.finish(),
      searched: [...searched.top(ROWS_MAX)],
      hits: [...hits.top(ROWS_MAX)],
    }),
  };
}

/** Counts unanswered questions of undecided visitors. */
function createAnonymousFigures() {
  let unanswered = 0;
  const pages = createTopCounter<{ path: string }>();
  const languages = createTopCounter<{ locale: string }>();
  const articles = createTopCounter<{ article: string }>();
  return {
    add(data: EventRow['data']): void {
      const { path, requested_locale: locale, nearest_article_id: article } = toTexts(data);
      unanswered += 1;
      if (path) pages.add(path, { path });
      if (locale) languages.add(locale, { locale });
      if (article) articles.add(article, { article });
    },
    finish: (): Analytics['anonymous'] => ({
      unanswered,
      pages: [...pages.top(ROWS_MAX)],
      languages: [...languages.top(ROWS_MAX)],
      articles: [...articles.top(ROWS_MAX)],
    }),
  };
}

const addAnswered = <T extends { answered: number }>(before: T, added: T): T => ({
  ...added,
  answered: before.answered + added.answered,
});

const toTexts = (data: EventRow['data']) => data as Readonly<Record<string, string | null>>;

/** Keeps counters for the current period only; finished periods keep only their metrics. */
function createPeriodAggregator(starts: readonly number[]) {
  const finishedPeriods: Analytics['periods'] = [];
  let current = createMetrics();
  const closePeriod = () => {
    finishedPeriods.push({ start: toIsoString(starts[finishedPeriods.length]!), ...current.toMetrics() });
    current = createMetrics();
  };
  return {
    add(row: EventRow) {
      while (row.atMillis >= (starts[finishedPeriods.length + 1] ?? Number.POSITIVE_INFINITY)) closePeriod();
      current.add(row);
    },
    finish() {
      while (finishedPeriods.length < starts.length) closePeriod();
      return finishedPeriods;
    },
  };
}

type MetricsAggregator = { add(row: EventRow): void; toMetrics(): AnalyticsFigures };

type Outcome = 'done' | 'declined' | 'target_missing' | 'failed';

export function createMetrics(): MetricsAggregator {
  const visitors = createDistinctCounter();
  const endings = createEndingCounter();
  const latencies = createLatencyHistogram();
  const outcomes: Record<Outcome, number> = { done: 0, declined: 0, target_missing: 0, failed: 0 };
  const feedback = { up: 0, down: 0 };
  const searches = { found: 0, empty: 0 };
  const articleFeedback = { up: 0, down: 0 };
  let [boots, conversations, turns, answered, citations, proposed, limited, voice] = [0, 0, 0, 0, 0, 0, 0, 0];

  function addTurn({ first, answered: isAnswered, first_text_millis: millis }: EventRow['data']): void {
    turns += 1;
    if (first === true) conversations += 1;
    if (isAnswered === true) answered += 1;
    if (typeof millis === 'number') latencies.add(millis);
  }

  return {
    add({ type, visitorId, conversationId, data }) {
      const isByVisitor = data.library !== true;
      if (isByVisitor && visitorId !== undefined) visitors.add(visitorId);
      if (isByVisitor && type === 'turn' && conversationId !== undefined)
        endings.add(conversationId, data.answered === true);
      if (type === 'boot') boots += 1;
      else if (type === 'turn') addTurn(data);
      else if (type === 'citation') citations += 1;
      else if (type === 'action') proposed += 1;
      else if (type === 'action_outcome') outcomes[data.outcome as Outcome] += 1;
      else if (type === 'feedback') feedback[data.rating as 'up' | 'down'] += 1;
      else if (type === 'article_feedback') articleFeedback[data.rating as 'up' | 'down'] += 1;
      else if (type === 'voice') voice += Number(data.seconds);
      else if (type === 'search') searches[data.results === 0 ? 'empty' : 'found'] += 1;
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
        deflection: endings.count(),
        citations,
        actions: { proposed, confirmed: done + missing + failed, declined, done, missing, failed },
        feedback,
        articles: articleFeedback,
        voice,
        searches,
        limited,
        ...(latency ? { latency } : {}),
      };
    },
  };
}

const KEYS_MAX = 10_000;

/** Counts keys in bounded memory: when there are too many, drops the rarer half, so frequent keys stay exact. */
type TopCounter<T> = {
  /** The latest value of a key is kept. */
  add(key: string, value: T, count?: number): void;
  /** Most frequent first, then by key. */
  top(rows: number): readonly (T & { count: number })[];
};

export function createTopCounter<T extends object>(
  keysMax = KEYS_MAX,
  /** The value to keep for a key that is added again. */
  join: (before: T, added: T) => T = (_, added) => added,
): TopCounter<T> {
  let entries = new Map<string, { value: T; count: number }>();
  const rankEntries = () =>
    [...entries].sort(
      ([key, { count }], [otherKey, other]) => other.count - count || (key < otherKey ? -1 : 1),
    );
  return {
    add(key, value, count = 1) {
      const known = entries.get(key);
      if (known) {
        known.count += count;
        known.value = join(known.value, value);
        return;
      }
      if (entries.size >= keysMax) entries = new Map(rankEntries().slice(0, keysMax / 2));
      entries.set(key, { value, count });
    },
    top: (rows) =>
      rankEntries()
        .slice(0, rows)
        .map(([, { value, count }]) => ({ ...value, count })),
  };
}

const SAMPLE_MAX = 65_536;

/** Counts how conversations ended, with the sampling of `createDistinctCounter`. */
function createEndingCounter() {
  const answered = new Map<string, boolean>();
  let halvings = 0;
  const isSampled = (id: string) => hashName(id) >>> (32 - halvings) === 0;
  return {
    /** Call in time order: the last turn decides. */
    add(conversationId: string, isAnswered: boolean): void {
      if (halvings > 0 && !isSampled(conversationId)) return;
      answered.set(conversationId, isAnswered);
      while (answered.size > SAMPLE_MAX) {
        halvings += 1;
        for (const id of answered.keys()) if (!isSampled(id)) answered.delete(id);
      }
    },
    count() {
      const scale = 2 ** halvings;
      const answeredCount = [...answered.values()].filter(Boolean).length;
      return { conversations: answered.size * scale, answered: answeredCount * scale };
    },
  };
}

/**
 * Counts distinct names: exactly up to `sampleMax`, then by adaptive sampling. Each time the sample is full, it drops
 * half of the names, chosen by hash, and the others count twice as much. With 65,536 names the error is
 * mostly below 1 %.
 */
export function createDistinctCounter(sampleMax = SAMPLE_MAX): { add(name: string): void; count(): number } {
  const sample = new Set<string>();
  let halvings = 0;
  const isSampled = (name: string) => hashName(name) >>> (32 - halvings) === 0;
  return {
    add(name) {
      if (halvings > 0 && !isSampled(name)) return;
      sample.add(name);
      while (sample.size > sampleMax) {
        halvings += 1;
        for (const sampledName of sample) if (!isSampled(sampledName)) sample.delete(sampledName);
      }
    },
    count: () => sample.size * 2 ** halvings,
  };
}

/** Computes FNV-1a with MurmurHash3's finalizer, so that every bit depends on every character. */
function hashName(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const EXACT_MILLIS = 100;
const STEP = Math.log(1.01);
const BUCKETS = EXACT_MILLIS + Math.ceil(Math.log(1_000_000) / STEP);

/** Creates a histogram of about 1,500 buckets: 1 ms wide up to 100 ms, then each 1 % wider than the one before. */
export function createLatencyHistogram(): {
  add(millis: number): void;
  percentiles(): AnalyticsFigures['latency'];
} {
  let buckets: Uint32Array | undefined;
  let measured = 0;
  return {
    add(millis) {
      buckets ??= new Uint32Array(BUCKETS);
      const at = toBucket(Math.max(0, Math.round(millis)));
      buckets[at] = buckets[at]! + 1;
      measured += 1;
    },
    percentiles() {
      const counts = buckets;
      if (!counts) return undefined;
      const at = (share: number) => toMillis(findBucket(counts, Math.ceil(share * measured)));
      return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
    },
  };
}

function toBucket(millis: number): number {
  if (millis <= EXACT_MILLIS) return millis;
  return Math.min(BUCKETS - 1, EXACT_MILLIS + Math.floor(Math.log(millis / EXACT_MILLIS) / STEP));
}

/** Returns the middle of the bucket. */
function toMillis(bucket: number): number {
  if (bucket <= EXACT_MILLIS) return bucket;
  return Math.round(EXACT_MILLIS * Math.exp((bucket - EXACT_MILLIS + 0.5) * STEP));
}

function findBucket(buckets: Uint32Array, rank: number): number {
  let passed = 0;
  for (const [bucket, count] of buckets.entries()) {
    passed += count;
    if (passed >= rank) return bucket;
  }
  return BUCKETS - 1;
}
