import type { EventRow } from '../storage/event-queries.ts';
import { type EventSubject, toEventRow } from '../visitors/consent/event-subject.ts';
import type { Citation } from './citations.ts';
import type { ActionEvent } from './events.ts';

/** Whether an answer with this finish reason counts as answered. */
export function isAnswered(finishReason: string | undefined): boolean {
  return finishReason === 'stop' || finishReason === 'length';
}

/** Finish reasons that count as unanswered. */
export const UNANSWERED = ['no_knowledge', 'refusal'] as const;

export const isUnanswered = (finishReason: string | undefined) =>
  UNANSWERED.some((reason) => reason === finishReason);

type FinishedTurn = {
  subject: EventSubject;
  messageId: string;
  /** Path of the page on which the question was asked. */
  path: string;
  turnIdx: number;
  /** Whether the conversation began with this turn. */
  first: boolean;
  atMillis: number;
  finishReason: string;
  confidence: number;
  requestedLocale: string;
  millis: number;
  firstTextMillis: number | undefined;
  citations: readonly Citation[];
  actions: readonly ActionEvent[];
  /** The published article that is closest to the question, if one is likely to answer it. */
  nearestArticleId: string | undefined;
};

/** Returns the event rows of a finished turn, which never contain text of the question or the answer. */
export function toTurnRows(turn: FinishedTurn): EventRow[] {
  const { subject, atMillis } = turn;
  const row = (type: EventRow['type'], data: EventRow['data']) => toEventRow(type, subject, atMillis, data);
  const message = getMessageId(subject, turn.messageId);
  return [
    row('turn', { ...message, ...toTurnData(turn) }),
    ...turn.citations.map((citation) =>
      row('citation', {
        ...message,
        article_id: citation.article_id,
        revision: citation.revision,
        requested_locale: citation.requested_locale,
        content_locale: citation.content_locale,
        fallback_reason: citation.fallback_reason ?? null,
        stale: citation.stale,
      }),
    ),
    ...turn.actions.map((action) =>
      row('action', {
        ...message,
        action_id: action.action_id,
        kind: action.kind,
        requires_confirmation: action.requires_confirmation,
      }),
    ),
  ];
}

const toTurnData = (turn: FinishedTurn): EventRow['data'] => ({
  path: turn.path,
  turn_idx: turn.turnIdx,
  first: turn.first,
  finish_reason: turn.finishReason,
  answered: isAnswered(turn.finishReason),
  answer_confidence: turn.confidence,
  requested_locale: turn.requestedLocale,
  content_locale: turn.citations[0]?.content_locale ?? null,
  nearest_article_id: (isUnanswered(turn.finishReason) && turn.nearestArticleId) || null,
  citations: turn.citations.length,
  actions: turn.actions.length,
  // The clock may have been set back meanwhile.
  millis: Math.max(0, turn.millis),
  first_text_millis: turn.firstTextMillis === undefined ? null : Math.max(0, turn.firstTextMillis),
});

/** Returns one event row per outcome of an action that an earlier turn proposed. */
export function toOutcomeRows(
  outcomes: readonly { action_id: string; outcome: string }[],
  subject: EventSubject,
  atMillis: number,
): EventRow[] {
  return outcomes.map(({ action_id, outcome }) =>
    toEventRow('action_outcome', subject, atMillis, { action_id, outcome }),
  );
}

/** Returns the event row of a rating. A changed rating is a new row; earlier rows stay. */
export function toRatingRow(
  rating: 'up' | 'down',
  messageId: string,
  subject: EventSubject,
  atMillis: number,
): EventRow {
  const data = { ...getMessageId(subject, messageId), rating };
  return toEventRow('feedback', subject, atMillis, data);
}

/** A message id identifies its visitor, so anonymous rows omit it. */
function getMessageId(subject: EventSubject, messageId: string): { message_id?: string } {
  return subject.visitorId === undefined ? {} : { message_id: messageId };
}
