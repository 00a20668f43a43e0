import { randomUUID } from 'node:crypto';
import type { RatingDetails } from '../../contract/chat.ts';
import { toIsoString } from '../base/clock.ts';
import type { ChangeEvent } from '../storage/webhook-events.ts';
import type { EventSubject } from '../visitors/consent/event-subject.ts';

/**
 * What webhooks are told about visitors. An event of a visitor who may not be named has neither ids nor words, as its event
 * rows have none.
 */

type UnansweredTurn = {
  messageId: string;
  /** Without personal data and secrets. */
  question: string;
  locale: string;
  path: string;
  nearestArticleId: string | undefined;
};

export function toUnansweredEvent(
  { messageId, question, locale, path, nearestArticleId }: UnansweredTurn,
  subject: EventSubject,
  at: number,
): ChangeEvent {
  return {
    ...{ type: 'question.unanswered', ...toEventSubject(subject), at },
    payload: {
      ...toVisitorFields(subject, messageId),
      ...(subject.keepsWords && { question }),
      ...{ locale, page_path: path, nearest_article_id: nearestArticleId ?? null },
      asked_at: toIsoString(at),
    },
  };
}

export function toRatedEvent(
  messageId: string,
  rating: 'up' | 'down',
  { comment, reasons }: RatingDetails,
  subject: EventSubject,
  at: number,
): ChangeEvent {
  return {
    ...{ type: 'answer.rated', ...toEventSubject(subject), at },
    payload: {
      ...toVisitorFields(subject, messageId),
      ...{ rating, ...(reasons && { reasons }) },
      ...(subject.keepsWords && comment !== undefined && { comment }),
      rated_at: toIsoString(at),
    },
  };
}

const toEventSubject = ({ visitorId }: EventSubject) => ({ subject: visitorId ?? randomUUID(), visitorId });

const toVisitorFields = ({ visitorId, conversationId }: EventSubject, messageId: string) => ({
  ...(visitorId !== undefined && { visitor_id: visitorId, message_id: messageId }),
  ...(conversationId !== undefined && { conversation_id: conversationId }),
});
