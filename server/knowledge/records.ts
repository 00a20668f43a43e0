import type { ArticleRecord, ArticleRevisionRecord, ArticleSummary } from '../../contract/articles.ts';
import type { TranslationRecord, TranslationRevisionRecord } from '../../contract/translations.ts';
import { toIsoString } from '../base/clock.ts';
import type { Article, ArticleHead, ArticleRevision } from '../storage/article-queries.ts';
import type { ArticleContent } from '../storage/passages.ts';
import type { SourceRef, Translation, TranslationRevision } from '../storage/translations.ts';

/** Converts articles and translations to the records of the dashboard API. */

/** Whether the working copy differs from what is live. */
export function isChanged({ live, contentHash, content }: ArticleHead): boolean {
  return live !== undefined && (live.contentHash !== contentHash || live.url !== content.url);
}

/**
 * Returns the content hash from which up-to-date translations were made: of the published content, or
 * of the working copy while nothing is published.
 */
export function getReferenceHash({ live, contentHash }: Pick<ArticleHead, 'live' | 'contentHash'>): string {
  return live?.contentHash ?? contentHash;
}

/** @param pageUrl its page in the help centre */
export function toArticleRecord(article: Article, pageUrl: string | undefined): ArticleRecord {
  const { content, live } = article;
  return {
    ...toCommonFields(article),
    answer: content.answer,
    aliases: [...content.aliases],
    ...(content.url === undefined ? {} : { url: content.url }),
    searchSummary: article.searchSummary,
    ...(live && {
      live: {
        revision: live.revision,
        publishedAt: toIsoString(live.publishedAt),
        publishedBy: live.publishedBy,
        changed: isChanged(article),
        ...(pageUrl !== undefined && { pageUrl }),
      },
    }),
    createdAt: toIsoString(article.createdAt),
    createdBy: article.createdBy,
  };
}

export function toArticleSummary(article: ArticleHead): ArticleSummary {
  return {
    ...toCommonFields(article),
    ...(article.live && { liveRevision: article.live.revision }),
    changed: isChanged(article),
  };
}

function toCommonFields(article: ArticleHead) {
  const { id, slug, locale, content, status, revision, updatedBy } = article;
  const updatedAt = toIsoString(article.updatedAt);
  const translations = toVariants(article);
  return {
    id,
    slug,
    locale,
    title: content.title,
    status,
    revision,
    updatedAt,
    updatedBy,
    translations,
    collectionId: article.collectionId,
    tags: [...article.tags],
    ...(article.audience.length > 0 && { audience: [...article.audience] }),
    ...(article.source && { source: { ...article.source } }),
    ...toScheduled(article),
    ...(article.verify && {
      verify: {
        after: toIsoString(article.verify.after),
        checkedAt: toIsoString(article.verify.checkedAt),
        checkedBy: article.verify.checkedBy,
      },
    }),
  };
}

function toVariants(article: ArticleHead): ArticleSummary['translations'] {
  const referenceHash = getReferenceHash(article);
  return article.variants.map(({ translationId, locale, status, sourceHash, live, scheduled }) => ({
    translationId,
    locale,
    status,
    stale: sourceHash !== referenceHash,
    live: live !== undefined,
    ...(live && { liveStale: live.sourceHash !== referenceHash }),
    ...toScheduled({ scheduled }),
  }));
}

const toScheduled = ({ scheduled }: Pick<ArticleHead, 'scheduled'>) =>
  scheduled ? { scheduled: { at: toIsoString(scheduled.at), by: scheduled.by } } : {};

export function toRevisionRecord(row: ArticleRevision): ArticleRevisionRecord {
  const { revision, event, content, authorId, createdAt } = row;
  return {
    revision,
    event,
    ...content,
    aliases: [...content.aliases],
    authorId,
    createdAt: toIsoString(createdAt),
  };
}

/**
 * Returns the revision from which up-to-date translations were made: the published one, or the working
 * copy while nothing is published.
 */
export function getReferenceSource({ live, revision, contentHash }: Article): SourceRef {
  return live ? { revision: live.revision, contentHash: live.contentHash } : { revision, contentHash };
}

/** Compares content, not time: undoing a change makes the translation current again. */
export function isStale(source: SourceRef, article: Article): boolean {
  return source.contentHash !== getReferenceSource(article).contentHash;
}

export function toTranslationRecord(translation: Translation, article: Article): TranslationRecord {
  const { id, articleId, locale, status, revision, source, content, live, review } = translation;
  return {
    id,
    articleId,
    locale,
    status,
    stale: isStale(source, article),
    revision,
    sourceRevision: source.revision,
    currentSourceRevision: getReferenceSource(article).revision,
    ...toContentRecord(content),
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
        reviewNote: review.reviewNote,
        reviewedAt: toIsoString(review.reviewedAt),
        selfReview: review.reviewerId === review.authorId,
      },
    }),
    ...toScheduled(translation),
    createdBy: translation.createdBy,
    createdAt: toIsoString(translation.createdAt),
    updatedBy: translation.updatedBy,
    updatedAt: toIsoString(translation.updatedAt),
  };
}

export function toTranslationRevisionRecord(row: TranslationRevision): TranslationRevisionRecord {
  const { content, createdAt, ...rest } = row;
  return { ...rest, content: toContentRecord(content), createdAt: toIsoString(createdAt) };
}

function toContentRecord({ title, answer, aliases }: ArticleContent) {
  return { title, answer, searchAliases: [...aliases] };
}
