import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { openBackground } from './background.ts';
import type { Embedder } from './embedder.ts';
import type { LoadedVectors } from './loaded-vectors.ts';
import { type FindSimilar, SIMILAR_ARTICLES_MAX, type Similarity, toSimilarity } from './similarity.ts';

export type FindSimilarDeps = {
  readonly embedder: Embedder;
  readonly vectors: LoadedVectors;
  readonly clock: Clock;
  readonly log: Log;
  readonly onOutcome: (outcome: 'found' | 'late' | 'failed') => void;
};

/** Limits the model and the comparison together, while the visitor waits. */
const WAIT_MILLIS = 150;
const QUESTION_CHARS_MAX = 1_000;
/** After this many failures in a row, questions do not wait for the server for some time. */
const FAILURES_MAX = 3;
const PAUSE_MILLIS = 30_000;

export function createFindSimilar({
  embedder,
  vectors,
  clock,
  log,
  onOutcome,
}: FindSimilarDeps): FindSimilar {
  const measureBackground = openBackground(embedder.model);
  let failures = 0;
  let pausedUntil = 0;

  function recordFailure(error: unknown, isLate: boolean): void {
    onOutcome(isLate ? 'late' : 'failed');
    failures += 1;
    if (failures < FAILURES_MAX) return;
    failures = 0;
    pausedUntil = clock.now() + PAUSE_MILLIS;
    log.warn({ err: error, millis: PAUSE_MILLIS }, 'questions are answered without embeddings');
  }

  async function find(workspaceId: string, texts: readonly string[], signal: AbortSignal) {
    if (!(await vectors.has(workspaceId)) || signal.aborted) return undefined;
    const cut = texts.map((text) => text.slice(-QUESTION_CHARS_MAX));
    const embedded = await embedder.embed('query', cut, signal);
    return Promise.all(embedded.vectors.map((vector) => compare(workspaceId, vector)));
  }

  async function compare(workspaceId: string, vector: readonly number[]): Promise<Similarity> {
    const articles = await vectors.search(workspaceId, vector, SIMILAR_ARTICLES_MAX);
    return toSimilarity(embedder.model, articles, measureBackground(vector));
  }

  return async (workspaceId, texts) => {
    if (clock.now() < pausedUntil) return undefined;
    const signal = AbortSignal.timeout(WAIT_MILLIS);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const similarities = await Promise.race([find(workspaceId, texts, signal), aborted]);
      if (similarities) {
        failures = 0;
        onOutcome('found');
      }
      return similarities;
    } catch (error) {
      recordFailure(error, signal.aborted);
      return undefined;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
}
