import type { ExportedConversation, ExportedTranscript } from '../../contract/export.ts';
import type { ExportedEvent } from '../../contract/export-events.ts';
import { LIMITS } from '../../contract/limits.ts';
import { wasAnswered } from '../analytics/conversations.ts';
import { readCitations } from '../chat/citations.ts';
import { toIsoString } from '../clock.ts';
import type {
  ConversationFilter,
  ConversationSummary,
  FinishedTurn,
  Positioned,
} from '../storage/conversations.ts';
import type { EventFilter, EventRow } from '../storage/events.ts';
import type { WorkspaceStore } from '../storage/store.ts';
import { truncate } from '../text.ts';
import type { Source } from './read-rows.ts';

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

/** Must match the fields and their order in the lines that the storage writes. */
export function toExportedEvent(row: EventRow): ExportedEvent {
  const { id, atMillis, type, visitorId, conversationId, data } = row;
  return {
    id,
    at: toIsoString(atMillis),
    type,
    ...(visitorId === undefined ? {} : { visitor_id: visitorId }),
    ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
    data,
  } as ExportedEvent;
}

export function toExportedConversation(row: Positioned<ConversationSummary>): ExportedConversation {
  return {
    id: row.id,
    at: toIsoString(row.atMillis),
    visitor_id: row.visitorId,
    started_at: toIsoString(row.startedAt),
    last_at: toIsoString(row.lastAskedAt),
    turns: row.turnCount,
    locale: row.requestedLocale,
    first_message: row.firstQuestion,
    answered: wasAnswered(row),
    ...(row.rating ? { rating: row.rating } : {}),
  };
}

export function toExportedTranscript(turn: Positioned<FinishedTurn>): ExportedTranscript {
  return {
    message_id: turn.messageId,
    at: toIsoString(turn.atMillis),
    conversation_id: turn.conversationId,
    visitor_id: turn.visitorId,
    turn_idx: turn.turnIdx,
    asked_at: toIsoString(turn.askedAt),
    finished_at: toIsoString(turn.finishedAt!),
    locale: turn.requestedLocale,
    message: turn.question,
    answer: turn.answer,
    state: turn.state,
    ...(turn.finishReason
      ? { finish_reason: turn.finishReason as NonNullable<ExportedTranscript['finish_reason']> }
      : {}),
    citations: readCitations(turn).map(toExportedCitation),
    ...(turn.rating ? { rating: turn.rating } : {}),
    ...(turn.comment === undefined ? {} : { comment: truncate(turn.comment, LIMITS.feedbackCharsMax) }),
  };
}

function toExportedCitation(
  cited: ReturnType<typeof readCitations>[number],
): ExportedTranscript['citations'][number] {
  return {
    article_id: cited.article_id,
    ...(cited.translation_id ? { translation_id: cited.translation_id } : {}),
    revision: cited.revision,
    title: cited.title,
    ...(cited.url ? { url: cited.url } : {}),
    quote: cited.quote,
    requested_locale: cited.requested_locale,
    content_locale: cited.content_locale,
    ...(cited.fallback_reason ? { fallback_reason: cited.fallback_reason } : {}),
    stale: cited.stale,
  };
}
