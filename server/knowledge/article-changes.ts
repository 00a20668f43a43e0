import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { getSlugCandidates, toSlug } from '../base/slug.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Article } from '../storage/article-queries.ts';
import type { Conflict } from '../storage/article-rows.ts';
import type { Articles, ArticleTransition } from '../storage/articles.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { RepublishedTranslation } from '../storage/passage-writes.ts';
import type { ArticleContent } from '../storage/passages.ts';
import { type ContentInput, hashContent, normalizeContent, SLUG, summarize } from './article-content.ts';
import { isChanged } from './records.ts';
import type { Indexing } from './search/indexing.ts';

/** Creating, editing, publishing and deleting articles. */

export type ChangeDeps = {
  articles: Articles;
  indexing: Indexing;
  clock: Clock;
  /** The member who makes the change. */
  actor: string;
  /** Writes no audit row, for bulk actions that write one for all articles. */
  isBulk?: true;
  /** The member has scheduled the change. */
  isScheduled?: true;
};

/** The revision that the change is based on. */
export type BaseRevision = { articleId: string; baseRevision: number };

/** Publishing retries when translations change while the article is being indexed. */
const ATTEMPTS_MAX = 10;

/** Creates a draft and returns its id. */
export async function createArticle(
  input: ContentInput & {
    slug?: string | undefined;
    locale: string;
    audience?: readonly string[] | undefined;
  },
  { articles, clock, actor }: ChangeDeps,
): Promise<string> {
  const content = normalizeContent(input);
  const articleId = newId('art');
  const slugs =
    input.slug === undefined
      ? getSlugCandidates(toSlug(content.title), articleId.slice(-8))
      : [parseSlug(input.slug)];
  const atMillis = clock.now();
  for (const slug of slugs) {
    const outcome = await articles.create({
      articleId,
      slug,
      locale: input.locale,
      ...(input.audience && { audience: input.audience }),
      content,
      contentHash: hashContent(content),
      searchSummary: summarize(content.answer, input.locale),
      authorId: actor,
      atMillis,
      audit: toAuditEntry('created', { actor, atMillis }, articleId, { slug, toRevision: 1 }),
    });
    if (outcome === 'created') return articleId;
  }
  return throwApiError('article/slug_taken');
}

/** Replaces the working copy. Unchanged content creates no revision. */
export async function editArticle(base: BaseRevision, input: ContentInput, deps: ChangeDeps): Promise<void> {
  const content = normalizeContent(input);
  const article = await getArticleAt(base, deps.articles);
  if (hashContent(content) === article.contentHash && content.url === article.content.url) return;
  const outcome = await deps.articles.apply(buildTransition(article, 'edited', deps, { content }));
  requireApplied(outcome);
}

/** Publishes the working copy and republishes translations that have a live revision. */
export async function publishArticle(base: BaseRevision, deps: ChangeDeps): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const article = await getArticleAt(base, deps.articles);
    const { slug, locale, content, live } = article;
    requireUnpublishedText(article);
    const indexed = await deps.indexing.index(slug, locale, content);
    const republished = live ? {} : { variants: await indexLiveTranslations(article, deps) };
    const outcome = await deps.articles.apply(
      buildTransition(article, 'published', deps, {
        status: 'published',
        live: 'this',
        indexed,
        ...republished,
      }),
    );
    if (outcome.outcome !== 'outdated') return requireApplied(outcome);
  }
  throw new Error(
    `Could not publish ${base.articleId}: its translations changed during each of ${ATTEMPTS_MAX} attempts`,
  );
}

/** Throws when the working copy is live already. */
export function requireUnpublishedText(article: Article): void {
  if (!article.live || isChanged(article)) return;
  throwApiError('article/not_allowed', 'the current revision is already live', {
    currentStatus: article.status,
  });
}

/** Stops serving the article and its translations. */
export async function unpublishArticle(base: BaseRevision, deps: ChangeDeps): Promise<void> {
  const article = await getArticleAt(base, deps.articles);
  if (!article.live)
    throwApiError('article/not_allowed', 'no revision is live', { currentStatus: article.status });
  const outcome = await deps.articles.apply(
    buildTransition(article, 'unpublished', deps, { status: 'unpublished', live: 'none' }),
  );
  requireApplied(outcome);
}

/** Deletes the article with its translations and all revisions. */
export async function deleteArticle(
  articleId: string,
  { articles, clock, actor, isBulk }: ChangeDeps,
): Promise<void> {
  const { slug, revision } = await getArticle(articleId, articles);
  const by = { actor, atMillis: clock.now() };
  const audit = isBulk ? undefined : toAuditEntry('deleted', by, articleId, { slug, fromRevision: revision });
  if ((await articles.remove(articleId, by.atMillis, audit)) === 'gone') throwApiError('article/not_found');
}

export async function getArticle(articleId: string, articles: Articles): Promise<Article> {
  return (await articles.find(articleId)) ?? throwApiError('article/not_found');
}

export async function getArticleAt(
  { articleId, baseRevision }: BaseRevision,
  articles: Articles,
): Promise<Article> {
  const article = await getArticle(articleId, articles);
  const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = article;
  if (currentRevision !== baseRevision) throwConflict({ currentRevision, changedBy, changedAt });
  return article;
}

/** Builds the next revision: the current one with the changes applied. */
function buildTransition(
  article: Article,
  event: ArticleTransition['event'],
  { clock, actor, isBulk, isScheduled }: ChangeDeps,
  change: Partial<Pick<ArticleTransition, 'status' | 'live' | 'indexed' | 'variants'>> & {
    content?: ArticleContent;
  },
): ArticleTransition {
  const { id: articleId, slug, locale, status, revision: baseRevision } = article;
  const content = change.content ?? article.content;
  const atMillis = clock.now();
  const revisions = {
    slug,
    fromRevision: baseRevision,
    toRevision: baseRevision + 1,
    ...(isScheduled && { scheduled: true }),
  };
  return {
    status,
    live: 'keep',
    ...change,
    articleId,
    baseRevision,
    event,
    content,
    contentHash: hashContent(content),
    searchSummary: summarize(content.answer, locale),
    authorId: actor,
    atMillis,
    ...(isBulk ? {} : { audit: toAuditEntry(event, { actor, atMillis }, articleId, revisions) }),
  };
}

async function indexLiveTranslations(
  { id, slug }: Article,
  { articles, indexing }: ChangeDeps,
): Promise<RepublishedTranslation[]> {
  const variants: RepublishedTranslation[] = [];
  for (const { translationId, revision, locale, content } of await articles.liveTexts(id)) {
    variants.push({ translationId, revision, indexed: await indexing.index(slug, locale, content) });
  }
  return variants;
}

export function requireApplied(outcome: { outcome: 'applied' | 'outdated' | 'gone' } | Conflict): void {
  if (outcome.outcome === 'conflict') throwConflict(outcome);
  if (outcome.outcome === 'gone') throwApiError('article/not_found');
}

function throwConflict({ currentRevision, changedBy, changedAt }: Omit<Conflict, 'outcome'>): never {
  return throwApiError('article/conflict', undefined, {
    currentRevision,
    changedBy,
    changedAt: toIsoString(changedAt),
  });
}

function parseSlug(input: string): string {
  const slug = input.normalize('NFC');
  if (SLUG.test(slug)) return slug;
  return throwInvalidRequest({
    path: 'body.slug',
    code: 'invalid_slug',
    message: 'Expected only letters, digits and . _ ~ / -, starting with a letter or digit.',
  });
}

export function toAuditEntry(
  event: ArticleTransition['event'] | 'deleted' | 'scheduled' | 'schedule_ended' | 'verified',
  by: Pick<AuditEntry, 'actor' | 'atMillis'>,
  articleId: string,
  details: AuditEntry['details'],
): AuditEntry {
  return { id: newId('aud'), ...by, action: `article.${event}`, subject: articleId, details };
}
