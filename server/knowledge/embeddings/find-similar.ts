import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { Embedder } from './embedder.ts';
import type { LoadedVectors } from './loaded-vectors.ts';
import type { SimilarArticle } from './vectors.ts';

/** Finds articles that are similar to a question, most similar first; undefined when no result is ready in time. */
export type FindSimilar = (
  workspaceId: string,
  question: string,
) => Promise<readonly SimilarArticle[] | undefined>;

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
const ARTICLES_MAX = 10;
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

  async function find(workspaceId: string, question: string, signal: AbortSignal) {
    if (!(await vectors.has(workspaceId)) || signal.aborted) return undefined;
    const { vectors: questionVectors } = await embedder.embed(
      [question.slice(0, QUESTION_CHARS_MAX)],
      signal,
    );
    return vectors.search(workspaceId, questionVectors[0]!, ARTICLES_MAX);
  }

  return async (workspaceId, question) => {
    if (clock.now() < pausedUntil) return undefined;
    const signal = AbortSignal.timeout(WAIT_MILLIS);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const articles = await Promise.race([find(workspaceId, question, signal), aborted]);
      if (articles) {
        failures = 0;
        onOutcome('found');
      }
      return articles;
    } catch (error) {
      recordFailure(error, signal.aborted);
      return undefined;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };
}
