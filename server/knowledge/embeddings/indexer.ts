import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { EVERYTHING, type Grants } from '../../base/audience.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { getCalendarMonth } from '../../base/month.ts';
import type { TokenMonths } from '../../storage/caps.ts';
import type { EmbeddingIndex, Embeddings, PassageRange, PassageToEmbed } from '../../storage/embeddings.ts';
import type { Passages } from '../../storage/passages.ts';
import type { Store } from '../../storage/store.ts';
import { type BackgroundJob, createBackgroundJob } from '../background-job.ts';
import { type Embedder, EmbeddingFailure } from './embedder.ts';
import { ARTICLES_WITH_SENTENCES_MAX, hashParts, type Parts, splitParts } from './parts.ts';
import type { FindShipped } from './shipped-vectors.ts';
import { encodeParts } from './vector-table.ts';

type EmbeddingIndexerDeps = {
  store: Pick<Store, 'in' | 'embeddingIndex'>;
  embedder: Embedder;
  findShipped: FindShipped;
  /** Undefined without a budget. */
  monthlyTokensMax: number | undefined;
  clock: Clock;
  log: Log;
  /** Called after new vectors of the workspace have been stored. */
  onIndexed: (workspaceId: string) => void;
};

const CHECK_MILLIS = 2_000;
const CLEAN_MILLIS = 3_600_000;
const PASSAGES_PER_STEP = 64;
const REMOVED_PER_STEP = 200;
/** Vectors are loaded again at most this often while many texts are embedded. */
const ANNOUNCE_MILLIS = 30_000;
const BACKOFF_MILLIS = 5_000;
const BACKOFF_MILLIS_MAX = 600_000;

/**
 * Embeds the sources of published articles, newest first; in a workspace where many are left, those that answers cite
 * come before. Compares the stored state instead of listening to publications, and so also notices imports by the
 * command line and changes before its start.
 */
export function createEmbeddingIndexer(deps: EmbeddingIndexerDeps): BackgroundJob {
  const { store, embedder, clock, log } = deps;
  const budgets = createBudgets(deps);
  const announcements = collectAnnouncements(deps);
  const backoff = createBackoff(clock);
  const queue = createQueue(store.embeddingIndex, embedder.model);
  /** The workspaces whose cited passages have been taken: the model may reject some, which are not sent again and again. */
  const citedTaken = new Set<string>();
  let cleanedAt = Number.NEGATIVE_INFINITY;

  /** Puts the passages that answers cite before the others, once for a workspace where many are left. */
  async function putCitedFirst(workspaceId: string, passages: readonly PassageToEmbed[]) {
    if (passages.length < PASSAGES_PER_STEP || citedTaken.has(workspaceId)) return passages;
    citedTaken.add(workspaceId);
    const cited = await store.in(workspaceId).embeddings.mostCited(embedder.model, PASSAGES_PER_STEP);
    const citedIds = new Set(cited.map(({ passageId }) => passageId));
    return [...cited, ...passages.filter(({ passageId }) => !citedIds.has(passageId))];
  }

  /** Returns how many passages were embedded. */
  async function embedNew(signal: AbortSignal): Promise<number> {
    let embedded = 0;
    while (!signal.aborted) {
      const page = await queue.next();
      if (!page) break;
      const missing = Map.groupBy(
        page.passages.filter(({ isEmbedded }) => !isEmbedded),
        ({ workspaceId }) => workspaceId,
      );
      for (const [workspaceId, passages] of missing) {
        if (budgets.isExhausted(workspaceId)) continue;
        announcements.add(workspaceId);
        embedded += await budgets.embed(workspaceId, await putCitedFirst(workspaceId, passages), signal);
        backoff.reset();
      }
      page.finish();
      announcements.sendSome();
      await yieldToEventLoop();
    }
    return embedded;
  }

  async function check(signal: AbortSignal): Promise<void> {
    if (backoff.isWaiting()) return;
    if (budgets.startNewMonth()) {
      queue.restart();
      citedTaken.clear();
    }
    if (clock.now() - cleanedAt >= CLEAN_MILLIS) {
      cleanedAt = clock.now();
      while ((await store.embeddingIndex.removeUnpublished(REMOVED_PER_STEP)) > 0);
    }
    try {
      const embedded = await embedNew(signal);
      if (embedded > 0) {
        const { passages, embedded: total } = await store.embeddingIndex.progress(embedder.model);
        log.info({ embedded, total, passages }, 'texts embedded');
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, millis: backoff.fail(error) }, 'could not embed texts');
    } finally {
      announcements.sendAll();
    }
  }

  return createBackgroundJob(clock, CHECK_MILLIS, check);
}

/** Takes the passages of all sources, newest first; those that were published meanwhile come next. */
function createQueue(index: EmbeddingIndex, model: string) {
  /** The passages that are left, newest range last. */
  let ranges: PassageRange[] = [];
  let newestId = 0;
  return {
    /** Returns the next passages, which come again unless they are finished; undefined when none are left. */
    async next() {
      const everything = { above: newestId, below: Number.MAX_SAFE_INTEGER };
      const [newest] = await index.newest(everything, 1, model);
      if (newest) {
        ranges.push({ above: newestId, below: newest.passageId + 1 });
        newestId = newest.passageId;
      }
      for (let range = ranges.at(-1); range; range = ranges.at(-1)) {
        const { above } = range;
        const passages = await index.newest(range, PASSAGES_PER_STEP, model);
        const last = passages.at(-1);
        if (last) {
          const finish = () => {
            ranges[ranges.length - 1] = { above, below: last.passageId };
          };
          return { passages, finish };
        }
        ranges.pop();
      }
      return undefined;
    },

    restart(): void {
      ranges = [];
      newestId = 0;
    },
  };
}

/** Tracks how long to wait: each failure in a row doubles the wait, and the server may ask for a longer one. */
function createBackoff(clock: Clock) {
  let until = 0;
  let failures = 0;
  return {
    isWaiting: () => clock.now() < until,

    /** Returns how long to wait, in milliseconds. */
    fail(error: unknown): number {
      failures += 1;
      const requested = error instanceof EmbeddingFailure ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
      const millis = Math.min(BACKOFF_MILLIS_MAX, Math.max(requested, BACKOFF_MILLIS * 2 ** (failures - 1)));
      until = clock.now() + millis;
      return millis;
    },

    /** Makes the next wait a short one again. */
    reset(): void {
      failures = 0;
    },
  };
}

/** Embeds passages until the workspace has used up the budget of the month. */
function createBudgets({ store, embedder, findShipped, clock, log, monthlyTokensMax }: EmbeddingIndexerDeps) {
  /** The month whose budget each workspace has used up. */
  const exhausted = new Map<string, string>();
  const getPeriod = () => getCalendarMonth(clock.now(), 'UTC').period;
  return {
    isExhausted: (workspaceId: string) => exhausted.get(workspaceId) === getPeriod(),

    async embed(
      workspaceId: string,
      passages: readonly PassageToEmbed[],
      signal: AbortSignal,
    ): Promise<number> {
      const period = getPeriod();
      const result = await embedPassages(
        { embedder, findShipped, store: store.in(workspaceId), period, monthlyTokensMax, signal },
        passages,
      );
      if (result.rejected > 0) {
        log.warn({ workspaceId, passages: result.rejected }, 'the embedding model rejected texts');
      }
      if (result.isExhausted) {
        exhausted.set(workspaceId, period);
        log.warn({ workspaceId, monthlyTokensMax }, 'the budget of embeddings is used up until next month');
      }
      return result.embedded;
    },

    /** Returns whether a workspace has a budget again. */
    startNewMonth(): boolean {
      const expired = [...exhausted].filter(([, month]) => month !== getPeriod());
      for (const [workspaceId] of expired) exhausted.delete(workspaceId);
      return expired.length > 0;
    },
  };
}

function collectAnnouncements({ clock, onIndexed }: Pick<EmbeddingIndexerDeps, 'clock' | 'onIndexed'>) {
  const unannounced = new Set<string>();
  let sentAt = clock.now();
  const sendAll = () => {
    sentAt = clock.now();
    for (const workspaceId of unannounced) onIndexed(workspaceId);
    unannounced.clear();
  };
  return {
    add: (workspaceId: string) => void unannounced.add(workspaceId),
    sendSome() {
      if (clock.now() - sentAt >= ANNOUNCE_MILLIS) sendAll();
    },
    sendAll,
  };
}

/** Dependencies of embedding passages of one workspace within its monthly budget. */
type EmbedDeps = {
  embedder: Embedder;
  findShipped: FindShipped;
  store: {
    embeddings: Embeddings;
    passagesFor: (reader: Grants) => Passages;
    embeddingMonths: TokenMonths;
  };
  period: string;
  monthlyTokensMax: number | undefined;
  signal: AbortSignal;
};

type EmbeddedPassages = {
  embedded: number;
  /** Passages that the model rejects even when they are cut short. */
  rejected: number;
  /** Whether the budget did not suffice for all. */
  isExhausted: boolean;
};

/** Parsing the vectors of this many texts blocks the event loop for a few milliseconds. */
const TEXTS_PER_REQUEST = 16;
/** A text that the model rejects is cut to this length, which every model accepts. */
const SHORT_CHARS = 1_000;
/** An estimate, because only the response contains the exact number. */
const CHARS_PER_TOKEN = 3;

type Item = PassageToEmbed & {
  parts: Parts;
  texts: readonly string[];
  contentHash: string;
};

/** Embeds and stores passages. Rejects with an `EmbeddingFailure` when the server fails; stored work is kept. */
async function embedPassages(
  deps: EmbedDeps,
  passages: readonly PassageToEmbed[],
): Promise<EmbeddedPassages> {
  const { changed, shipped } = await loadChanged(deps, passages);
  const totals = { embedded: shipped, rejected: 0, isExhausted: false };
  for (const group of groupItems(changed)) {
    const items = await selectAffordable(deps, group);
    if (items.length < group.length) totals.isExhausted = true;
    if (items.length === 0) continue;
    if (await embedItems(deps, items)) {
      totals.embedded += items.length;
      continue;
    }
    // One of the texts is too long, or invalid for the model in another way.
    for (const item of items) {
      const isEmbedded = (await embedItems(deps, [item])) || (await embedItems(deps, [shorten(item)]));
      totals[isEmbedded ? 'embedded' : 'rejected'] += 1;
    }
  }
  return totals;
}

/** Reads the texts. Reuses vectors of the same content, and stores those that come with the service. */
async function loadChanged(
  deps: EmbedDeps,
  passages: readonly PassageToEmbed[],
): Promise<{ changed: Item[]; shipped: number }> {
  const { store, embedder, findShipped } = deps;
  const byId = new Map(passages.map((passage) => [passage.passageId, passage]));
  const passagesOfAll = store.passagesFor(EVERYTHING);
  const withSentences = await isSmall(passagesOfAll);
  const changed: Item[] = [];
  let shipped = 0;
  for (const loaded of await passagesOfAll.load([...byId.keys()])) {
    const passage = byId.get(loaded.passageId)!;
    const parts = splitParts(loaded, withSentences);
    const contentHash = hashParts(parts);
    const known = await findShipped(embedder.model, contentHash);
    if (contentHash === passage.contentHash) {
      await store.embeddings.keep(passage.articleId, passage.locale, passage.passageId);
    } else if (known) {
      await store.embeddings.put({ ...toKeys(passage), model: embedder.model, contentHash, ...known });
      shipped += 1;
    } else {
      const texts = [...parts.windows, ...parts.sentences].map(({ text }) => text);
      changed.push({ ...passage, parts, texts, contentHash });
    }
  }
  return { changed, shipped };
}

const toKeys = ({ passageId, articleId, locale }: PassageToEmbed) => ({ passageId, articleId, locale });

async function isSmall(passages: Passages): Promise<boolean> {
  const partitions = await passages.partitions();
  return partitions.reduce((sum, { sources }) => sum + sources, 0) <= ARTICLES_WITH_SENTENCES_MAX;
}

function groupItems(items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const item of items) {
    size += item.texts.length;
    if (size > TEXTS_PER_REQUEST) {
      groups.push([]);
      size = item.texts.length;
    }
    groups.at(-1)!.push(item);
  }
  return groups;
}

async function selectAffordable(
  { store, period, monthlyTokensMax }: EmbedDeps,
  items: readonly Item[],
): Promise<readonly Item[]> {
  if (monthlyTokensMax === undefined) return items;
  let tokensLeft = monthlyTokensMax - (await store.embeddingMonths.used(period));
  return items.filter(({ texts }) => {
    const tokens = texts.reduce((sum, { length }) => sum + length, 0) / CHARS_PER_TOKEN;
    if (tokens > tokensLeft) return false;
    tokensLeft -= tokens;
    return true;
  });
}

const shorten = (item: Item): Item => ({
  ...item,
  texts: item.texts.map((text) => text.slice(0, SHORT_CHARS).toWellFormed()),
});

/** Returns false when the model rejects a text. */
async function embedItems(
  { embedder, store, period, monthlyTokensMax, signal }: EmbedDeps,
  items: readonly Item[],
): Promise<boolean> {
  const texts = items.flatMap((item) => item.texts);
  const vectors: (readonly number[])[] = [];
  for (let at = 0; at < texts.length; at += TEXTS_PER_REQUEST) {
    try {
      const reply = await embedder.embed('passage', texts.slice(at, at + TEXTS_PER_REQUEST), signal);
      vectors.push(...reply.vectors);
      if (monthlyTokensMax !== undefined) await store.embeddingMonths.reserve(period, () => reply.tokens);
    } catch (error) {
      if (error instanceof EmbeddingFailure && error.kind === 'rejected') return false;
      throw error;
    }
  }
  let from = 0;
  for (const item of items) {
    const { parts, contentHash, texts: own } = item;
    const encoded = encodeParts(parts, vectors.slice(from, from + own.length));
    from += own.length;
    const dimensions = vectors[0]!.length;
    const { model } = embedder;
    await store.embeddings.put({ ...toKeys(item), model, contentHash, dimensions, vectors: encoded });
  }
  return true;
}
