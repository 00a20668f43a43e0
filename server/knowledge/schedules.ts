import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import { type Clock, toIsoString } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { ApiError, throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { Schedules } from '../storage/schedules.ts';
import type { Store } from '../storage/store.ts';
import type { Translation } from '../storage/translations.ts';
import {
  toAuditEntry as articleAudit,
  type BaseRevision,
  type ChangeDeps,
  getArticle,
  getArticleAt,
  publishArticle,
  requireApplied,
  requireUnpublishedText,
} from './article-changes.ts';
import { type BackgroundJob, createBackgroundJob } from './background-job.ts';
import type { Indexing } from './search/indexing.ts';
import {
  type ChangeTranslationDeps,
  getTranslation,
  publishTranslation,
  requireTransition,
  type BaseRevision as TranslationBase,
  type TranslationWithArticle,
  throwConflict,
  toAuditEntry as translationAudit,
} from './translation-changes.ts';

/** Publishing at a later time, and verifying articles again. */

const DAY_MILLIS = 86_400_000;

/** Throws `request/invalid` for a time in the past or too far ahead. Null stays null. */
export function parseFutureTime(text: string | null, path: string, clock: Clock): number | null {
  if (text === null) return null;
  const at = Date.parse(text);
  const days = (at - clock.now()) / DAY_MILLIS;
  if (days > 0 && days <= ARTICLE_LIMITS.scheduleDaysMax) return at;
  return throwInvalidRequest({
    path,
    code: days > 0 ? 'too_late' : 'in_the_past',
    message: `Expected a time in the future, at most ${ARTICLE_LIMITS.scheduleDaysMax} days ahead.`,
  });
}

type ScheduleDeps = { schedules: Schedules };

/** Schedules the publication of the working copy, or cancels it with null. */
export async function scheduleArticle(
  base: BaseRevision,
  at: number | null,
  { schedules, ...deps }: ChangeDeps & ScheduleDeps,
): Promise<void> {
  const article = await getArticleAt(base, deps.articles);
  if (at !== null) requireUnpublishedText(article);
  else if (!article.scheduled) return;
  const { id, slug, revision: baseRevision } = article;
  const by = { actor: deps.actor, atMillis: deps.clock.now() };
  const audit =
    at === null
      ? articleAudit('schedule_ended', by, id, { slug, reason: 'cancelled' })
      : articleAudit('scheduled', by, id, { slug, publishAt: toIsoString(at) });
  const scheduled = at === null ? null : { at, by: deps.actor };
  requireApplied(await schedules.setOfArticle({ id, baseRevision, scheduled, audit }));
}

/** Like `scheduleArticle`, for the approved revision of a translation. */
export async function scheduleTranslation(
  base: TranslationBase,
  at: number | null,
  { schedules, ...deps }: ChangeTranslationDeps & ScheduleDeps,
): Promise<TranslationWithArticle> {
  const current = await getTranslation(base, deps);
  const { id, articleId, locale, revision, updatedBy: changedBy, updatedAt: changedAt } = current.translation;
  if (revision !== base.baseRevision) throwConflict({ currentRevision: revision, changedBy, changedAt });
  if (at !== null) requireTransition(current, 'publish');
  else if (!current.translation.scheduled) return current;
  const by = { actor: deps.actor, atMillis: deps.clock.now() };
  const audit =
    at === null
      ? translationAudit('schedule_ended', by, id, { articleId, locale, reason: 'cancelled' })
      : translationAudit('scheduled', by, id, { articleId, locale, publishAt: toIsoString(at) });
  const scheduled = at === null ? null : { at, by: deps.actor };
  const outcome = await schedules.setOfTranslation({ id, baseRevision: revision, scheduled, audit });
  if (outcome.outcome === 'gone') throwApiError('translation/not_found');
  if (outcome.outcome === 'conflict') throwConflict(outcome);
  const { scheduled: _, ...translation } = current.translation;
  return {
    ...current,
    translation: { ...translation, ...(scheduled && { scheduled }) } satisfies Translation,
  };
}

/** Confirms that an article is right until `after`, or with null for good. */
export async function verifyArticle(
  articleId: string,
  after: number | null,
  { schedules, clock, actor }: ScheduleDeps & Pick<ChangeDeps, 'clock' | 'actor'>,
): Promise<void> {
  const by = { actor, atMillis: clock.now() };
  const details = after === null ? {} : { verifyAfter: toIsoString(after) };
  const verification = after === null ? null : { after, checkedAt: by.atMillis, checkedBy: actor };
  const audit = articleAudit('verified', by, articleId, details);
  if ((await schedules.setVerification(articleId, verification, audit)) === 'gone') {
    throwApiError('article/not_found');
  }
}

type PublisherDeps = { store: Pick<Store, 'in' | 'schedules'>; clock: Clock; log: Log; indexing: Indexing };

const CHECK_MILLIS = 2_000;
const DUE_AT_ONCE = 100;

/**
 * Publishes what is due, as the member who scheduled it would. The publication itself removes the schedule in its transaction,
 * so a node that dies leaves either both or neither. A publication that is refused ends the schedule; the audit says why.
 */
export function createScheduledPublisher(deps: PublisherDeps): BackgroundJob {
  const { store, clock, log } = deps;
  return createBackgroundJob(clock, CHECK_MILLIS, async (signal) => {
    for (const due of await store.schedules.listDue(clock.now(), DUE_AT_ONCE)) {
      if (signal.aborted) return;
      const publish = 'translationId' in due ? publishDueTranslation : publishDueArticle;
      await publish(due as never, deps).catch((error) =>
        log.warn({ err: error, ...due }, 'could not publish what was scheduled'),
      );
    }
  });
}

type DueArticle = { workspaceId: string; articleId: string; by: string };

async function publishDueArticle(due: DueArticle, { store, clock, indexing }: PublisherDeps): Promise<void> {
  const { articles, schedules } = store.in(due.workspaceId);
  const { id, slug, revision: baseRevision, scheduled } = await getArticle(due.articleId, articles);
  if (!scheduled || scheduled.at > clock.now()) return;
  const deps = { articles, indexing, clock, actor: due.by, isScheduled: true } as const;
  const reason = await findRefusal(publishArticle({ articleId: id, baseRevision }, deps));
  if (reason === undefined) return;
  const by = { actor: due.by, atMillis: clock.now() };
  const audit = articleAudit('schedule_ended', by, id, { slug, reason });
  await schedules.setOfArticle({ id, baseRevision, scheduled: null, audit });
}

async function publishDueTranslation(
  due: DueArticle & { translationId: string },
  { store, clock, indexing }: PublisherDeps,
): Promise<void> {
  const { articles, translations, schedules } = store.in(due.workspaceId);
  const deps = { articles, translations, indexing, clock, actor: due.by, isScheduled: true } as const;
  const { translation } = await getTranslation(due, deps);
  const { id, articleId, locale, revision: baseRevision, scheduled } = translation;
  if (!scheduled || scheduled.at > clock.now()) return;
  const reason = await findRefusal(publishTranslation({ articleId, translationId: id, baseRevision }, deps));
  if (reason === undefined) return;
  const by = { actor: due.by, atMillis: clock.now() };
  const audit = translationAudit('schedule_ended', by, id, { articleId, locale, reason });
  await schedules.setOfTranslation({ id, baseRevision, scheduled: null, audit });
}

/** Returns the code of the error with which a publication was refused. Somebody who edits at the same time only delays it. */
async function findRefusal(publication: Promise<unknown>): Promise<string | undefined> {
  try {
    await publication;
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return error.code.endsWith('/conflict') ? undefined : error.code;
  }
}
