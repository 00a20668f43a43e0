import type { Clock } from '../clock.ts';
import { newId } from '../ids.ts';
import type { Article, ArticleContent } from '../storage/articles.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type {
  ArticleSeen,
  NewTranslation,
  Translation,
  TranslationEvent,
  TranslationStep,
} from '../storage/translations.ts';
import { contentHash } from './content-hash.ts';
import { searchSummary } from './summary.ts';
import { comparedSource } from './translation-record.ts';
import { MADE_BY, type Transition, type WorkflowEvent } from './workflow.ts';

/** The revisions that steps make, and how a translation stands after each. */

/** Who takes a step, and when. */
type By = { readonly clock: Clock; readonly actor: string };

/** What a step makes different, besides what the workflow says. */
export type Change = Partial<
  Pick<TranslationStep, 'content' | 'contentHash' | 'searchSummary' | 'source' | 'review' | 'analysed'>
>;

export function draftFor(
  article: Article,
  locale: string,
  content: ArticleContent,
  { clock, actor }: By,
): NewTranslation {
  const translationId = newId('tr');
  const atMillis = clock.now();
  const { id: articleId } = article;
  return {
    translationId,
    articleId,
    locale,
    articleSeen: seenOf(article),
    source: comparedSource(article),
    content,
    contentHash: contentHash(content),
    searchSummary: searchSummary(content.answer, locale),
    authorId: actor,
    atMillis,
    audit: auditOf('created', { actor, atMillis }, translationId, { articleId, locale, toRevision: 1 }),
  };
}

/** The next revision: the same text, made for the same source, but for what changes. */
export function stepOf(
  { translation, article }: { readonly translation: Translation; readonly article: Article },
  event: WorkflowEvent,
  { to: status, live, review }: Transition,
  change: Change,
  { clock, actor }: By,
): TranslationStep {
  const { id: translationId, articleId, locale, revision: baseRevision } = translation;
  const { content, contentHash, searchSummary } = translation;
  const atMillis = clock.now();
  const revisions = { articleId, locale, fromRevision: baseRevision, toRevision: baseRevision + 1 };
  return {
    content,
    contentHash,
    searchSummary,
    source: 'keep',
    ...(review === 'keep' ? { review } : {}),
    ...change,
    translationId,
    baseRevision,
    articleSeen: seenOf(article),
    event: MADE_BY[event],
    status,
    live,
    authorId: actor,
    atMillis,
    audit: auditOf(MADE_BY[event], { actor, atMillis }, translationId, revisions),
  };
}

function seenOf({ revision, live }: Article): ArticleSeen {
  return { revision, ...(live ? { liveRevision: live.revision } : {}) };
}

function auditOf(
  step: TranslationEvent,
  by: Pick<AuditEntry, 'actor' | 'atMillis'>,
  translationId: string,
  details: AuditEntry['details'],
): AuditEntry {
  return { id: newId('aud'), ...by, action: `translation.${step}`, subject: translationId, details };
}

/** As it is stored now, also when somebody has gone on from there since. */
export function asCreated(draft: NewTranslation): Translation {
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

export function afterStep(
  { live: wasLive, review: hadReview, ...before }: Translation,
  step: TranslationStep,
): Translation {
  const { status, content, contentHash, searchSummary, authorId, atMillis } = step;
  const revision = before.revision + 1;
  const source = step.source === 'keep' ? before.source : step.source;
  const isNow = { revision, source, publishedAt: atMillis, publishedBy: authorId };
  const live = { keep: wasLive, this: isNow, none: undefined }[step.live];
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
