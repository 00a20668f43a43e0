import { z } from 'zod';
import { analyticsReport, periodLength, zone } from './analytics.ts';
import { feedbackReasons, rating, turnState } from './chat.ts';
import { finishReason, optionalFallbackReason } from './chat-event.ts';
import { eventColumns, eventType, exportedEvent } from './export-events.ts';
import {
  articleId,
  conversationId,
  cursor,
  locale,
  messageId,
  moment,
  namedObject,
  pattern,
  translationId,
  visitorId,
  wholeNumber,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { route, router } from './route.ts';

const turnCount = z.int32().min(0).max(1_000_000).meta({ example: 3 });

const conversationFields = {
  id: conversationId,
  at: moment.describe(
    'When the conversation began, or when its visitor agreed to storage if that was later. Rows are ' +
      'ordered and filtered by it.',
  ),
  visitor_id: visitorId,
  started_at: moment,
  last_at: moment,
  turns: turnCount,
  locale,
  first_message: z
    .string()
    .max(CHAT_LIMITS.messageCharsMax)
    .meta({ example: 'How do I connect to a wireless network?' }),
  answered: z.boolean().describe('Whether every question was answered (finish reason `stop` or `length`).'),
  rating: rating.optional(),
};

export const exportedConversation = namedObject(
  'ExportedConversation',
  'A conversation at the time of the export.',
  conversationFields,
);

const exportedSource = namedObject(
  'ExportedSource',
  'A source of an answer, with the words that were cited.',
  {
    article_id: articleId,
    translation_id: translationId
      .optional()
      .describe('The translation that was cited; absent for the source article.'),
    revision: z.int32().min(1).max(1_000_000).describe('The published revision that contains the quote.'),
    title: z
      .string()
      .max(ARTICLE_LIMITS.titleCharsMax)
      .describe('The title of the cited text, in its own language.')
      .meta({ example: 'Connect to a wireless network' }),
    url: z.string().max(REQUEST_LIMITS.urlCharsMax).optional().describe('Public URL of the article.'),
    quote: z
      .string()
      .max(20_000)
      .describe('The cited words, verbatim from that revision.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    requested_locale: locale.describe('The language that the visitor asked for.'),
    content_locale: locale.describe('The language that the cited text is in.'),
    fallback_reason: optionalFallbackReason,
    stale: z.boolean().describe('Whether the article had changed since it was translated.'),
  },
);

const transcriptFields = {
  message_id: messageId.describe('The answer: a TypeID with the prefix msg. Id of the row.'),
  at: moment.describe(
    'When the answer ended, or when its visitor agreed to storage if that was later. Rows are ' +
      'ordered and filtered by it.',
  ),
  conversation_id: conversationId,
  visitor_id: visitorId,
  turn_idx: z.int32().min(0).max(CHAT_LIMITS.turnIdxMax),
  asked_at: moment,
  finished_at: moment,
  locale: locale.describe('The language that the visitor asked for.'),
  message: z
    .string()
    .max(CHAT_LIMITS.messageCharsMax)
    .meta({ example: 'How do I connect to a wireless network?' }),
  answer: z
    .string()
    .max(200_000)
    .describe('The answer, or the part of it that was written before an interruption.')
    .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
  state: turnState.describe('How the answer ended: complete, interrupted or failed.'),
  finish_reason: finishReason.optional().describe('Why a complete answer ended; absent when it failed.'),
};

const ratingFields = {
  rating: rating.optional().describe('The rating at the time of the export.'),
  comment: z.string().max(CHAT_LIMITS.feedbackCharsMax).optional().meta({ example: 'That was quick.' }),
};

export const exportedTranscript = namedObject('ExportedTranscript', 'One turn: a question and its answer.', {
  ...transcriptFields,
  citations: z.array(exportedSource).max(100),
  ...ratingFields,
  reasons: feedbackReasons.optional(),
});

export const conversationColumns = namedObject(
  'ConversationColumns',
  'A line of the conversations CSV. Absent values are empty cells.',
  conversationFields,
);

export const transcriptColumns = namedObject(
  'TranscriptColumns',
  'A line of the transcripts CSV. Absent values are empty cells.',
  {
    ...transcriptFields,
    citations: z
      .string()
      .max(5_000_000)
      .meta({ description: 'Sources of the answer in order, as a JSON array.', example: '[]' }),
    ...ratingFields,
    reasons: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Reasons for the rating, as a JSON array.', example: '["outdated"]' }),
  },
);

export type ExportedConversation = z.infer<typeof exportedConversation>;
export type ExportedTranscript = z.infer<typeof exportedTranscript>;

/** A date alone means its midnight in UTC; a time needs a zone. */
const pointInTime = pattern(
  /^(\d{1,10}|\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?)$/,
  40,
).meta({ example: '2026-11-01T00:00:00Z' });

const range = {
  from: pointInTime
    .optional()
    .describe('Start of the range, inclusive: ISO 8601 with a time zone, a date in UTC, or Unix seconds.'),
  to: pointInTime
    .optional()
    .describe('End of the range, exclusive, in the same formats as `from`.')
    .meta({ example: '2026-12-01T00:00:00Z' }),
};

const filters = {
  ...range,
  visitor_id: visitorId.optional().describe('Only rows about this visitor.'),
  conversation_id: conversationId.optional().describe('Only rows about this conversation.'),
};

const eventFilters = {
  ...filters,
  type: eventType.optional().describe('Only rows of this type.'),
  locale: locale
    .optional()
    .describe('Only rows with this language as `requested_locale`, or else as `locale`.'),
};
const conversationFilters = {
  ...filters,
  locale: locale.optional().describe('Only conversations whose first question was in this language.'),
};
const transcriptFilters = {
  ...filters,
  locale: locale.optional().describe('Only turns with this requested language.'),
};

const paging = {
  limit: wholeNumber(1, REQUEST_LIMITS.exportRowsMax, REQUEST_LIMITS.exportRowsDefault).meta({
    description: 'Maximum number of rows. It may differ from page to page.',
    example: 100,
  }),
  cursor: cursor
    .optional()
    .describe('Pagination cursor from `next_cursor`. Valid only with the same filters.'),
};

function buildPage<T extends z.ZodType>(name: string, row: T, contents: string) {
  return namedObject(name, `A page of ${contents}, oldest first.`, {
    data: z.array(row).max(REQUEST_LIMITS.exportRowsMax).describe('Ordered by `at`.'),
    next_cursor: cursor
      .nullable()
      .describe('Cursor after the last row, also on the last page. `null` if the page is empty.'),
    has_more: z.boolean().describe('Whether there are more rows now.'),
  });
}

const eventPage = buildPage('ExportedEventPage', exportedEvent, 'events');
const conversationPage = buildPage('ExportedConversationPage', exportedConversation, 'conversations');
const transcriptPage = buildPage('ExportedTranscriptPage', exportedTranscript, 'transcripts');

const apiKeyMeta = {
  credential: 'api-key',
  unauthorized: 'export/unauthorized',
  limits: ['export/key-burst'],
  limitsWithoutCredential: ['export/ip-rate-limited'],
} as const;
const eventsMeta = { ...apiKeyMeta, scope: 'events:read' } as const;

/** The description of the tag says what holds for all pages and streams. */
const STREAM_NOTE = 'Streams the whole range, one JSON object per line.';
const CSV_NOTE = 'Streams the whole range as CSV (RFC 4180) with a header.';

export const exporting = router('Export', {
  exportAnalytics: route({
    method: 'GET',
    path: '/api/export/analytics',
    summary: 'Export analytics',
    description:
      'Returns the same analytics as the dashboard: totals per day or hour in a time zone, compared ' +
      'with the previous range of the same length. Defaults to the last 28 days. At most 400 days, or ' +
      '31 days by hour.',
    query: z.strictObject({
      ...range,
      by: periodLength.default('day').describe('Length of the periods.'),
      zone: zone.default('UTC').describe('IANA time zone for days and hours. Defaults to UTC.'),
    }),
    responses: { 200: analyticsReport },
    meta: { ...apiKeyMeta, scope: 'analytics:read' },
  }),

  exportEvents: route({
    method: 'GET',
    path: '/api/export/events',
    summary: 'Export events',
    description: 'Returns events in the order in which they were stored.',
    query: z.strictObject({ ...eventFilters, ...paging }),
    responses: { 200: eventPage },
    errors: ['export/cursor_mismatch'],
    meta: eventsMeta,
  }),

  streamEvents: route({
    method: 'GET',
    path: '/api/export/events.ndjson',
    summary: 'Export events as JSON Lines',
    description: STREAM_NOTE,
    query: z.strictObject(eventFilters),
    responses: { 200: exportedEvent },
    meta: { ...eventsMeta, lines: exportedEvent },
  }),

  tabulateEvents: route({
    method: 'GET',
    path: '/api/export/events.csv',
    summary: 'Export events as CSV',
    description: CSV_NOTE,
    query: z.strictObject(eventFilters),
    responses: { 200: eventColumns },
    meta: { ...eventsMeta, csv: eventColumns },
  }),

  exportConversations: route({
    method: 'GET',
    path: '/api/export/conversations',
    summary: 'Export conversations',
    description: 'Each row shows the conversation at the time of the request.',
    query: z.strictObject({ ...conversationFilters, ...paging }),
    responses: { 200: conversationPage },
    errors: ['export/cursor_mismatch'],
    meta: eventsMeta,
  }),

  streamConversations: route({
    method: 'GET',
    path: '/api/export/conversations.ndjson',
    summary: 'Export conversations as JSON Lines',
    description: STREAM_NOTE,
    query: z.strictObject(conversationFilters),
    responses: { 200: exportedConversation },
    meta: { ...eventsMeta, lines: exportedConversation },
  }),

  tabulateConversations: route({
    method: 'GET',
    path: '/api/export/conversations.csv',
    summary: 'Export conversations as CSV',
    description: CSV_NOTE,
    query: z.strictObject(conversationFilters),
    responses: { 200: conversationColumns },
    meta: { ...eventsMeta, csv: conversationColumns },
  }),

  exportTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts',
    summary: 'Export transcripts',
    description:
      'Returns one row for each finished turn. Pages with long answers may be shorter than `limit`.',
    query: z.strictObject({ ...transcriptFilters, ...paging }),
    responses: { 200: transcriptPage },
    errors: ['export/cursor_mismatch'],
    meta: eventsMeta,
  }),

  streamTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts.ndjson',
    summary: 'Export transcripts as JSON Lines',
    description: STREAM_NOTE,
    query: z.strictObject(transcriptFilters),
    responses: { 200: exportedTranscript },
    meta: { ...eventsMeta, lines: exportedTranscript },
  }),

  tabulateTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts.csv',
    summary: 'Export transcripts as CSV',
    description: CSV_NOTE,
    query: z.strictObject(transcriptFilters),
    responses: { 200: transcriptColumns },
    meta: { ...eventsMeta, csv: transcriptColumns },
  }),
});
