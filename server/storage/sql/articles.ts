import { and, desc, eq, getTableColumns, isNotNull, type SQL, sql } from 'drizzle-orm';
import type {
  ArticleEvent,
  ArticleHead,
  Articles,
  ArticleTransition,
  DismissedAlias,
  DismissedAliases,
  FilingChange,
  FilingOutcome,
  NewArticle,
  VariantState,
} from '../articles.ts';
import type { AuditEntry } from '../audit.ts';
import { importArticles } from './article-import.ts';
import {
  articleById,
  articleBySlug,
  contentOf,
  createdBy,
  type FilingColumns,
  filingOf,
  formatTags,
  insertArticle,
  insertArticleRevision,
  isThisArticle,
  parseTags,
  publishArticle,
  setFiling,
  setOrigin,
  setSearchText,
  toContentColumns,
  toSearchColumns,
  UNPUBLISHED,
  UPDATED,
  withContent,
} from './article-rows.ts';
import { isLive, isNewest, live, newest, searchRows } from './article-search.ts';
import { insertAudit } from './audit.ts';
import { putCollection } from './collections.ts';
import type { SqlDatabase, Tx, WriteTx } from './database.ts';
import { areAllLive, type PassageWrites, refreshTranslations, republishTranslations } from './passages.ts';
import { articleRevisions, articles, translationRevisions, translations } from './schema.ts';
import {
  bound,
  boundLimit,
  db,
  equals,
  matches,
  placeholder,
  statement,
  textStatement,
} from './statements.ts';

/** Sorts after every id, and after every revision. */
const AFTER_ALL_IDS = '~';
/** More than a step of a search reads. */
const IDS_A_STEP = 10_000;
const AFTER_ALL_REVISIONS = Number.MAX_SAFE_INTEGER;

export function sqlArticles(
  database: SqlDatabase,
  passages: PassageWrites,
): (workspaceId: string) => Articles {
  const { write } = database;
  const reads = articleReads(database);

  return (workspaceId) => ({
    ...reads(workspaceId),
    create: (article) => write(workspaceId, (tx) => createArticle(tx, workspaceId, article)),
    apply: (step) => write(workspaceId, (tx) => applyTransition(tx, passages, workspaceId, step)),
    remove: (articleId, audit) =>
      write(workspaceId, (tx) => removeArticle(tx, passages, workspaceId, articleId, audit)),
    file: (articleIds, change) =>
      write(workspaceId, (tx) => fileArticles(tx, workspaceId, articleIds, change)),
    import: (imported, by, localesMax) =>
      write(workspaceId, (tx) => importArticles({ tx, passages, workspaceId, by }, imported, localesMax)),
  });
}

function articleReads({
  read,
}: SqlDatabase): (workspaceId: string) => Omit<Articles, 'create' | 'apply' | 'remove' | 'file' | 'import'> {
  return (workspaceId) => ({
    findId: (slug) => read(workspaceId, async (tx) => (await tx.get(idOfSlug, { workspaceId, slug }))?.id),

    find: (articleId) =>
      read(
        workspaceId,
        async (tx) => {
          const [row, variants] = await Promise.all([
            tx.get(wholeArticle, { workspaceId, articleId }),
            findVariants(tx, [articleId]),
          ]);
          if (!row) return undefined;
          const { answer, searchSummary, ...head } = row;
          const article = toHead(head, variants.get(articleId));
          return { ...article, content: { ...article.content, answer }, searchSummary };
        },
        'atOnce',
      ),

    findLive: (slug) =>
      read(workspaceId, async (tx) => {
        const row = await tx.get(liveArticle, { workspaceId, slug });
        return row && withContent(row);
      }),

    list: (limit, beforeId = AFTER_ALL_IDS) =>
      read(
        workspaceId,
        async (tx) => {
          const rows = await tx.all(heads, { workspaceId, limit, beforeId });
          const ids = rows.map(({ id }) => id);
          const variants = await findVariants(tx, ids);
          return rows.map((row) => toHead(row, variants.get(row.id)));
        },
        'atOnce',
      ),

    search: (query) =>
      read(
        workspaceId,
        async (tx) => {
          const { rows, ...more } = await searchRows(tx, workspaceId, selectSorted, query, 'heads');
          const variants = await findVariants(
            tx,
            rows.map(({ id }) => id),
          );
          return { rows: rows.map(({ titleKey: _, ...row }) => toHead(row, variants.get(row.id))), ...more };
        },
        'atOnce',
      ),

    searchIds: (filter, beforeId) =>
      read(workspaceId, async (tx) => {
        const query = { filter, sort: 'created_desc', limit: IDS_A_STEP } as const;
        const after = beforeId === undefined ? {} : { after: { id: beforeId } };
        const { rows, continueAfter } = await searchRows(
          tx,
          workspaceId,
          selectIds,
          { ...query, ...after },
          'ids',
        );
        return {
          ids: rows.map(({ id }) => id),
          ...(continueAfter && { continueBefore: continueAfter.id }),
        };
      }),

    liveTexts: (articleId) =>
      read(workspaceId, async (tx) => (await tx.all(liveTexts, { workspaceId, articleId })).map(withContent)),

    revisions: (articleId, limit, beforeRevision = AFTER_ALL_REVISIONS) =>
      read(workspaceId, async (tx) => {
        const rows = await tx.all(revisions, { workspaceId, articleId, limit, beforeRevision });
        return rows.map((row) => ({ ...withContent(row), event: row.event as ArticleEvent }));
      }),

    count: () => read(workspaceId, async (tx) => (await tx.get(counts, { workspaceId }))!),
  });
}

async function findVariants(
  tx: Tx,
  articleIds: readonly string[],
): Promise<ReadonlyMap<string, readonly VariantState[]>> {
  const found = new Map<string, VariantState[]>(articleIds.map((id) => [id, []]));
  for (const row of await tx.all(variants, { articleIds: JSON.stringify(articleIds) })) {
    found.get(row.articleId)?.push(toVariant(row));
  }
  return found;
}

type HeadRow = ReturnType<NonNullable<typeof heads.toRow>>;
type VariantRow = ReturnType<NonNullable<typeof variants.toRow>>;

function toHead(row: HeadRow, variants: readonly VariantState[] = []): ArticleHead {
  const { title, aliases, url, liveRevision, liveHash, liveUrl, livePublishedAt, livePublishedBy, ...more } =
    row;
  const { collectionId, tags, sourceId, sourcePlace, ...rest } = more;
  return {
    ...rest,
    ...(collectionId === null ? {} : { collectionId }),
    tags: parseTags(tags),
    ...(sourceId === null ? {} : { source: { sourceId, place: sourcePlace! } }),
    content: { title, aliases: JSON.parse(aliases), ...(url === null ? {} : { url }) },
    ...(liveRevision === null
      ? {}
      : {
          live: {
            revision: liveRevision,
            contentHash: liveHash!,
            ...(liveUrl === null ? {} : { url: liveUrl }),
            publishedAt: livePublishedAt!,
            publishedBy: livePublishedBy!,
          },
        }),
    variants,
  };
}

function toVariant({ articleId: _, liveRevision, liveSourceHash, ...rest }: VariantRow): VariantState {
  return liveRevision === null
    ? rest
    : { ...rest, live: { revision: liveRevision, sourceHash: liveSourceHash! } };
}

async function createArticle(
  tx: WriteTx,
  workspaceId: string,
  article: NewArticle,
): Promise<'created' | 'slug_taken'> {
  const { articleId, slug, locale, authorId: actor, atMillis, origin, collection, tags } = article;
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
      ...createdBy(by),
      collectionId,
      tags: tags && formatTags(tags),
    }),
    tx.run(insertArticleRevision, toRevisionRow(article, { event: 'created', revision: 1, locale })),
  ]);
  if (origin) await tx.run(setOrigin, { workspaceId, articleId, ...origin });
  if (article.audit) await insertAudit(tx, workspaceId, article.audit);
  return 'created';
}

async function applyTransition(
  tx: WriteTx,
  passages: PassageWrites,
  workspaceId: string,
  step: ArticleTransition,
): ReturnType<Articles['apply']> {
  const { articleId, authorId: actor, atMillis, event, status } = step;
  const known = await tx.get(articleById, { workspaceId, articleId });
  if (!known) return { outcome: 'gone' };
  if (known.revision !== step.baseRevision) {
    const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = known;
    return { outcome: 'conflict', currentRevision, changedBy, changedAt };
  }
  const goesLive = step.live === 'this' && known.liveRevision === null;
  const republished = goesLive ? (step.variants ?? []) : [];
  if (goesLive && !(await areAllLive(tx, articleId, republished))) return { outcome: 'outdated' };

  const revision = known.revision + 1;
  const { locale } = known;
  await Promise.all([
    tx.run(insertArticleRevision, toRevisionRow(step, { event, revision, locale })),
    step.live === 'this'
      ? tx.run(publishArticle, { articleId, revision, locale, atMillis, actor })
      : tx.run(reviseArticle, { articleId, status, revision, atMillis, actor }),
    step.live === 'none' && tx.run(takeArticleDown, { articleId }),
    tx.run(setSearchText, { articleId, ...toSearchColumns(known.slug, step.content) }),
  ]);
  if (step.live === 'this') {
    const { contentHash, content } = step;
    const source = { articleId, revision, sourceRevision: revision, stale: false };
    await passages.writePassage(tx, workspaceId, { ...step.indexed!, ...source });
    await republishTranslations(tx, passages, workspaceId, articleId, republished);
    await refreshTranslations(tx, workspaceId, articleId, { ...content, contentHash });
  }
  if (step.live === 'none') await passages.removePassages(tx, workspaceId, articleId);
  if (step.audit) await insertAudit(tx, workspaceId, step.audit);
  return { outcome: 'applied' };
}

async function removeArticle(
  tx: WriteTx,
  passages: PassageWrites,
  workspaceId: string,
  articleId: string,
  audit: AuditEntry | undefined,
): Promise<'removed' | 'gone'> {
  if (!(await tx.get(articleById, { workspaceId, articleId }))) return 'gone';
  await passages.removePassages(tx, workspaceId, articleId);
  // Cascades to revisions, translations and their revisions.
  await tx.run(deleteArticle, { articleId });
  if (audit) await insertAudit(tx, workspaceId, audit);
  return 'removed';
}

async function fileArticles(
  tx: WriteTx,
  workspaceId: string,
  articleIds: readonly string[],
  change: FilingChange,
): Promise<FilingOutcome[]> {
  const outcomes: FilingOutcome[] = [];
  for (const articleId of articleIds) {
    const known = await tx.get(filingOf, { workspaceId, articleId });
    const filing = known && changeFiling(known, change);
    if (!known || !filing) {
      outcomes.push({ articleId, outcome: known ? 'too_many_tags' : 'gone' });
      continue;
    }
    const before = known.collectionId === null ? {} : { collectionId: known.collectionId };
    const isSame = filing.collectionId === known.collectionId && filing.tags === known.tags;
    if (!isSame) await tx.run(setFiling, { articleId, ...filing });
    outcomes.push({ articleId, outcome: isSame ? 'unchanged' : 'changed', ...before });
  }
  return outcomes;
}

/** Undefined when the article would have too many tags. */
function changeFiling(known: FilingColumns, change: FilingChange): FilingColumns | undefined {
  if ('collectionId' in change) return { ...known, collectionId: change.collectionId };
  const tags = parseTags(known.tags);
  if ('untag' in change) return { ...known, tags: formatTags(tags.filter((tag) => tag !== change.untag)) };
  const more = formatTags([...tags, change.tag]);
  return parseTags(more).length > change.tagsMax && more !== known.tags
    ? undefined
    : { ...known, tags: more };
}

type Revision = Parameters<typeof insertArticleRevision.bind>[0];

function toRevisionRow(
  { articleId, content, contentHash, searchSummary, authorId, atMillis }: NewArticle | ArticleTransition,
  is: Pick<Revision, 'event' | 'revision' | 'locale'>,
): Revision {
  return {
    ...toContentColumns(content),
    ...is,
    articleId,
    contentHash,
    searchSummary,
    authorId,
    createdAt: atMillis,
  };
}

/** The dismissed aliases of an article: a JSON array in its row. */
export function sqlDismissedAliases({ read, write }: SqlDatabase): (workspaceId: string) => DismissedAliases {
  return (workspaceId) => ({
    list: (articleId) =>
      read(workspaceId, async (tx) =>
        parseAliases((await tx.get(dismissed, { workspaceId, articleId }))?.dismissedAliases),
      ),
    add: (articleId, added, limit) =>
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

const {
  workspaceId: _,
  dismissedAliases: _aliases,
  titleKey: _title,
  searchText: _search,
  ...columns
} = getTableColumns(articles);
const head = {
  ...columns,
  title: newest.title,
  aliases: newest.aliases,
  url: newest.url,
  contentHash: newest.contentHash,
  liveHash: live.contentHash,
  liveUrl: live.url,
};
const ofWorkspace = matches(articles.workspaceId);

const idOfSlug = statement(() =>
  db
    .select({ id: articles.id })
    .from(articles)
    .where(and(ofWorkspace, matches(articles.slug))),
);
const wholeArticle = statement(() =>
  db
    .select({ ...head, answer: newest.answer, searchSummary: newest.searchSummary })
    .from(articles)
    .innerJoin(newest, isNewest)
    .leftJoin(live, isLive)
    .where(and(ofWorkspace, isThisArticle)),
);
/** Builds the statement of a sorted list. */
const selectSorted = (where: SQL | undefined, order: SQL) =>
  statement(() =>
    db
      .select({ ...head, titleKey: articles.titleKey })
      .from(articles)
      .innerJoin(newest, isNewest)
      .leftJoin(live, isLive)
      .where(where)
      .orderBy(order)
      .limit(boundLimit),
  );
const selectIds = (where: SQL | undefined, order: SQL, comparesTexts: boolean) =>
  statement(() => {
    const all = db
      .select({ id: articles.id, titleKey: articles.titleKey, updatedAt: articles.updatedAt })
      .from(articles)
      .$dynamic();
    const joined = comparesTexts ? all.innerJoin(newest, isNewest).leftJoin(live, isLive) : all;
    return joined.where(where).orderBy(order).limit(boundLimit);
  });
const heads = statement(() =>
  db
    .select(head)
    .from(articles)
    .innerJoin(newest, isNewest)
    .leftJoin(live, isLive)
    .where(
      and(equals(articles.workspaceId, 'workspaceId'), sql`${articles.id} < +${placeholder('beforeId')}`),
    )
    .orderBy(desc(articles.id))
    .limit(boundLimit),
);
const liveArticle = statement(() =>
  db
    .select({
      articleId: articles.id,
      slug: articles.slug,
      locale: live.locale,
      revision: live.revision,
      contentHash: live.contentHash,
      ...contentOf(live),
    })
    .from(articles)
    .innerJoin(live, isLive)
    .where(and(ofWorkspace, matches(articles.slug))),
);
const counts = textStatement<Awaited<ReturnType<Articles['count']>>>(
  `SELECT
     (SELECT count(*) FROM articles WHERE workspace_id = @workspaceId),
     (SELECT count(*) FROM translations WHERE workspace_id = @workspaceId),
     (SELECT count(*) FROM articles JOIN article_revisions ON article_id = id WHERE workspace_id = @workspaceId)
     + (SELECT count(*) FROM translations JOIN translation_revisions ON translation_id = id
        WHERE workspace_id = @workspaceId)`,
  ...(['articles', 'translations', 'revisions'] as const),
);
const variants = statement(() =>
  db
    .select({
      articleId: translations.articleId,
      translationId: translations.id,
      locale: translations.locale,
      status: translations.status,
      revision: translations.revision,
      sourceHash: translations.sourceHash,
      liveRevision: translations.liveRevision,
      liveSourceHash: translations.liveSourceHash,
    })
    .from(translations)
    .where(sql`${translations.articleId} IN (SELECT value FROM json_each(+${placeholder('articleIds')}))`)
    .orderBy(translations.locale),
);
const liveTexts = statement(() =>
  db
    .select({
      translationId: translations.id,
      locale: translations.locale,
      revision: translationRevisions.revision,
      ...contentOf(translationRevisions),
    })
    .from(translations)
    .innerJoin(
      translationRevisions,
      and(
        eq(translationRevisions.translationId, translations.id),
        eq(translationRevisions.revision, translations.liveRevision),
      ),
    )
    .where(
      and(
        equals(translations.workspaceId, 'workspaceId'),
        equals(translations.articleId, 'articleId'),
        isNotNull(translations.liveRevision),
      ),
    )
    .orderBy(translations.locale),
);
const revisions = statement(() =>
  db
    .select({
      revision: articleRevisions.revision,
      event: articleRevisions.event,
      ...contentOf(articleRevisions),
      contentHash: articleRevisions.contentHash,
      authorId: articleRevisions.authorId,
      createdAt: articleRevisions.createdAt,
    })
    .from(articleRevisions)
    .innerJoin(articles, eq(articles.id, articleRevisions.articleId))
    .where(
      and(
        equals(articleRevisions.articleId, 'articleId'),
        equals(articles.workspaceId, 'workspaceId'),
        sql`${articleRevisions.revision} < +${placeholder('beforeRevision')}`,
      ),
    )
    .orderBy(desc(articleRevisions.revision))
    .limit(boundLimit),
);

const reviseArticle = statement(() =>
  db
    .update(articles)
    .set({ ...bound('status', 'revision'), ...UPDATED })
    .where(isThisArticle),
);
const takeArticleDown = statement(() => db.update(articles).set(UNPUBLISHED).where(isThisArticle));
const deleteArticle = statement(() => db.delete(articles).where(isThisArticle));

const dismissed = statement(() =>
  db
    .select({ dismissedAliases: articles.dismissedAliases })
    .from(articles)
    .where(and(ofWorkspace, isThisArticle)),
);
const setDismissed = statement(() => db.update(articles).set(bound('dismissedAliases')).where(isThisArticle));
