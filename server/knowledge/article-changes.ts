import { type Clock, toIsoString } from '../clock.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import { newId } from '../ids.ts';
import type { Article, Articles, ArticleTransition, RepublishedTranslation } from '../storage/articles.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { ArticleContent } from '../storage/passages.ts';
import type { Conflict } from '../storage/translations.ts';
import {
  type ContentInput,
  contentHash,
  getSlugCandidates,
  normalizeContent,
  SLUG,
  searchSummary,
  toSlug,
} from './article-content.ts';
import { isChanged } from './records.ts';
import type { Indexing } from './search/indexing.ts';

/** Creating, editing, publishing and deleting articles. */

export type ChangeDeps = {
  readonly articles: Articles;
  readonly indexing: Indexing;
  readonly clock: Clock;
  /** The member who makes the change. */
  readonly actor: string;
};

/** The revision that the change is based on. */
type Seen = { readonly articleId: string; readonly baseRevision: number };

/** Translations may change while an article is indexed for publishing; then it is tried again. */
const ATTEMPTS_MAX = 10;

/** Creates a draft and returns its id. */
export async function createArticle(
  given: ContentInput & { readonly slug?: string | undefined; readonly locale: string },
  { articles, clock, actor }: ChangeDeps,
): Promise<string> {
  const content = normalizeContent(given);
  const articleId = newId('art');
  const slugs =
    given.slug === undefined
      ? getSlugCandidates(toSlug(content.title), articleId.slice(-8))
      : [keptSlug(given.slug)];
  const atMillis = clock.now();
  for (const slug of slugs) {
    const outcome = await articles.create({
      articleId,
      slug,
      locale: given.locale,
      content,
      contentHash: contentHash(content),
      searchSummary: searchSummary(content.answer, given.locale),
      authorId: actor,
      atMillis,
      audit: auditOf('created', { actor, atMillis }, articleId, { slug, toRevision: 1 }),
    });
    if (outcome === 'created') return articleId;
  }
  return throwApiError('article/slug_taken');
}

/** Replaces the working copy. Unchanged content creates no revision. */
export async function editArticle(seen: Seen, given: ContentInput, deps: ChangeDeps): Promise<void> {
  const content = normalizeContent(given);
  const article = await getSeen(seen, deps.articles);
  if (contentHash(content) === article.contentHash && content.url === article.content.url) return;
  const outcome = await deps.articles.apply(buildStep(article, 'edited', deps, { content }));
  requireApplied(outcome);
}

/** Publishes the working copy, and again those translations that have a live revision. */
export async function publishArticle(seen: Seen, deps: ChangeDeps): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const article = await getSeen(seen, deps.articles);
    const { slug, locale, content, status, live } = article;
    if (live && !isChanged(article)) {
      throwApiError('article/not_allowed', 'all of it is live already', { currentStatus: status });
    }
    const indexed = await deps.indexing.index(slug, locale, content);
    const republished = live ? {} : { variants: await servedAgainWith(article, deps) };
    const outcome = await deps.articles.apply(
      buildStep(article, 'published', deps, { status: 'published', live: 'this', indexed, ...republished }),
    );
    if (outcome.outcome !== 'outdated') return requireApplied(outcome);
  }
  throw new Error(`the translations of ${seen.articleId} changed each time that it was to be published`);
}

/** Stops serving the article and its translations. */
export async function unpublishArticle(seen: Seen, deps: ChangeDeps): Promise<void> {
  const article = await getSeen(seen, deps.articles);
  if (!article.live)
    throwApiError('article/not_allowed', 'nothing is live', { currentStatus: article.status });
  const outcome = await deps.articles.apply(
    buildStep(article, 'unpublished', deps, { status: 'unpublished', live: 'none' }),
  );
  requireApplied(outcome);
}

/** Deletes the article with its translations and all revisions. */
export async function deleteArticle(
  articleId: string,
  { articles, clock, actor }: ChangeDeps,
): Promise<void> {
  const { slug, revision } = await getArticle(articleId, articles);
  const by = { actor, atMillis: clock.now() };
  const audit = auditOf('deleted', by, articleId, { slug, fromRevision: revision });
  if ((await articles.remove(articleId, audit)) === 'gone') throwApiError('article/not_found');
}

export async function getArticle(articleId: string, articles: Articles): Promise<Article> {
  return (await articles.find(articleId)) ?? throwApiError('article/not_found');
}

async function getSeen({ articleId, baseRevision }: Seen, articles: Articles): Promise<Article> {
  const article = await getArticle(articleId, articles);
  const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = article;
  if (currentRevision !== baseRevision) refuseConflict({ currentRevision, changedBy, changedAt });
  return article;
}

/** Builds the next revision: the current one with the changes applied. */
function buildStep(
  article: Article,
  event: ArticleTransition['event'],
  { clock, actor }: ChangeDeps,
  change: Partial<Pick<ArticleTransition, 'status' | 'live' | 'indexed' | 'variants'>> & {
    readonly content?: ArticleContent;
  },
): ArticleTransition {
  const { id: articleId, slug, locale, status, revision: baseRevision } = article;
  const content = change.content ?? article.content;
  const atMillis = clock.now();
  const revisions = { slug, fromRevision: baseRevision, toRevision: baseRevision + 1 };
  return {
    status,
    live: 'keep',
    ...change,
    articleId,
    baseRevision,
    event,
    content,
    contentHash: contentHash(content),
    searchSummary: searchSummary(content.answer, locale),
    authorId: actor,
    atMillis,
    audit: auditOf(event, { actor, atMillis }, articleId, revisions),
  };
}

async function servedAgainWith(
  { id, slug }: Article,
  { articles, indexing }: ChangeDeps,
): Promise<RepublishedTranslation[]> {
  const variants: RepublishedTranslation[] = [];
  for (const { translationId, revision, locale, content } of await articles.liveTexts(id)) {
    variants.push({ translationId, revision, indexed: await indexing.index(slug, locale, content) });
  }
  return variants;
}

function requireApplied(outcome: Awaited<ReturnType<Articles['apply']>>): void {
  if (outcome.outcome === 'conflict') refuseConflict(outcome);
  if (outcome.outcome === 'gone') throwApiError('article/not_found');
}

function refuseConflict({ currentRevision, changedBy, changedAt }: Omit<Conflict, 'outcome'>): never {
  return throwApiError('article/conflict', undefined, {
    currentRevision,
    changedBy,
    changedAt: toIsoString(changedAt),
  });
}

function keptSlug(given: string): string {
  const slug = given.normalize('NFC');
  if (SLUG.test(slug)) return slug;
  return throwInvalidRequest({
    path: 'body.slug',
    code: 'invalid_slug',
    message: 'Expected letters, digits and . _ ~ / - only, beginning with a letter or digit.',
  });
}

function auditOf(
  step: ArticleTransition['event'] | 'deleted',
  by: Pick<AuditEntry, 'actor' | 'atMillis'>,
  articleId: string,
  details: AuditEntry['details'],
): AuditEntry {
  return { id: newId('aud'), ...by, action: `article.${step}`, subject: articleId, details };
}
