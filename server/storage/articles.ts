import { and } from 'drizzle-orm';
import { type ImportedArticle, importArticles } from './article-import.ts';
import { articleQueries } from './article-queries.ts';
import {
  type ArticleEvent,
  type ArticleOrigin,
  type ArticleStatus,
  articleById,
  articleBySlug,
  type Conflict,
  formatTags,
  insertArticle,
  insertArticleRevision,
  isSameOrganization,
  isThisArticle,
  type Organization,
  parseList,
  publishArticle,
  selectOrganization,
  setOrganization,
  setOrigin,
  setSearchText,
  toContentColumns,
  toCreationColumns,
  toSearchColumns,
  UNPUBLISHED,
  UNSCHEDULED,
  UPDATED,
} from './article-rows.ts';
import { formatAudience } from './audiences.ts';
import { type AuditEntry, insertAudit } from './audit.ts';
import { putCollection } from './collections.ts';
import type { SqlDatabase, WriteTx } from './database.ts';
import {
  areAllLive,
  type PublicationWrites,
  type RepublishedTranslation,
  refreshTranslations,
  republishTranslations,
} from './passage-writes.ts';
import type { ArticleContent, IndexedText } from './passages.ts';
import { type articleRevisions, articles } from './schema/index.ts';
import { bound, db, matches, statement } from './statements.ts';
import { recordPublished, recordUnpublished } from './webhook-events.ts';

export type ArticleTransition = {
  articleId: string;
  baseRevision: number;
  event: ArticleEvent;
  status: ArticleStatus;
  content: ArticleContent;
  contentHash: string;
  searchSummary: string;
  /**
   * 'this' publishes the new revision under the search index entry `indexed`; 'none' unpublishes
   * the article and its translations.
   */
  live: 'keep' | 'this' | 'none';
  indexed?: IndexedText;
  /**
   * Required with `live: 'this'` when the article was not live: the translations to republish with
   * it, in their live revisions. The result is 'outdated' when other translations or revisions are live by now.
   */
  variants?: readonly RepublishedTranslation[];
  authorId: string;
  atMillis: number;
  /** Absent when one audit row covers many articles. */
  audit?: AuditEntry;
};

type NewArticle = Pick<
  ArticleTransition,
  'articleId' | 'content' | 'contentHash' | 'searchSummary' | 'authorId' | 'atMillis'
> & {
  slug: string;
  locale: string;
  /** Absent when one audit row covers many articles. */
  audit?: AuditEntry;
  origin?: ArticleOrigin;
} & Partial<Pick<ImportedArticle, 'collection' | 'tags' | 'audience'>>;

/** Sets or clears the collection or the audience of articles, or adds or removes a tag. */
export type OrganizeChange =
  | { collectionId: string | null }
  | { tag: string; tagsMax: number }
  | { untag: string }
  | { audience: readonly string[] };

export type OrganizeOutcome =
  | { articleId: string; outcome: 'unchanged' }
  | { articleId: string; outcome: 'changed'; before: { collectionId: string | null; audience: string[] } }
  | { articleId: string; outcome: 'gone' | 'too_many_tags' };

/** A suggested alias that is not to be suggested again. */
export type DismissedAlias = { alias: string; locale: string };

export function sqlArticles(database: SqlDatabase, passages: PublicationWrites) {
  const { write } = database;
  const queries = articleQueries(database);

  return (workspaceId: string) => ({
    ...queries(workspaceId),
    /** Creates a draft with its first revision. */
    create: (article: NewArticle) => write(workspaceId, (tx) => createArticle(tx, workspaceId, article)),
    /**
     * Appends a revision and makes it the newest, if `baseRevision` still is. A change of the live
     * revision updates the passages and the stale flags of translations in the same transaction.
     */
    apply: (step: ArticleTransition) =>
      write(workspaceId, (tx) => applyTransition(tx, passages, workspaceId, step)),
    /** Deletes the article with its revisions, translations and passages. */
    remove: (articleId: string, atMillis: number, audit?: AuditEntry) =>
      write(workspaceId, (tx) => removeArticle(tx, passages, workspaceId, { articleId, atMillis, audit })),
    /** Moves or tags articles in one transaction, without revisions. */
    organize: (articleIds: readonly string[], change: OrganizeChange) =>
      write(workspaceId, (tx) => organizeArticles(tx, workspaceId, articleIds, change)),
    /**
     * Imports and publishes articles with their translations in one transaction; articles that come back
     * with `skipReason` are skipped. Adds a revision only where the content hash or URL differs from the
     * published one. An imported translation counts as made for the source that it arrives with; other
     * live translations become stale when the source's content changes.
     */
    import: (
      imported: readonly ImportedArticle[],
      by: { actor: string; atMillis: number },
      localesMax?: number,
    ) => write(workspaceId, (tx) => importArticles({ tx, passages, workspaceId, by }, imported, localesMax)),
  });
}

async function createArticle(
  tx: WriteTx,
  workspaceId: string,
  article: NewArticle,
): Promise<'created' | 'slug_taken'> {
  const { articleId, slug, locale, authorId: actor, atMillis, origin, collection, tags, audience } = article;
  const by = { actor, atMillis };
  if (await tx.get(articleBySlug, { workspaceId, slug })) return 'slug_taken';
  const collectionId = collection && (await putCollection(tx, workspaceId, collection, by));
  await Promise.all([
    tx.run(insertArticle, {
      id: articleId,
      workspaceId,
      slug,
      locale,
      status: 'draft',
      revision: 1,
      ...UNPUBLISHED,
      ...toSearchColumns(slug, article.content),
      ...toCreationColumns(by),
      collectionId,
      tags: tags && formatTags(tags),
      audience: audience && formatAudience(audience),
    }),
    tx.run(insertArticleRevision, toRevisionRow(article, { event: 'created', revision: 1, locale })),
  ]);
  if (origin) await tx.run(setOrigin, { workspaceId, articleId, ...origin });
  if (article.audit) await insertAudit(tx, workspaceId, article.audit);
  return 'created';
}

async function applyTransition(
  tx: WriteTx,
  passages: PublicationWrites,
  workspaceId: string,
  step: ArticleTransition,
): Promise<{ outcome: 'applied' | 'outdated' | 'gone' } | Conflict> {
  const { articleId, authorId: actor, atMillis, event, status } = step;
  const current = await tx.get(articleById, { workspaceId, articleId });
  if (!current) return { outcome: 'gone' };
  if (current.revision !== step.baseRevision) {
    const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = current;
    return { outcome: 'conflict', currentRevision, changedBy, changedAt };
  }
  const goesLive = step.live === 'this' && current.liveRevision === null;
  const republished = goesLive ? (step.variants ?? []) : [];
  if (goesLive && !(await areAllLive(tx, articleId, republished))) return { outcome: 'outdated' };

  const revision = current.revision + 1;
  const { locale } = current;
  await Promise.all([
    tx.run(insertArticleRevision, toRevisionRow(step, { event, revision, locale })),
    step.live === 'this'
      ? tx.run(publishArticle, { articleId, revision, locale, atMillis, actor })
      : tx.run(reviseArticle, { articleId, status, revision, atMillis, actor }),
    step.live === 'none' && tx.run(takeArticleDown, { articleId }),
    tx.run(setSearchText, { articleId, ...toSearchColumns(current.slug, step.content) }),
  ]);
  if (step.live === 'this') {
    const { contentHash, content } = step;
    const source = { articleId, revision, sourceRevision: revision, stale: false };
    await passages.writePassage(tx, workspaceId, { ...step.indexed!, ...source });
    await republishTranslations(tx, passages, workspaceId, articleId, republished);
    await recordPublished(tx, passages, workspaceId, { ...current, articleId, revision }, content, atMillis);
    await refreshTranslations(tx, workspaceId, articleId, { ...content, contentHash }, atMillis);
  }
  if (step.live === 'none') {
    await recordUnpublished(tx, passages, workspaceId, current, atMillis);
    await passages.removePassages(tx, workspaceId, articleId);
  }
  if (step.audit) await insertAudit(tx, workspaceId, step.audit);
  return { outcome: 'applied' };
}

async function removeArticle(
  tx: WriteTx,
  passages: PublicationWrites,
  workspaceId: string,
  { articleId, atMillis, audit }: { articleId: string; atMillis: number; audit: AuditEntry | undefined },
): Promise<'removed' | 'gone'> {
  const current = await tx.get(articleById, { workspaceId, articleId });
  if (!current) return 'gone';
  await recordUnpublished(tx, passages, workspaceId, current, atMillis);
  await passages.removePassages(tx, workspaceId, articleId);
  // Cascades to revisions, translations and their revisions.
  await tx.run(deleteArticle, { articleId });
  if (audit) await insertAudit(tx, workspaceId, audit);
  return 'removed';
}

async function organizeArticles(
  tx: WriteTx,
  workspaceId: string,
  articleIds: readonly string[],
  change: OrganizeChange,
): Promise<OrganizeOutcome[]> {
  const outcomes: OrganizeOutcome[] = [];
  for (const articleId of articleIds) {
    const current = await tx.get(selectOrganization, { workspaceId, articleId });
    const changed = current && changeOrganization(current, change);
    if (!current || !changed) {
      outcomes.push({ articleId, outcome: current ? 'too_many_tags' : 'gone' });
      continue;
    }
    const isUnchanged = isSameOrganization(changed, current);
    if (!isUnchanged) await tx.run(setOrganization, { articleId, ...changed });
    outcomes.push(
      isUnchanged
        ? { articleId, outcome: 'unchanged' }
        : { articleId, outcome: 'changed', before: toBefore(current) },
    );
  }
  return outcomes;
}

const toBefore = ({ collectionId, audience }: Organization) => ({
  collectionId,
  audience: parseList(audience),
});

/** Returns undefined when the article would have too many tags. */
function changeOrganization(current: Organization, change: OrganizeChange): Organization | undefined {
  if ('collectionId' in change) return { ...current, collectionId: change.collectionId };
  if ('audience' in change) return { ...current, audience: formatAudience(change.audience) };
  const tags = parseList(current.tags);
  if ('untag' in change) return { ...current, tags: formatTags(tags.filter((tag) => tag !== change.untag)) };
  const newTags = formatTags([...tags, change.tag]);
  return parseList(newTags).length > change.tagsMax && newTags !== current.tags
    ? undefined
    : { ...current, tags: newTags };
}

type Revision = typeof articleRevisions.$inferInsert;

function toRevisionRow(
  { articleId, content, contentHash, searchSummary, authorId, atMillis }: NewArticle | ArticleTransition,
  fields: Pick<Revision, 'event' | 'revision' | 'locale'>,
): Revision {
  return {
    ...toContentColumns(content),
    ...fields,
    articleId,
    contentHash,
    searchSummary,
    authorId,
    createdAt: atMillis,
  };
}

/** The dismissed aliases of an article: a JSON array in its row. */
export function sqlDismissedAliases({ read, write }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists the dismissed aliases of an article, oldest first. */
    list: (articleId: string) =>
      read(workspaceId, async (tx) =>
        parseAliases((await tx.get(dismissed, { workspaceId, articleId }))?.dismissedAliases),
      ),
    /** Adds a dismissed alias without a revision, and keeps only the newest `limit` of the article. */
    add: (articleId: string, added: DismissedAlias, limit: number) =>
      write(workspaceId, async (tx) => {
        const row = await tx.get(dismissed, { workspaceId, articleId });
        if (!row) return 'gone';
        const others = parseAliases(row.dismissedAliases).filter(
          ({ alias, locale }) => alias !== added.alias || locale !== added.locale,
        );
        const dismissedAliases = JSON.stringify([...others, added].slice(-limit));
        await tx.run(setDismissed, { articleId, dismissedAliases });
        return 'added';
      }),
  });
}

const parseAliases = (json: string | null | undefined): DismissedAlias[] => (json ? JSON.parse(json) : []);

const reviseArticle = statement(() =>
  db
    .update(articles)
    .set({ ...bound('status', 'revision'), ...UPDATED })
    .where(isThisArticle),
);
const takeArticleDown = statement(() =>
  db
    .update(articles)
    .set({ ...UNPUBLISHED, ...UNSCHEDULED })
    .where(isThisArticle),
);
const deleteArticle = statement(() => db.delete(articles).where(isThisArticle));

const dismissed = statement(() =>
  db
    .select({ dismissedAliases: articles.dismissedAliases })
    .from(articles)
    .where(and(matches(articles.workspaceId), isThisArticle)),
);
const setDismissed = statement(() => db.update(articles).set(bound('dismissedAliases')).where(isThisArticle));

export type Articles = ReturnType<ReturnType<typeof sqlArticles>>;
