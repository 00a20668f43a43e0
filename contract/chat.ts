import { z } from 'zod';
import { captureContext, viewportScreenshot } from './capture.ts';
import { chatEvent, citation, finishReason } from './chat-event.ts';
import {
  conversationId,
  documentSize,
  locale,
  messageId,
  pageUrl,
  pixels,
  unixSeconds,
  viewport,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';

export const outcomeKind = z
  .enum(['done', 'declined', 'target_missing', 'failed'])
  .meta({ id: 'OutcomeKind', description: 'What became of a proposed action on the page.' });

export const turnState = z
  .enum(['running', 'complete', 'interrupted', 'failed'])
  .meta({ id: 'TurnState', description: 'How far the answer of a turn got.' });

export const rating = z
  .enum(['up', 'down'])
  .meta({ id: 'FeedbackRating', description: 'Whether an answer helped: up when it did.' });

export const actionOutcome = z
  .strictObject({
    action_id: z
      .string()
      .min(1)
      .max(64)
      .describe('The proposal, as the stream named it.')
      .meta({ example: 'a1' }),
    outcome: outcomeKind.describe('What became of it on the page.'),
  })
  .meta({
    id: 'ActionOutcome',
    description: 'What became of an action that was proposed in an earlier turn.',
  });

export const chatRequest = z
  .strictObject({
    message: z
      .string()
      .min(1)
      .max(LIMITS.messageCharsMax)
      .regex(/\S/)
      .describe('What the visitor asks; not empty.')
      .meta({ example: 'How do I connect to a wireless network?' }),
    dom_digest: z
      .string()
      .min(1)
      .max(LIMITS.chatBodyBytesMax)
      .describe(
        `A sanitised, compact digest of the page; the first ${LIMITS.digestCharsKept} characters are read.`,
      )
      .meta({ example: 'main > h1 Welcome' }),
    conversation_id: conversationId,
    turn_idx: z
      .int32()
      .min(0)
      .max(LIMITS.turnIdxMax)
      .describe('The zero-based index of the turn. Sending one again is no error.'),
    url: pageUrl.describe('The full address of the page; its origin must be the one of the visitor token.'),
    viewport: viewport
      .optional()
      .describe('The visible part of the page; a common desktop size when omitted.'),
    document: documentSize
      .optional()
      .describe('The size of the page; the size of the viewport when omitted.'),
    scroll_pos: pixels
      .optional()
      .describe('How far the page is scrolled down, in CSS pixels; zero when omitted.'),
    capture_context: captureContext
      .optional()
      .describe('Structured page context; untrusted, cut and cleaned.'),
    viewport_screenshot: viewportScreenshot
      .optional()
      .describe('Dropped with a notice when it is oversized or malformed.'),
    action_results: z
      .array(actionOutcome)
      .max(LIMITS.actionResultsMax)
      .optional()
      .describe('What became of the actions that earlier turns proposed.'),
  })
  .meta({ id: 'ChatRequest', description: 'One conversation turn (interface document, section 4.2).' });

export const conversationTurn = z
  .strictObject({
    turn_idx: z.int32().min(0).max(LIMITS.turnIdxMax).describe('The index of the turn.'),
    message_id: messageId,
    message: z
      .string()
      .max(LIMITS.messageCharsMax)
      .describe('What the visitor asked in this turn.')
      .meta({ example: 'How do I connect to a wireless network?' }),
    answer: z
      .string()
      .max(200_000)
      .describe('What the guide answered; what there was of it when it was interrupted.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    state: turnState.describe('How far the answer got.'),
    finish_reason: finishReason.optional().describe('Why the answer ended; absent while it runs.'),
    requested_locale: locale.describe('The language that the visitor asked for.'),
    citations: z.array(citation).max(100).describe('The sources of the answer.'),
    asked_at: unixSeconds.describe('When the visitor asked, in Unix seconds.'),
  })
  .meta({ id: 'ConversationTurn', description: 'A question of the visitor and its answer.' });

export const conversation = z
  .strictObject({
    conversation_id: conversationId,
    started_at: unixSeconds.describe('When the first turn was asked.'),
    next_turn_idx: z
      .int32()
      .min(0)
      .max(LIMITS.turnIdxMax + 1)
      .describe('The index to send with the next turn.')
      .meta({ example: 1 }),
    turns: z.array(conversationTurn).max(LIMITS.turnsPerConversationMax).describe('The turns, oldest first.'),
  })
  .meta({
    id: 'Conversation',
    description: 'A conversation of this visitor, so that the next page can go on with it.',
  });

export type Conversation = z.infer<typeof conversation>;

export const feedbackRequest = z
  .strictObject({
    message_id: messageId.describe('The answer that is rated; must be one of this visitor.'),
    rating: rating.describe('Whether the answer helped.'),
    comment: z
      .string()
      .min(1)
      .max(LIMITS.feedbackCharsMax)
      .optional()
      .describe('What the visitor adds to it.'),
  })
  .meta({ id: 'FeedbackRequest', description: 'A rating of one answer; a later one replaces it.' });

export const feedbackReply = z
  .strictObject({ ok: z.literal(true).describe('True: the rating is stored.') })
  .meta({ id: 'FeedbackReply', description: 'The rating is stored.' });

export const chat = router({
  sendMessage: route({
    method: 'POST',
    path: '/chat',
    summary: 'Send a message and stream the answer',
    description:
      'One conversation turn. Answers with a Server-Sent Events stream of answer text, citations, proposed actions and ' +
      'suggested next steps that ends with exactly one message_end or error. Every refusal comes before the stream opens. ' +
      'Interface document, section 4.2.',
    headers: {
      'accept-language': z
        .string()
        .max(8192)
        .optional()
        .describe('The languages of the visitor; picks the translations that are cited.')
        .meta({ example: 'de-AT,de;q=0.9,en;q=0.5' }),
      'idempotency-key': z
        .string()
        .min(1)
        .max(LIMITS.idempotencyKeyCharsMax)
        .regex(/^[!-~]+$/)
        .optional()
        .describe('The same key with the same body attaches to the running turn or replays the finished one.')
        .meta({ example: '0c6d1f0e-turn-0' }),
      'last-event-id': z
        .string()
        .max(128)
        .regex(/^[!-~]*$/)
        .optional()
        .describe('With the same Idempotency-Key: go on after this frame.')
        .meta({ example: 'msg_01kakv2fxse7wtg6x5r0h8rjbm:3' }),
    },
    body: chatRequest,
    answers: { 200: chatEvent },
    errors: ['chat/url_mismatch', 'chat/too_many_streams', 'chat/idempotency_mismatch', 'server/overloaded'],
    meta: {
      operationId: 'sendMessage',
      tag: 'Chat',
      credential: 'visitor',
      unauthorized: 'chat/unauthorized',
      limits: ['chat/visitor-burst', 'chat/tenant-burst', 'chat/visitor-hour'],
      limitsWithoutCredential: ['chat/ip-rate-limited'],
      bodyBytesMax: LIMITS.chatBodyBytesMax,
      cuts: { member: 'data', arrivingBytesMax: LIMITS.chatArrivingBytesMax },
      streams: chatEvent,
    },
  }),

  getConversation: route({
    method: 'GET',
    path: '/conversations/:conversation_id',
    summary: 'Read a conversation again',
    description:
      'The turns of a conversation of this visitor, so that the next page of the site can go on with it. Another ' +
      "visitor's conversation and one that does not exist are answered alike.",
    pathParams: z.strictObject({ conversation_id: conversationId }),
    query: z.strictObject({}),
    answers: { 200: conversation },
    errors: ['conversation/not_found'],
    meta: {
      operationId: 'getConversation',
      tag: 'Chat',
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),

  rateMessage: route({
    method: 'POST',
    path: '/feedback',
    summary: 'Rate an answer',
    description:
      'Stores whether an answer helped. A later rating of the same answer replaces the earlier one.',
    body: feedbackRequest,
    answers: { 200: feedbackReply },
    errors: ['message/not_found'],
    meta: {
      operationId: 'rateMessage',
      tag: 'Chat',
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),
});
