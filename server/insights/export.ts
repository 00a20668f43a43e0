import { createHmac, timingSafeEqual } from 'node:crypto';
import { exportedConversation, exportedTranscript, type exporting } from '../../contract/export.ts';
import { eventColumns } from '../../contract/export-events.ts';
import { isQueryable } from '../../contract/fields.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { formatRowPosition, parseRowPosition } from '../http/cursor.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { HandlerInput, Handlers, LinesResponse } from '../http/handler.ts';
import type { EventFilter } from '../storage/event-queries.ts';
import type { EventPosition, Span } from '../storage/keyset.ts';
import type { Store } from '../storage/store.ts';
import { createFairScheduler, readAnalytics } from './read-analytics.ts';
import {
  awaitFirstChunk,
  createConversationSource,
  createEventSource,
  createTranscriptSource,
  csvLines,
  jsonLines,
  readPage,
  type Source,
} from './read-rows.ts';

type Deps = {
  store: Store;
  clock: Clock;
  /** Signs cursors; must survive restarts. */
  cursorSecret: string;
};

type CreateSource<Row, Wire extends object> = (
  workspace: ReturnType<Store['in']>,
  filter: EventFilter,
) => Source<Row, Wire>;

type Kind = 'events' | 'conversations' | 'transcripts';
type RowsInput = Pick<HandlerInput<typeof exporting.streamEvents>, 'query' | 'caller' | 'ctx'>;
type PageInput = RowsInput & Pick<HandlerInput<typeof exporting.exportEvents>, 'query'>;

export function exportHandlers({ store, clock, cursorSecret }: Deps): Handlers<typeof exporting> {
  const waitForSlot = createFairScheduler();
  const cursors = createCursors(cursorSecret);
  const toContext = ({ caller, ctx }: RowsInput) => ({
    waitForSlot,
    signal: ctx.signal,
    workspaceExists: async () => (await store.workspaces.find(caller.workspace.id)) !== undefined,
  });

  async function exportPage<Row, Wire extends object>(
    kind: Kind,
    input: PageInput,
    createSource: CreateSource<Row, Wire>,
  ) {
    const { limit, cursor } = input.query;
    const { id } = input.caller.workspace;
    const filter = toFilter(input.query);
    const { within: span, type, visitorId, conversationId, locale } = filter;
    const scope = [id, kind, span?.fromMillis, span?.beforeMillis, type, visitorId, conversationId, locale];
    const after = cursor === undefined ? undefined : cursors.parse(cursor, scope);
    const source = createSource(store.in(id), filter);
    const { data, last, hasMore } = await readPage(source, limit, after, toContext(input));
    const next_cursor = last ? cursors.format(last, scope) : null;
    return { status: 200 as const, body: { data, next_cursor, has_more: hasMore } };
  }

  /** Streams NDJSON, or CSV when there are columns. */
  async function exportStream<Row, Wire extends object>(
    kind: Kind,
    input: RowsInput,
    createSource: CreateSource<Row, Wire>,
    columns?: Parameters<typeof csvLines>[1],
  ): Promise<LinesResponse> {
    const source = createSource(store.in(input.caller.workspace.id), toFilter(input.query));
    const context = toContext(input);
    const chunks = columns ? csvLines(source, columns, context) : jsonLines(source, context);
    const lines = await awaitFirstChunk(chunks);
    const fileName = `guidepost-${kind}.${columns ? 'csv' : 'ndjson'}`;
    return { status: 200, lines, fileName, ...(columns ? { isCsv: true } : {}) };
  }

  return {
    async exportAnalytics({ query, caller, ctx }) {
      const workspace = store.in(caller.workspace.id);
      const deps = { workspace, waitForSlot, nowMillis: clock.now(), signal: ctx.signal };
      return { status: 200, body: await readAnalytics({ ...query, ...toIsoRange(query) }, deps) };
    },
    exportEvents: (input) => exportPage('events', input, createEventSource),
    streamEvents: (input) => exportStream('events', input, createEventSource),
    tabulateEvents: (input) => exportStream('events', input, createEventSource, eventColumns),
    exportConversations: (input) => exportPage('conversations', input, createConversationSource),
    streamConversations: (input) => exportStream('conversations', input, createConversationSource),
    tabulateConversations: (input) =>
      exportStream('conversations', input, createConversationSource, exportedConversation),
    exportTranscripts: (input) => exportPage('transcripts', input, createTranscriptSource),
    streamTranscripts: (input) => exportStream('transcripts', input, createTranscriptSource),
    tabulateTranscripts: (input) =>
      exportStream('transcripts', input, createTranscriptSource, exportedTranscript),
  };
}

function toFilter(query: RowsInput['query']): EventFilter {
  const { type, visitor_id: visitorId, conversation_id: conversationId } = query;
  const locale = query.locale?.toLowerCase();
  return { within: parseSpan(query), type, visitorId, conversationId, locale };
}

type Range = { from?: string | undefined; to?: string | undefined };

/** Returns undefined when the query has no time limit. */
function parseSpan({ from, to }: Range): Span | undefined {
  if (from === undefined && to === undefined) return undefined;
  const fromMillis = from === undefined ? Number.MIN_SAFE_INTEGER : parseMillis('from', from);
  const beforeMillis = to === undefined ? Number.MAX_SAFE_INTEGER : parseMillis('to', to);
  if (fromMillis > beforeMillis)
    throwInvalidRequest({
      path: 'query.from',
      code: 'empty_range',
      message: 'The range ends before it begins.',
    });
  return { fromMillis, beforeMillis };
}

function toIsoRange({ from, to }: Range): Range {
  return {
    from: from === undefined ? undefined : toIsoString(parseMillis('from', from)),
    to: to === undefined ? undefined : toIsoString(parseMillis('to', to)),
  };
}

/** Parses Unix seconds or ISO 8601. */
function parseMillis(field: 'from' | 'to', text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const day = text.slice(0, 10);
  const millis = Date.parse(text);
  // Date.parse turns 31 February into 3 March.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day);
  if (!isDay || !isQueryable(millis))
    throwInvalidRequest({
      path: `query.${field}`,
      code: 'invalid_time',
      message: 'Not a valid date or time.',
    });
  return millis;
}

/** The scope of a cursor: the workspace, the kind of rows and the filters. */
type CursorScope = readonly (string | number | undefined)[];

type Cursors = {
  format(last: EventPosition, scope: CursorScope): string;
  /** Throws `export/cursor_mismatch` for forged cursors and those of another scope. */
  parse(cursor: string, scope: CursorScope): EventPosition;
};

const SIGNATURE_BYTES = 16;

/** Cursors are signed: they cannot be forged, or used for another workspace or filter. */
function createCursors(secret: string): Cursors {
  const sign = (position: string, scope: CursorScope) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([...scope.map((part) => part ?? null), position]))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  return {
    format(last, scope) {
      const text = formatRowPosition({ atMillis: last.positionMillis ?? last.atMillis, id: last.id });
      return Buffer.concat([sign(text, scope), Buffer.from(text)]).toString('base64url');
    },
    parse(cursor, scope) {
      const bytes = Buffer.from(cursor, 'base64url');
      const text = bytes.subarray(SIGNATURE_BYTES).toString('utf8');
      const signature = bytes.subarray(0, SIGNATURE_BYTES);
      const isGenuine = signature.length === SIGNATURE_BYTES && timingSafeEqual(signature, sign(text, scope));
      const position = isGenuine ? parseRowPosition(text) : undefined;
      return position ?? throwApiError('export/cursor_mismatch');
    },
  };
}
