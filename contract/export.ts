import { z } from 'zod';
import { analyticsReport, periodLength, zone } from './analytics.ts';
import { conversationFields, rating, ratingDetails, turnFields } from './chat.ts';
import { citedSource } from './chat-event.ts';
import { eventColumns, eventType, exportedEvent } from './export-events.ts';
import {
  conversationId,
  cursor,
  locale,
  moment,
  namedObject,
  pattern,
  visitorId,
  wholeNumber,
} from './fields.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { route, router } from './route.ts';

export const exportedConversation = namedObject(
  'ExportedConversation',
  'A conversation at the time of the export.',
  {
    id: conversationId,
    at: moment.describe(
      'When the conversation began, or when its visitor agreed to storage if that was later. Rows are ' +
        'ordered and filtered by it.',
    ),
    ...conversationFields,
  },
);

const exportedSource = namedObject(
  'ExportedSource',
  'A source of an answer, with the words that were cited.',
  citedSource,
);

const { message_id, turn_idx, requested_locale, state, finish_reason, ...questionAndAnswer } = turnFields;

export const exportedTranscript = namedObject('ExportedTranscript', 'One turn: a question and its answer.', {
  message_id: message_id.describe('The answer: a TypeID with the prefix msg. Id of the row.'),
  at: moment.describe(
    'When the answer ended, or when its visitor agreed to storage if that was later. Rows are ' +
      'ordered and filtered by it.',
  ),
  conversation_id: conversationId,
  visitor_id: visitorId,
  turn_idx,
  asked_at: moment,
  finished_at: moment,
  locale: requested_locale,
  ...questionAndAnswer,
  state: state.describe('How the answer ended: complete, interrupted or failed.'),
  finish_reason,
  citations: z.array(exportedSource).max(100),
  rating: rating.optional().describe('The rating at the time of the export.'),
  ...ratingDetails,
});

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
    responses: { 200: exportedConversation },
    meta: { ...eventsMeta, csv: exportedConversation },
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
    responses: { 200: exportedTranscript },
    meta: { ...eventsMeta, csv: exportedTranscript },
  }),
});
