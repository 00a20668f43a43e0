import type { ArticleRecord, ArticleRevisionRecord, ArticleSummary } from '../../contract/article-record.ts';
import { toIsoString } from '../clock.ts';
import type { Article, ArticleHead, ArticleRevision } from '../storage/articles.ts';

/** Articles as the dashboard sees them. */

/** Whether something is live and the working copy differs from it. */
export function isChanged({ live, contentHash, content }: ArticleHead): boolean {
  return live !== undefined && (live.contentHash !== contentHash || live.url !== content.url);
}

/** What translations are held against: the published content, or the working copy while nothing is published. */
export function comparedHash({ live, contentHash }: Pick<ArticleHead, 'live' | 'contentHash'>): string {
  return live?.contentHash ?? contentHash;
}

export function articleRecord(article: Article): ArticleRecord {
  const { content, live } = article;
  return {
    ...shared(article),
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
      },
    }),
    createdAt: toIsoString(article.createdAt),
    createdBy: article.createdBy,
  };
}

export function articleSummary(article: ArticleHead): ArticleSummary {
  return {
    ...shared(article),
    ...(article.live && { liveRevision: article.live.revision }),
    changed: isChanged(article),
  };
}

function shared(article: ArticleHead) {
  const { id, slug, locale, content, status, revision, updatedBy } = article;
  const updatedAt = toIsoString(article.updatedAt);
  const translations = variantsOf(article);
  return { id, slug, locale, title: content.title, status, revision, updatedAt, updatedBy, translations };
}

function variantsOf(article: ArticleHead): ArticleSummary['translations'] {
  const compared = comparedHash(article);
  return article.variants.map(({ translationId, locale, status, sourceHash, live }) => ({
    translationId,
    locale,
    status,
    stale: sourceHash !== compared,
    live: live !== undefined,
    ...(live && { liveStale: live.sourceHash !== compared }),
  }));
}

export function revisionRecord(row: ArticleRevision): ArticleRevisionRecord {
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
