import type { ChatEvent } from '../../contract/chat-event.ts';
import { newId } from '../ids.ts';
import type { EventRow } from '../storage/events.ts';
import type { ActionEvent } from './proposals.ts';

type Citation = Extract<ChatEvent, { type: 'citation' }>;

/** Who the rows are about; absent members where nothing may tell. */
export type Counted = { readonly visitorId?: string; readonly conversationId?: string };

/** An answer that ended like this answered its question. */
export function isAnswered(finishReason: string | undefined): boolean {
  return finishReason === 'stop' || finishReason === 'length';
}

/** How an answer ends that leaves its question open. */
export const UNANSWERED = ['no_knowledge', 'refusal'] as const;

/** The event rows of a finished turn: what happened, never what was said. */
export function rowsOfTurn(turn: {
  readonly counted: Counted;
  readonly messageId: string;
  readonly turnIdx: number;
  /** Whether the conversation began with it. */
  readonly first: boolean;
  readonly atMillis: number;
  readonly finishReason: string;
  readonly confidence: number;
  readonly requestedLocale: string;
  readonly millis: number;
  readonly firstTextMillis: number | undefined;
  readonly citations: readonly Citation[];
  readonly actions: readonly ActionEvent[];
}): EventRow[] {
  const { counted, atMillis } = turn;
  const row = (type: EventRow['type'], data: EventRow['data']): EventRow => ({
    id: newId('evt'),
    atMillis,
    type,
    ...counted,
    data,
  });
  const message = messageOf(counted, turn.messageId);
  return [
    row('turn', {
      ...message,
      turn_idx: turn.turnIdx,
      first: turn.first,
      finish_reason: turn.finishReason,
      answered: isAnswered(turn.finishReason),
      answer_confidence: turn.confidence,
      requested_locale: turn.requestedLocale,
      content_locale: turn.citations[0]?.content_locale ?? null,
      citations: turn.citations.length,
      actions: turn.actions.length,
      // A clock may go back meanwhile.
      millis: Math.max(0, turn.millis),
      first_text_millis: turn.firstTextMillis === undefined ? null : Math.max(0, turn.firstTextMillis),
    }),
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

/** What became of the actions that earlier turns proposed. */
export function rowsOfOutcomes(
  outcomes: readonly { action_id: string; outcome: string }[],
  counted: Counted,
  atMillis: number,
): EventRow[] {
  return outcomes.map(({ action_id, outcome }) => ({
    id: newId('evt'),
    atMillis,
    type: 'action_outcome',
    ...counted,
    data: { action_id, outcome },
  }));
}

/** A rating as it was given; a later one of the same answer is a row of its own. */
export function rowOfRating(
  rating: 'up' | 'down',
  messageId: string,
  counted: Counted,
  atMillis: number,
): EventRow {
  const data = { ...messageOf(counted, messageId), rating };
  return { id: newId('evt'), atMillis, type: 'feedback', ...counted, data };
}

/** A message id leads back to its visitor, so rows that may not tell who leave it out. */
function messageOf(counted: Counted, messageId: string): { message_id?: string } {
  return counted.visitorId === undefined ? {} : { message_id: messageId };
}
