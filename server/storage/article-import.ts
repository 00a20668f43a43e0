/** Imports articles: content becomes the newest and the live revision in one transaction. */

import { and, eq, ne, sql } from 'drizzle-orm';
import {
  type ArticleOrigin,
  articleBySlug,
  formatTags,
  insertArticle,
  insertArticleRevision,
  insertTranslation,
  insertTranslationRevision,
  isSameOrganization,
  isThisTranslation,
  LIVE,
  NOT_LIVE,
  publishArticle,
  setOrganization,
  setOrigin,
  setSearchText,
  takenLocales,
  toContentColumns,
  toCreationColumns,
  toSearchColumns,
  UNPUBLISHED,
  UNREVIEWED,
  UNSCHEDULED,
  UPDATED,
} from './article-rows.ts';
import { formatAudience } from './audiences.ts';
import { putCollection } from './collections.ts';
import type { WriteTx } from './database.ts';
import {
  areAllLive,
  type PublicationWrites,
  type RepublishedTranslation,
  refreshTranslations,
  republishTranslations,
} from './passage-writes.ts';
import type { ArticleContent, IndexedText } from './passages.ts';
import { translationRevisions, translations } from './schema/index.ts';
import { bound, db, input, matches, rawStatement, statement } from './statements.ts';
import { recordPublished } from './webhook-events.ts';

export type ImportedTranslation = {
  /** The id to use when the translation is new. */
  idIfNew: string;
  /** Canonical BCP 47 tag. */
  locale: string;
  content: ArticleContent;
  /** SHA-256 of what a translator reads (title, answer, aliases), without the URL. */
  contentHash: string;
  /** Derived from the answer, at most 280 characters. */
  searchSummary: string;
  indexed: IndexedText;
};

/** An article to import. It and its translations are published at once. */
export type ImportedArticle = {
  /** The id to use when the article is new. */
  idIfNew: string;
  slug: string;
  locale: string;
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  indexed: IndexedText;
  /** The collection to move the article to, created if no collection has this name. Absent to keep the current one. */
  collection?: { idIfNew: string; name: string };
  /** Replaces the tags. Absent to keep them. */
  tags?: readonly string[];
  /** Replaces the audience; empty for everyone. Absent to keep it. */
  audience?: readonly string[];
  /**
   * Translations into other locales than the article's own. Existing translations that are not
   * listed stay unchanged.
   */
  translations: readonly ImportedTranslation[];
  /**
   * Required when the article exists but is not published: its existing translations that are not
   * in `translations`, which go live again with it.
   */
  republished?: readonly RepublishedTranslation[];
  /**
   * The source that the article comes from. An existing article must have this origin, unless `adopts` is set, and
   * these revisions; otherwise nothing is written.
   */
  origin?: ArticleOrigin & {
    adopts?: boolean;
    revision: number | undefined;
    /** The existing translations into the imported locales. */
    translationRevisions: ReadonlyMap<string, number>;
  };
};

export type ImportOutcome = {
  slug: string;
  articleId: string;
  /**
   * Whether the import added a revision of the source, and to how many translations it added one.
   */
  sourceChanged: boolean;
  translationsChanged: number;
  /** Whether the import changed the collection, tags or audience of the article. */
  organizationChanged: boolean;
  /**
   * Why nothing of the article was written. 'too_many_locales' counts stored translations too. 'outdated' means that
   * `republished` no longer matches the stored translations, or that the article was changed since `origin` was read.
   * 'slug_taken' means that the slug belongs to an article of another origin.
   */
  skipReason?: 'too_many_locales' | 'outdated' | 'slug_taken';
};

/** The transaction of an import. */
type Import = {
  tx: WriteTx;
  passages: PublicationWrites;
  workspaceId: string;
  by: { actor: string; atMillis: number };
};

/** The article with the slug, as it was before the import; undefined for a new one. */
type ExistingArticle = ReturnType<NonNullable<typeof articleBySlug.toRow>> | undefined;

/** The published source that translations are compared with. */
type Source = {
  articleId: string;
  revision: number;
  previousRevision: number | undefined;
  changed: boolean;
};

type Published = {
  locale: string;
  revision: number;
  /** `confirmed` means the same text, now as the translation of the newer source. */
  outcome: 'revised' | 'confirmed' | 'unchanged';
};

export async function importArticles(
  job: Import,
  articles: readonly ImportedArticle[],
  localesMax = Number.POSITIVE_INFINITY,
): Promise<readonly ImportOutcome[]> {
  const { tx, workspaceId } = job;
  const outcomes: ImportOutcome[] = [];
  for (const article of articles) {
    const existing = await tx.get(articleBySlug, { workspaceId, slug: article.slug });
    const obstacle = await findObstacle(tx, article, existing, localesMax);
    outcomes.push(obstacle ?? (await importOne(job, article, existing)));
  }
  return outcomes;
}

/** Finds the reason why the article cannot be imported, if any. */
async function findObstacle(
  tx: WriteTx,
  article: ImportedArticle,
  existing: ExistingArticle,
  localesMax: number,
): Promise<ImportOutcome | undefined> {
  const { slug, idIfNew, republished = [] } = article;
  const skipped = {
    slug,
    articleId: existing?.id ?? idIfNew,
    sourceChanged: false,
    translationsChanged: 0,
    organizationChanged: false,
  };
  const storedTranslations = existing ? await tx.all(takenLocales, { articleId: existing.id }) : [];
  const originProblem = findOriginProblem(article, existing, storedTranslations);
  if (originProblem) return { ...skipped, skipReason: originProblem };
  const storedLocales = storedTranslations.map(({ locale }) => locale);
  const newTranslations = article.translations.filter(({ locale }) => !storedLocales.includes(locale));
  if (newTranslations.length > 0 && storedLocales.length + newTranslations.length > localesMax) {
    return { ...skipped, skipReason: 'too_many_locales' };
  }
  if (!existing || existing.liveRevision !== null) return undefined;
  const isCurrent = await areAllLive(tx, existing.id, republished, getLocales(article));
  return isCurrent ? undefined : { ...skipped, skipReason: 'outdated' };
}

/** Returns why an article of a source may not be written: it has changed, or another article has its slug. */
function findOriginProblem(
  { origin, translations }: ImportedArticle,
  existing: ExistingArticle,
  storedTranslations: readonly { locale: string; revision: number }[],
): 'outdated' | 'slug_taken' | undefined {
  if (!origin) return undefined;
  const isOwn = existing?.sourceId === origin.sourceId && existing.sourcePlace === origin.place;
  if (existing && !isOwn && !origin.adopts) return 'slug_taken';
  if (existing?.revision !== origin.revision) return 'outdated';
  const revisions = new Map(storedTranslations.map(({ locale, revision }) => [locale, revision]));
  const isSame = translations.every(
    ({ locale }) => revisions.get(locale) === origin.translationRevisions.get(locale),
  );
  return isSame ? undefined : 'outdated';
}

async function importOne(
  job: Import,
  article: ImportedArticle,
  existing: ExistingArticle,
): Promise<ImportOutcome> {
  const { tx, workspaceId, by } = job;
  const { slug, contentHash, content } = article;
  const source = await publishSource(job, article, existing);
  const { articleId, changed: sourceChanged } = source;
  const organizationChanged = await organizeImported(job, articleId, article, existing);
  const publishedTranslations: Published[] = [];
  for (const translation of article.translations) {
    publishedTranslations.push(await publishTranslation(job, article, source, translation));
  }
  if (sourceChanged) {
    await refreshTranslations(tx, workspaceId, articleId, { ...content, contentHash }, by.atMillis);
  }
  const translationsChanged = publishedTranslations.filter(({ outcome }) => outcome === 'revised').length;
  if (article.origin) {
    const { sourceId, place } = article.origin;
    await tx.run(setOrigin, { workspaceId, articleId, sourceId, place });
  }
  return { slug, articleId, sourceChanged, translationsChanged, organizationChanged };
}

async function organizeImported(
  { tx, workspaceId, by }: Import,
  articleId: string,
  { collection, tags, audience }: ImportedArticle,
  existing: ExistingArticle,
): Promise<boolean> {
  const { collectionId = null, tags: tagsBefore = null, audience: audienceBefore = null } = existing ?? {};
  const before = { collectionId, tags: tagsBefore, audience: audienceBefore };
  const after = {
    collectionId: collection ? await putCollection(tx, workspaceId, collection, by) : before.collectionId,
    tags: tags ? formatTags(tags) : before.tags,
    audience: audience ? formatAudience(audience) : before.audience,
  };
  if (isSameOrganization(after, before)) return false;
  await tx.run(setOrganization, { articleId, ...after });
  return true;
}

async function publishSource(
  job: Import,
  article: ImportedArticle,
  existing: ExistingArticle,
): Promise<Source> {
  const { tx, passages, workspaceId, by } = job;
  const articleId = existing?.id ?? article.idIfNew;
  const previousRevision = existing?.liveRevision ?? undefined;
  if (
    existing &&
    previousRevision &&
    existing.liveHash === article.contentHash &&
    existing.liveUrl === (article.content.url ?? null) &&
    existing.locale === article.locale
  ) {
    return { articleId, revision: previousRevision, previousRevision, changed: false };
  }
  const { slug, locale, content, contentHash, searchSummary, indexed } = article;
  if (!existing) {
    const draft = { id: articleId, workspaceId, slug, locale, status: 'draft', revision: 0 } as const;
    const columns = { ...UNPUBLISHED, ...toSearchColumns(slug, content), ...toCreationColumns(by) };
    await tx.run(insertArticle, { ...draft, ...columns });
  } else if (existing.locale !== locale) await changeSourceLocale(job, articleId, existing.locale, locale);
  const revision = (existing?.revision ?? 0) + 1;
  const { atMillis, actor } = by;
  await Promise.all([
    tx.run(insertArticleRevision, {
      ...toContentColumns(content),
      articleId,
      revision,
      event: 'imported',
      locale,
      contentHash,
      searchSummary,
      authorId: actor,
      createdAt: atMillis,
    }),
    tx.run(publishArticle, { articleId, revision, locale, atMillis, actor }),
    tx.run(setSearchText, { articleId, ...toSearchColumns(slug, content) }),
  ]);
  const passage = { ...indexed, articleId, revision, sourceRevision: revision, stale: false };
  await passages.writePassage(tx, workspaceId, passage);
  if (existing && previousRevision === undefined) {
    await republishTranslations(tx, passages, workspaceId, articleId, article.republished ?? []);
  }
  await recordPublished(tx, passages, workspaceId, { articleId, slug, locale, revision }, content, atMillis);
  return { articleId, revision, previousRevision, changed: true };
}

/**
 * Changes the source's language: removes its passage and archives a translation into the new
 * language.
 */
async function changeSourceLocale(
  { tx, passages, workspaceId, by }: Import,
  articleId: string,
  from: string,
  to: string,
): Promise<void> {
  await passages.removePassages(tx, workspaceId, articleId, from);
  await tx.run(insertArchivedRevision, { articleId, locale: to, ...by });
  await tx.run(archiveTranslation, { articleId, locale: to, ...by });
}

async function publishTranslation(
  { tx, passages, workspaceId, by }: Import,
  article: ImportedArticle,
  source: Source,
  translation: ImportedTranslation,
): Promise<Published> {
  const { articleId } = source;
  const { locale, contentHash } = translation;
  if (locale === article.locale)
    throw new Error(`${article.slug} has a translation into its own locale ${locale}`);
  const existing = await tx.get(liveTranslation, { articleId, locale });
  const translationId = existing?.id ?? translation.idIfNew;
  const isSame = existing?.liveHash === contentHash && existing.liveUrl === (translation.content.url ?? null);
  const live = isSame ? existing.liveRevision : null;
  if (live !== null && existing?.liveSourceRevision === source.revision) {
    return { locale, revision: live, outcome: 'unchanged' };
  }

  const sourceColumns = { sourceRevision: source.revision, sourceHash: article.contentHash };
  const revision = live ?? (existing?.revision ?? 0) + 1;
  if (live !== null) await tx.run(confirmTranslation, { translationId, ...sourceColumns });
  else {
    if (!existing)
      await tx.run(insertTranslation, toNewRow(translation, workspaceId, articleId, sourceColumns, by));
    await Promise.all([
      tx.run(insertTranslationRevision, {
        ...toContentColumns(translation.content),
        ...sourceColumns,
        translationId,
        revision,
        event: 'imported',
        status: 'published',
        contentHash,
        searchSummary: translation.searchSummary,
        authorId: by.actor,
        createdAt: by.atMillis,
      }),
      tx.run(publishImported, { translationId, revision, ...sourceColumns, ...by }),
    ]);
  }

  const url = translation.content.url ?? article.content.url;
  await passages.writePassage(tx, workspaceId, {
    ...translation.indexed,
    ...(url === undefined ? {} : { url }),
    articleId,
    translationId,
    revision,
    sourceRevision: source.revision,
    stale: false,
  });
  if (live === null) {
    const { slug } = article;
    const published = { articleId, slug, translationId, locale, revision };
    await recordPublished(tx, passages, workspaceId, published, translation.content, by.atMillis);
  }
  return { locale, revision, outcome: live === null ? 'revised' : 'confirmed' };
}

function toNewRow(
  { idIfNew, locale }: ImportedTranslation,
  workspaceId: string,
  articleId: string,
  sourceColumns: { sourceRevision: number; sourceHash: string },
  by: Import['by'],
): typeof translations.$inferInsert {
  return {
    id: idIfNew,
    workspaceId,
    articleId,
    locale,
    status: 'draft',
    revision: 0,
    ...sourceColumns,
    ...NOT_LIVE,
    ...UNREVIEWED,
    ...toCreationColumns(by),
  };
}

/** Lists the locales of the article and its translations. */
function getLocales({ locale, translations }: ImportedArticle): string[] {
  return [locale, ...translations.map((translation) => translation.locale)];
}

const liveTranslation = statement(() =>
  db
    .select({
      id: translations.id,
      revision: translations.revision,
      liveRevision: translations.liveRevision,
      liveSourceRevision: translations.liveSourceRevision,
      liveHash: translationRevisions.contentHash,
      liveUrl: translationRevisions.url,
    })
    .from(translations)
    .leftJoin(
      translationRevisions,
      and(
        eq(translationRevisions.translationId, translations.id),
        eq(translationRevisions.revision, translations.liveRevision),
      ),
    )
    .where(matches(translations.articleId, translations.locale)),
);
const publishImported = statement(() =>
  db
    .update(translations)
    .set({
      ...bound('revision', 'sourceRevision', 'sourceHash'),
      status: 'published',
      ...LIVE,
      ...UNREVIEWED,
      ...UNSCHEDULED,
      ...UPDATED,
    })
    .where(isThisTranslation),
);
// A draft newer than the live revision keeps the source that it was written for.
const confirmTranslation = statement(() => {
  const isLive = sql`${translations.revision} = ${translations.liveRevision}`;
  return db
    .update(translations)
    .set({
      sourceRevision: sql`CASE WHEN ${isLive} THEN ${input('sourceRevision')} ELSE ${translations.sourceRevision} END`,
      sourceHash: sql`CASE WHEN ${isLive} THEN ${input('sourceHash')} ELSE ${translations.sourceHash} END`,
      liveSourceRevision: LIVE.liveSourceRevision,
      liveSourceHash: LIVE.liveSourceHash,
    })
    .where(isThisTranslation);
});
const insertArchivedRevision = rawStatement(
  sql`INSERT INTO translation_revisions (translation_id, revision, event, status, source_revision, source_hash, title, answer,
     aliases, url, content_hash, search_summary, author_id, created_at)
   SELECT id, newest.revision + 1, 'archived', 'archived', newest.source_revision, newest.source_hash, title, answer,
     aliases, url, content_hash, search_summary, ${input('actor')}, ${input('atMillis')}
   FROM translations JOIN translation_revisions AS newest
     ON newest.translation_id = id AND newest.revision = translations.revision
   WHERE article_id = ${input('articleId')} AND locale = ${input('locale')} AND translations.status <> 'archived'`,
);
const archiveTranslation = statement(() =>
  db
    .update(translations)
    .set({
      status: 'archived',
      revision: sql`${translations.revision} + 1`,
      ...NOT_LIVE,
      ...UNREVIEWED,
      ...UNSCHEDULED,
      ...UPDATED,
    })
    .where(and(matches(translations.articleId, translations.locale), ne(translations.status, 'archived'))),
);
