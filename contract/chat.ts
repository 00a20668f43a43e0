import { z } from 'zod';
import { chatEvent, citation, finishReason, offersPerson, pageCitation } from './chat-event.ts';
import {
  acceptLanguage,
  boundingBox,
  conversationId,
  documentSize,
  locale,
  messageId,
  moment,
  namedObject,
  pageUrl,
  pattern,
  pixels,
  scrollPosition,
  text,
  unixSeconds,
  viewport,
  visibleText,
  visitorId,
} from './fields.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { route, router } from './route.ts';

/**
 * Page context. Its shape is strict, but its content is untrusted: the service truncates, sanitizes or drops it and
 * never fails a turn. Only the body limit bounds the texts; descriptions state how much is kept. `catch` keeps
 * malformed screenshots and targets from failing the turn: it replaces them with a value that the service drops.
 */
const pageText = z.string().max(CHAT_LIMITS.chatBodyBytesMax);

const accessibilityHints = namedObject(
  'AccessibilityHints',
  'Description of a target for assistive technology.',
  {
    label: pageText.optional(),
    description: pageText.optional(),
    state: pageText.optional().describe('States such as expanded, checked or disabled, as one string.'),
  },
);

const captureTarget = namedObject(
  'CaptureTarget',
  'A candidate for an action, backed by an element of the page. Dropped with a notice when it is malformed.',
  {
    gp_id: pageText
      .min(1)
      .describe('A name for the element that stays the same while the page lives.')
      .meta({ example: 'wifi-settings' }),
    selector: pageText.optional().describe('A CSS selector; kept as data and never executed.'),
    role: pageText.optional().describe('The ARIA role, such as button or link.'),
    name: pageText.optional().describe('The visible or accessible name of the element.'),
    viewport_bbox: boundingBox.optional().describe('Where it stands in the visible part of the page.'),
    document_bbox: boundingBox.optional(),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('How sure the page is of this candidate, from 0 to 1.'),
    accessibility: accessibilityHints.optional(),
    in_viewport: z.boolean().optional().describe('True when the visitor can see it without scrolling.'),
  },
);

/** Replaces a malformed target. No other target has an empty id. */
const tolerantTarget = captureTarget.catch(() => ({ gp_id: '' }));

/** Cut before validation, which costs time for each entry. Anything but a list counts as one malformed target. */
const tolerantTargets = z.preprocess(
  (sent: z.input<typeof captureTarget>[]) =>
    Array.isArray(sent) ? sent.slice(0, CHAT_LIMITS.targetsSentMax) : [sent],
  z.array(tolerantTarget).max(CHAT_LIMITS.targetsSentMax),
);

export const capturePage = namedObject('CapturePage', 'Which page the visitor is on.', {
  title: pageText.optional().describe('The title of the page, as its tab shows it.'),
  url: pageText.optional(),
});

export const captureContext = namedObject(
  'CaptureContext',
  'Structured page context. It grants no control over the browser.',
  {
    page: capturePage.optional(),
    viewport: viewport.optional().describe('The visible part of the page.'),
    document: documentSize.optional(),
    scroll: scrollPosition.optional(),
    selected_text: pageText.optional(),
    focused_target: tolerantTarget.optional(),
    targets: tolerantTargets
      .optional()
      .describe(`Candidates for actions, best first; the first ${CHAT_LIMITS.targetsKept} are kept.`),
  },
);

export const viewportScreenshot = namedObject(
  'ViewportScreenshot',
  'A picture of what the visitor sees. Dropped with a notice when it is oversized or malformed.',
  {
    data: pageText
      .describe('The picture as raw base64, without a data: prefix.')
      .meta({ example: '/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==' }),
    mime: z
      .string()
      .max(255)
      .meta({ description: 'The media type; only image/jpeg is kept.', example: 'image/jpeg' }),
    width: pixels,
    height: pixels,
  },
);

/** Replaces a malformed screenshot. */
const tolerantScreenshot = viewportScreenshot.catch(() => ({ data: '', mime: '', width: 0, height: 0 }));

export type CaptureContext = z.infer<typeof captureContext>;
export type CaptureTarget = z.infer<typeof captureTarget>;
export type ViewportScreenshot = z.infer<typeof viewportScreenshot>;

export const outcomeKind = z
  .enum(['done', 'declined', 'target_missing', 'failed'])
  .meta({ id: 'OutcomeKind', description: 'Outcome of a proposed action on the page.' });

const turnState = z
  .enum(['running', 'complete', 'interrupted', 'failed'])
  .meta({ id: 'TurnState', description: 'State of the answer.' });

export const rating = z
  .enum(['up', 'down'])
  .meta({ id: 'FeedbackRating', description: 'Whether an answer was helpful.' });

export const feedbackReason = z
  .enum(['incorrect', 'outdated', 'off_topic'])
  .meta({ id: 'FeedbackReason', description: 'A defect of an answer, as a visitor reports it.' });

/** What a visitor may say with a rating. Everything that returns ratings to the workspace returns it. */
export const ratingDetails = {
  comment: text(CHAT_LIMITS.feedbackCharsMax).optional().describe("The visitor's comment."),
  reasons: z
    .array(feedbackReason)
    .min(1)
    .max(CHAT_LIMITS.feedbackReasonsMax)
    .refine((reasons) => new Set(reasons).size === reasons.length, 'Each reason may be given once.')
    .meta({ uniqueItems: true })
    .optional(),
};

export const chatStream = z.enum(['guidepost', 'ai-sdk-ui-v1']).meta({
  id: 'ChatStream',
  description: 'The vocabulary in which an answer is streamed.',
});

const actionOutcome = namedObject('ActionOutcome', 'Outcome of an action that an earlier turn proposed.', {
  action_id: text(64).meta({ example: 'a1' }),
  outcome: outcomeKind,
});

export const chatRequest = namedObject('ChatRequest', 'One conversation turn.', {
  message: visibleText(CHAT_LIMITS.messageCharsMax)
    .describe("The visitor's message. Not empty.")
    .meta({ example: 'How do I connect to a wireless network?' }),
  dom_digest: text(CHAT_LIMITS.chatBodyBytesMax)
    .describe(
      `A sanitised, compact digest of the page; the first ${CHAT_LIMITS.digestCharsKept} characters are read.`,
    )
    .meta({ example: 'main > h1 Welcome' }),
  conversation_id: conversationId.describe(
    'Conversation id, chosen by the client or returned by the service. U+0000 and unpaired surrogates count as U+FFFD.',
  ),
  turn_idx: z
    .int32()
    .min(0)
    .max(CHAT_LIMITS.turnIdxMax)
    .describe('Zero-based index of the turn. Repeating one is not an error.'),
  url: pageUrl.describe('Full URL of the page. Its origin must match the visitor token.'),
  viewport: viewport.optional().describe('The defaults of its members when omitted.'),
  document: documentSize.optional().describe('The defaults of its members when omitted.'),
  scroll_pos: pixels
    .optional()
    .describe('How far the page is scrolled down, in CSS pixels; zero when omitted.'),
  capture_context: captureContext.optional().describe('Treated as untrusted, truncated and sanitized.'),
  viewport_screenshot: tolerantScreenshot
    .optional()
    .describe('Dropped with a notice if it is oversized or malformed.'),
  action_results: z.array(actionOutcome).max(CHAT_LIMITS.actionResultsMax).optional(),
});

/** A turn, as visitors and the workspace read it. */
export const turnFields = {
  turn_idx: z
    .int32()
    .min(0)
    .max(CHAT_LIMITS.turnIdxMax)
    .describe('Index of the turn, as sent by the visitor.'),
  message_id: messageId,
  message: z
    .string()
    .max(CHAT_LIMITS.messageCharsMax)
    .meta({ example: 'How do I connect to a wireless network?' }),
  answer: z
    .string()
    .max(200_000)
    .describe('The answer, or the part of it that was written before an interruption.')
    .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
  state: turnState.describe('State of the answer.'),
  finish_reason: finishReason
    .optional()
    .describe('Why the answer ended. Absent while it is running or if it failed.'),
  requested_locale: locale.describe('The language that the visitor asked for.'),
};

const conversationTurn = namedObject('ConversationTurn', 'A question of the visitor and its answer.', {
  ...turnFields,
  citations: z.array(citation).max(100),
  page_citations: z.array(pageCitation).max(100),
  rating: rating.optional(),
  offers_person: offersPerson,
  asked_at: unixSeconds.describe('When the visitor asked, in Unix seconds.'),
});

export const conversation = namedObject('Conversation', 'A conversation of this visitor.', {
  conversation_id: conversationId,
  started_at: unixSeconds,
  next_turn_idx: z
    .int32()
    .min(0)
    .max(CHAT_LIMITS.turnIdxMax + 1)
    .meta({ description: 'The index to send with the next turn.', example: 1 }),
  turns: z
    .array(conversationTurn)
    .max(CHAT_LIMITS.turnsPerConversationMax)
    .describe('The turns, oldest first.'),
});

const visitorConversation = namedObject('VisitorConversation', 'A conversation in the list of its visitor.', {
  conversation_id: conversationId,
  title: z
    .string()
    .max(CHAT_LIMITS.conversationTitleCharsMax)
    .describe('The beginning of the first message.')
    .meta({ example: 'How do I connect to a wireless network?' }),
  last_at: unixSeconds.describe('When the visitor last asked, in Unix seconds.'),
});

const visitorConversations = namedObject('VisitorConversations', 'The conversations of this visitor.', {
  data: z.array(visitorConversation).max(CHAT_LIMITS.visitorConversationsMax).describe('Newest first.'),
});

/** A conversation in a list of the workspace. */
export const conversationFields = {
  visitor_id: visitorId,
  started_at: moment,
  last_at: moment,
  turns: z.int32().min(0).max(1_000_000).meta({ example: 3 }),
  locale,
  first_message: turnFields.message,
  answered: z.boolean().describe('Whether every question was answered (finish reason `stop` or `length`).'),
  rating: rating.optional(),
};

export type FeedbackReason = z.infer<typeof feedbackReason>;
export type RatingDetails = z.infer<z.ZodObject<typeof ratingDetails>>;
export type Conversation = z.infer<typeof conversation>;

const ratedMessageId = messageId.describe('The answer to rate. Must belong to this visitor.');
const { comment, ...detailsOfBadRating } = ratingDetails;

const goodFeedback = namedObject('GoodFeedback', 'An answer was helpful. This rating has no reasons.', {
  message_id: ratedMessageId,
  comment,
  rating: z.literal('up').describe('The answer was helpful.'),
});

const badFeedback = namedObject(
  'BadFeedback',
  'An answer was not helpful, with reasons if the visitor gives some.',
  {
    message_id: ratedMessageId,
    comment,
    rating: z.literal('down').describe('The answer was not helpful.'),
    ...detailsOfBadRating,
  },
);

const feedbackRequest = z
  .discriminatedUnion('rating', [goodFeedback, badFeedback])
  .meta({ id: 'FeedbackRequest', description: 'A rating of an answer. It replaces an earlier one.' });

const feedbackReply = namedObject('FeedbackReply', 'The rating was stored.', {
  ok: z.literal(true).describe('Always `true`.'),
});

export const chat = router('Chat', {
  sendMessage: route({
    method: 'POST',
    path: '/chat',
    summary: 'Send a message',
    description:
      'Sends one conversation turn and returns a Server-Sent Events stream of answer text, citations, ' +
      'proposed actions and suggested next steps. The stream ends with exactly one `message_end` or ' +
      '`error` event. Error responses are returned before the stream opens.',
    query: z.strictObject({
      stream: chatStream
        .default('guidepost')
        .describe(
          'Vocabulary of the stream. `ai-sdk-ui-v1` is the UI message stream of the AI SDK, for its `useChat`; ' +
            'docs/ai-sdk.md lists its parts. It always begins at the start of the answer.',
        ),
    }),
    headers: {
      'accept-language': acceptLanguage.describe(
        "The visitor's languages. They determine which translations are cited.",
      ),
      'idempotency-key': text(REQUEST_LIMITS.idempotencyKeyCharsMax)
        .regex(/^[!-~]+$/)
        .optional()
        .describe(
          'Repeating a key with the same body attaches to the running turn or replays the finished one.',
        )
        .meta({ example: '0c6d1f0e-turn-0' }),
      'last-event-id': pattern(/^[!-~]*$/, 128)
        .optional()
        .describe('Resumes after this event, together with the same Idempotency-Key.')
        .meta({ example: 'msg_01kakv2fxse7wtg6x5r0h8rjbm:3' }),
    },
    body: chatRequest,
    responses: { 200: chatEvent },
    errors: ['chat/url_mismatch', 'chat/too_many_streams', 'chat/idempotency_mismatch'],
    meta: {
      credential: 'visitor',
      unauthorized: 'chat/unauthorized',
      limits: ['chat/visitor-burst', 'chat/tenant-burst', 'chat/visitor-hour'],
      limitsWithoutCredential: ['chat/ip-rate-limited'],
      killSwitch: 'guide/paused',
      bodyBytesMax: CHAT_LIMITS.chatBodyBytesMax,
      droppableField: { member: 'viewport_screenshot', bytesMaxBeforeDrop: CHAT_LIMITS.chatArrivingBytesMax },
      streams: chatEvent,
    },
  }),

  listOwnConversations: route({
    method: 'GET',
    path: '/conversations',
    summary: "List the visitor's conversations",
    description:
      `Returns the newest ${CHAT_LIMITS.visitorConversationsMax} conversations of this visitor, so that a customer ` +
      'who is known continues them on another device. Without those that the visitor has not agreed to keep.',
    responses: { 200: visitorConversations },
    meta: {
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst', 'visitor/network-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),

  getConversation: route({
    method: 'GET',
    path: '/conversations/:conversation_id',
    summary: 'Retrieve a conversation',
    description:
      'Returns the turns of a conversation, so the visitor can continue it on another page. Other ' +
      "visitors' conversations return the same error as missing ones.",
    pathParams: z.strictObject({ conversation_id: conversationId }),
    responses: { 200: conversation },
    errors: ['conversation/not_found'],
    meta: {
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst', 'visitor/network-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),

  rateMessage: route({
    method: 'POST',
    path: '/feedback',
    summary: 'Rate an answer',
    description:
      'Stores whether an answer was helpful. A later rating of the same answer replaces the earlier ' +
      'one.',
    body: feedbackRequest,
    responses: { 200: feedbackReply },
    errors: ['message/not_found'],
    meta: {
      credential: 'visitor',
      unauthorized: 'visitor/unauthorized',
      limits: ['visitor/visitor-burst', 'visitor/network-burst'],
      limitsWithoutCredential: ['visitor/ip-rate-limited'],
    },
  }),
});
