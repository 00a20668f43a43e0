import { z } from 'zod';
import { analytics, periodLength, zone } from './analytics.ts';
import {
  conversationColumns,
  exportedConversation,
  exportedTranscript,
  transcriptColumns,
} from './export-conversations.ts';
import { eventColumns, eventType, exportedEvent } from './export-events.ts';
import { conversationId, cursor, locale, visitorId, wholeNumber } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';

/** A date alone means its midnight in UTC; a time needs a zone. */
const pointInTime = z
  .string()
  .max(40)
  .regex(/^(\d{1,10}|\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?)$/)
  .meta({ example: '2026-11-01T00:00:00Z' });

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
  limit: wholeNumber(1, LIMITS.exportRowsMax, LIMITS.exportRowsUsual)
    .describe('Maximum number of rows. It may differ from page to page.')
    .meta({ example: 100 }),
  cursor: cursor
    .optional()
    .describe('Pagination cursor from `next_cursor`. Valid only with the same filters.'),
};

function pageOf<T extends z.ZodType>(name: string, row: T, what: string) {
  return z
    .strictObject({
      data: z.array(row).max(LIMITS.exportRowsMax).describe(`The ${what} of this page, ordered by \`at\`.`),
      next_cursor: cursor
        .nullable()
        .describe('Cursor after the last row, also on the last page. `null` if the page is empty.'),
      has_more: z.boolean().describe('Whether there are more rows now.'),
    })
    .meta({ id: name, description: `A page of ${what}, oldest first.` });
}

const eventPage = pageOf('ExportedEventPage', exportedEvent, 'events');
const conversationPage = pageOf('ExportedConversationPage', exportedConversation, 'conversations');
const transcriptPage = pageOf('ExportedTranscriptPage', exportedTranscript, 'transcripts');

const byKey = {
  tag: 'Export',
  credential: 'api-key',
  unauthorized: 'export/unauthorized',
  limits: ['export/key-burst'],
  limitsWithoutCredential: ['export/ip-rate-limited'],
} as const;
const ofEvents = { ...byKey, scope: 'events:read' } as const;

const PAGES =
  'Continue with `cursor` while `has_more` is true. Rows written meanwhile are neither skipped nor ' +
  'repeated. Keep the last cursor to fetch new rows later.';
const STREAM =
  'Streams the whole range, one JSON object per line. A response that does not end cleanly is ' +
  'incomplete.';
const TABLE =
  'Streams the whole range as CSV (RFC 4180) with a header. Cells that a spreadsheet would treat ' +
  'as a formula begin with an apostrophe. A response that does not end cleanly is incomplete.';
const KEPT = 'Only conversations of visitors who agreed to storage.';

export const exporting = router({
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
    responses: { 200: analytics },
    errors: [],
    meta: { operationId: 'exportAnalytics', ...byKey, scope: 'analytics:read' },
  }),

  exportEvents: route({
    method: 'GET',
    path: '/api/export/events',
    summary: 'Export events',
    description: `Returns events in the order in which they were stored. ${PAGES}`,
    query: z.strictObject({ ...eventFilters, ...paging }),
    responses: { 200: eventPage },
    errors: ['export/cursor_mismatch'],
    meta: { operationId: 'exportEvents', ...ofEvents },
  }),

  streamEvents: route({
    method: 'GET',
    path: '/api/export/events.ndjson',
    summary: 'Export events as JSON Lines',
    description: STREAM,
    query: z.strictObject(eventFilters),
    responses: { 200: exportedEvent },
    errors: [],
    meta: { operationId: 'streamEvents', ...ofEvents, lines: exportedEvent },
  }),

  tabulateEvents: route({
    method: 'GET',
    path: '/api/export/events.csv',
    summary: 'Export events as CSV',
    description: TABLE,
    query: z.strictObject(eventFilters),
    responses: { 200: eventColumns },
    errors: [],
    meta: { operationId: 'tabulateEvents', ...ofEvents, csv: eventColumns },
  }),

  exportConversations: route({
    method: 'GET',
    path: '/api/export/conversations',
    summary: 'Export conversations',
    description: `${KEPT} Each row shows the conversation at the time of the request. ${PAGES}`,
    query: z.strictObject({ ...conversationFilters, ...paging }),
    responses: { 200: conversationPage },
    errors: ['export/cursor_mismatch'],
    meta: { operationId: 'exportConversations', ...ofEvents },
  }),

  streamConversations: route({
    method: 'GET',
    path: '/api/export/conversations.ndjson',
    summary: 'Export conversations as JSON Lines',
    description: `${KEPT} ${STREAM}`,
    query: z.strictObject(conversationFilters),
    responses: { 200: exportedConversation },
    errors: [],
    meta: { operationId: 'streamConversations', ...ofEvents, lines: exportedConversation },
  }),

  tabulateConversations: route({
    method: 'GET',
    path: '/api/export/conversations.csv',
    summary: 'Export conversations as CSV',
    description: `${KEPT} ${TABLE}`,
    query: z.strictObject(conversationFilters),
    responses: { 200: conversationColumns },
    errors: [],
    meta: { operationId: 'tabulateConversations', ...ofEvents, csv: conversationColumns },
  }),

  exportTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts',
    summary: 'Export transcripts',
    description: `Returns one row for each finished turn. ${KEPT} Pages with long answers may be shorter than \`limit\`. ${PAGES}`,
    query: z.strictObject({ ...transcriptFilters, ...paging }),
    responses: { 200: transcriptPage },
    errors: ['export/cursor_mismatch'],
    meta: { operationId: 'exportTranscripts', ...ofEvents },
  }),

  streamTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts.ndjson',
    summary: 'Export transcripts as JSON Lines',
    description: `${KEPT} ${STREAM}`,
    query: z.strictObject(transcriptFilters),
    responses: { 200: exportedTranscript },
    errors: [],
    meta: { operationId: 'streamTranscripts', ...ofEvents, lines: exportedTranscript },
  }),

  tabulateTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts.csv',
    summary: 'Export transcripts as CSV',
    description: `${KEPT} ${TABLE}`,
    query: z.strictObject(transcriptFilters),
    responses: { 200: transcriptColumns },
    errors: [],
    meta: { operationId: 'tabulateTranscripts', ...ofEvents, csv: transcriptColumns },
  }),
});
