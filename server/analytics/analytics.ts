import { ANALYTICS, type Analytics } from '../../contract/analytics.ts';
import { toIsoString } from '../clock.ts';
import type { AskedQuestion } from '../storage/conversations.ts';
import type { EventRow } from '../storage/events.ts';
import { countFigures } from './figures.ts';
import { foldQuestion } from './normalize-question.ts';
import { createTally } from './tally.ts';

/** Pure counting: event rows in their order go in, figures come out. Memory is bounded, however many rows there are. */

type Counted = Pick<
  Analytics,
  'totals' | 'periods' | 'articles' | 'fallbacks' | 'consents' | 'hits' | 'unanswered'
>;
type Consent = Omit<Analytics['consents'][number], 'count'>;

export type AnalyticsCount = {
  /** Rows come in the order of their time. */
  add(row: EventRow): void;
  addUnanswered(asked: AskedQuestion): void;
  finish(): Counted;
};

/** @param starts when each period begins, the first one with the range. */
export function countAnalytics(starts: readonly number[]): AnalyticsCount {
  const totals = countFigures();
  const periods = countPeriods(starts);
  const articles = createTally<{ article: string; locale: string }>();
  const fallbacks = createTally<{ reason: string }>();
  const consents = createTally<Consent>();
  const hits = createTally<{ bucket: string }>();
  const unanswered = createTally<{ question: string; last: string }>();

  function addToLists({ type, data }: EventRow): void {
    if (type === 'citation') {
      const { article_id: article, content_locale: locale, fallback_reason: reason } = texts(data);
      articles.add(`${article} ${locale}`, { article: article!, locale: locale! });
      if (reason) fallbacks.add(reason, { reason });
    } else if (type === 'consent') {
      const { region_code: region, mode, decision } = texts(data);
      consents.add(`${region} ${mode} ${decision}`, { region, mode, decision } as Consent);
    } else if (type === 'rate_limited') {
      const { bucket } = texts(data);
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
      const folded = foldQuestion(question);
      unanswered.add(folded.key, { question: folded.shown, last: toIsoString(askedAt) });
    },
    finish() {
      const { rowsMax } = ANALYTICS;
      return {
        totals: totals.figures(),
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

const texts = (data: EventRow['data']) => data as Readonly<Record<string, string | null>>;

/** Only the period that is being filled holds more than its figures. */
function countPeriods(starts: readonly number[]) {
  const done: Analytics['periods'] = [];
  let filling = countFigures();
  const closeOne = () => {
    done.push({ start: toIsoString(starts[done.length]!), ...filling.figures() });
    filling = countFigures();
  };
  return {
    add(row: EventRow) {
      while (row.atMillis >= (starts[done.length + 1] ?? Number.POSITIVE_INFINITY)) closeOne();
      filling.add(row);
    },
    finish() {
      while (done.length < starts.length) closeOne();
      return done;
    },
  };
}
