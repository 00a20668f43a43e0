import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../contract/limits.ts';
import type { queue, WaitingPage } from '../../contract/review-queue.ts';
import { toIsoString } from '../clock.ts';
import { readPlace, writePlace } from '../cursor.ts';
import type { Handlers } from '../http/handler.ts';
import type { Store } from '../storage/store.ts';
import type { Translations } from '../storage/translations.ts';
import { coverageOf } from './coverage.ts';
import { keptLocale } from './given-content.ts';
import { WAITING_STATUSES, type Waiting, waitingOf, waitsFor } from './waiting.ts';

/** What waits to be done, and how far the languages are. */

const ROWS_A_READ = 250;

export function queueHandlers({ store }: { readonly store: Pick<Store, 'in'> }): Handlers<typeof queue> {
  return {
    async listWaiting({ caller, query, exchange }) {
      const { translations, members } = store.in(caller.workspace.id);
      const locale = query.locale === undefined ? undefined : keptLocale(query.locale, 'query.locale');
      const colleagues = await members.list();
      const me = { id: caller.memberId, role: caller.role };
      const waiting = (await readWaiting(translations, exchange.signal))
        .map((one) => ({ ...one, mine: waitsFor(me, one, colleagues) }))
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
          ...(isMore ? { nextCursor: writePlace({ atMillis: last.since, id: last.translation.id }) } : {}),
        },
      };
    },

    async readCoverage({ caller, exchange }) {
      const { articles } = store.in(caller.workspace.id);
      return { status: 200, body: await coverageOf(articles, exchange.signal) };
    },
  };
}

async function readWaiting(
  translations: Pick<Translations, 'listWaiting'>,
  signal: AbortSignal,
): Promise<Waiting[]> {
  const waiting: Waiting[] = [];
  let afterId: string | undefined;
  for (let seen = 0; seen < LIMITS.waitingRowsMax && !signal.aborted; seen += ROWS_A_READ) {
    const some = await translations.listWaiting(WAITING_STATUSES, ROWS_A_READ, afterId);
    waiting.push(...some.flatMap((translation) => waitingOf(translation) ?? []));
    if (some.length < ROWS_A_READ) break;
    afterId = some.at(-1)?.id;
    await nextTurn();
  }
  return waiting;
}

type Placed = Pick<Waiting, 'since'> & { readonly translation: { readonly id: string } };

function longestFirst(a: Placed, b: Placed): number {
  return a.since - b.since || (a.translation.id < b.translation.id ? -1 : 1);
}

/** A cursor names what it follows by time and id, so that it holds when that is done meanwhile. */
function after<T extends Placed>(cursor: string, rows: readonly T[]): readonly T[] {
  const { atMillis, id } = readPlace(cursor, /^tr_[0-9a-z]{26}$/);
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
