import type { ExportedConversation, ExportedTranscript } from '../../contract/export-conversations.ts';
import type { ExportedEvent } from '../../contract/export-events.ts';
import type {
  ConversationFilter,
  ConversationSummary,
  FinishedTurn,
  Positioned,
} from '../storage/conversations.ts';
import type { EventFilter, EventRow } from '../storage/events.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import type { Source } from './reading.ts';
import { exportedConversation, exportedEvent, exportedTranscript } from './rows.ts';

/** The three kinds of rows, each filtered. */

/** 300 rows take about half a millisecond to write as lines, and make a text that is not yet costly to keep; long rows take longer. */
const EVENTS_A_STEP = 300;
const CONVERSATIONS_A_STEP = 25;
const TURNS_A_STEP = 25;

export function eventsOf({ events }: WorkspaceStore, wanted: EventFilter): Source<EventRow, ExportedEvent> {
  return {
    pick: (limit, after) => events.pick(limit, wanted, after),
    queryLines: (limit, after) => events.queryLines(limit, wanted, after),
    placeOf: (row) => row,
    wireOf: exportedEvent,
    rowsAStep: EVENTS_A_STEP,
  };
}

export function conversationsOf(
  { conversations }: WorkspaceStore,
  wanted: ConversationFilter,
): Source<Positioned<ConversationSummary>, ExportedConversation> {
  return {
    pick: (limit, after) => conversations.queryConversations(limit, wanted, after),
    placeOf: (row) => row,
    wireOf: exportedConversation,
    rowsAStep: CONVERSATIONS_A_STEP,
  };
}

export function transcriptsOf(
  { conversations }: WorkspaceStore,
  wanted: ConversationFilter,
): Source<Positioned<FinishedTurn>, ExportedTranscript> {
  return {
    pick: (limit, after) => conversations.queryTurns(limit, wanted, after),
    placeOf: ({ atMillis, messageId }) => ({ atMillis, id: messageId }),
    wireOf: exportedTranscript,
    rowsAStep: TURNS_A_STEP,
    charsOf: ({ answer, frames }) => frames.reduce((sum, frame) => sum + frame.length, answer.length),
  };
}
