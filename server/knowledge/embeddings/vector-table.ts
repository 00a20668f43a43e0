/** The vectors of a workspace in memory. */
import type { StoredEmbedding } from '../../storage/embeddings.ts';
import type { Span } from '../search/tokenize.ts';
import { ARTICLES_WITH_SENTENCES_MAX } from './parts.ts';
import type { SimilarArticle } from './similarity.ts';
import { compareVectors, encodeVectors, getVectorBytes, joinVectors, type VectorBlock } from './vectors.ts';

export type VectorRow = Pick<StoredEmbedding, 'passageId' | 'articleId' | 'dimensions' | 'vectors'>;

export type VectorTable = {
  add(rows: readonly VectorRow[]): void;
  /** Returns each article once, most similar first; in small workspaces with its most similar sentence. */
  search(question: readonly number[], limit: number): SimilarArticle[];
};

type Part = Omit<SimilarArticle, 'score' | 'sentence'>;
type Block = VectorBlock & { readonly parts: readonly Part[] };
type Kind = 'windows' | 'sentences';

const NUMBER_BYTES = 4;

/**
 * Encodes the vectors of an article's windows and then of its sentences, after their positions: the numbers of windows
 * and sentences, then start and end of each, 32 bits a number.
 */
export function encodeParts(
  { windows, sentences }: Readonly<Record<Kind, readonly Span[]>>,
  vectors: readonly (readonly number[])[],
): Uint8Array {
  const positions = [...windows, ...sentences].flatMap(({ start, end }) => [start, end]);
  const numbers = [windows.length, sentences.length, ...positions];
  const header = Buffer.alloc(numbers.length * NUMBER_BYTES);
  numbers.forEach((number, index) => {
    header.writeUInt32LE(number, index * NUMBER_BYTES);
  });
  return Buffer.concat([header, encodeVectors(vectors)]);
}

function decodeParts({ articleId, passageId, dimensions, vectors }: VectorRow, kind: Kind) {
  const view = new DataView(vectors.buffer, vectors.byteOffset, vectors.byteLength);
  const read = (index: number) => view.getUint32(index * NUMBER_BYTES, true);
  const [windows, sentences] = [read(0), read(1)];
  const [first, count] = kind === 'windows' ? [0, windows] : [windows, sentences];
  const parts = Array.from({ length: count }, (_, index): Part => {
    const at = 2 + 2 * (first + index);
    return { articleId, passageId, start: read(at), end: read(at + 1) };
  });
  const bytes = getVectorBytes(dimensions);
  const from = (2 + 2 * (windows + sentences)) * NUMBER_BYTES + first * bytes;
  return { parts, encoded: vectors.subarray(from, from + count * bytes) };
}

export function createVectorTable(): VectorTable {
  const blocks: Readonly<Record<Kind, Block[]>> = { windows: [], sentences: [] };
  const articleIds = new Set<string>();

  function addBlock(kind: Kind, rows: readonly VectorRow[], dimensions: number): void {
    const decoded = rows.map((row) => decodeParts(row, kind));
    const joined = joinVectors(
      decoded.map(({ encoded }) => encoded),
      dimensions,
    );
    blocks[kind].push({ ...joined, parts: decoded.flatMap(({ parts }) => parts) });
  }

  return {
    add(rows) {
      for (const { articleId } of rows) articleIds.add(articleId);
      for (const [dimensions, rowsOfLength] of Map.groupBy(rows, (row) => row.dimensions)) {
        addBlock('windows', rowsOfLength, dimensions);
        addBlock('sentences', rowsOfLength, dimensions);
      }
    },
    search(question, limit) {
      const articles = findBest(blocks.windows, question, limit);
      if (articleIds.size > ARTICLES_WITH_SENTENCES_MAX) return articles;
      const sentences = new Map(
        findBest(blocks.sentences, question, articleIds.size).map((best) => [best.articleId, best]),
      );
      return articles.map((article) => {
        const sentence = sentences.get(article.articleId);
        if (!sentence) return article;
        const { score, start, end } = sentence;
        return { ...article, sentence: { score, start, end } };
      });
    },
  };
}

function findBest(blocks: readonly Block[], question: readonly number[], limit: number): SimilarArticle[] {
  const query = joinVectors([encodeVectors([question])], question.length);
  const best: SimilarArticle[] = [];
  for (const block of blocks) {
    if (block.dimensions !== question.length) continue;
    compareVectors(query, block).forEach((score, index) => {
      if (best.length < limit || score > best.at(-1)!.score) {
        insert(best, { ...block.parts[index]!, score }, limit);
      }
    });
  }
  return best;
}

/** Inserts an article: keeps the list sorted, with each article once and at most `limit` entries. */
function insert(best: SimilarArticle[], article: SimilarArticle, limit: number): void {
  const knownIndex = best.findIndex(({ articleId }) => articleId === article.articleId);
  if (knownIndex >= 0 && best[knownIndex]!.score >= article.score) return;
  if (knownIndex >= 0) best.splice(knownIndex, 1);
  const position = best.findIndex(({ score }) => score < article.score);
  best.splice(position < 0 ? best.length : position, 0, article);
  if (best.length > limit) best.pop();
}
