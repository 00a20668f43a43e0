import type { ChatEvent } from '../../contract/chat-event.ts';
import type { PreviewReply } from '../../contract/preview.ts';
import type { Turn } from '../storage/conversations.ts';

type Citation = Extract<ChatEvent, { type: 'citation' }>;

/** A citation of an answer as those see it who look after the workspace. */
export function citationRecord(cited: Citation): PreviewReply['citations'][number] {
  return {
    articleId: cited.article_id,
    ...(cited.translation_id ? { translationId: cited.translation_id } : {}),
    revision: cited.revision,
    title: cited.title,
    ...(cited.url ? { url: cited.url } : {}),
    quote: cited.quote,
    requestedLocale: cited.requested_locale,
    contentLocale: cited.content_locale,
    ...(cited.fallback_reason ? { fallbackReason: cited.fallback_reason } : {}),
    stale: cited.stale,
  };
}

/** As many as every answer with sources has room for. */
const CITATIONS_MAX = 100;

/** Of the frames of the newest attempt: what was said before a fresh start was taken back. */
export function citationsOf({ frames }: Pick<Turn, 'frames'>): Citation[] {
  const afresh = frames.findLastIndex((frame) => frame.includes('"reason":"retry"') && isFreshStart(frame));
  return frames
    .slice(afresh + 1)
    .filter((frame) => frame.includes('"citation"'))
    .map((frame) => JSON.parse(frame) as ChatEvent)
    .filter((event) => event.type === 'citation')
    .slice(0, CITATIONS_MAX);
}

function isFreshStart(frame: string): boolean {
  const event = JSON.parse(frame) as ChatEvent;
  return event.type === 'text_replace' && event.reason === 'retry';
}
