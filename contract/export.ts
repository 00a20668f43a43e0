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

/** What a workspace takes out by API key (interface document, section 4.5). */

/** A date alone is its midnight in UTC; a time says its zone. */
const pointInTime = z
  .string()
  .max(40)
  .regex(/^(\d{1,10}|\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?)$/)
  .meta({ example: '2026-11-01T00:00:00Z' });

const range = {
  from: pointInTime
    .optional()
    .describe('The first moment that is wanted: ISO 8601 with a zone, a date in UTC, or Unix seconds.'),
  to: pointInTime
    .optional()
    .describe('The end of what is wanted, not itself part of it; the same forms as `from`.')
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
    .describe('Only rows that name this language as requested_locale, or else as locale.'),
};
const conversationFilters = {
  ...filters,
  locale: locale.optional().describe('Only conversations whose first question was in this language.'),
};
const transcriptFilters = {
  ...filters,
  locale: locale.optional().describe('Only turns that asked for this language.'),
};

const paging = {
  limit: wholeNumber(1, LIMITS.exportRowsMax, LIMITS.exportRowsUsual)
    .describe('How many rows at most; it may change from page to page.')
    .meta({ example: 100 }),
  cursor: cursor
    .optional()
    .describe('Goes on behind a page, as its `next_cursor` said; only with the same filters.'),
};

function pageOf<T extends z.ZodType>(name: string, row: T, what: string) {
  return z
    .strictObject({
      data: z
        .array(row)
        .max(LIMITS.exportRowsMax)
        .describe(`The ${what} of this page, in the order of their \`at\`.`),
      next_cursor: cursor
        .nullable()
        .describe('The place behind the last row, also on the last page; null where the page has no rows.'),
      has_more: z.boolean().describe('True when there are more rows at this moment.'),
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
  'Go on with `cursor` for as long as `has_more` is true. Nothing is skipped and nothing comes twice, however fast rows are written ' +
  'meanwhile; keep the last cursor and ask again later for what has come since.';
const STREAM =
  'The whole range in one answer, a JSON object a line, at the pace of the reader. An answer without a proper end was cut off.';
const TABLE =
  'The whole range in one answer, as CSV (RFC 4180) with a header. Cells that a spreadsheet would take for a formula begin with an ' +
  'apostrophe. An answer without a proper end was cut off.';
const KEPT = 'Only conversations that may be kept: visitors who refused appear in none.';

export const exporting = router({
  exportAnalytics: route({
    method: 'GET',
    path: '/api/export/analytics',
    summary: 'Export analytics',
    description:
      'What happened in the workspace, in figures for each day or hour of a time zone, beside the equally long time before: the same ' +
      'as the dashboard shows. The last 28 days when nothing is asked for; at most 400 days, and at most 31 days of hours.',
    query: z.strictObject({
      ...range,
      by: periodLength.default('day').describe('Whether to cut the range into days or into hours.'),
      zone: zone
        .default('UTC')
        .describe('The time zone to cut days and hours in, by its IANA name; UTC when it is absent.'),
    }),
    answers: { 200: analytics },
    errors: [],
    meta: { operationId: 'exportAnalytics', ...byKey, scope: 'analytics:read' },
  }),

  exportEvents: route({
    method: 'GET',
    path: '/api/export/events',
    summary: 'Export a page of events',
    description: `Event rows in the order in which they were stored. ${PAGES} Interface document, section 4.5.`,
    query: z.strictObject({ ...eventFilters, ...paging }),
    answers: { 200: eventPage },
    errors: ['export/cursor_mismatch'],
    meta: { operationId: 'exportEvents', ...ofEvents },
  }),

  streamEvents: route({
    method: 'GET',
    path: '/api/export/events.ndjson',
    summary: 'Export events as a stream of JSON lines',
    description: STREAM,
    query: z.strictObject(eventFilters),
    answers: { 200: exportedEvent },
    errors: [],
    meta: { operationId: 'streamEvents', ...ofEvents, lines: exportedEvent },
  }),

  tabulateEvents: route({
    method: 'GET',
    path: '/api/export/events.csv',
    summary: 'Export events as CSV',
    description: TABLE,
    query: z.strictObject(eventFilters),
    answers: { 200: eventColumns },
    errors: [],
    meta: { operationId: 'tabulateEvents', ...ofEvents, csv: eventColumns },
  }),

  exportConversations: route({
    method: 'GET',
    path: '/api/export/conversations',
    summary: 'Export a page of conversations',
    description: `${KEPT} Each row is as it was when it was read. ${PAGES}`,
    query: z.strictObject({ ...conversationFilters, ...paging }),
    answers: { 200: conversationPage },
    errors: ['export/cursor_mismatch'],
    meta: { operationId: 'exportConversations', ...ofEvents },
  }),

  streamConversations: route({
    method: 'GET',
    path: '/api/export/conversations.ndjson',
    summary: 'Export conversations as a stream of JSON lines',
    description: `${KEPT} ${STREAM}`,
    query: z.strictObject(conversationFilters),
    answers: { 200: exportedConversation },
    errors: [],
    meta: { operationId: 'streamConversations', ...ofEvents, lines: exportedConversation },
  }),

  tabulateConversations: route({
    method: 'GET',
    path: '/api/export/conversations.csv',
    summary: 'Export conversations as CSV',
    description: `${KEPT} ${TABLE}`,
    query: z.strictObject(conversationFilters),
    answers: { 200: conversationColumns },
    errors: [],
    meta: { operationId: 'tabulateConversations', ...ofEvents, csv: conversationColumns },
  }),

  exportTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts',
    summary: 'Export a page of transcripts',
    description: `A row for each turn, once its answer has ended. ${KEPT} A page can be shorter than its limit where answers are long. ${PAGES}`,
    query: z.strictObject({ ...transcriptFilters, ...paging }),
    answers: { 200: transcriptPage },
    errors: ['export/cursor_mismatch'],
    meta: { operationId: 'exportTranscripts', ...ofEvents },
  }),

  streamTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts.ndjson',
    summary: 'Export transcripts as a stream of JSON lines',
    description: `${KEPT} ${STREAM}`,
    query: z.strictObject(transcriptFilters),
    answers: { 200: exportedTranscript },
    errors: [],
    meta: { operationId: 'streamTranscripts', ...ofEvents, lines: exportedTranscript },
  }),

  tabulateTranscripts: route({
    method: 'GET',
    path: '/api/export/transcripts.csv',
    summary: 'Export transcripts as CSV',
    description: `${KEPT} ${TABLE}`,
    query: z.strictObject(transcriptFilters),
    answers: { 200: transcriptColumns },
    errors: [],
    meta: { operationId: 'tabulateTranscripts', ...ofEvents, csv: transcriptColumns },
  }),
});
