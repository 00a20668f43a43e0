import type { ChatEvent } from '../../contract/chat-event.ts';
import { newId } from '../ids.ts';
import type { EventRow } from '../storage/events.ts';
import type { ActionEvent } from './proposals.ts';

type Citation = Extract<ChatEvent, { type: 'citation' }>;

/** Who the rows are about; absent members where nothing may tell. */
export type Counted = { readonly visitorId?: string; readonly conversationId?: string };

/** The event rows of a finished turn: what happened, never what was said. */
export function rowsOfTurn(turn: {
  readonly counted: Counted;
  readonly messageId: string;
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
  // A message id leads back to its visitor, so rows that may not tell who leave it out.
  const message = counted.visitorId === undefined ? {} : { message_id: turn.messageId };
  return [
    row('turn', {
      ...message,
      finish_reason: turn.finishReason,
      answer_confidence: turn.confidence,
      requested_locale: turn.requestedLocale,
      citations: turn.citations.length,
      millis: turn.millis,
      first_text_millis: turn.firstTextMillis ?? null,
    }),
    ...turn.citations.map((citation) =>
      row('citation', {
        ...message,
        article_id: citation.article_id,
        revision: citation.revision,
        content_locale: citation.content_locale,
        fallback_reason: citation.fallback_reason ?? null,
        stale: citation.stale,
      }),
    ),
    ...turn.actions.map((action) =>
      row('action', { ...message, action_id: action.action_id, kind: action.kind }),
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
