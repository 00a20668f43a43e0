import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { getCalendarMonth } from '../../month.ts';
import type { PassageToEmbed } from '../../storage/embeddings.ts';
import type { Store } from '../../storage/store.ts';
import { type BackgroundJob, createBackgroundJob } from '../background-job.ts';
import { embedPassages } from './embed-passages.ts';
import { type Embedder, EmbeddingFailure } from './embedder.ts';

export type EmbeddingIndexerDeps = {
  readonly store: Pick<Store, 'in' | 'embeddingIndex'>;
  readonly embedder: Embedder;
  readonly monthlyTokensMax: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after new vectors of the workspace have been stored. */
  readonly onIndexed: (workspaceId: string) => void;
};

const CHECK_MILLIS = 2_000;
const CLEAN_MILLIS = 3_600_000;
const PASSAGES_A_STEP = 64;
const REMOVED_A_STEP = 200;
/** Vectors are loaded again at most this often while many texts are embedded. */
const ANNOUNCE_MILLIS = 30_000;
/** Doubles with each failure in a row. */
const REST_MILLIS = 5_000;
const REST_MILLIS_MAX = 600_000;

/**
 * Embeds published texts. It compares the stored state instead of listening to publications, so it also notices imports by the
 * command line and changes before its start.
 */
export function createEmbeddingIndexer(deps: EmbeddingIndexerDeps): BackgroundJob {
  const { store, embedder, clock, log } = deps;
  /** Workspaces that have used up the budget of a month. */
  const exhausted = new Map<string, string>();
  const announcements = collectAnnouncements(deps);
  /** All passages up to this one have been embedded, or cannot be. */
  let walkedTo = 0;
  let cleanedAt = Number.NEGATIVE_INFINITY;
  let restUntil = 0;
  let failures = 0;

  async function embedOfWorkspace(
    workspaceId: string,
    passages: readonly PassageToEmbed[],
    signal: AbortSignal,
  ): Promise<number> {
    const { period } = getCalendarMonth(clock.now(), 'UTC');
    if (exhausted.get(workspaceId) === period) return 0;
    const { monthlyTokensMax } = deps;
    announcements.add(workspaceId);
    const done = await embedPassages(
      { embedder, store: store.in(workspaceId), period, monthlyTokensMax, signal },
      passages,
    );
    if (done.rejected > 0) {
      log.warn({ workspaceId, passages: done.rejected }, 'the embedding model rejected texts');
    }
    if (done.isExhausted) {
      exhausted.set(workspaceId, period);
      log.warn({ workspaceId, monthlyTokensMax }, 'the budget of embeddings is used up until next month');
    }
    return done.embedded;
  }

  /** Returns how many passages were embedded. */
  async function walk(signal: AbortSignal): Promise<number> {
    let embedded = 0;
    while (!signal.aborted) {
      const some = await store.embeddingIndex.after(walkedTo, PASSAGES_A_STEP, embedder.model);
      const last = some.at(-1);
      if (!last) break;
      const missing = Map.groupBy(
        some.filter(({ isEmbedded }) => !isEmbedded),
        ({ workspaceId }) => workspaceId,
      );
      for (const [workspaceId, passages] of missing) {
        embedded += await embedOfWorkspace(workspaceId, passages, signal);
        failures = 0;
      }
      walkedTo = last.passageId;
      announcements.sendSome();
      await nextTurn();
    }
    return embedded;
  }

  function startNewMonth(): void {
    const { period } = getCalendarMonth(clock.now(), 'UTC');
    for (const [workspaceId, month] of exhausted) {
      if (month === period) continue;
      exhausted.delete(workspaceId);
      walkedTo = 0;
    }
  }

  function rest(error: unknown): void {
    failures += 1;
    const wished = error instanceof EmbeddingFailure ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const millis = Math.min(REST_MILLIS_MAX, Math.max(wished, REST_MILLIS * 2 ** (failures - 1)));
    restUntil = clock.now() + millis;
    log.warn({ err: error, millis }, 'could not embed texts');
  }

  async function check(signal: AbortSignal): Promise<void> {
    if (clock.now() < restUntil) return;
    startNewMonth();
    if (clock.now() - cleanedAt >= CLEAN_MILLIS) {
      cleanedAt = clock.now();
      while ((await store.embeddingIndex.removeUnpublished(REMOVED_A_STEP)) > 0);
    }
    try {
      const embedded = await walk(signal);
      if (embedded > 0) {
        const { passages, embedded: total } = await store.embeddingIndex.progress(embedder.model);
        log.info({ embedded, total, passages }, 'texts embedded');
      }
    } catch (error) {
      if (!signal.aborted) rest(error);
    } finally {
      announcements.sendAll();
    }
  }

  return createBackgroundJob(clock, CHECK_MILLIS, check);
}

function collectAnnouncements({ clock, onIndexed }: Pick<EmbeddingIndexerDeps, 'clock' | 'onIndexed'>) {
  const waiting = new Set<string>();
  let sentAt = clock.now();
  const sendAll = () => {
    sentAt = clock.now();
    for (const workspaceId of waiting) onIndexed(workspaceId);
    waiting.clear();
  };
  return {
    add: (workspaceId: string) => void waiting.add(workspaceId),
    sendSome() {
      if (clock.now() - sentAt >= ANNOUNCE_MILLIS) sendAll();
    },
    sendAll,
  };
}
