import type { FeedbackReason } from '../../contract/chat.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { truncate } from '../base/text.ts';
import type { Feedback } from '../storage/conversation-queries.ts';

/** Returns the comment and reasons of a rating in the form of the API. */
export function toRatingDetails({ comment, reasons }: Pick<Feedback, 'comment' | 'reasons'>): {
  comment?: string;
  reasons?: FeedbackReason[];
} {
  return {
    ...(comment !== undefined && { comment: truncate(comment, CHAT_LIMITS.feedbackCharsMax) }),
    ...(reasons !== undefined && { reasons: JSON.parse(reasons) }),
  };
}
