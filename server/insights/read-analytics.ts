import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ANALYTICS, type Analytics, type AnalyticsFigures } from '../../contract/analytics.ts';
import { toIsoString } from '../base/clock.ts';
import { UNANSWERED } from '../chat/analytics-events.ts';
import { toRatingDetails } from '../chat/turn-fields.ts';
import { throwInvalidRequest } from '../http/errors.ts';
import type { AskedQuestion, RatedTurn } from '../storage/conversation-queries.ts';
import type { EventRow } from '../storage/event-queries.ts';
import type { EventPosition, Span } from '../storage/keyset.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import { type AnalyticsAggregator, createAnalyticsAggregator, createMetrics } from './aggregate.ts';

/** Rows per turn of the event loop: a compromise between throughput and latency of other requests. */
const PAGE_ROWS = 250;

export type ReadingDeps = {
  workspace: Pick<WorkspaceStore, 'events' | 'conversations' | 'inbox'>;
  waitForSlot: () => Promise<void>;
  nowMillis: number;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
};

export async function readAnalytics(query: AnalyticsQuery, deps: ReadingDeps): Promise<Analytics> {
  const { span, zone } = parseRange(query, deps.nowMillis);
  const previous = await readMetrics(getPreviousSpan(span), deps);
  const aggregator = createAnalyticsAggregator(listPeriodStarts(query.by, span, zone));
  for await (const rows of readEventPages(span, deps)) for (const row of rows) aggregator.add(row);
  await addUnanswered(aggregator, span, deps);
  await addRatings(aggregator, span, deps);
  for (const row of await deps.workspace.inbox.anonymousSearches(ANALYTICS.rowsMax, span))
    aggregator.addSearches(row.words, row.results, row.asked);
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
  { workspace, waitForSlot, signal }: ReadingDeps,
): AsyncGenerator<readonly EventRow[]> {
  for (let after: EventPosition | undefined; !signal.aborted; ) {
    await waitForSlot();
    const rows = await workspace.events.list(PAGE_ROWS, after, span);
    yield rows;
    if (rows.length < PAGE_ROWS) return;
    after = rows.at(-1);
  }
}

/** Adds unanswered questions from the conversations, because event rows contain no texts. */
async function addUnanswered(aggregator: AnalyticsAggregator, span: Span, deps: ReadingDeps): Promise<void> {
  for (const reason of UNANSWERED)
    for await (const question of readQuestions(reason, span, deps)) aggregator.addUnanswered(question);
}

/** Reads the questions whose answers ended with this finish reason, oldest first. */
export async function* readQuestions(
  reason: string,
  span: Span,
  { workspace, waitForSlot, signal }: ReadingDeps,
): AsyncGenerator<AskedQuestion> {
  for (let after: AskedQuestion | undefined; !signal.aborted; ) {
    await waitForSlot();
    const questions = await workspace.conversations.listQuestions(reason, PAGE_ROWS, after, span);
    yield* questions;
    if (questions.length < PAGE_ROWS) return;
    after = questions.at(-1);
  }
}

/** Adds ratings from the conversations: event rows lack their details, because visitors may add them later. */
async function addRatings(
  aggregator: AnalyticsAggregator,
  span: Span,
  { workspace, waitForSlot, signal }: ReadingDeps,
): Promise<void> {
  for (let before: RatedTurn | undefined; !signal.aborted; ) {
    await waitForSlot();
    const ratings = await workspace.conversations.listRated(PAGE_ROWS, before, span);
    for (const rating of ratings) aggregator.addRating(toRatingDetails(rating));
    if (ratings.length < PAGE_ROWS) return;
    before = ratings.at(-1);
  }
}

export type AnalyticsQuery = {
  from?: string | undefined;
  to?: string | undefined;
  by: 'day' | 'hour';
  zone: string;
};

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
/** Days with 25 hours must not push a range over the limit. */
const TOLERANCE_MILLIS = DAY_MILLIS / 4;

/** Throws `request/invalid` for an unknown zone, and an empty or too long range. */
export function parseRange(query: AnalyticsQuery, nowMillis: number): { span: Span; zone: Zone } {
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

/** Returns the span of the same length before this one. */
export function getPreviousSpan({ fromMillis, beforeMillis }: Span): Span {
  return { fromMillis: fromMillis - (beforeMillis - fromMillis), beforeMillis: fromMillis };
}

/** Days and hours of a time zone as instants. A day usually has 23, 24 or 25 hours. */

/** No time zone has a larger offset from UTC. */
const OFFSET_MILLIS_MAX = 26 * HOUR_MILLIS;

export type Zone = {
  name: string;
  /** Milliseconds ahead of UTC at this instant. */
  getUtcOffset: (millis: number) => number;
};

/** Returns undefined for an unknown name. */
export function parseTimeZone(name: string): Zone | undefined {
  const format = getFormatter(name);
  if (!format) return undefined;
  return {
    name: format.resolvedOptions().timeZone,
    getUtcOffset: (millis) => {
      const [, sign, hours, minutes, seconds] =
        /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(format.format(millis)) ?? [];
      if (sign === undefined) return 0;
      const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds ?? 0);
      return (sign === '-' ? -total : total) * 1000;
    },
  };
}

function getFormatter(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the start of each period: the start of the range, then each start of a day or hour of the zone. */
export function listPeriodStarts(
  by: 'day' | 'hour',
  { fromMillis, beforeMillis }: Span,
  zone: Zone,
): number[] {
  const starts = [fromMillis];
  if (by === 'hour') {
    for (let at = getNextHour(fromMillis, zone); at < beforeMillis; at = getNextHour(at, zone))
      starts.push(at);
    return starts;
  }
  for (let midnight = getLocalMidnight(fromMillis, zone) + DAY_MILLIS; ; midnight += DAY_MILLIS) {
    const at = toFirstInstant(midnight, zone);
    if (at >= beforeMillis) return starts;
    // Zones can skip a whole day when they cross the date line.
    if (at > starts.at(-1)!) starts.push(at);
  }
}

/** Returns the start of the first of `days` local days, the last of which contains the moment before `beforeMillis`. */
export function getStartOfDays(days: number, beforeMillis: number, zone: Zone): number {
  return toFirstInstant(getLocalMidnight(beforeMillis - 1, zone) - (days - 1) * DAY_MILLIS, zone);
}

/** Returns the local time of the last midnight, as if it were UTC. */
function getLocalMidnight(millis: number, { getUtcOffset }: Zone): number {
  return Math.floor((millis + getUtcOffset(millis)) / DAY_MILLIS) * DAY_MILLIS;
}

/** Returns the first instant whose local time is `local` (given as if it were UTC) or later. */
function toFirstInstant(local: number, zone: Zone): number {
  const early = local - OFFSET_MILLIS_MAX;
  const late = local + OFFSET_MILLIS_MAX;
  const before = zone.getUtcOffset(early);
  const after = zone.getUtcOffset(late);
  if (before === after) return local - before;
  const change = findOffsetChange(early, late, zone);
  return local - before < change ? local - before : Math.max(change, local - after);
}

/** Returns the next full local hour, or the offset change if that comes first. */
function getNextHour(millis: number, zone: Zone): number {
  const offset = zone.getUtcOffset(millis);
  const next = (Math.floor((millis + offset) / HOUR_MILLIS) + 1) * HOUR_MILLIS - offset;
  return zone.getUtcOffset(next) === offset ? next : findOffsetChange(millis, next, zone);
}

/** Finds the change by binary search. The offsets at `early` and `late` must differ. */
function findOffsetChange(early: number, late: number, { getUtcOffset }: Zone): number {
  const before = getUtcOffset(early);
  let [same, changed] = [early, late];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (getUtcOffset(middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}

/**
 * Serializes long reads: each tick of the event loop runs one page of one reader, however many readers there are, so
 * other requests wait for one page at most.
 */
export function createFairScheduler(): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return () => {
    last = last.then(() => yieldToEventLoop());
    return last;
  };
}
