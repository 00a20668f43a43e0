import type { RatingDetails } from '../../contract/chat.ts';
import type { FinishReason } from '../../contract/chat-event.ts';
import type { Feedback, Turn } from '../storage/conversation-queries.ts';

/** Returns the fields of a turn that visitors and the workspace read alike. */
export function toTurnFields(turn: Omit<Turn, 'attempt'>) {
  return {
    turn_idx: turn.turnIdx,
    message_id: turn.messageId,
    message: turn.question,
    answer: turn.answer,
    state: turn.state,
    finish_reason: turn.finishReason as FinishReason | undefined,
    requested_locale: turn.requestedLocale,
  };
}

type StoredDetails = Pick<Feedback, 'comment' | 'reasons'>;

/** Returns what a visitor said with a rating in the form of the API. */
export function toRatingDetails({ comment, reasons }: StoredDetails): RatingDetails {
  return { comment, reasons: reasons === undefined ? undefined : JSON.parse(reasons) };
}

/** Returns what a visitor says with a rating in the form of the table. */
export function toStoredDetails({ comment, reasons }: RatingDetails): StoredDetails {
  return { comment, reasons: reasons && JSON.stringify(reasons) };
}
