/** Imports articles: content becomes the newest and the live revision in one transaction. */
import type { Articles, ImportedArticle, ImportedTranslation, ImportOutcome } from '../articles.ts';
import { toContentColumns } from './article-queries.ts';
import { type ArticleDeps, createdBy, NOT_LIVE, UNPUBLISHED, UNREVIEWED } from './article-writes.ts';
import { removePassages, writePassage } from './passages.ts';

type By = Parameters<Articles['import']>[1];

/** The published source that translations are compared with. */
type Source = {
  readonly articleId: string;
  readonly revision: number;
  readonly previousRevision: number | undefined;
  readonly changed: boolean;
};

type Published = {
  readonly locale: string;
  readonly revision: number;
  /** `confirmed` means the same text, now as the translation of the newer source. */
  readonly outcome: 'revised' | 'confirmed' | 'unchanged';
};

/** Returns a function to call inside a write job. */
export function createArticleImport(
  deps: ArticleDeps,
): (
  workspaceId: string,
  articles: readonly ImportedArticle[],
  by: By,
  localesMax?: number,
) => readonly ImportOutcome[] {
  return (workspaceId, articles, by, localesMax = Number.POSITIVE_INFINITY) =>
    articles.map(
      (article) =>
        findObstacle(deps, workspaceId, article, localesMax) ?? importOne(deps, workspaceId, article, by),
    );
}

/** Finds the reason why the article cannot be imported, if any. */
function findObstacle(
  { writes, translationPassages }: ArticleDeps,
  workspaceId: string,
  article: ImportedArticle,
  localesMax: number,
): ImportOutcome | undefined {
  const { slug, idIfNew, republished = [] } = article;
  const known = writes.articleBySlug.get({ workspaceId, slug });
  const none = { slug, articleId: known?.id ?? idIfNew, sourceChanged: false, translationsChanged: 0 };
  const stored = known ? writes.locales.all({ articleId: known.id }).map(({ locale }) => locale) : [];
  const fresh = article.translations.filter(({ locale }) => !stored.includes(locale));
  if (fresh.length > 0 && stored.length + fresh.length > localesMax) {
    return { ...none, undone: 'too_many_locales' };
  }
  if (!known || known.liveRevision !== null) return undefined;
  const isOutdated = !translationPassages.areAllLive(known.id, republished, getLocales(article));
  return isOutdated ? { ...none, undone: 'outdated' } : undefined;
}

function publishSource(deps: ArticleDeps, workspaceId: string, article: ImportedArticle, by: By): Source {
  const { db, writes, translationPassages } = deps;
  const known = writes.articleBySlug.get({ workspaceId, slug: article.slug });
  const articleId = known?.id ?? article.idIfNew;
  const previousRevision = known?.liveRevision ?? undefined;
  if (
    known &&
    previousRevision &&
    known.liveHash === article.contentHash &&
    known.liveUrl === (article.content.url ?? null) &&
    known.locale === article.locale
  ) {
    return { articleId, revision: previousRevision, previousRevision, changed: false };
  }
  const { slug, locale, content, contentHash, searchSummary, indexed } = article;
  if (!known) {
    const draft = { id: articleId, workspaceId, slug, locale, status: 'draft', revision: 0 } as const;
    writes.insertArticle({ ...draft, ...UNPUBLISHED, ...createdBy(by) });
  } else if (known.locale !== locale) moveSource(deps, workspaceId, articleId, known.locale, locale, by);
  const revision = (known?.revision ?? 0) + 1;
  const { atMillis, actor } = by;
  writes.insertArticleRevision({
    ...toContentColumns(content),
    articleId,
    revision,
    event: 'imported',
    locale,
    contentHash,
    searchSummary,
    authorId: actor,
    createdAt: atMillis,
  });
  writes.publishArticle.run({ articleId, revision, locale, atMillis, actor });
  writePassage(db, workspaceId, { ...indexed, articleId, revision, sourceRevision: revision, stale: false });
  if (known && previousRevision === undefined) {
    translationPassages.republish(workspaceId, articleId, article.republished ?? []);
  }
  return { articleId, revision, previousRevision, changed: true };
}

/**
 * Changes the source's language: removes its passage and archives a translation into the new
 * language.
 */
function moveSource(
  { db, writes }: ArticleDeps,
  workspaceId: string,
  articleId: string,
  from: string,
  to: string,
  by: By,
): void {
  removePassages(db, workspaceId, articleId, from);
  writes.insertArchivedRevision.run({ articleId, locale: to, ...by });
  writes.archiveTranslation.run({ articleId, locale: to, ...by });
}

function publishTranslation(
  deps: ArticleDeps,
  workspaceId: string,
  article: ImportedArticle,
  source: Source,
  translation: ImportedTranslation,
  by: By,
): Published {
  const { db, writes } = deps;
  const { articleId } = source;
  const { locale, contentHash } = translation;
  if (locale === article.locale)
    throw new Error(`${article.slug} has a translation into its own locale ${locale}`);
  const known = writes.translation.get({ articleId, locale });
  const translationId = known?.id ?? translation.idIfNew;
  const isSame = known?.liveHash === contentHash && known.liveUrl === (translation.content.url ?? null);
  const live = isSame ? known.liveRevision : null;
  if (live !== null && known?.liveSourceRevision === source.revision) {
    return { locale, revision: live, outcome: 'unchanged' };
  }

  const ofSource = { sourceRevision: source.revision, sourceHash: article.contentHash };
  const revision = live ?? (known?.revision ?? 0) + 1;
  if (live !== null) writes.confirmTranslation.run({ translationId, ...ofSource });
  else {
    if (!known) insertTranslation(deps, workspaceId, translation, source, ofSource.sourceHash, by);
    writes.insertTranslationRevision({
      ...toContentColumns(translation.content),
      ...ofSource,
      translationId,
      revision,
      event: 'imported',
      status: 'published',
      contentHash,
      searchSummary: translation.searchSummary,
      authorId: by.actor,
      reviewerId: null,
      reviewNote: null,
      createdAt: by.atMillis,
    });
    writes.publishTranslation.run({ translationId, revision, ...ofSource, ...by });
  }

  const url = translation.content.url ?? article.content.url;
  writePassage(db, workspaceId, {
    ...translation.indexed,
    ...(url === undefined ? {} : { url }),
    articleId,
    translationId,
    revision,
    sourceRevision: source.revision,
    stale: false,
  });
  return { locale, revision, outcome: live === null ? 'revised' : 'confirmed' };
}

function insertTranslation(
  { writes }: ArticleDeps,
  workspaceId: string,
  { idIfNew, locale }: ImportedTranslation,
  { articleId, revision }: Source,
  sourceHash: string,
  by: By,
): void {
  writes.insertTranslation({
    id: idIfNew,
    workspaceId,
    articleId,
    locale,
    status: 'draft',
    revision: 0,
    sourceRevision: revision,
    sourceHash,
    ...NOT_LIVE,
    ...UNREVIEWED,
    ...createdBy(by),
  });
}

function importOne(deps: ArticleDeps, workspaceId: string, article: ImportedArticle, by: By): ImportOutcome {
  const { insertAudit, translationPassages } = deps;
  const { slug, auditId: id, contentHash, content } = article;
  const source = publishSource(deps, workspaceId, article, by);
  const { articleId, changed: sourceChanged } = source;
  const published = article.translations.map((translation) =>
    publishTranslation(deps, workspaceId, article, source, translation, by),
  );
  if (sourceChanged) {
    translationPassages.refresh(workspaceId, articleId, { contentHash, url: content.url });
  }
  const changed = published.filter(({ outcome }) => outcome !== 'unchanged');
  if (sourceChanged || changed.length > 0) {
    const details = { slug, ...toRevisionDetails(source), translations: changed };
    insertAudit(workspaceId, { id, ...by, action: 'article.imported', subject: articleId, details });
  }
  const translationsChanged = published.filter(({ outcome }) => outcome === 'revised').length;
  return { slug, articleId, sourceChanged, translationsChanged };
}

/** The locales of the article and its translations. */
function getLocales({ locale, translations }: ImportedArticle): string[] {
  return [locale, ...translations.map((translation) => translation.locale)];
}

function toRevisionDetails({ previousRevision, revision, changed }: Source) {
  if (!changed) return { revision };
  return previousRevision === undefined
    ? { toRevision: revision }
    : { fromRevision: previousRevision, toRevision: revision };
}
