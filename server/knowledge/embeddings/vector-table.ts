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
      const best = new Map<string, SimilarArticle>();
      for (const block of blocks) {
        if (block.dimensions !== question.length) continue;
        compareVectors(query, block).forEach((score, index) => {
          const chunk = block.chunks[index]!;
          const known = best.get(chunk.articleId);
          if (!known || score > known.score) best.set(chunk.articleId, { ...chunk, score });
        });
      }
      return [...best.values()].sort((a, b) => b.score - a.score).slice(0, limit);
    },
  };
}

function listChunks({ articleId, passageId, dimensions, vectors }: VectorRow): Block['chunks'] {
  const count = Math.floor(vectors.byteLength / getVectorBytes(dimensions));
  return Array.from({ length: count }, (_, ordinal) => ({ articleId, passageId, ordinal }));
}
