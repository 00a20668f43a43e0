import { ANALYTICS, type Analytics, type AnalyticsFigures } from '../../contract/analytics.ts';
import { UNANSWERED } from '../chat/analytics-events.ts';
import { toIsoString } from '../clock.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { AskedQuestion } from '../storage/conversations.ts';
import type { EventPosition, EventRow, Span } from '../storage/events.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import { type AnalyticsAggregator, createAnalyticsAggregator, createMetrics } from './aggregate.ts';
import { DAY_MILLIS, getStartOfDays, listPeriodStarts, parseTimeZone, type Zone } from './periods.ts';

/** Rows per turn of the event loop: a compromise between throughput and latency of other requests. */
const PAGE_ROWS = 250;

export type ReadingDeps = {
  readonly workspace: Pick<WorkspaceStore, 'events' | 'conversations'>;
  readonly waitForTurn: () => Promise<void>;
  readonly nowMillis: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
};

export async function readAnalytics(query: AnalyticsQuery, deps: ReadingDeps): Promise<Analytics> {
  const { span, zone } = parseRange(query, deps.nowMillis);
  const previous = await readMetrics(getPreviousSpan(span), deps);
  const aggregator = createAnalyticsAggregator(listPeriodStarts(query.by, span, zone));
  for await (const rows of readEventPages(span, deps)) for (const row of rows) aggregator.add(row);
  await addUnanswered(aggregator, span, deps);
  return {
    from: toIsoString(span.fromMillis),
    to: toIsoString(span.beforeMillis),
    zone: zone.name,
    by: query.by,
    previous,
    ...aggregator.finish(),
  };
}

async function readMetrics(span: Span, deps: ReadingDeps): Promise<AnalyticsFigures> {
  const metrics = createMetrics();
  for await (const rows of readEventPages(span, deps)) for (const row of rows) metrics.add(row);
  return metrics.toMetrics();
}

async function* readEventPages(
  span: Span,
  { workspace, waitForTurn, signal }: ReadingDeps,
): AsyncGenerator<readonly EventRow[]> {
  for (let after: EventPosition | undefined; !signal.aborted; ) {
    await waitForTurn();
    const rows = await workspace.events.list(PAGE_ROWS, after, span);
    yield rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1);
  }
}

/** Event rows contain no texts, so the questions come from the conversations. */
async function addUnanswered(
  aggregator: AnalyticsAggregator,
  span: Span,
  { workspace, waitForTurn, signal }: ReadingDeps,
): Promise<void> {
  for (const reason of UNANSWERED) {
    for (let after: AskedQuestion | undefined; !signal.aborted; ) {
      await waitForTurn();
      const questions = await workspace.conversations.listQuestions(reason, PAGE_ROWS, after, span);
      for (const question of questions) aggregator.addUnanswered(question);
      if (questions.length < PAGE_ROWS) break;
      after = questions.at(-1);
    }
  }
}

type AnalyticsQuery = {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly by: 'day' | 'hour';
  readonly zone: string;
};

/** Days with 25 hours must not push a range over the limit. */
const TOLERANCE_MILLIS = DAY_MILLIS / 4;

/** Throws `request/invalid` for an unknown zone, and an empty or too long range. */
function parseRange(query: AnalyticsQuery, nowMillis: number): { span: Span; zone: Zone } {
  const zone = parseTimeZone(query.zone);
  if (!zone)
    return throwInvalidRequest({
      path: 'query.zone',
      code: 'unknown_zone',
      message: 'Unknown time zone.',
    });
  const beforeMillis = query.to === undefined ? nowMillis : Date.parse(query.to);
  const fromMillis =
    query.from === undefined
      ? getStartOfDays(ANALYTICS.daysDefault, beforeMillis, zone)
      : Date.parse(query.from);
  if (fromMillis >= beforeMillis) {
    return throwInvalidRequest({
      path: 'query.from',
      code: 'empty_range',
      message: 'The range ends before it begins.',
    });
  }
  const daysMax = query.by === 'hour' ? ANALYTICS.hourDaysMax : ANALYTICS.daysMax;
  if (beforeMillis - fromMillis > daysMax * DAY_MILLIS + TOLERANCE_MILLIS) {
    return throwInvalidRequest({
      path: 'query.from',
      code: 'range_too_long',
      message: `At most ${daysMax} days when counting by ${query.by}.`,
    });
  }
  return { span: { fromMillis, beforeMillis }, zone };
}

/** The span of the same length before this one. */
function getPreviousSpan({ fromMillis, beforeMillis }: Span): Span {
  return { fromMillis: fromMillis - (beforeMillis - fromMillis), beforeMillis: fromMillis };
}
