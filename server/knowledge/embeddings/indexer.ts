import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { getCalendarMonth } from '../../month.ts';
import type { TokenMonths } from '../../storage/caps.ts';
import type { Embeddings, PassageToEmbed } from '../../storage/embeddings.ts';
import type { Passage, Passages } from '../../storage/passages.ts';
import type { Store } from '../../storage/store.ts';
import { type BackgroundJob, createBackgroundJob } from '../background-job.ts';
import { decodeNormalized } from '../search/chunks.ts';
import { type Embedder, EmbeddingFailure } from './embedder.ts';
import { encodeVectors } from './vectors.ts';

type EmbeddingIndexerDeps = {
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
const PASSAGES_PER_STEP = 64;
const REMOVED_PER_STEP = 200;
/** Vectors are loaded again at most this often while many texts are embedded. */
const ANNOUNCE_MILLIS = 30_000;
const BACKOFF_MILLIS = 5_000;
const BACKOFF_MILLIS_MAX = 600_000;

/**
 * Embeds published texts. Compares the stored state instead of listening to publications, and so also
 * notices imports by the command line and changes before its start.
 */
export function createEmbeddingIndexer(deps: EmbeddingIndexerDeps): BackgroundJob {
  const { store, embedder, clock, log } = deps;
  const budgets = createBudgets(deps);
  const announcements = collectAnnouncements(deps);
  const backoff = createBackoff(clock);
  /** All passages up to this one have been embedded, or cannot be. */
  let embeddedTo = 0;
  let cleanedAt = Number.NEGATIVE_INFINITY;

  /** Returns how many passages were embedded. */
  async function embedNew(signal: AbortSignal): Promise<number> {
    let embedded = 0;
    while (!signal.aborted) {
      const page = await store.embeddingIndex.after(embeddedTo, PASSAGES_PER_STEP, embedder.model);
      const last = page.at(-1);
      if (!last) break;
      const missing = Map.groupBy(
        page.filter(({ isEmbedded }) => !isEmbedded),
        ({ workspaceId }) => workspaceId,
      );
      for (const [workspaceId, passages] of missing) {
        if (budgets.isExhausted(workspaceId)) continue;
        announcements.add(workspaceId);
        embedded += await budgets.embed(workspaceId, passages, signal);
        backoff.reset();
      }
      embeddedTo = last.passageId;
      announcements.sendSome();
      await yieldToEventLoop();
    }
    return embedded;
  }

  async function check(signal: AbortSignal): Promise<void> {
    if (backoff.isWaiting()) return;
    if (budgets.startNewMonth()) embeddedTo = 0;
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
function createBudgets({ store, embedder, clock, log, monthlyTokensMax }: EmbeddingIndexerDeps) {
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
        { embedder, store: store.in(workspaceId), period, monthlyTokensMax, signal },
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
  readonly embedder: Embedder;
  readonly store: {
    readonly embeddings: Embeddings;
    readonly passages: Passages;
    readonly embeddingMonths: TokenMonths;
  };
  readonly period: string;
  readonly monthlyTokensMax: number;
  readonly signal: AbortSignal;
};

type EmbeddedPassages = {
  readonly embedded: number;
  /** Passages that the model rejects even when they are cut short. */
  readonly rejected: number;
  readonly tokens: number;
  /** Whether the budget did not suffice for all. */
  readonly isExhausted: boolean;
};

/** Parsing the vectors of this many texts blocks the event loop for a few milliseconds. */
const TEXTS_PER_REQUEST = 16;
/** A text that the model rejects is cut to this length, which every model accepts. */
const SHORT_CHARS = 1_000;
/** An estimate, because only the response contains the exact number. */
const CHARS_PER_TOKEN = 3;

type Item = PassageToEmbed & { readonly texts: readonly string[]; readonly contentHash: string };

/** Embeds and stores passages. Rejects with an `EmbeddingFailure` when the server fails; stored work is kept. */
async function embedPassages(
  deps: EmbedDeps,
  passages: readonly PassageToEmbed[],
): Promise<EmbeddedPassages> {
  const totals = { embedded: 0, rejected: 0, tokens: 0, isExhausted: false };
  for (const group of groupItems(await loadChanged(deps, passages))) {
    const items = await selectAffordable(deps, group);
    if (items.length < group.length) totals.isExhausted = true;
    if (items.length === 0) continue;
    const tokens = await embedItems(deps, items);
    if (tokens !== undefined) {
      totals.embedded += items.length;
      totals.tokens += tokens;
      continue;
    }
    // One of the texts is too long, or invalid for the model in another way.
    for (const item of items) {
      const spent = (await embedItems(deps, [item])) ?? (await embedItems(deps, [shorten(item)]));
      totals[spent === undefined ? 'rejected' : 'embedded'] += 1;
      totals.tokens += spent ?? 0;
    }
  }
  return totals;
}

/** Reads the texts. Reuses vectors of the same content. */
async function loadChanged({ store }: EmbedDeps, passages: readonly PassageToEmbed[]): Promise<Item[]> {
  const byId = new Map(passages.map((passage) => [passage.passageId, passage]));
  const changed: Item[] = [];
  for (const loaded of await store.passages.load([...byId.keys()])) {
    const passage = byId.get(loaded.passageId)!;
    const { texts, contentHash } = toTexts(loaded);
    if (contentHash === passage.contentHash) {
      await store.embeddings.keep(passage.articleId, passage.locale, passage.passageId);
    } else {
      changed.push({ ...passage, texts, contentHash });
    }
  }
  return changed;
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
): Promise<Item[]> {
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

/** Returns the tokens, or undefined when the model rejects a text. */
async function embedItems(
  { embedder, store, period, signal }: EmbedDeps,
  items: readonly Item[],
): Promise<number | undefined> {
  const texts = items.flatMap((item) => item.texts);
  const vectors: (readonly number[])[] = [];
  let tokens = 0;
  for (let at = 0; at < texts.length; at += TEXTS_PER_REQUEST) {
    try {
      const reply = await embedder.embed(texts.slice(at, at + TEXTS_PER_REQUEST), signal);
      vectors.push(...reply.vectors);
      tokens += reply.tokens;
      await store.embeddingMonths.reserve(period, () => reply.tokens);
    } catch (error) {
      if (error instanceof EmbeddingFailure && error.kind === 'rejected') return undefined;
      throw error;
    }
  }
  let from = 0;
  for (const { passageId, articleId, locale, contentHash, texts: own } of items) {
    const encoded = encodeVectors(vectors.slice(from, from + own.length));
    from += own.length;
    const dimensions = vectors[0]!.length;
    const { model } = embedder;
    await store.embeddings.put({
      passageId,
      articleId,
      locale,
      model,
      contentHash,
      dimensions,
      vectors: encoded,
    });
  }
  return tokens;
}

/** The texts to embed of a passage: each chunk of the search index below the title. */
type TextsToEmbed = { readonly texts: readonly string[]; readonly contentHash: string };

/** About 2,000 tokens; a safety limit, since chunks of whole sentences are at most half as long. */
const TEXT_CHARS_MAX = 8_000;

export function toTexts({
  title,
  answer,
  chunks,
}: Pick<Passage, 'title' | 'answer' | 'chunks'>): TextsToEmbed {
  const texts = chunks.map((chunk) => {
    const { sentences } = decodeNormalized(chunk);
    const text = answer.slice(sentences[0]?.start ?? 0, sentences.at(-1)?.end ?? 0);
    return `${title}\n\n${text}`.slice(0, TEXT_CHARS_MAX).toWellFormed();
  });
  return { texts, contentHash: createHash('sha256').update(JSON.stringify(texts)).digest('base64url') };
}
