import type { EnginePassage } from '../engine/engine.ts';
import type { Result, Retrieval } from '../knowledge/search/retrieve.ts';
import type { RetrievalResult } from './events.ts';

/** Just what an engine reads, and where it is from: an open answer keeps it until its last source is verified. */
type FoundPassage = EnginePassage & Pick<Result, 'requestedLocale' | 'fallbackReason' | 'stale'>;

/** What was found, as an engine and the events of an answer need it. */
export function findingsOf({ found, results, nearest }: Omit<Retrieval, 'confidence'>): RetrievalResult {
  const passages = results.map(passageOf);
  return {
    question: { found, passages, nearest },
    provenanceOf(articleId) {
      const passage = passages.find((one) => one.articleId === articleId)!;
      return {
        requested_locale: passage.requestedLocale,
        ...(passage.fallbackReason ? { fallback_reason: passage.fallbackReason } : {}),
        stale: passage.stale,
      };
    },
  };
}

function passageOf(result: Result): FoundPassage {
  return {
    articleId: result.articleId,
    revision: result.revision,
    title: result.title,
    text: result.answer,
    contentLocale: result.contentLocale,
    confidence: result.confidence,
    sentences: result.sentences,
    requestedLocale: result.requestedLocale,
    stale: result.stale,
    ...(result.translationId === undefined ? {} : { translationId: result.translationId }),
    ...(result.url === undefined ? {} : { url: result.url }),
    ...(result.fallbackReason === undefined ? {} : { fallbackReason: result.fallbackReason }),
  };
}
