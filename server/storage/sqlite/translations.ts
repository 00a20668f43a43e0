/** Translation reads and writes. Each write runs in a write job. */

import { and, eq, sql } from 'drizzle-orm';
import { articleRevisions, articles, translationRevisions, translations } from '../schema.ts';
import type {
  ArticleVersion,
  NewTranslation,
  Review,
  Translations,
  TranslationTransition,
} from '../translations.ts';
import { toContentColumns } from './article-queries.ts';
import { prepareLocales } from './article-writes.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { removePassages, writePassage } from './passages.ts';
import { bound, insertInto, matches, placeholder } from './statements.ts';
import { createReviewQueue, createTranslationQueries } from './translation-queries.ts';

export function sqliteTranslations(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Translations {
  const { read, write } = connections;
  const reads = createTranslationQueries(connections);
  const writes = createTranslationWrites(connections.writer, insertAudit);
  const listReviewQueue = createReviewQueue(connections);

  return (workspaceId) => ({
    list: (articleId) => read(() => reads.list(workspaceId, articleId)),
    find: (articleId, translationId) => read(() => reads.find(workspaceId, articleId, translationId)),
    revisions: (translationId, limit, beforeRevision) =>
      read(() => reads.revisions(workspaceId, translationId, limit, beforeRevision)),
    countRevisions: (translationId) => read(() => reads.countRevisions(workspaceId, translationId)),
    lastAuthor: (translationId, events) => read(() => reads.lastAuthor(workspaceId, translationId, events)),
    listReviewQueue: (statuses, limit, afterId) =>
      read(() => listReviewQueue(workspaceId, statuses, limit, afterId)),
    create: (draft, localesMax) => write(() => writes.create(workspaceId, draft, localesMax)),
    apply: (step) => write(() => writes.apply(workspaceId, step)),
  });
}

type Creation = Awaited<ReturnType<Translations['create']>>;
type Outcome = Awaited<ReturnType<Translations['apply']>>;

const NOT_LIVE = {
  liveRevision: null,
  liveSourceRevision: null,
  liveSourceHash: null,
  livePublishedAt: null,
  livePublishedBy: null,
};

type TranslationDeps = {
  readonly db: Drizzle['$client'];
  readonly writes: ReturnType<typeof prepareTranslationWrites>;
  readonly insertAudit: InsertAudit;
};

export function createTranslationWrites(writer: Drizzle, insertAudit: InsertAudit) {
  const deps: TranslationDeps = { db: writer.$client, writes: prepareTranslationWrites(writer), insertAudit };
  return {
    create: (workspaceId: string, draft: NewTranslation, localesMax: number): Creation =>
      createTranslation(deps, workspaceId, draft, localesMax),
    apply: (workspaceId: string, step: TranslationTransition): Outcome =>
      applyTransition(deps, workspaceId, step),
  };
}

function createTranslation(
  { writes, insertAudit }: TranslationDeps,
  workspaceId: string,
  draft: NewTranslation,
  localesMax: number,
): Creation {
  const { translationId, articleId, locale, source, authorId, atMillis } = draft;
  const article = writes.article.get({ workspaceId, articleId });
  if (!article) return 'gone';
  if (article.locale === locale) return 'source_locale';
  const taken = writes.localesOf.all({ articleId });
  if (taken.some((other) => other.locale === locale)) return 'locale_taken';
  if (taken.length >= localesMax) return 'too_many_locales';
  if (!isUnchanged(article, draft.articleVersion)) return 'outdated';
  const sourceColumns = { sourceRevision: source.revision, sourceHash: source.contentHash };
  writes.insertTranslation({
    id: translationId,
    workspaceId,
    articleId,
    locale,
    status: 'draft',
    revision: 1,
    ...sourceColumns,
    ...NOT_LIVE,
    ...reviewColumns(undefined),
    createdAt: atMillis,
    createdBy: authorId,
    updatedAt: atMillis,
    updatedBy: authorId,
  });
  writes.insertRevision({
    ...textColumns(draft),
    ...sourceColumns,
    revision: 1,
    event: 'created',
    status: 'draft',
    reviewerId: null,
    reviewNote: null,
  });
  insertAudit(workspaceId, draft.audit);
  return 'created';
}

function applyTransition(
  { db, writes, insertAudit }: TranslationDeps,
  workspaceId: string,
  step: TranslationTransition,
): Outcome {
  const { translationId, event, status, authorId: actor, atMillis } = step;
  const known = writes.translation.get({ workspaceId, translationId });
  if (!known) return { outcome: 'gone' };
  if (known.revision !== step.baseRevision) {
    const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = known;
    return { outcome: 'conflict', currentRevision, changedBy, changedAt };
  }
  const { articleId, locale } = known;
  const article = writes.article.get({ workspaceId, articleId })!;
  if (!isUnchanged(article, step.articleVersion)) return { outcome: 'outdated' };

  const revision = known.revision + 1;
  const kept = { sourceRevision: known.sourceRevision, sourceHash: known.sourceHash };
  const source =
    step.source === 'keep'
      ? kept
      : { sourceRevision: step.source.revision, sourceHash: step.source.contentHash };
  const isReviewed = step.review !== undefined && step.review !== 'keep';
  writes.insertRevision({
    ...textColumns(step),
    ...source,
    revision,
    event,
    status,
    reviewerId: isReviewed ? step.review.reviewerId : null,
    reviewNote: isReviewed ? (step.review.reviewNote ?? null) : null,
  });
  writes.revise.run({ translationId, revision, status, ...source, atMillis, actor });
  if (step.review !== 'keep') writes.setReview.run({ translationId, ...reviewColumns(step.review) });
  if (step.live === 'this') writes.goLive.run({ translationId, revision, ...source, atMillis, actor });
  if (step.live === 'none') writes.takeDown.run({ translationId });
  if (step.live === 'this' && article.liveRevision !== null) {
    const url = step.content.url ?? article.liveUrl;
    writePassage(db, workspaceId, {
      ...step.indexed!,
      ...(url === null ? {} : { url }),
      articleId,
      translationId,
      revision,
      sourceRevision: source.sourceRevision,
      stale: source.sourceHash !== article.liveHash,
    });
  }
  // Without a live revision there is no passage, and the one in this locale may be the source's
  // own.
  if (step.live === 'none' && known.liveRevision !== null) removePassages(db, workspaceId, articleId, locale);
  insertAudit(workspaceId, step.audit);
  return { outcome: 'applied' };
}

function isUnchanged(
  article: { readonly revision: number; readonly liveRevision: number | null },
  expected: ArticleVersion,
): boolean {
  return article.revision === expected.revision && article.liveRevision === (expected.liveRevision ?? null);
}

function textColumns({
  translationId,
  content,
  contentHash,
  searchSummary,
  authorId,
  atMillis,
}: NewTranslation | TranslationTransition) {
  return {
    ...toContentColumns(content),
    translationId,
    contentHash,
    searchSummary,
    authorId,
    createdAt: atMillis,
  };
}

function reviewColumns(review: Review | undefined) {
  return {
    reviewDecision: review?.decision ?? null,
    reviewRevision: review?.revision ?? null,
    reviewAuthorId: review?.authorId ?? null,
    reviewerId: review?.reviewerId ?? null,
    reviewNote: review?.reviewNote ?? null,
    reviewedAt: review?.reviewedAt ?? null,
  };
}

function prepareTranslationWrites(writer: Drizzle) {
  const isThis = eq(translations.id, placeholder('translationId'));
  return {
    article: writer
      .select({
        locale: articles.locale,
        revision: articles.revision,
        liveRevision: articles.liveRevision,
        liveHash: articleRevisions.contentHash,
        liveUrl: articleRevisions.url,
      })
      .from(articles)
      .leftJoin(
        articleRevisions,
        and(
          eq(articleRevisions.articleId, articles.id),
          eq(articleRevisions.revision, articles.liveRevision),
        ),
      )
      .where(and(matches(articles.workspaceId), eq(articles.id, placeholder('articleId'))))
      .prepare(),
    localesOf: prepareLocales(writer),
    translation: writer
      .select({
        articleId: translations.articleId,
        locale: translations.locale,
        revision: translations.revision,
        sourceRevision: translations.sourceRevision,
        sourceHash: translations.sourceHash,
        liveRevision: translations.liveRevision,
        updatedAt: translations.updatedAt,
        updatedBy: translations.updatedBy,
      })
      .from(translations)
      .where(and(isThis, matches(translations.workspaceId)))
      .prepare(),
    insertTranslation: insertInto(writer, translations),
    insertRevision: insertInto(writer, translationRevisions),
    revise: writer
      .update(translations)
      .set({
        ...bound('status', 'revision', 'sourceRevision', 'sourceHash'),
        updatedAt: sql`${placeholder('atMillis')}`,
        updatedBy: sql`${placeholder('actor')}`,
      })
      .where(isThis)
      .prepare(),
    setReview: writer
      .update(translations)
      .set(
        bound('reviewDecision', 'reviewRevision', 'reviewAuthorId', 'reviewerId', 'reviewNote', 'reviewedAt'),
      )
      .where(isThis)
      .prepare(),
    goLive: writer
      .update(translations)
      .set({
        liveRevision: sql`${placeholder('revision')}`,
        liveSourceRevision: sql`${placeholder('sourceRevision')}`,
        liveSourceHash: sql`${placeholder('sourceHash')}`,
        livePublishedAt: sql`${placeholder('atMillis')}`,
        livePublishedBy: sql`${placeholder('actor')}`,
      })
      .where(isThis)
      .prepare(),
    takeDown: writer.update(translations).set(NOT_LIVE).where(isThis).prepare(),
  };
}
