/** The vectors of a workspace in memory. */
import type { StoredEmbedding } from '../../storage/embeddings.ts';
import type { Span } from '../search/tokenize.ts';
import { ARTICLES_WITH_SENTENCES_MAX } from './parts.ts';
import type { SimilarArticle } from './similarity.ts';
import { compareVectors, encodeVectors, getVectorBytes, joinVectors, type VectorBlock } from './vectors.ts';

export type VectorRow = Pick<StoredEmbedding, 'passageId' | 'articleId' | 'dimensions' | 'vectors'>;

/** Up to `limit` articles, without those in `hidden`. */
export type Selection = { limit: number; hidden?: readonly string[] };

export type VectorTable = {
  add(rows: readonly VectorRow[]): void;
  /** Returns each article once, most similar first. */
  search(question: readonly number[], selection: Selection): SimilarArticle[];
};

type Kind = 'windows' | 'sentences';
/** The vectors of several articles: those of an article lie behind each other. */
type Block = Readonly<Record<Kind, VectorBlock>> & { articles: readonly Article[] };
type Article = Pick<SimilarArticle, 'articleId' | 'passageId'> & Readonly<Record<Kind, Range>>;
/** The position of an article's first vector in the block, and the texts that its vectors are of. */
type Range = { first: number; spans: readonly Span[] };

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

/** Returns the positions of an article's texts of one kind, and their vectors. */
function decodeParts({ dimensions, vectors }: VectorRow, kind: Kind) {
  const view = new DataView(vectors.buffer, vectors.byteOffset, vectors.byteLength);
  const read = (index: number) => view.getUint32(index * NUMBER_BYTES, true);
  const [windows, sentences] = [read(0), read(1)];
  const [first, count] = kind === 'windows' ? [0, windows] : [windows, sentences];
  const spans = Array.from({ length: count }, (_, index): Span => {
    const at = 2 + 2 * (first + index);
    return { start: read(at), end: read(at + 1) };
  });
  const bytes = getVectorBytes(dimensions);
  const from = (2 + 2 * (windows + sentences)) * NUMBER_BYTES + first * bytes;
  return { spans, encoded: vectors.subarray(from, from + count * bytes) };
}

export function createVectorTable(): VectorTable {
  const blocks: Block[] = [];
  let articleCount = 0;
  return {
    add(rows) {
      articleCount += rows.length;
      for (const [dimensions, rowsOfLength] of Map.groupBy(rows, (row) => row.dimensions)) {
        blocks.push(createBlock(rowsOfLength, dimensions));
      }
    },
    search(question, { limit, hidden = [] }) {
      const isHidden = new Set(hidden);
      const query = joinVectors([encodeVectors([question])], question.length);
      const withSentences = articleCount <= ARTICLES_WITH_SENTENCES_MAX;
      const best: SimilarArticle[] = [];
      for (const block of blocks) {
        if (block.windows.dimensions !== question.length) continue;
        for (const article of compareArticles(block, query, withSentences)) {
          if (!isHidden.has(article.articleId)) insert(best, article, limit);
        }
      }
      return best;
    },
  };
}

function createBlock(rows: readonly VectorRow[], dimensions: number): Block {
  const decode = (kind: Kind) => {
    const parts = rows.map((row) => decodeParts(row, kind));
    let first = 0;
    const ranges = parts.map(({ spans }): Range => {
      const range = { first, spans };
      first += spans.length;
      return range;
    });
    const joined = joinVectors(
      parts.map(({ encoded }) => encoded),
      dimensions,
    );
    return { ranges, joined };
  };
  const [windows, sentences] = [decode('windows'), decode('sentences')];
  const articles = rows.map(({ articleId, passageId }, index) => ({
    ...{ articleId, passageId },
    ...{ windows: windows.ranges[index]!, sentences: sentences.ranges[index]! },
  }));
  return { articles, windows: windows.joined, sentences: sentences.joined };
}

/**
 * Compares articles with a question by the mean of the cosines of the title, of the best window and, except in
 * large workspaces, of the best sentence: the mean tells articles apart better than the best of them.
 */
function* compareArticles(
  { articles, windows, sentences }: Block,
  query: VectorBlock,
  withSentences: boolean,
): Generator<SimilarArticle> {
  const windowCosines = compareVectors(query, windows);
  const sentenceCosines = withSentences ? compareVectors(query, sentences) : undefined;
  for (const { articleId, passageId, windows: range, sentences: sentenceRange } of articles) {
    const title = windowCosines[range.first]!;
    const window = findBest(windowCosines, range, 1) ?? { ...range.spans[0]!, score: title };
    const sentence = sentenceCosines && findBest(sentenceCosines, sentenceRange);
    // An article that was embedded in a large workspace has no vectors of sentences.
    const cosines = [title, window.score, ...(withSentences ? [(sentence ?? window).score] : [])];
    const score = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
    yield { articleId, passageId, score, window, ...(sentence ? { sentence } : {}) };
  }
}

/** Returns the most similar of an article's texts from the given one on; undefined without texts. */
function findBest(
  cosines: Float32Array,
  { first, spans }: Range,
  from = 0,
): SimilarArticle['window'] | undefined {
  let best: number | undefined;
  for (let at = from; at < spans.length; at += 1) {
    if (best === undefined || cosines[first + at]! > cosines[first + best]!) best = at;
  }
  return best === undefined ? undefined : { ...spans[best]!, score: cosines[first + best]! };
}

/** Inserts an article: keeps the list sorted, with at most `limit` entries. */
function insert(best: SimilarArticle[], article: SimilarArticle, limit: number): void {
  if (best.length >= limit && article.score <= best.at(-1)!.score) return;
  const position = best.findIndex(({ score }) => score < article.score);
  best.splice(position < 0 ? best.length : position, 0, article);
  if (best.length > limit) best.pop();
}
