/** Compares texts with the articles of a corpus by meaning, in memory, without the service's threads. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmbeddingModel } from '../../model/index.ts';
import { measureBackground } from '../../server/knowledge/embeddings/background.ts';
import { ARTICLES_WITH_SENTENCES_MAX, splitParts } from '../../server/knowledge/embeddings/parts.ts';
import {
  SIMILAR_ARTICLES_MAX,
  type Similarity,
  toSimilarity,
} from '../../server/knowledge/embeddings/similarity.ts';
import { createVectorTable, encodeParts } from '../../server/knowledge/embeddings/vector-table.ts';
import { encodeVectors } from '../../server/knowledge/embeddings/vectors.ts';

type Role = 'query' | 'passage';
export type Embed = (role: Role, text: string) => Float32Array;

export type VectorCache = { embed: Embed; save(): void };

/** Embeds each text once: vectors are kept in a temporary file, since computing them takes minutes. */
export function openVectorCache(model: EmbeddingModel): VectorCache {
  const file = join(tmpdir(), `guidepost-vectors-${model.id}.json`);
  const vectors = new Map<string, readonly number[]>(
    existsSync(file) ? Object.entries(JSON.parse(readFileSync(file, 'utf8'))) : [],
  );
  return {
    embed(role, text) {
      const key = createHash('sha1')
        .update(role + text)
        .digest('base64');
      const vector =
        vectors.get(key) ?? Array.from(model.embed(role, text), (x) => Math.round(x * 1e5) / 1e5);
      vectors.set(key, vector);
      return Float32Array.from(vector);
    },
    save: () => writeFileSync(file, JSON.stringify(Object.fromEntries(vectors))),
  };
}

export type Deps = { model: string; embed: Embed; background: readonly string[] };

const BACKGROUND = new URL('../../server/knowledge/meaning/background.json', import.meta.url);

export function readBackground(): readonly string[] {
  return Object.values(JSON.parse(readFileSync(BACKGROUND, 'utf8')) as Record<string, string[]>).flat();
}

type Article = {
  articleId: string;
  passageId: number;
  title: string;
  answer: string;
  locale: string;
};

export function createComparison(
  { model, embed, background }: Deps,
  articles: readonly Article[],
): (text: string) => Similarity {
  const toVectors = (role: Role, texts: readonly string[]) => texts.map((text) => [...embed(role, text)]);
  const measure = measureBackground(encodeVectors(toVectors('passage', background)));
  const table = createVectorTable();
  const rows = articles.map(({ passageId, articleId, ...article }) => {
    const parts = splitParts(article, articles.length <= ARTICLES_WITH_SENTENCES_MAX);
    const texts = [...parts.windows, ...parts.sentences].map(({ text }) => text);
    const vectors = toVectors('passage', texts);
    return {
      ...{ passageId, articleId, dimensions: vectors[0]!.length },
      vectors: encodeParts(parts, vectors),
    };
  });
  table.add(rows);
  return (text) => {
    const vector = [...embed('query', text)];
    const articles = table.search(vector, { limit: SIMILAR_ARTICLES_MAX });
    return toSimilarity({ model, articles, background: measure(vector) });
  };
}
