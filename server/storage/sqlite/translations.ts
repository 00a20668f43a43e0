/** Translation writes. Each runs in a write job. */

import { and, inArray } from 'drizzle-orm';
import type { AuditEntry } from '../audit.ts';
import { translationRevisions, translations } from '../sql/schema.ts';
import type {
  ArticleVersion,
  Conflict,
  NewTranslation,
  Review,
  TranslationEvent,
  Translations,
  TranslationTransition,
} from '../translations.ts';
import { toContentColumns } from './article-queries.ts';
import {
  createdBy,
  isThisTranslation,
  LIVE,
  NOT_LIVE,
  prepareArticleLookups,
  UNREVIEWED,
  UPDATED,
} from './article-writes.ts';
import type { InsertAudit } from './audit.ts';
import type { Connections, Drizzle } from './connections.ts';
import { removePassages, writePassage } from './passages.ts';
import { bound, insertInto, matches } from './statements.ts';
import { createTranslationQueries } from './translation-queries.ts';

export function sqliteTranslations(
  connections: Connections,
  insertAudit: InsertAudit,
): (workspaceId: string) => Translations {
  const { writer, write } = connections;
  const reads = createTranslationQueries(connections);
  const deps: TranslationDeps = { db: writer.$client, writes: prepareTranslationWrites(writer), insertAudit };

  return (workspaceId) => ({
    ...reads(workspaceId),
    create: (draft, localesMax) => write(() => createTranslation(deps, workspaceId, draft, localesMax)),
    apply: (step) => write(() => applyTransition(deps, workspaceId, step)),
    remove: (translationId, baseRevision, audit) =>
      write(() => removeTranslation(deps, workspaceId, { translationId, baseRevision, audit })),
  });
}

type TranslationDeps = {
  readonly db: Drizzle['$client'];
  readonly writes: ReturnType<typeof prepareTranslationWrites>;
  readonly insertAudit: InsertAudit;
};

function createTranslation(
  { writes, insertAudit }: TranslationDeps,
  workspaceId: string,
  draft: NewTranslation,
  localesMax: number,
): Awaited<ReturnType<Translations['create']>> {
  const { translationId, articleId, locale, source, authorId: actor, atMillis } = draft;
  const article = writes.articleById.get({ workspaceId, articleId });
  if (!article) return 'gone';
  if (article.locale === locale) return 'source_locale';
  const taken = writes.locales.all({ articleId });
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
    ...UNREVIEWED,
    ...createdBy({ actor, atMillis }),
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
): Awaited<ReturnType<Translations['apply']>> {
  const { translationId, event, status, authorId: actor, atMillis } = step;
  const known = writes.translation.get({ workspaceId, translationId });
  if (!known) return { outcome: 'gone' };
  if (known.revision !== step.baseRevision) return toConflict(known);
  const { articleId, locale } = known;
  const article = writes.articleById.get({ workspaceId, articleId })!;
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
  // Without a live revision there is no passage, and the one in this locale may be the source's own.
  if (step.live === 'none' && known.liveRevision !== null) removePassages(db, workspaceId, articleId, locale);
  insertAudit(workspaceId, step.audit);
  return { outcome: 'applied' };
}

function removeTranslation(
  { writes, insertAudit }: TranslationDeps,
  workspaceId: string,
  step: { readonly translationId: string; readonly baseRevision: number; readonly audit: AuditEntry },
): Awaited<ReturnType<Translations['remove']>> {
  const { translationId, baseRevision, audit } = step;
  const known = writes.translation.get({ workspaceId, translationId });
  if (!known) return 'gone';
  if (known.revision !== baseRevision) return toConflict(known);
  if (writes.publication.get({ translationId })) return 'was_published';
  // Cascades to its revisions. It has no passage.
  writes.removeTranslation.run({ translationId });
  insertAudit(workspaceId, audit);
  return 'removed';
}

function toConflict(known: {
  readonly revision: number;
  readonly updatedBy: string;
  readonly updatedAt: number;
}): Conflict {
  const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = known;
  return { outcome: 'conflict', currentRevision, changedBy, changedAt };
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
  if (!review) return UNREVIEWED;
  const { decision, revision, authorId, ...rest } = review;
  return {
    ...UNREVIEWED,
    reviewDecision: decision,
    reviewRevision: revision,
    reviewAuthorId: authorId,
    ...rest,
  };
}

function prepareTranslationWrites(writer: Drizzle) {
  return {
    ...prepareArticleLookups(writer),
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
      .where(and(isThisTranslation, matches(translations.workspaceId)))
      .prepare(),
    publication: writer
      .select({ revision: translationRevisions.revision })
      .from(translationRevisions)
      .where(
        and(
          matches(translationRevisions.translationId),
          inArray(translationRevisions.event, ['published', 'imported'] satisfies TranslationEvent[]),
        ),
      )
      .limit(1)
      .prepare(),
    removeTranslation: writer.delete(translations).where(isThisTranslation).prepare(),
    insertTranslation: insertInto(writer, translations),
    insertRevision: insertInto(writer, translationRevisions),
    revise: writer
      .update(translations)
      .set({ ...bound('status', 'revision', 'sourceRevision', 'sourceHash'), ...UPDATED })
      .where(isThisTranslation)
      .prepare(),
    setReview: writer
      .update(translations)
      .set(
        bound('reviewDecision', 'reviewRevision', 'reviewAuthorId', 'reviewerId', 'reviewNote', 'reviewedAt'),
      )
      .where(isThisTranslation)
      .prepare(),
    goLive: writer.update(translations).set(LIVE).where(isThisTranslation).prepare(),
    takeDown: writer.update(translations).set(NOT_LIVE).where(isThisTranslation).prepare(),
  };
}
