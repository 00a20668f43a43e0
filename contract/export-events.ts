import { z } from 'zod';
import { consentMode, consentReason } from './boot.ts';
import { outcomeKind, rating } from './chat.ts';
import { actionKind, finishReason } from './chat-event.ts';
import { consentDecision } from './consent.ts';
import {
  articleId,
  conversationId,
  locale,
  messageId,
  moment,
  namedObject,
  pattern,
  regionCode,
  text,
  typeId,
  visitorId,
} from './fields.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';

/** Exported events. They never contain the text of messages. */

export const EVENT_TYPES = [
  'boot',
  'consent',
  'turn',
  'citation',
  'action',
  'action_outcome',
  'feedback',
  'article_feedback',
  'voice',
  'search',
  'rate_limited',
] as const;

export const eventType = z
  .enum(EVENT_TYPES)
  .meta({ id: 'EventType', description: 'The type of an event row.' });

export const eventId = typeId('evt', 'The event row');

const eventAt = moment.describe('When the event happened, in UTC. Rows are ordered by it, then by id.');

const consentingVisitor = visitorId.optional().describe('The visitor. Absent if consent does not allow it.');
const namedConversation = conversationId
  .optional()
  .describe('The conversation. Absent if there is none or consent does not allow it.');
const messageField = {
  message_id: messageId.optional().describe('The answer. Only in events that name their visitor.'),
};

const libraryField = {
  library: z.boolean().optional().describe('True for programs, which do not count as visitors.'),
};

const count = z.int32().min(0).max(1_000_000).meta({ example: 1 });
const millis = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 240 });

/** Builds the schema of one event type: the common fields, and its own fields in `data`. */
function eventRow<const T extends (typeof EVENT_TYPES)[number], F extends z.ZodRawShape>(
  type: T,
  name: string,
  description: string,
  fields: F,
) {
  const data = z.strictObject(fields).meta({ id: `${name}Data` });
  return z
    .strictObject({
      id: eventId,
      at: eventAt,
      type: z.literal(type).describe('Type of the event; it determines the fields of `data`.'),
      visitor_id: consentingVisitor,
      conversation_id: namedConversation,
      data,
    })
    .meta({ id: name, description });
}

const path = z.string().max(1024).meta({ example: '/pricing' });

const bootRow = eventRow(
  'boot',
  'ExportedBoot',
  'A page on which the guide started; crawlers leave no row.',
  {
    ...libraryField,
    path,
    region_code: regionCode,
    mode: consentMode,
    locale: locale.describe('The language of the texts that were shown.'),
    returning: z.boolean(),
  },
);

const consentRow = eventRow(
  'consent',
  'ExportedConsent',
  'A consent decision of a visitor who may be counted. Refusals leave no event row.',
  {
    ...libraryField,
    decision: consentDecision.describe("Decision of the visitor or of the browser on the visitor's behalf."),
    mode: consentMode.describe('Consent mode at decision time.'),
    reason: consentReason,
    region_code: regionCode,
  },
);

const turnRow = eventRow('turn', 'ExportedTurnEvent', 'An answer that was finished.', {
  ...messageField,
  ...libraryField,
  path,
  turn_idx: z.int32().min(0).max(CHAT_LIMITS.turnIdxMax),
  first: z.boolean(),
  finish_reason: finishReason,
  answered: z.boolean().describe('Whether the finish reason is `stop` or `length`.'),
  answer_confidence: z
    .number()
    .min(0)
    .max(1)
    .meta({ description: 'How well the sources fit the question, from 0 to 1.', example: 0.9 }),
  requested_locale: locale.describe('The language that the visitor asked for.'),
  content_locale: locale.nullable().describe('The language of the first source; null without a source.'),
  nearest_article_id: articleId
    .nullable()
    .optional()
    .describe(
      'The published article closest to a question without an answer; null where none is close, or with an answer. Absent in older events.',
    ),
  citations: count,
  actions: count,
  millis: millis.describe('Milliseconds from the question to the end of the answer.'),
  first_text_millis: millis
    .nullable()
    .describe('Milliseconds from the question to the first text; null where there was none.'),
});

const citationRow = eventRow('citation', 'ExportedCitationEvent', 'A source of a finished answer.', {
  ...messageField,
  ...libraryField,
  article_id: articleId,
  revision: z.int32().min(1).max(1_000_000).describe('The published revision that was cited.'),
  requested_locale: locale.describe('The language that the visitor asked for.'),
  content_locale: locale.describe('The language that the cited text is in.'),
  fallback_reason: pattern(/^[a-z_]+$/, 32)
    .nullable()
    .describe('Why the text is not in the requested locale: base_language or source_article; else null.')
    .meta({ example: 'base_language' }),
  stale: z.boolean().describe('Whether the article had changed since it was translated.'),
});

const actionId = text(64).meta({ example: 'act_1' });

const actionRow = eventRow('action', 'ExportedAction', 'An action that a finished answer proposed.', {
  ...messageField,
  ...libraryField,
  action_id: actionId,
  kind: actionKind,
  requires_confirmation: z.boolean(),
});

const outcomeRow = eventRow(
  'action_outcome',
  'ExportedActionOutcome',
  'Outcome of an action; the row comes when the page reports it.',
  {
    ...libraryField,
    action_id: actionId,
    outcome: outcomeKind,
  },
);

const feedbackRow = eventRow(
  'feedback',
  'ExportedFeedback',
  'A rating of an answer; one that is changed later leaves one more row.',
  { ...messageField, ...libraryField, rating },
);

const articleFeedbackRow = eventRow(
  'article_feedback',
  'ExportedArticleFeedback',
  'A rating of an article in the help centre, without its visitor.',
  {
    ...libraryField,
    article_id: articleId,
    content_locale: locale.describe('The language of the rated text.'),
    rating,
  },
);

const voiceRow = eventRow('voice', 'ExportedVoiceUse', 'A use of voice that was charged to the workspace.', {
  ...libraryField,
  kind: z.enum(['realtime', 'transcribe', 'speech']).meta({
    id: 'VoiceKind',
    description: 'Use of voice: a live session, a recording, or speech of the guide.',
  }),
  provider: pattern(/^provider_[abc]$/, 32).meta({ example: 'provider_b' }),
  seconds: z
    .number()
    .min(0)
    .max(1_000_000)
    .meta({ description: 'Seconds of audio charged. 0 for failures.', example: 12 }),
  outcome: z.enum(['finished', 'interrupted', 'failed', 'unreported']).meta({
    id: 'VoiceOutcome',
    description:
      'How it ended. `unreported` means that the duration was never reported and the full reservation ' +
      'was charged.',
  }),
});

const searchRow = eventRow('search', 'ExportedSearch', 'A search in the articles.', {
  ...libraryField,
  locale: locale.describe('The language that the visitor asked for.'),
  results: count,
  words: z
    .string()
    .max(WORKSPACE_LIMITS.questionCharsMax)
    .optional()
    .describe(
      'The searched words, with recognized personal data masked. Absent unless the visitor agreed to storage.',
    )
    .meta({ example: 'return an order' }),
});

const limitRow = eventRow(
  'rate_limited',
  'ExportedLimitHit',
  "Refused requests: one row for each limit, visitor and minute, without the visitor's id.",
  {
    bucket: z.string().max(64).meta({ example: 'chat/visitor-burst' }),
  },
);

export const exportedEvent = z
  .discriminatedUnion('type', [
    bootRow,
    consentRow,
    turnRow,
    citationRow,
    actionRow,
    outcomeRow,
    feedbackRow,
    articleFeedbackRow,
    voiceRow,
    searchRow,
    limitRow,
  ])
  .meta({ id: 'ExportedEvent', description: 'An event of the workspace, discriminated by its type.' });

export type ExportedEvent = z.infer<typeof exportedEvent>;

export const eventColumns = namedObject(
  'EventColumns',
  'A line of the events CSV. Absent values are empty cells.',
  {
    id: eventId,
    at: eventAt,
    type: eventType.describe('Type of the event; it determines the fields of `data`.'),
    visitor_id: consentingVisitor,
    conversation_id: namedConversation,
    data: z
      .string()
      .max(10_000)
      .meta({ description: 'Data of the event as a JSON object.', example: '{"rating":"up"}' }),
  },
);
