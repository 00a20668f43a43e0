import type { Analytics, AnalyticsFigures } from '../../contract/analytics.ts';
import { UNANSWERED } from '../chat/analytics-events.ts';
import { toIsoString } from '../clock.ts';
import type { AskedQuestion } from '../storage/conversations.ts';
import type { EventPosition, EventRow, Span } from '../storage/events.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import { type AnalyticsCount, countAnalytics } from './analytics.ts';
import { countFigures } from './figures.ts';
import { periodStarts } from './periods.ts';
import { type AnalyticsAsked, rangeOf, spanBefore } from './range.ts';

/** Each page is one step of the event loop: large enough to be quick, small enough to be out of everybody's way. */
const ROWS_A_PAGE = 250;

export type ReadingDeps = {
  readonly workspace: Pick<WorkspaceStore, 'events' | 'conversations'>;
  readonly pace: () => Promise<void>;
  readonly nowMillis: number;
  /** Nobody waits for the answer any more. */
  readonly signal: AbortSignal;
};

/** Reads the event rows once, page by page, and counts them. */
export async function readAnalytics(asked: AnalyticsAsked, deps: ReadingDeps): Promise<Analytics> {
  const { span, zone } = rangeOf(asked, deps.nowMillis);
  const previous = await figuresOf(spanBefore(span), deps);
  const count = countAnalytics(periodStarts(asked.by, span, zone));
  for await (const rows of eventPages(span, deps)) for (const row of rows) count.add(row);
  await countUnanswered(count, span, deps);
  return {
    from: toIsoString(span.fromMillis),
    to: toIsoString(span.beforeMillis),
    zone: zone.name,
    by: asked.by,
    previous,
    ...count.finish(),
  };
}

async function figuresOf(span: Span, deps: ReadingDeps): Promise<AnalyticsFigures> {
  const count = countFigures();
  for await (const rows of eventPages(span, deps)) for (const row of rows) count.add(row);
  return count.figures();
}

async function* eventPages(
  span: Span,
  { workspace, pace, signal }: ReadingDeps,
): AsyncGenerator<readonly EventRow[]> {
  for (let after: EventPosition | undefined; !signal.aborted; ) {
    await pace();
    const rows = await workspace.events.list(ROWS_A_PAGE, after, span);
    yield rows;
    if (rows.length < ROWS_A_PAGE) return;
    after = rows.at(-1);
  }
}

/** What was asked stands in the conversations alone: event rows say what happened, never what was said. */
async function countUnanswered(
  count: AnalyticsCount,
  span: Span,
  { workspace, pace, signal }: ReadingDeps,
): Promise<void> {
  for (const reason of UNANSWERED) {
    for (let after: AskedQuestion | undefined; !signal.aborted; ) {
      await pace();
      const questions = await workspace.conversations.listQuestions(reason, ROWS_A_PAGE, after, span);
      for (const asked of questions) count.addUnanswered(asked);
      if (questions.length < ROWS_A_PAGE) break;
      after = questions.at(-1);
    }
  }
}
