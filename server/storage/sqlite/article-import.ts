/** What an operator hands in becomes the newest revision and the live one in the same step. */
import type { Articles, ImportedArticle, ImportedTranslation, ImportOutcome } from '../articles.ts';
import { articleWrites } from './article-writes.ts';
import type { InsertAudit } from './audit.ts';
import type { Drizzle } from './connections.ts';
import { removePassages, writePassage } from './passages.ts';

type By = Parameters<Articles['import']>[1];

/** The published source that translations are held against. */
type Source = {
  readonly articleId: string;
  readonly revision: number;
  readonly previousRevision: number | undefined;
  readonly changed: boolean;
};

type Published = {
  readonly locale: string;
  readonly revision: number;
  /** `confirmed`: the same text, now as the translation of the newer source. */
  readonly outcome: 'revised' | 'confirmed' | 'unchanged';
};

/** Returns what imports one article; call that inside a write job. */
export function sqliteImport(
  writer: Drizzle,
  insertAudit: InsertAudit,
): (workspaceId: string, article: ImportedArticle, by: By) => ImportOutcome {
  const db = writer.$client;
  const writes = articleWrites(writer);

  function publishSource(workspaceId: string, article: ImportedArticle, by: By): Source {
    const known = writes.article.get({ workspaceId, slug: article.slug });
    const articleId = known?.id ?? article.freshId;
    const previousRevision = known?.liveRevision ?? undefined;
    if (
      known &&
      previousRevision &&
      known.liveHash === article.contentHash &&
      known.locale === article.locale
    ) {
      return { articleId, revision: previousRevision, previousRevision, changed: false };
    }
    if (!known) insertDraft(workspaceId, article, by);
    else if (known.locale !== article.locale)
      moveSource(workspaceId, articleId, known.locale, article.locale);
    const revision = (known?.revision ?? 0) + 1;
    const { locale, content, contentHash, searchSummary, analysed } = article;
    const { atMillis, actor } = by;
    writes.insertArticleRevision({
      ...contentColumns(content),
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
    writePassage(db, workspaceId, {
      ...analysed,
      articleId,
      revision,
      sourceRevision: revision,
      stale: false,
    });
    return { articleId, revision, previousRevision, changed: true };
  }

  function insertDraft(workspaceId: string, { freshId, slug, locale }: ImportedArticle, by: By): void {
    writes.insertArticle({
      id: freshId,
      workspaceId,
      slug,
      locale,
      status: 'draft',
      revision: 0,
      liveRevision: null,
      livePublishedAt: null,
      livePublishedBy: null,
      createdAt: by.atMillis,
      createdBy: by.actor,
      updatedAt: by.atMillis,
      updatedBy: by.actor,
    });
  }

  /** The source changes its language: its passage there goes, and a translation into the new one is the source now. */
  function moveSource(workspaceId: string, articleId: string, from: string, to: string): void {
    removePassages(db, workspaceId, articleId, from);
    writes.archiveTranslation.run({ articleId, locale: to });
  }

  function publishTranslation(
    workspaceId: string,
    article: ImportedArticle,
    source: Source,
    translation: ImportedTranslation,
    by: By,
  ): Published {
    const { articleId } = source;
    const { locale, contentHash } = translation;
    if (locale === article.locale)
      throw new Error(`${article.slug} has a translation into its own locale ${locale}`);
    const known = writes.translation.get({ articleId, locale });
    const translationId = known?.id ?? translation.freshId;
    const live = known?.liveHash === contentHash ? known.liveRevision : null;
    if (live !== null && known?.liveSourceRevision === source.revision) {
      return { locale, revision: live, outcome: 'unchanged' };
    }

    const ofSource = { sourceRevision: source.revision, sourceHash: article.contentHash };
    const revision = live ?? (known?.revision ?? 0) + 1;
    if (live !== null) writes.confirmTranslation.run({ translationId, ...ofSource });
    else {
      if (!known) insertTranslation(workspaceId, translation, source, ofSource.sourceHash, by);
      writes.insertTranslationRevision({
        ...contentColumns(translation.content),
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
      ...translation.analysed,
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
    workspaceId: string,
    { freshId, locale }: ImportedTranslation,
    { articleId, revision }: Source,
    sourceHash: string,
    by: By,
  ): void {
    writes.insertTranslation({
      id: freshId,
      workspaceId,
      articleId,
      locale,
      status: 'draft',
      revision: 0,
      sourceRevision: revision,
      sourceHash,
      liveRevision: null,
      liveSourceRevision: null,
      liveSourceHash: null,
      livePublishedAt: null,
      livePublishedBy: null,
      createdAt: by.atMillis,
      createdBy: by.actor,
      updatedAt: by.atMillis,
      updatedBy: by.actor,
    });
  }

  return (workspaceId, article, by) => {
    const { slug, freshAuditId: id, contentHash, content } = article;
    const source = publishSource(workspaceId, article, by);
    const { articleId, changed: sourceChanged } = source;
    const published = article.translations.map((translation) =>
      publishTranslation(workspaceId, article, source, translation, by),
    );
    if (sourceChanged) {
      writes.markStale.run({ workspaceId, articleId, contentHash, url: content.url ?? null });
    }
    const touched = published.filter(({ outcome }) => outcome !== 'unchanged');
    if (sourceChanged || touched.length > 0) {
      const details = { slug, ...revisionsOf(source), translations: touched };
      insertAudit(workspaceId, { id, ...by, action: 'article.imported', subject: articleId, details });
    }
    const translationsChanged = published.filter(({ outcome }) => outcome === 'revised').length;
    return { slug, articleId, sourceChanged, translationsChanged };
  };
}

function revisionsOf({ previousRevision, revision, changed }: Source) {
  if (!changed) return { revision };
  return previousRevision === undefined
    ? { toRevision: revision }
    : { fromRevision: previousRevision, toRevision: revision };
}

function contentColumns({ title, answer, aliases, url }: ImportedArticle['content']) {
  return { title, answer, aliases: JSON.stringify(aliases), url: url ?? null };
}
