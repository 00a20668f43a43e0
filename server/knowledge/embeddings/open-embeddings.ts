import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { getCalendarMonth } from '../../base/month.ts';
import type { EmbeddingsSettings } from '../../settings/model.ts';
import type { Store } from '../../storage/store.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { type Embedder, EmbeddingFailure, openEmbeddingServer } from './embedder.ts';
import { createFindSimilar, cutMessage } from './find-similar.ts';
import { createEmbeddingIndexer } from './indexer.ts';
import { createLimitedWait, type LimitedWaitDeps } from './limited-wait.ts';
import { createLoadedVectors } from './loaded-vectors.ts';
import { openModelThread } from './model-thread.ts';
import { openShippedVectors } from './shipped-vectors.ts';
import type { EmbedMessages, FindSimilar } from './similarity.ts';

/** Everything about embeddings; without a model, it does nothing. */
type OpenEmbeddings = {
  model?: string;
  findSimilar?: FindSimilar;
  /** The same outside of a conversation, without a limit of time; undefined while the server is unavailable. */
  findSimilarUnhurried?: FindSimilar;
  embedMessages?: EmbedMessages;
  /** How many articles of a workspace are embedded by their sources, and the tokens used for that this month. */
  readEmbeddingUsage?: (workspaceId: string) => Promise<{
    texts: number;
    embeddedTexts: number;
    usedTokens: number;
    /** Absent without a budget. */
    monthlyTokensMax?: number;
  }>;
  /** The vector of a question outside of a conversation; undefined while the server is unavailable. */
  embedQuestion?: (question: string) => Promise<{ model: string; vector: readonly number[] } | undefined>;
  tick(): Promise<void>;
  /** To call when another node has embedded texts of this workspace, or of any workspace. */
  outdate(workspaceId?: string): void;
  close(): Promise<void>;
};

type OpenEmbeddingsDeps = {
  store: Store;
  clock: Clock;
  log: Log;
  telemetry: Telemetry | undefined;
  onIndexed: (workspaceId: string) => void;
  /** A file with vectors that need not be computed. */
  shippedVectors: string | undefined;
  metrics: {
    recordQuestion: LimitedWaitDeps['onOutcome'];
    observeProgress(readProgress: () => Promise<{ passages: number; embedded: number }>): void;
  };
};

export function openEmbeddings(
  settings: EmbeddingsSettings | undefined,
  { store, clock, log, metrics, telemetry, onIndexed, shippedVectors }: OpenEmbeddingsDeps,
): OpenEmbeddings {
  const embedder = settings && openEmbedder(settings, log, telemetry);
  if (!embedder) return { tick: async () => {}, outdate() {}, close: async () => {} };
  const { model } = embedder;
  const vectors = createLoadedVectors(store.in, model);
  metrics.observeProgress(() => store.embeddingIndex.progress(model));
  const wait = createLimitedWait({ clock, log, onOutcome: metrics.recordQuestion });
  const closing = new AbortController();
  const monthlyTokensMax = settings.kind === 'server' ? settings.monthlyTokensMax : undefined;
  const indexer = createEmbeddingIndexer({
    ...{ store, embedder, monthlyTokensMax, clock, log },
    findShipped: openShippedVectors(shippedVectors),
    onIndexed(workspaceId) {
      vectors.outdate(workspaceId);
      onIndexed(workspaceId);
    },
  });
  return {
    model,
    findSimilar: createFindSimilar({ embedder, vectors, wait }),
    findSimilarUnhurried: createFindSimilar({
      ...{ embedder, vectors },
      wait: (task) => task(closing.signal).catch(() => undefined),
    }),
    embedMessages: (texts) =>
      wait(async (signal) => {
        const embedded = await embedder.embed('query', texts.map(cutMessage), signal);
        return { model, vectors: embedded.vectors };
      }),
    async embedQuestion(question) {
      try {
        const {
          vectors: [vector],
        } = await embedder.embed('query', [question], closing.signal);
        return vector && { model, vector };
      } catch {
        return undefined;
      }
    },
    async readEmbeddingUsage(workspaceId) {
      const { passages, embeddings, embeddingMonths } = store.in(workspaceId);
      const { period } = getCalendarMonth(clock.now(), 'UTC');
      const [partitions, embeddedTexts, usedTokens] = await Promise.all([
        passages.partitions(),
        embeddings.count(model),
        embeddingMonths.used(period),
      ]);
      const texts = partitions.reduce((sum, { sources }) => sum + sources, 0);
      const budget = monthlyTokensMax === undefined ? {} : { monthlyTokensMax };
      return { texts, embeddedTexts, usedTokens, ...budget };
    },
    tick: indexer.tick,
    outdate: vectors.outdate,
    async close() {
      closing.abort();
      await indexer.stop();
      embedder.close();
      await vectors.close();
    },
  };
}

/** Returns undefined when the model inside the service is not installed: it then does without. */
function openEmbedder(
  settings: EmbeddingsSettings,
  log: Log,
  telemetry: Telemetry | undefined,
): Embedder | undefined {
  if (settings.kind === 'server') {
    const embedder = openEmbeddingServer(settings);
    return telemetry ? traceEmbedder(embedder, settings.baseUrl, telemetry) : embedder;
  }
  try {
    return openModelThread({ log });
  } catch (error) {
    log.error({ err: error }, 'the embedding model is not installed: articles are found by words alone');
    return undefined;
  }
}

/** Records each call as a span, without the texts. */
function traceEmbedder(embedder: Embedder, baseUrl: string, telemetry: Telemetry): Embedder {
  const { model, close } = embedder;
  return {
    model,
    close,
    async embed(role, texts, signal) {
      const span = telemetry.startSpan(`embeddings ${model}`, {
        kind: 'client',
        attributes: {
          'gen_ai.operation.name': 'embeddings',
          'gen_ai.provider.name': 'openai',
          'gen_ai.request.model': model,
          'server.address': new URL(baseUrl).hostname,
        },
      });
      try {
        const embedded = await embedder.embed(role, texts, signal);
        span.set({ 'gen_ai.usage.input_tokens': embedded.tokens });
        return embedded;
      } catch (error) {
        span.fail(error instanceof EmbeddingFailure ? error.kind : 'internal');
        throw error;
      } finally {
        span.end();
      }
    },
  };
}
