import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../contract/limits.ts';
import type { KnowledgeCoverage, queue, WaitingPage } from '../../contract/review-queue.ts';
import { toIsoString } from '../clock.ts';
import { decodeRowPosition, encodeRowPosition } from '../cursor.ts';
import type { Handlers } from '../http/handler.ts';
import type { ArticleHead, Articles, VariantState } from '../storage/articles.ts';
import type { MemberRole } from '../storage/members.ts';
import type { Store } from '../storage/store.ts';
import type { ReviewQueueItem, TranslationStatus, Translations } from '../storage/translations.ts';
import { normalizeLocale } from './article-content.ts';
import { getReferenceHash } from './records.ts';

/** Handlers for the review queue and for translation coverage. */

const TRANSLATIONS_PER_READ = 250;

export function reviewQueueHandlers({
  store,
}: {
  readonly store: Pick<Store, 'in'>;
}): Handlers<typeof queue> {
  return {
    async listWaiting({ caller, query, ctx }) {
      const { translations, members } = store.in(caller.workspace.id);
      const locale = query.locale === undefined ? undefined : normalizeLocale(query.locale, 'query.locale');
      const colleagues = await members.list();
      const me = { id: caller.memberId, role: caller.role };
      const waiting = (await readWaiting(translations, ctx.signal))
        .map((one) => ({ ...one, mine: isAssignedTo(me, one, colleagues) }))
        .filter(({ mine, translation }) => {
          const isAskedFor = query.for === 'everybody' || mine;
          return isAskedFor && (locale === undefined || translation.locale === locale);
        })
        .sort(longestFirst);
      const counts = { review: 0, changes: 0, publish: 0, stale: 0 };
      for (const { kind } of waiting) counts[kind] += 1;
      const ofKind = waiting.filter(({ kind }) => query.kind === undefined || kind === query.kind);
      const rest = query.cursor === undefined ? ofKind : after(query.cursor, ofKind);
      const data = rest.slice(0, query.limit);
      const last = data.at(-1);
      const isMore = last !== undefined && rest.length > query.limit;
      return {
        status: 200,
        body: {
          data: data.map(record),
          counts,
          ...(isMore
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

async function readWaiting(
  translations: Pick<Translations, 'listReviewQueue'>,
  signal: AbortSignal,
): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  let afterId: string | undefined;
  for (let seen = 0; seen < LIMITS.waitingRowsMax && !signal.aborted; seen += TRANSLATIONS_PER_READ) {
    const some = await translations.listReviewQueue(REVIEW_QUEUE_STATUSES, TRANSLATIONS_PER_READ, afterId);
    waiting.push(...some.flatMap((translation) => toReviewTask(translation) ?? []));
    if (some.length < TRANSLATIONS_PER_READ) break;
    afterId = some.at(-1)?.id;
    await nextTurn();
  }
  return waiting;
}

type Positioned = Pick<Waiting, 'since'> & { readonly translation: { readonly id: string } };

function longestFirst(a: Positioned, b: Positioned): number {
  return a.since - b.since || (a.translation.id < b.translation.id ? -1 : 1);
}

/** Cursors are by time and id, so they stay valid when an entry is done meanwhile. */
function after<T extends Positioned>(cursor: string, rows: readonly T[]): readonly T[] {
  const { atMillis, id } = decodeRowPosition(cursor, /^tr_[0-9a-z]{26}$/);
  const place = { since: atMillis, translation: { id } };
  return rows.filter((row) => row.translation.id !== id && longestFirst(place, row) < 0);
}

function record({
  kind,
  mine,
  translation,
  since,
  by,
}: Waiting & { readonly mine: boolean }): WaitingPage['data'][number] {
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
    ...(note === undefined ? {} : { reviewNote: note }),
  };
}

/** Rules for what has to be done about a translation, and by whom. */

export type Kind = 'review' | 'changes' | 'publish' | 'stale';

export type Waiting = {
  readonly kind: Kind;
  readonly translation: ReviewQueueItem;
  readonly since: number;
  /** The member whose action created the task. */
  readonly by: string;
};

export type Colleague = { readonly id: string; readonly role: MemberRole };

/** Statuses that need action, besides stale live translations. */
export const REVIEW_QUEUE_STATUSES: readonly TranslationStatus[] = [
  'in_review',
  'changes_requested',
  'approved',
];

/** Undefined when nothing has to be done. */
export function toReviewTask(translation: ReviewQueueItem): Waiting | undefined {
  const { status, review, liveSourceHash, compared, updatedAt, updatedBy } = translation;
  const reviewed = { since: review?.reviewedAt ?? updatedAt, by: review?.reviewerId ?? updatedBy };
  if (status === 'in_review') return { kind: 'review', translation, since: updatedAt, by: updatedBy };
  if (status === 'changes_requested') return { kind: 'changes', translation, ...reviewed };
  if (status === 'approved') return { kind: 'publish', translation, ...reviewed };
  if (liveSourceHash === undefined || liveSourceHash === compared.contentHash) return undefined;
  return { kind: 'stale', translation, since: compared.at, by: compared.by };
}

/**
 * Whether the task is assigned to this member. Reviews go to other editors than the submitter while
 * there are any; requested changes go to
 * the author, or to all editors once the author has left.
 */
export function isAssignedTo(
  member: Colleague,
  { kind, translation, by }: Waiting,
  all: readonly Colleague[],
): boolean {
  if (!mayChange(member)) return false;
  const editors = all.filter(mayChange);
  if (kind === 'review') return by !== member.id || editors.length === 1;
  if (kind !== 'changes') return true;
  const author = translation.review?.authorId;
  return author === member.id || !editors.some(({ id }) => id === author);
}

const mayChange = ({ role }: Colleague) => role !== 'member';

type Locale = KnowledgeCoverage['locales'][number];
type Tally = { -readonly [K in keyof Locale]: Locale[K] };

const ARTICLES_PER_READ = 100;
const LOCALES_MAX = 1_000;

/** Counts the translations of a workspace by locale and status. */
export async function computeCoverage(
  articles: Pick<Articles, 'list'>,
  signal: AbortSignal,
): Promise<KnowledgeCoverage> {
  const tallies = new Map<string, Tally & { there: number }>();
  const tallyOf = (locale: string) => {
    const known = tallies.get(locale) ?? { ...nothingIn(locale), there: 0 };
    tallies.set(locale, known);
    return known;
  };
  let total = 0;
  let published = 0;
  for (let beforeId: string | undefined; !signal.aborted; ) {
    const some = await articles.list(ARTICLES_PER_READ, beforeId);
    for (const article of some) {
      total += 1;
      if (article.live) published += 1;
      countSource(article, tallyOf(article.locale));
      for (const variant of article.variants) countVariant(variant, article, tallyOf(variant.locale));
    }
    if (some.length < ARTICLES_PER_READ) break;
    beforeId = some.at(-1)?.id;
    await nextTurn();
  }
  const locales = [...tallies.values()]
    .map(({ there, ...tally }) => ({ ...tally, missing: published - there }))
    .sort((a, b) => b.live + b.stale - (a.live + a.stale) || (a.locale < b.locale ? -1 : 1))
    .slice(0, LOCALES_MAX);
  return { articles: total, published, locales };
}

const nothingIn = (locale: string): Tally => ({
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

function countSource({ live, status }: ArticleHead, tally: Tally & { there: number }): void {
  if (live) {
    tally.live += 1;
    tally.there += 1;
  } else if (status === 'draft') tally.draft += 1;
}

const FIELDS = {
  draft: 'draft',
  in_review: 'inReview',
  changes_requested: 'changesRequested',
  approved: 'approved',
  archived: 'archived',
} as const;

function countVariant(
  { status, live }: VariantState,
  article: ArticleHead,
  tally: Tally & { there: number },
): void {
  if (status !== 'published') tally[FIELDS[status]] += 1;
  if (article.live && status !== 'archived') tally.there += 1;
  // Served only while the article itself is published.
  if (live && article.live) tally[live.sourceHash === getReferenceHash(article) ? 'live' : 'stale'] += 1;
}
