import { z } from 'zod';
import {
  articleId,
  boundingBox,
  conversationId,
  locale,
  messageId,
  translationId,
  unixSeconds,
} from './fields.ts';
import { LIMITS } from './limits.ts';

/**
 * What `POST /chat` streams (interface document, sections 4.2 and 6). A frame is
 * `event: <type>`, `id: <message_id>:<seq>`, `data: <one of these as JSON>`.
 * Exactly one terminal event ends every stream: `message_end` or `error`.
 */
export const CHAT_PROTOCOL = 'guidepost.chat.1';

const seq = z
  .int32()
  .min(0)
  .max(1_000_000)
  .describe('The position of this event in its stream, from zero, without gaps.');
const text = (chars: number) => z.string().max(chars);
const confidence = z.number().min(0).max(1).meta({ example: 0.9 });
const codePoints = z.int32().min(0).max(10_000_000);

/** Why a passage is not in the language that was asked for; absent when it is. */
export const fallbackReason = z.enum(['base_language', 'source_article']).meta({
  id: 'FallbackReason',
  description: 'Why the content is in another locale than the requested one; absent when it is the same.',
});

const answerPhase = z
  .enum(['retrieving', 'generating'])
  .meta({ id: 'AnswerPhase', description: 'What the service is doing while there is no text yet.' });

const replaceReason = z
  .enum(['moderation', 'retry'])
  .meta({ id: 'ReplaceReason', description: 'Why text that was already sent is taken back.' });

export const actionKind = z
  .enum(['highlight', 'scroll_to', 'focus', 'navigate'])
  .meta({ id: 'ActionKind', description: 'The closed vocabulary of what the guide may propose.' });

const noticeLevel = z
  .enum(['info', 'warning'])
  .meta({ id: 'NoticeLevel', description: 'How much a notice matters to the client.' });

const noticeCode = z
  .enum([
    'screenshot_dropped',
    'targets_dropped',
    'capture_cut',
    'action_dropped',
    'llm_unavailable',
    'llm_budget_spent',
  ])
  .meta({ id: 'NoticeCode', description: 'What the service did with what it was sent.' });

export const messageStart = z
  .strictObject({
    type: z
      .literal('message_start')
      .describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    protocol: z.literal(CHAT_PROTOCOL).describe('The name and version of this event vocabulary.'),
    conversation_id: conversationId.describe(
      'The conversation that this turn belongs to; send it with the next turn.',
    ),
    conversation_rotated: z
      .boolean()
      .describe('True when the service put another id in place of the one that was sent.'),
    previous_conversation_id: conversationId
      .optional()
      .describe('The id that was sent, when it was rotated.')
      .meta({ example: 'conv_01kakv2fxse7wtg6x5r0h8rjbn' }),
    turn_idx: z
      .int32()
      .min(0)
      .max(LIMITS.turnIdxMax)
      .describe('The index of this turn in the effective conversation.'),
    message_id: messageId,
    requested_locale: locale.describe('The language that the visitor asked for, from Accept-Language.'),
    ai_generated: z
      .literal(true)
      .describe('A machine-readable mark: the text of this message is made by a machine.'),
  })
  .meta({
    id: 'MessageStartEvent',
    description: 'The first event: which conversation, turn and message this stream is.',
  });

export const statusEvent = z
  .strictObject({
    type: z.literal('status').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    phase: answerPhase.describe('What the service is doing at this moment.'),
  })
  .meta({ id: 'StatusEvent', description: 'Progress while there is no text yet.' });

export const textDelta = z
  .strictObject({
    type: z.literal('text_delta').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    delta: text(20_000)
      .describe('Text to append to the answer.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    offset: codePoints.describe('Where the delta begins in the answer, in Unicode code points.'),
  })
  .meta({ id: 'TextDeltaEvent', description: 'A piece of the answer, in order.' });

export const textReplace = z
  .strictObject({
    type: z
      .literal('text_replace')
      .describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    text: text(200_000)
      .describe('The whole answer so far, instead of all deltas before it.')
      .meta({ example: 'Open the system menu.' }),
    reason: replaceReason.describe('Why text that was sent is taken back.'),
  })
  .meta({ id: 'TextReplaceEvent', description: 'Replaces everything that was said so far.' });

export const citation = z
  .strictObject({
    type: z.literal('citation').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    citation_id: text(64).describe('Names this citation within its message.').meta({ example: 'c1' }),
    index: z.int32().min(1).max(100).describe('The number to show for this citation, from one.'),
    article_id: articleId,
    translation_id: translationId
      .optional()
      .describe('The translation that is cited; absent for the source article.'),
    revision: z.int32().min(1).max(1_000_000).describe('The published revision that the quote stands in.'),
    title: text(LIMITS.titleCharsMax)
      .describe('The title of the cited text, in its own language.')
      .meta({ example: 'Connect to a wireless network' }),
    url: text(LIMITS.urlCharsMax)
      .optional()
      .describe('Where the article can be read, when its owner gave an address.'),
    quote: text(20_000)
      .describe('The cited words, verbatim from that revision.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    start: codePoints.describe('Where the cited statement begins in the answer, in Unicode code points.'),
    end: codePoints
      .describe('Where the cited statement ends in the answer, in Unicode code points, exclusive.')
      .meta({ example: 38 }),
    requested_locale: locale.describe('The language that the visitor asked for.'),
    content_locale: locale.describe('The language that the cited text is in.'),
    fallback_reason: fallbackReason
      .optional()
      .describe('Why content_locale differs; absent when it does not.'),
    stale: z
      .boolean()
      .describe('True when the source article changed after this translation was made.')
      .meta({ example: false }),
  })
  .meta({
    id: 'CitationEvent',
    description: 'A source of the answer: which revision, which words, which part of the answer.',
  });

export const actionTarget = z
  .strictObject({
    gp_id: text(256).describe('The target, as this very turn named it.').meta({ example: 'wifi-settings' }),
    label: text(LIMITS.labelCharsKept)
      .describe('The name of the target, for the visitor to read.')
      .meta({ example: 'Wi-Fi settings' }),
    document_bbox: boundingBox.optional().describe('Where the target stands in the page.'),
    confidence: confidence.describe('How sure the page was of this target, from 0 to 1.'),
  })
  .meta({ id: 'ActionTarget', description: 'The part of the page that an action is about.' });

export const action = z
  .strictObject({
    type: z.literal('action').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    action_id: text(64)
      .describe('Names this proposal; report its outcome with the next turn.')
      .meta({ example: 'a1' }),
    kind: actionKind.describe('What is proposed. Nothing else can be.'),
    target: actionTarget.optional().describe('What the action is about; absent for navigate.'),
    url: text(LIMITS.urlCharsMax).optional().describe('Where navigate leads, always on the same origin.'),
    label: text(300)
      .describe('What to write on the button that accepts the proposal.')
      .meta({ example: 'Show me Wi-Fi settings' }),
    reason: text(500)
      .describe('Why the guide proposes this action.')
      .meta({ example: 'This button is what the answer speaks of.' }),
    requires_confirmation: z
      .boolean()
      .describe('True when the visitor has to agree before anything happens.'),
    expires_at: unixSeconds.describe('After this moment the proposal is void.'),
  })
  .meta({
    id: 'ActionEvent',
    description: 'A proposal for the page. The page and the visitor decide; the guide never acts.',
  });

export const suggestion = z
  .strictObject({
    suggestion_id: text(64).describe('Names this suggestion within its message.').meta({ example: 's1' }),
    title: text(LIMITS.titleCharsMax)
      .describe('What to write on the button of this suggestion.')
      .meta({ example: 'Connect to a hidden network' }),
    message: text(LIMITS.messageCharsMax)
      .describe('The message to send when the visitor takes it.')
      .meta({ example: 'How do I connect to a hidden network?' }),
  })
  .meta({ id: 'Suggestion', description: 'A next step that the knowledge base can answer.' });

export const suggestions = z
  .strictObject({
    type: z.literal('suggestions').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    items: z.array(suggestion).max(10).describe('The next steps, most fitting first.'),
  })
  .meta({ id: 'SuggestionsEvent', description: 'What the visitor could ask next.' });

export const notice = z
  .strictObject({
    type: z.literal('notice').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    level: noticeLevel.describe('How much the notice matters.'),
    code: noticeCode.describe('What the service did with what it was sent.'),
    text: text(500)
      .describe('The same as a sentence for people.')
      .meta({ example: 'The screenshot was not a JPEG and was left out.' }),
  })
  .meta({ id: 'NoticeEvent', description: 'Something the client may want to know; the turn goes on.' });

export const usage = z
  .strictObject({
    input_tokens: z
      .int32()
      .min(0)
      .max(100_000_000)
      .describe('Tokens read by a language model; zero without one.'),
    output_tokens: z
      .int32()
      .min(0)
      .max(100_000_000)
      .describe('Tokens written by a language model; zero without one.'),
  })
  .meta({ id: 'TokenUsage', description: 'What a language model consumed for this turn.' });

export const finishReason = z.enum(['stop', 'length', 'refusal', 'no_knowledge', 'cancelled']).meta({
  id: 'FinishReason',
  description: 'Why the answer ended; no_knowledge means that nothing published fits the question.',
});

export const messageEnd = z
  .strictObject({
    type: z.literal('message_end').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    finish_reason: finishReason,
    answer_confidence: confidence.describe('How well the sources fit the question, from 0 to 1.'),
    usage,
    text_length: codePoints
      .describe('The length of the whole answer in Unicode code points.')
      .meta({ example: 38 }),
    citation_count: z
      .int32()
      .min(0)
      .max(100)
      .describe('How many citations this message has.')
      .meta({ example: 1 }),
    next_turn_idx: z
      .int32()
      .min(0)
      .max(LIMITS.turnIdxMax + 1)
      .describe('The index to send with the next turn.'),
  })
  .meta({ id: 'MessageEndEvent', description: 'The last event of an answer that is complete and stored.' });

export const streamError = z
  .strictObject({
    type: z.literal('error').describe('Which kind of event it is; the same as the event of its frame.'),
    seq,
    code: text(64)
      .describe('A stable code, as in the refusals of the service.')
      .meta({ example: 'server/shutting_down' }),
    message: text(1024)
      .describe('A sentence for people; it may change.')
      .meta({ example: 'The server is restarting; try again in a moment.' }),
    retryable: z.boolean().describe('True when sending the same turn again can help.'),
    retry_after_sec: z.int32().min(0).max(86_400).optional().describe('How long to wait before that.'),
    request_id: text(64)
      .describe('Names this request in the logs of the service.')
      .meta({ example: 'req_01kakv2fxse7wtg6x5r0h8rjbm' }),
    partial: z.boolean().describe('True when part of the answer was already sent.'),
  })
  .meta({ id: 'ErrorEvent', description: 'The last event of an answer that could not be completed.' });

export const chatEvent = z
  .discriminatedUnion('type', [
    messageStart,
    statusEvent,
    textDelta,
    textReplace,
    citation,
    action,
    suggestions,
    notice,
    messageEnd,
    streamError,
  ])
  .meta({ id: 'ChatEvent', description: 'One event of the stream that POST /chat answers with.' });

export type ChatEvent = z.infer<typeof chatEvent>;
export type ChatEventType = ChatEvent['type'];
export type FallbackReason = z.infer<typeof fallbackReason>;
export type FinishReason = z.infer<typeof finishReason>;
