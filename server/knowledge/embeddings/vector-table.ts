import type { StoredEmbedding } from '../../storage/embeddings.ts';
import { compareVectors, encodeVectors, getVectorBytes, joinVectors, type VectorBlock } from './vectors.ts';

/** An article that is similar to a question, by its most similar chunk. */
export type SimilarArticle = {
  readonly articleId: string;
  readonly passageId: number;
  /** Position of the chunk in the answer. */
  readonly ordinal: number;
  /** Cosine of the two vectors. */
  readonly score: number;
};

export type VectorRow = Pick<StoredEmbedding, 'passageId' | 'articleId' | 'dimensions' | 'vectors'>;

/** The vectors of a workspace in memory, in blocks of equal dimensions. */
export type VectorTable = {
  add(rows: readonly VectorRow[]): void;
  /** Returns each article once, most similar first. */
  search(question: readonly number[], limit: number): SimilarArticle[];
};

type Block = VectorBlock & { readonly chunks: readonly Omit<SimilarArticle, 'score'>[] };

export function createVectorTable(): VectorTable {
  const blocks: Block[] = [];
  return {
    add(rows) {
      for (const [dimensions, own] of Map.groupBy(rows, (row) => row.dimensions)) {
        const joined = joinVectors(
          own.map(({ vectors }) => vectors),
          dimensions,
        );
        blocks.push({ ...joined, chunks: own.flatMap(listChunks) });
      }
    },
    search(question, limit) {
      const query = joinVectors([encodeVectors([question])], question.length);
      const best: SimilarArticle[] = [];
      for (const block of blocks) {
        if (block.dimensions !== question.length) continue;
        compareVectors(query, block).forEach((score, index) => {
          if (best.length < limit || score > best.at(-1)!.score) {
            insert(best, { ...block.chunks[index]!, score }, limit);
          }
        });
      }
      return best;
    },
  };
}

/** Keeps the list sorted, each article in it once, and no longer than `limit`. */
function insert(best: SimilarArticle[], found: SimilarArticle, limit: number): void {
  const known = best.findIndex(({ articleId }) => articleId === found.articleId);
  if (known >= 0 && best[known]!.score >= found.score) return;
  if (known >= 0) best.splice(known, 1);
  const place = best.findIndex(({ score }) => score < found.score);
  best.splice(place < 0 ? best.length : place, 0, found);
  if (best.length > limit) best.pop();
}

function listChunks({ articleId, passageId, dimensions, vectors }: VectorRow): Block['chunks'] {
  const count = Math.floor(vectors.byteLength / getVectorBytes(dimensions));
  return Array.from({ length: count }, (_, ordinal) => ({ articleId, passageId, ordinal }));
}
