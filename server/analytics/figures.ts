import type { AnalyticsFigures } from '../../contract/analytics.ts';
import type { EventRow } from '../storage/events.ts';
import { createDistinct } from './distinct.ts';
import { createLatencies } from './latencies.ts';

/** What is counted of a stretch of time: one row after the other, then the figures. */
export type FiguresCount = { add(row: EventRow): void; figures(): AnalyticsFigures };

type Outcome = 'done' | 'declined' | 'target_missing' | 'failed';

export function countFigures(): FiguresCount {
  const visitors = createDistinct();
  const latencies = createLatencies();
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
    figures() {
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
