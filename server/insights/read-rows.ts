import { stringify } from 'csv-stringify/sync';
import type { z } from 'zod';
import type { ExportedConversation, ExportedTranscript } from '../../contract/export.ts';
import type { ExportedEvent } from '../../contract/export-events.ts';
import { toIsoString } from '../base/clock.ts';
import { readCitations, toSource } from '../chat/citations.ts';
import { toRatingDetails, toTurnFields } from '../chat/turn-fields.ts';
import type {
  ConversationFilter,
  ConversationSummary,
  FinishedTurn,
  Positioned,
} from '../storage/conversation-queries.ts';
import type { EventFilter, EventRow } from '../storage/event-queries.ts';
import type { EventPosition, Scan } from '../storage/keyset.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import { toConversationFields } from './conversations.ts';

/** Reads rows of one kind, a bounded number per tick of the event loop. */
export type Source<Row, Wire extends object> = {
  query(limit: number, after?: EventPosition): Promise<Scan<readonly Row[]>>;
  /** Set when the storage can write JSON lines itself. */
  queryLines?: ReadChunk;
  toPosition: (row: Row) => EventPosition;
  toWire: (row: Row) => Wire;
  /** Rows per query; fewer for kinds of rows that are long. */
  stepRows: number;
  /** Approximate length in characters, for rows that may be long. */
  countChars?: (row: Row) => number;
};

type ExportContext = {
  waitForSlot: () => Promise<void>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  workspaceExists: () => Promise<boolean>;
};

const PAGE_CHARS_MAX = 4_000_000;

type Page<Wire> = {
  data: Wire[];
  last: EventPosition | undefined;
  hasMore: boolean;
};

/** Reads one extra row to know whether there are more. */
export async function readPage<Row, Wire extends object>(
  source: Source<Row, Wire>,
  limit: number,
  from: EventPosition | undefined,
  context: ExportContext,
): Promise<Page<Wire>> {
  const { waitForSlot, signal } = context;
  const data: Wire[] = [];
  let last: EventPosition | undefined;
  let chars = 0;
  for (let after = from; !signal.aborted; ) {
    await waitForSlot();
    const wanted = Math.min(source.stepRows, limit + 1 - data.length);
    const { found, continueAfter } = await source.query(wanted, after);
    await assertWorkspaceExists(context);
    for (const row of found) {
      chars += source.countChars?.(row) ?? 0;
      if (data.length === limit || (data.length > 0 && chars > PAGE_CHARS_MAX)) {
        return { data, last, hasMore: true };
      }
      data.push(source.toWire(row));
      last = source.toPosition(row);
    }
    if (!continueAfter) break;
    after = continueAfter;
  }
  return { data, last, hasMore: false };
}

export function jsonLines<Row, Wire extends object>(
  source: Source<Row, Wire>,
  context: ExportContext,
): AsyncGenerator<string> {
  const readChunk: ReadChunk =
    source.queryLines ??
    (async (limit, after) => {
      const { found, ...step } = await source.query(limit, after);
      return { ...step, found: found.map((row) => JSON.stringify(source.toWire(row))).join('\n') };
    });
  return readChunks(readChunk, source.stepRows, context);
}

export async function* csvLines<Row, Wire extends object>(
  source: Source<Row, Wire>,
  schema: Parameters<typeof listColumns>[0],
  context: ExportContext,
): AsyncGenerator<string> {
  const columns = listColumns(schema);
  const readChunk: ReadChunk = async (limit, after) => {
    const { found, ...step } = await source.query(limit, after);
    return { ...step, found: formatCsvRows(columns, found.map(source.toWire)) };
  };
  const rows = await awaitFirstChunk(readChunks(readChunk, source.stepRows, context));
  yield formatCsvHeader(columns);
  yield* rows;
}

type ReadChunk = (limit: number, after?: EventPosition) => Promise<Scan<string>>;

async function* readChunks(
  readChunk: ReadChunk,
  stepRows: number,
  context: ExportContext,
): AsyncGenerator<string> {
  const { waitForSlot, signal } = context;
  let after: EventPosition | undefined;
  for (;;) {
    await waitForSlot();
    if (signal.aborted) return;
    const { found, continueAfter } = await readChunk(stepRows, after);
    await assertWorkspaceExists(context);
    if (found !== '') yield found;
    if (!continueAfter) return;
    after = continueAfter;
  }
}

/** Throws if the workspace was deleted: deletion takes several steps, so a partial export would look complete. */
async function assertWorkspaceExists({ workspaceExists }: ExportContext): Promise<void> {
  if (!(await workspaceExists())) throw new Error('workspace was deleted during an export');
}

/** Waits for the first chunk, so that early failures become an error response instead of a broken stream. */
export async function awaitFirstChunk(chunks: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await chunks.next();
  return (async function* () {
    try {
      if (first.done) return;
      yield first.value;
      yield* chunks;
    } finally {
      await chunks.return(undefined);
    }
  })();
}

/** RFC 4180. Cells that a spreadsheet would run as a formula get a leading apostrophe. */

type Cell = string | number | boolean | undefined;

/** Every character that some program treats as a line break. */
const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

/** Some programs skip white space and invisible characters before a formula, or split cells at tabs. */
const FORMULA = /^(?:[\t\n\r]|[\s\p{C}]*[=+\-@＝＋－＠])/u;

const OPTIONS = {
  record_delimiter: 'windows',
  quoted_match: LINE_BREAK,
  cast: { boolean: String, string: (text: string) => (FORMULA.test(text) ? `'${text}` : text) },
  // The code that sends a chunk adds the line break at its end.
  eof: false,
} as const;

function listColumns(schema: z.ZodObject): readonly string[] {
  return Object.keys(schema.shape);
}

const formatCsvHeader = (columns: readonly string[]): string => stringify([[...columns]], OPTIONS);

/** Formats rows as CSV. Missing values become empty cells; objects and arrays become JSON. */
function formatCsvRows(columns: readonly string[], rows: readonly object[]): string {
  const cells = rows.map((row) => columns.map((column) => toCell((row as Record<string, unknown>)[column])));
  return stringify(cells, OPTIONS);
}

function toCell(value: unknown): Cell {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as Cell);
}

/** 300 events take about 0.5 ms to serialize; conversations and turns take longer. */
const STEP_EVENTS = 300;
const STEP_CONVERSATIONS = 25;
const STEP_TURNS = 25;

export function createEventSource(
  { events }: WorkspaceStore,
  filter: EventFilter,
): Source<EventRow, ExportedEvent> {
  return {
    query: (limit, after) => events.queryRows(limit, filter, after),
    queryLines: (limit, after) => events.queryLines(limit, filter, after),
    toPosition: (row) => row,
    toWire: toExportedEvent,
    stepRows: STEP_EVENTS,
  };
}

export function createConversationSource(
  { conversations }: WorkspaceStore,
  filter: ConversationFilter,
): Source<Positioned<ConversationSummary>, ExportedConversation> {
  return {
    query: (limit, after) => conversations.queryConversations(limit, filter, after),
    toPosition: (row) => row,
    toWire: toExportedConversation,
    stepRows: STEP_CONVERSATIONS,
  };
}

export function createTranscriptSource(
  { conversations }: WorkspaceStore,
  filter: ConversationFilter,
): Source<Positioned<FinishedTurn>, ExportedTranscript> {
  return {
    query: (limit, after) => conversations.queryTurns(limit, filter, after),
    toPosition: ({ messageId, ...turn }) => ({ ...turn, id: messageId }),
    toWire: toExportedTranscript,
    stepRows: STEP_TURNS,
    countChars: ({ answer, frames }) => frames.reduce((sum, frame) => sum + frame.length, answer.length),
  };
}

/** Converts an event row. Fields and their order must match the lines that the storage writes. */
function toExportedEvent(row: EventRow): ExportedEvent {
  const { id, atMillis, type, visitorId, conversationId, data } = row;
  return {
    id,
    at: toIsoString(atMillis),
    type,
    visitor_id: visitorId,
    conversation_id: conversationId,
    data,
  } as ExportedEvent;
}

function toExportedConversation(row: Positioned<ConversationSummary>): ExportedConversation {
  return { id: row.id, at: toIsoString(row.atMillis), ...toConversationFields(row) };
}

function toExportedTranscript(turn: Positioned<FinishedTurn>): ExportedTranscript {
  const { message_id, turn_idx, requested_locale, ...questionAndAnswer } = toTurnFields(turn);
  return {
    message_id,
    at: toIsoString(turn.atMillis),
    conversation_id: turn.conversationId,
    visitor_id: turn.visitorId,
    turn_idx,
    asked_at: toIsoString(turn.askedAt),
    finished_at: toIsoString(turn.finishedAt!),
    locale: requested_locale,
    ...questionAndAnswer,
    citations: readCitations(turn).map(toSource),
    rating: turn.rating,
    ...toRatingDetails(turn),
  };
}
