import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { throwApiError } from '../http/errors.ts';
import type { Article } from '../storage/article-queries.ts';
import type { Conflict } from '../storage/article-rows.ts';
import type { Articles } from '../storage/articles.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { ArticleContent } from '../storage/passages.ts';
import type {
  ArticleVersion,
  NewTranslation,
  Review,
  Translation,
  TranslationEvent,
  Translations,
  TranslationTransition,
} from '../storage/translations.ts';
import { getArticle } from './article-changes.ts';
import { hashContent, summarize } from './article-content.ts';
import { getReferenceSource, isStale } from './records.ts';
import type { Indexing } from './search/indexing.ts';
import {
  findTransition,
  REVISION_EVENTS,
  TEXT_EVENTS,
  type Transition,
  type WorkflowEvent,
} from './workflow.ts';

/**
 * Creating, editing, reviewing and publishing translations. Each change is validated against the
 * current state, and stored only if that state is still current.
 */

export type ChangeTranslationDeps = {
  articles: Articles;
  translations: Translations;
  indexing: Indexing;
  clock: Clock;
  /** The member who makes the change. */
  actor: string;
  /** Writes no audit row: one row stands for a change of many articles. */
  isBulk?: true;
  /** The member has scheduled the change. */
  isScheduled?: true;
};

/** A translation with the article that it was compared with. */
export type TranslationWithArticle = { translation: Translation; article: Article };

export type TranslationRef = { articleId: string; translationId: string };
/** The revision that the change is based on. */
export type BaseRevision = TranslationRef & { baseRevision: number };

/** Retries when the article changes between reading and writing. */
const ATTEMPTS_MAX = 10;

/** Creates a draft for the article's current content. */
export async function createTranslation(
  articleId: string,
  input: {
    locale: string;
    content: ArticleContent;
    baseRevision: number | undefined;
  },
  deps: ChangeTranslationDeps,
): Promise<TranslationWithArticle> {
  for (let attempt = 1; ; attempt += 1) {
    const article = await getArticle(articleId, deps.articles);
    const source = getReferenceSource(article);
    if (attempt > ATTEMPTS_MAX || (input.baseRevision ?? source.revision) !== source.revision) {
      throwApiError('translation/conflict', undefined, { currentSourceRevision: source.revision });
    }
    const draft = buildDraft(article, input.locale, input.content, deps);
    const outcome = await deps.translations.create(draft, ARTICLE_LIMITS.localesPerArticleMax);
    if (outcome === 'created') return { article, translation: toCreatedTranslation(draft) };
    if (outcome !== 'outdated' && outcome !== 'gone') throwApiError(`translation/${outcome}`);
  }
}

export async function getTranslation(
  { articleId, translationId }: TranslationRef,
  { articles, translations }: Pick<ChangeTranslationDeps, 'articles' | 'translations'>,
): Promise<TranslationWithArticle> {
  const article = await getArticle(articleId, articles);
  const translation = await translations.find(articleId, translationId);
  return { article, translation: translation ?? throwApiError('translation/not_found') };
}

/**
 * Replaces the text and bases it on the current source, which must be the revision that the author
 * has read. Creates no revision when neither text nor source changes.
 */
export function editTranslation(
  base: BaseRevision,
  edit: { content: ArticleContent; sourceRevision: number | undefined },
  deps: ChangeTranslationDeps,
): Promise<TranslationWithArticle> {
  const { content: text, sourceRevision } = edit;
  return applyEvent(base, 'edit', deps, ({ translation, article }) => {
    const currentSourceRevision = getReferenceSource(article).revision;
    if ((sourceRevision ?? currentSourceRevision) !== currentSourceRevision) {
      throwApiError('translation/source_changed', undefined, { currentSourceRevision });
    }
    const { url } = translation.content;
    const content = url === undefined ? text : { ...text, url };
    const hash = hashContent(content);
    if (hash === translation.contentHash && !isStale(translation.source, article)) return 'unchanged';
    return {
      content,
      contentHash: hash,
      searchSummary: summarize(content.answer, translation.locale),
      source: getReferenceSource(article),
    };
  });
}

export function reviewTranslation(
  base: BaseRevision,
  decision: Review['decision'],
  reviewNote: string | undefined,
  deps: ChangeTranslationDeps & { mayApproveOwn: boolean },
): Promise<TranslationWithArticle> {
  return applyEvent(base, decision, deps, async ({ translation }) => {
    const { id, createdBy } = translation;
    const authorId = (await deps.translations.lastAuthor(id, TEXT_EVENTS)) ?? createdBy;
    if (decision === 'approve' && authorId === deps.actor && !deps.mayApproveOwn) {
      throwApiError('translation/own_text');
    }
    return {
      review: {
        decision,
        revision: translation.revision,
        authorId,
        reviewerId: deps.actor,
        reviewNote,
      },
    };
  });
}

/** Publishes the approved revision. It is indexed only while the article itself is published. */
export function publishTranslation(
  base: BaseRevision,
  deps: ChangeTranslationDeps,
): Promise<TranslationWithArticle> {
  return applyEvent(base, 'publish', deps, async ({ translation, article }) => {
    if (!article.live) return {};
    const { locale, content } = translation;
    return { indexed: await deps.indexing.index(article.slug, locale, content) };
  });
}

/** Restores an archived translation. Throws when the article's source locale is now the translation's locale. */
export function restoreTranslation(
  base: BaseRevision,
  deps: ChangeTranslationDeps,
): Promise<TranslationWithArticle> {
  return applyEvent(base, 'restore', deps, ({ translation, article }) => {
    if (translation.locale === article.locale) throwApiError('translation/source_locale');
    return {};
  });
}

/** Deletes a translation that was never published, with its revisions. */
export async function deleteTranslation(
  base: BaseRevision,
  { articles, translations, clock, actor }: ChangeTranslationDeps,
): Promise<void> {
  const { translation } = await getTranslation(base, { articles, translations });
  const { id, articleId, locale } = translation;
  const by = { actor, atMillis: clock.now() };
  const audit = toAuditEntry('deleted', by, id, { articleId, locale, fromRevision: base.baseRevision });
  const outcome = await translations.remove(id, base.baseRevision, audit);
  if (outcome === 'gone') throwApiError('translation/not_found');
  if (outcome === 'was_published') throwApiError('translation/was_published');
  if (outcome !== 'removed') throwConflict(outcome);
}

/** Applies a workflow event to `baseRevision`; throws a conflict when a newer revision exists. */
export async function applyEvent(
  base: BaseRevision,
  event: WorkflowEvent,
  deps: ChangeTranslationDeps,
  buildChange: (current: TranslationWithArticle) => Change | 'unchanged' | Promise<Change> = () => ({}),
): Promise<TranslationWithArticle> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await getTranslation(base, deps);
    const { translation, article } = current;
    if (attempt > ATTEMPTS_MAX || translation.revision !== base.baseRevision) {
      const { revision: currentRevision, updatedBy: changedBy, updatedAt: changedAt } = translation;
      throwConflict({ currentRevision, changedBy, changedAt });
    }
    const transition = requireTransition(current, event);
    if (transition.isDone) return current;
    const change = await buildChange(current);
    if (change === 'unchanged') return current;
    const step = buildTransition(current, event, transition, change, deps);
    const outcome = await deps.translations.apply(step);
    if (outcome.outcome === 'applied') return { article, translation: applyStep(translation, step) };
    if (outcome.outcome === 'conflict') throwConflict(outcome);
  }
}

/** Checks the status first, then the transition's other conditions. */
export function requireTransition(
  { translation, article }: TranslationWithArticle,
  event: WorkflowEvent,
): Transition {
  const { status: currentStatus } = translation;
  const transition = findTransition(currentStatus, event);
  if (!transition)
    return throwApiError('translation/not_allowed', `event ${event} in status ${currentStatus}`, {
      currentStatus,
    });
  for (const condition of transition.conditions) {
    if (condition === 'approval' && !isApproved(translation)) {
      throwApiError('translation/not_allowed', 'the approval is for another revision', { currentStatus });
    }
    if (condition === 'current_source' && isStale(translation.source, article)) {
      const currentSourceRevision = getReferenceSource(article).revision;
      throwApiError('translation/stale', undefined, { currentSourceRevision });
    }
  }
  return transition;
}

/**
 * The approval must be for the directly preceding revision: approving creates a revision itself.
 */
function isApproved({ review, revision }: Translation): boolean {
  return review?.decision === 'approve' && review.revision === revision - 1;
}

export function throwConflict({ currentRevision, changedBy, changedAt }: Omit<Conflict, 'outcome'>): never {
  return throwApiError('translation/conflict', undefined, {
    currentRevision,
    changedBy,
    changedAt: toIsoString(changedAt),
  });
}

type AuthorDeps = Pick<ChangeTranslationDeps, 'clock' | 'actor' | 'isBulk' | 'isScheduled'>;

/** Changes besides the workflow state. */
export type Change = Partial<
  Pick<TranslationTransition, 'content' | 'contentHash' | 'searchSummary' | 'source' | 'indexed'> & {
    review: Omit<Review, 'reviewedAt'>;
  }
>;

function buildDraft(
  article: Article,
  locale: string,
  content: ArticleContent,
  { clock, actor, isBulk }: AuthorDeps,
): NewTranslation {
  const translationId = newId('tr');
  const atMillis = clock.now();
  const { id: articleId } = article;
  return {
    translationId,
    articleId,
    locale,
    articleVersion: toArticleVersion(article),
    source: getReferenceSource(article),
    content,
    contentHash: hashContent(content),
    searchSummary: summarize(content.answer, locale),
    authorId: actor,
    atMillis,
    ...(isBulk
      ? {}
      : {
          audit: toAuditEntry('created', { actor, atMillis }, translationId, {
            articleId,
            locale,
            toRevision: 1,
          }),
        }),
  };
}

/** Builds the next revision: the current one with the changes applied. */
export function buildTransition(
  { translation, article }: { translation: Translation; article: Article },
  event: WorkflowEvent,
  { to: status, live, review }: Transition,
  { review: decided, ...change }: Change,
  { clock, actor, isBulk, isScheduled }: AuthorDeps,
): TranslationTransition {
  const { id: translationId, articleId, locale, revision: baseRevision } = translation;
  const { content, contentHash, searchSummary } = translation;
  const atMillis = clock.now();
  const revisions = {
    articleId,
    locale,
    fromRevision: baseRevision,
    toRevision: baseRevision + 1,
    ...(isScheduled && { scheduled: true }),
  };
  return {
    content,
    contentHash,
    searchSummary,
    source: 'keep',
    ...(review === 'keep' ? { review } : {}),
    ...change,
    ...(decided ? { review: { ...decided, reviewedAt: atMillis } } : {}),
    translationId,
    baseRevision,
    articleVersion: toArticleVersion(article),
    event: REVISION_EVENTS[event],
    status,
    live,
    authorId: actor,
    atMillis,
    ...(isBulk
      ? {}
      : { audit: toAuditEntry(REVISION_EVENTS[event], { actor, atMillis }, translationId, revisions) }),
  };
}

function toArticleVersion({ revision, live }: Article): ArticleVersion {
  return { revision, ...(live ? { liveRevision: live.revision } : {}) };
}

export function toAuditEntry(
  event: TranslationEvent | 'deleted' | 'scheduled' | 'schedule_ended',
  by: Pick<AuditEntry, 'actor' | 'atMillis'>,
  translationId: string,
  details: AuditEntry['details'],
): AuditEntry {
  return { id: newId('aud'), ...by, action: `translation.${event}`, subject: translationId, details };
}

/** Returns the state that this write stored, without later changes by other writers. */
function toCreatedTranslation(draft: NewTranslation): Translation {
  const { translationId: id, articleId, locale, source, content, authorId, atMillis } = draft;
  return {
    id,
    articleId,
    locale,
    status: 'draft',
    revision: 1,
    source,
    content,
    contentHash: draft.contentHash,
    searchSummary: draft.searchSummary,
    createdAt: atMillis,
    createdBy: authorId,
    updatedAt: atMillis,
    updatedBy: authorId,
  };
}

function applyStep(
  { live: wasLive, review: hadReview, scheduled: _, ...before }: Translation,
  step: TranslationTransition,
): Translation {
  const { status, content, contentHash, searchSummary, authorId, atMillis } = step;
  const revision = before.revision + 1;
  const source = step.source === 'keep' ? before.source : step.source;
  const newLive = { revision, source, publishedAt: atMillis, publishedBy: authorId };
  const live = { keep: wasLive, this: newLive, none: undefined }[step.live];
  const review = step.review === 'keep' ? hadReview : step.review;
  return {
    ...before,
    status,
    revision,
    source,
    content,
    contentHash,
    searchSummary,
    ...(live && { live }),
    ...(review && { review }),
    updatedAt: atMillis,
    updatedBy: authorId,
  };
}
