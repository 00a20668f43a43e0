import type { ExportedConversation, ExportedTranscript } from '../../contract/export-conversations.ts';
import type { ExportedEvent } from '../../contract/export-events.ts';
import { LIMITS } from '../../contract/limits.ts';
import { wasAnswered } from '../analytics/conversations.ts';
import { truncate } from '../characters.ts';
import { readCitations } from '../chat/citations.ts';
import { toIsoString } from '../clock.ts';
import type { ConversationSummary, FinishedTurn, Positioned } from '../storage/conversations.ts';
import type { EventRow } from '../storage/events.ts';

/** Rows of the storage as the export gives them. */

/** The same fields in the same order as the lines that the storage writes. */
export function exportedEvent(row: EventRow): ExportedEvent {
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

export function exportedConversation(row: Positioned<ConversationSummary>): ExportedConversation {
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

export function exportedTranscript(turn: Positioned<FinishedTurn>): ExportedTranscript {
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
    citations: readCitations(turn).map(sourceOf),
    ...(turn.rating ? { rating: turn.rating } : {}),
    ...(turn.comment === undefined ? {} : { comment: truncate(turn.comment, LIMITS.feedbackCharsMax) }),
  };
}

function sourceOf(cited: ReturnType<typeof readCitations>[number]): ExportedTranscript['citations'][number] {
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
