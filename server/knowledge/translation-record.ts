import type { TranslationRecord, TranslationRevisionRecord } from '../../contract/translation-record.ts';
import { toIsoString } from '../clock.ts';
import type { Article, ArticleContent } from '../storage/articles.ts';
import type { SourceRef, Translation, TranslationRevision } from '../storage/translations.ts';

/** Translations as the dashboard sees them. */

/** What translations are held against: the published content, or the working copy while nothing is published. */
export function comparedSource({ live, revision, contentHash }: Article): SourceRef {
  return live ? { revision: live.revision, contentHash: live.contentHash } : { revision, contentHash };
}

/** Made for other content than the article has now. By what was said, not when: undoing a change makes it current again. */
export function isStale(source: SourceRef, article: Article): boolean {
  return source.contentHash !== comparedSource(article).contentHash;
}

export function translationRecord(translation: Translation, article: Article): TranslationRecord {
  const { id, articleId, locale, status, revision, source, content, live, review } = translation;
  return {
    id,
    articleId,
    locale,
    status,
    stale: isStale(source, article),
    revision,
    sourceRevision: source.revision,
    currentSourceRevision: comparedSource(article).revision,
    ...contentRecord(content),
    searchSummary: translation.searchSummary,
    ...(live && {
      live: {
        revision: live.revision,
        sourceRevision: live.source.revision,
        stale: isStale(live.source, article),
        publishedAt: toIsoString(live.publishedAt),
        publishedBy: live.publishedBy,
      },
    }),
    ...(review && {
      review: {
        decision: review.decision,
        revision: review.revision,
        reviewerId: review.reviewerId,
        ...(review.reviewNote === undefined ? {} : { reviewNote: review.reviewNote }),
        reviewedAt: toIsoString(review.reviewedAt),
        selfReview: review.reviewerId === review.authorId,
      },
    }),
    createdBy: translation.createdBy,
    createdAt: toIsoString(translation.createdAt),
    updatedBy: translation.updatedBy,
    updatedAt: toIsoString(translation.updatedAt),
  };
}

export function translationRevisionRecord(row: TranslationRevision): TranslationRevisionRecord {
  const { content, createdAt, ...rest } = row;
  return { ...rest, content: contentRecord(content), createdAt: toIsoString(createdAt) };
}

function contentRecord({ title, answer, aliases }: ArticleContent) {
  return { title, answer, searchAliases: [...aliases] };
}
