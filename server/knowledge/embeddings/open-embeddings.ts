import type { Clock } from '../../clock.ts';
import type { EmbeddingsSettings } from '../../embeddings-settings.ts';
import type { Log } from '../../log.ts';
import type { Store } from '../../storage/store.ts';
import { openEmbeddingServer } from './embedding-server.ts';
import { createFindSimilar, type FindSimilar, type FindSimilarDeps } from './find-similar.ts';
import { createEmbeddingIndexer } from './indexer.ts';
import { createLoadedVectors } from './loaded-vectors.ts';

/** Everything about embeddings; without settings, nothing happens. */
export type OpenEmbeddings = {
  readonly findSimilar?: FindSimilar;
  tick(): Promise<void>;
  close(): Promise<void>;
};

export type OpenEmbeddingsDeps = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: {
    recordQuestion: FindSimilarDeps['onOutcome'];
    observeProgress(readProgress: () => Promise<{ passages: number; embedded: number }>): void;
  };
};

export function openEmbeddings(
  settings: EmbeddingsSettings | undefined,
  { store, clock, log, metrics }: OpenEmbeddingsDeps,
): OpenEmbeddings {
  if (!settings) return { tick: async () => {}, close: async () => {} };
  const embedder = openEmbeddingServer(settings);
  const vectors = createLoadedVectors(store.in, settings.model);
  metrics.observeProgress(() => store.embeddingIndex.progress(settings.model));
  const { monthlyTokensMax } = settings;
  const indexer = createEmbeddingIndexer({
    ...{ store, embedder, monthlyTokensMax, clock, log, onIndexed: vectors.outdate },
  });
  return {
    findSimilar: createFindSimilar({ embedder, vectors, clock, log, onOutcome: metrics.recordQuestion }),
    tick: indexer.tick,
    async close() {
      await indexer.stop();
      embedder.close();
      await vectors.close();
    },
  };
}
