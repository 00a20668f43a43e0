import { multiply } from '../../base/vector.ts';
import { openBackground } from './background.ts';
import type { Embedder } from './embedder.ts';
import type { LimitedWait } from './limited-wait.ts';
import type { LoadedVectors } from './loaded-vectors.ts';
import { type FindSimilar, SIMILAR_ARTICLES_MAX, type Similarity, toSimilarity } from './similarity.ts';

type FindSimilarDeps = {
  embedder: Embedder;
  vectors: LoadedVectors;
  wait: LimitedWait;
};

const QUESTION_CHARS_MAX = 1_000;

/** Returns the end of a message, which is what a model compares. */
export const cutMessage = (text: string) => text.slice(-QUESTION_CHARS_MAX);

export function createFindSimilar({ embedder, vectors, wait }: FindSimilarDeps): FindSimilar {
  const measureBackground = openBackground(embedder.model);

  async function compare(
    workspaceId: string,
    vector: readonly number[],
    hidden: readonly string[],
  ): Promise<Similarity> {
    const articles = await vectors.search(workspaceId, vector, { limit: SIMILAR_ARTICLES_MAX, hidden });
    return toSimilarity({ model: embedder.model, articles, background: measureBackground(vector) });
  }

  return ({ workspaceId, texts, before, hidden: hiding }) =>
    wait(async (signal) => {
      if (!(await vectors.has(workspaceId)) || signal.aborted) return undefined;
      const all = before === undefined ? texts : [...texts, before];
      const embedded = await embedder.embed('query', all.map(cutMessage), signal);
      const hidden = (await hiding) ?? [];
      const ofTexts = embedded.vectors.slice(0, texts.length);
      const ofBefore = embedded.vectors[texts.length];
      return {
        similarities: await Promise.all(ofTexts.map((vector) => compare(workspaceId, vector, hidden))),
        toBefore: ofBefore && multiply(ofTexts[0]!, ofBefore),
      };
    });
}
