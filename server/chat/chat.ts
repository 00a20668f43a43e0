import type { chat } from '../../contract/chat.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { newId } from '../base/ids.ts';
import { toStorableText, truncate } from '../base/text.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers } from '../http/handler.ts';
import type { Feedback, Turn } from '../storage/conversation-queries.ts';
import { getEventSubject } from '../visitors/consent/event-subject.ts';
import { hasGpcHeader, readCallerConsent } from '../visitors/consent/visitor-consent.ts';
import { toRatingRow } from './analytics-events.ts';
import { offersPerson, readCitations, readPageCitations } from './citations.ts';
import { sendMessageHandler, type TurnDeps } from './send-message.ts';
import { toStoredDetails, toTurnFields } from './turn-fields.ts';
import { toRatedEvent } from './webhook-events.ts';

export function chatHandlers(deps: TurnDeps): Handlers<typeof chat> {
  const { store, clock } = deps;
  return {
    ...sendMessageHandler(deps),

    async listOwnConversations({ caller }) {
      const { conversations } = store.in(caller.workspace.id);
      const found = await conversations.listConversations(
        CHAT_LIMITS.visitorConversationsMax,
        undefined,
        undefined,
        caller.visitorId,
      );
      const data = found.map(({ id, firstQuestion, lastAskedAt }) => ({
        conversation_id: id,
        title: truncate(firstQuestion, CHAT_LIMITS.conversationTitleCharsMax),
        last_at: Math.floor(lastAskedAt / 1000),
      }));
      return { status: 200, body: { data } };
    },

    async getConversation({ params, caller }) {
      const { conversations } = store.in(caller.workspace.id);
      const conversation = await conversations.find(toStorableText(params.conversation_id));
      if (!conversation || conversation.visitorId !== caller.visitorId)
        return throwApiError('conversation/not_found');
      const [turns, ratings] = await Promise.all([
        conversations.turns(conversation.id, CHAT_LIMITS.turnsPerConversationMax),
        conversations.ratings(conversation.id),
      ]);
      const ratingByMessage = new Map(ratings.map(({ messageId, rating }) => [messageId, rating]));
      return {
        status: 200,
        body: {
          conversation_id: conversation.id,
          started_at: Math.floor(conversation.startedAt / 1000),
          next_turn_idx: conversation.nextTurnIdx,
          turns: turns.map((turn) => toConversationTurn(turn, ratingByMessage.get(turn.messageId))),
        },
      };
    },

    async rateMessage({ body, caller, ctx }) {
      const { conversations, consents } = store.in(caller.workspace.id);
      const consent = await readCallerConsent(caller, consents, hasGpcHeader(ctx.headers), clock.now());
      const subject = getEventSubject(consent, caller);
      const atMillis = clock.now();
      const id = newId('fb');
      const outcome = await conversations.rate(
        {
          id,
          messageId: body.message_id,
          visitorId: caller.visitorId,
          rating: body.rating,
          ...toStoredDetails(body),
          atMillis,
        },
        subject ? [toRatingRow(body.rating, body.message_id, subject, atMillis)] : [],
        subject && toRatedEvent(body, subject, atMillis),
      );
      if (outcome === 'gone') return throwApiError('message/not_found');
      return { status: 200, body: { ok: true } };
    },
  };
}

function toConversationTurn(turn: Turn, rating: Feedback['rating'] | undefined) {
  return {
    ...toTurnFields(turn),
    citations: readCitations(turn),
    page_citations: readPageCitations(turn),
    rating,
    ...(offersPerson(turn) && { offers_person: true }),
    asked_at: Math.floor(turn.askedAt / 1000),
  };
}
