import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ARTICLE_LIMITS } from '../../contract/limits/articles.ts';
import type { KnowledgeCoverage, ReviewQueuePage, reviewQueue } from '../../contract/review-queue.ts';
import { toIsoString } from '../base/clock.ts';
import { decodeRowPosition, encodeRowPosition } from '../http/cursor.ts';
import type { Handlers } from '../http/handler.ts';
import type { ArticleHead, VariantState } from '../storage/article-queries.ts';
import type { Articles } from '../storage/articles.ts';
import type { MemberRole } from '../storage/members.ts';
import type { Store } from '../storage/store.ts';
import type { ReviewQueueItem, TranslationStatus, Translations } from '../storage/translations.ts';
import { normalizeLocale } from './article-content.ts';
import { getReferenceHash } from './records.ts';

const TRANSLATIONS_PER_READ = 250;

export function reviewQueueHandlers({ store }: { store: Pick<Store, 'in'> }): Handlers<typeof reviewQueue> {
  return {
    async listReviewQueue({ caller, query, ctx }) {
      const { translations, members } = store.in(caller.workspace.id);
      const locale = query.locale === undefined ? undefined : normalizeLocale(query.locale, 'query.locale');
      const everyone = await members.list();
      const me = { id: caller.memberId, role: caller.role };
      const tasks = (await readTasks(translations, ctx.signal))
        .map((task) => ({ ...task, mine: isAssignedTo(me, task, everyone) }))
        .filter(({ mine, translation }) => {
          const isShown = query.for === 'everybody' || mine;
          return isShown && (locale === undefined || translation.locale === locale);
        })
        .sort(compareByAge);
      const counts = { review: 0, changes: 0, publish: 0, stale: 0 };
      for (const { kind } of tasks) counts[kind] += 1;
      const ofKind = tasks.filter(({ kind }) => query.kind === undefined || kind === query.kind);
      const remaining = query.cursor === undefined ? ofKind : skipToCursor(query.cursor, ofKind);
      const data = remaining.slice(0, query.limit);
      const last = data.at(-1);
      const hasMore = last !== undefined && remaining.length > query.limit;
      return {
        status: 200,
        body: {
          data: data.map(toRecord),
          counts,
          ...(hasMore
            ? { nextCursor: encodeRowPosition({ atMillis: last.since, id: last.translation.id }) }
            : {}),
        },
      };
    },

    async readCoverage({ caller, ctx }) {
      const { articles } = store.in(caller.workspace.id);
      return { status: 200, body: await computeCoverage(articles, ctx.signal) };
    },
  };
}

async function readTasks(
  translations: Pick<Translations, 'listReviewQueue'>,
  signal: AbortSignal,
): Promise<ReviewTask[]> {
  const tasks: ReviewTask[] = [];
  let afterId: string | undefined;
  for (
    let rowsRead = 0;
    rowsRead < ARTICLE_LIMITS.reviewQueueRowsMax && !signal.aborted;
    rowsRead += TRANSLATIONS_PER_READ
  ) {
    const batch = await translations.listReviewQueue(REVIEW_QUEUE_STATUSES, TRANSLATIONS_PER_READ, afterId);
    tasks.push(...batch.flatMap((translation) => toReviewTask(translation) ?? []));
    if (batch.length < TRANSLATIONS_PER_READ) break;
    afterId = batch.at(-1)?.id;
    await yieldToEventLoop();
  }
  return tasks;
}

type SortKey = Pick<ReviewTask, 'since'> & { translation: { id: string } };

function compareByAge(a: SortKey, b: SortKey): number {
  return a.since - b.since || (a.translation.id < b.translation.id ? -1 : 1);
}

/** Returns the rows after a cursor, which has a time and an id, and so stays valid when its task is completed. */
function skipToCursor<T extends SortKey>(cursor: string, rows: readonly T[]): readonly T[] {
  const { atMillis, id } = decodeRowPosition(cursor, /^tr_[0-9a-z]{26}$/);
  const cursorTask = { since: atMillis, translation: { id } };
  return rows.filter((row) => row.translation.id !== id && compareByAge(cursorTask, row) < 0);
}

function toRecord({
  kind,
  mine,
  translation,
  since,
  by,
}: ReviewTask & { mine: boolean }): ReviewQueuePage['data'][number] {
  const note = kind === 'changes' ? translation.review?.reviewNote : undefined;
  return {
    kind,
    mine,
    articleId: translation.articleId,
    articleTitle: translation.articleTitle,
    translationId: translation.id,
    locale: translation.locale,
    title: translation.title,
    status: translation.status,
    revision: translation.revision,
    since: toIsoString(since),
    by,
    reviewNote: note,
  };
}

/** Rules that turn a translation's state into a task and assign it to members. */

type TaskKind = 'review' | 'changes' | 'publish' | 'stale';

export type ReviewTask = {
  kind: TaskKind;
  translation: ReviewQueueItem;
  since: number;
  /** The member whose action created the task. */
  by: string;
};

export type Member = { id: string; role: MemberRole };

/** Statuses that need action, besides stale live translations. */
const REVIEW_QUEUE_STATUSES: readonly TranslationStatus[] = ['in_review', 'changes_requested', 'approved'];

/** Returns undefined when the translation needs no action. */
function toReviewTask(translation: ReviewQueueItem): ReviewTask | undefined {
  const { status, review, liveSourceHash, compared, updatedAt, updatedBy } = translation;
  const reviewed = { since: review?.reviewedAt ?? updatedAt, by: review?.reviewerId ?? updatedBy };
  if (status === 'in_review') return { kind: 'review', translation, since: updatedAt, by: updatedBy };
  if (status === 'changes_requested') return { kind: 'changes', translation, ...reviewed };
  if (status === 'approved') return { kind: 'publish', translation, ...reviewed };
  if (liveSourceHash === undefined || liveSourceHash === compared.contentHash) return undefined;
  return { kind: 'stale', translation, since: compared.at, by: compared.by };
}

/**
 * Whether the task is assigned to this member. Editors review each other's translations; a sole
 * editor reviews their own. Requested changes go to the author, or to all editors once the author
 * can no longer edit.
 */
function isAssignedTo(
  member: Member,
  { kind, translation, by }: ReviewTask,
  all: readonly Member[],
): boolean {
  if (!canEdit(member)) return false;
  const editors = all.filter(canEdit);
  if (kind === 'review') return by !== member.id || editors.length === 1;
  if (kind !== 'changes') return true;
  const author = translation.review?.authorId;
  return author === member.id || !editors.some(({ id }) => id === author);
}

const canEdit = ({ role }: Member) => role !== 'member';

type LocaleCoverage = KnowledgeCoverage['locales'][number];
type LocaleCounts = { -readonly [K in keyof LocaleCoverage]: LocaleCoverage[K] };

const ARTICLES_PER_READ = 100;
const LOCALES_MAX = 1_000;

/** Counts the translations of a workspace by locale and status. */
async function computeCoverage(
  articles: Pick<Articles, 'list'>,
  signal: AbortSignal,
): Promise<KnowledgeCoverage> {
  const countsByLocale = new Map<string, LocaleCounts & { covered: number }>();
  const getCounts = (locale: string) => {
    const localeCounts = countsByLocale.get(locale) ?? { ...createCounts(locale), covered: 0 };
    countsByLocale.set(locale, localeCounts);
    return localeCounts;
  };
  let total = 0;
  let published = 0;
  for (let beforeId: string | undefined; !signal.aborted; ) {
    const batch = await articles.list(ARTICLES_PER_READ, beforeId);
    for (const article of batch) {
      total += 1;
      if (article.live) published += 1;
      countSource(article, getCounts(article.locale));
      for (const variant of article.variants) countVariant(variant, article, getCounts(variant.locale));
    }
    if (batch.length < ARTICLES_PER_READ) break;
    beforeId = batch.at(-1)?.id;
    await yieldToEventLoop();
  }
  const locales = [...countsByLocale.values()]
    .map(({ covered, ...counts }) => ({ ...counts, missing: published - covered }))
    .sort((a, b) => b.live + b.stale - (a.live + a.stale) || (a.locale < b.locale ? -1 : 1))
    .slice(0, LOCALES_MAX);
  return { articles: total, published, locales };
}

const createCounts = (locale: string): LocaleCounts => ({
  locale,
  live: 0,
  stale: 0,
  draft: 0,
  inReview: 0,
  changesRequested: 0,
  approved: 0,
  archived: 0,
  missing: 0,
});

function countSource({ live, status }: ArticleHead, counts: LocaleCounts & { covered: number }): void {
  if (live) {
    counts.live += 1;
    counts.covered += 1;
  } else if (status === 'draft') counts.draft += 1;
}

const STATUS_FIELDS = {
  draft: 'draft',
  in_review: 'inReview',
  changes_requested: 'changesRequested',
  approved: 'approved',
  archived: 'archived',
} as const;

function countVariant(
  { status, live }: VariantState,
  article: ArticleHead,
  counts: LocaleCounts & { covered: number },
): void {
  if (status !== 'published') counts[STATUS_FIELDS[status]] += 1;
  if (article.live && status !== 'archived') counts.covered += 1;
  // Served only while the article itself is published.
  if (live && article.live) counts[live.sourceHash === getReferenceHash(article) ? 'live' : 'stale'] += 1;
}
