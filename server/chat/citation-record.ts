import type { ChatEvent } from '../../contract/chat-event.ts';
import type { PreviewReply } from '../../contract/preview.ts';

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
