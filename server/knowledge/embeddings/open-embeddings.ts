import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { EmbeddingsSettings } from '../../model-settings.ts';
import { getCalendarMonth } from '../../month.ts';
import type { Store } from '../../storage/store.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { openEmbeddingServer } from './embedder.ts';
import { createFindSimilar, type FindSimilar, type FindSimilarDeps } from './find-similar.ts';
import { createEmbeddingIndexer } from './indexer.ts';
import { createLoadedVectors } from './loaded-vectors.ts';
import { traceEmbedder } from './traced-embedder.ts';

/** Everything about embeddings; without settings, it does nothing. */
type OpenEmbeddings = {
  readonly findSimilar?: FindSimilar;
  /** How many texts of a workspace are embedded, and the tokens used for that this month. */
  readonly readEmbeddingUsage?: (workspaceId: string) => Promise<{
    readonly texts: number;
    readonly embeddedTexts: number;
    readonly usedTokens: number;
    readonly monthlyTokensMax: number;
  }>;
  /** The vector of a question outside of a conversation; undefined while the server is unavailable. */
  readonly embedQuestion?: (
    question: string,
  ) => Promise<{ readonly model: string; readonly vector: readonly number[] } | undefined>;
  tick(): Promise<void>;
  /** To call when another node has embedded texts of this workspace, or of any workspace. */
  outdate(workspaceId?: string): void;
  close(): Promise<void>;
};

type OpenEmbeddingsDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Telemetry | undefined;
  readonly onIndexed: (workspaceId: string) => void;
  readonly metrics: {
    recordQuestion: FindSimilarDeps['onOutcome'];
    observeProgress(readProgress: () => Promise<{ passages: number; embedded: number }>): void;
  };
};

export function openEmbeddings(
  settings: EmbeddingsSettings | undefined,
  { store, clock, log, metrics, telemetry, onIndexed }: OpenEmbeddingsDeps,
): OpenEmbeddings {
  if (!settings) return { tick: async () => {}, outdate() {}, close: async () => {} };
  const plainEmbedder = openEmbeddingServer(settings);
  const embedder = telemetry ? traceEmbedder(plainEmbedder, settings.baseUrl, telemetry) : plainEmbedder;
  const vectors = createLoadedVectors(store.in, settings.model);
  metrics.observeProgress(() => store.embeddingIndex.progress(settings.model));
  const closing = new AbortController();
  const { monthlyTokensMax } = settings;
  const indexer = createEmbeddingIndexer({
    ...{ store, embedder, monthlyTokensMax, clock, log },
    onIndexed(workspaceId) {
      vectors.outdate(workspaceId);
      onIndexed(workspaceId);
    },
  });
  return {
    findSimilar: createFindSimilar({ embedder, vectors, clock, log, onOutcome: metrics.recordQuestion }),
    async embedQuestion(question) {
      try {
        const {
          vectors: [vector],
        } = await embedder.embed([question], closing.signal);
        return vector && { model: settings.model, vector };
      } catch {
        return undefined;
      }
    },
    async readEmbeddingUsage(workspaceId) {
      const { passages, embeddings, embeddingMonths } = store.in(workspaceId);
      const { period } = getCalendarMonth(clock.now(), 'UTC');
      const [partitions, embeddedTexts, usedTokens] = await Promise.all([
        passages.partitions(),
        embeddings.count(settings.model),
        embeddingMonths.used(period),
      ]);
      const texts = partitions.reduce((sum, { articles }) => sum + articles, 0);
      return { texts, embeddedTexts, usedTokens, monthlyTokensMax };
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
