/** Computes the signatures of questions from the search's tokens and results, the dictionary and embeddings. */

import { EVERYTHING } from '../base/audience.ts';
import { parseAcceptLanguage } from '../base/locale.ts';
import { getLanguage } from '../base/text.ts';
import { normalizeQuestion } from '../chat/normalize-question.ts';
import type { Dictionary } from '../knowledge/dictionary/dictionary.ts';
import { getQueryWords } from '../knowledge/search/match.ts';
import { getIdf } from '../knowledge/search/rank.ts';
import { findNearestArticle, type Retriever } from '../knowledge/search/retrieve.ts';
import type { Partition, Passages } from '../storage/passages.ts';
import type { Embedding, Signature } from './grouping.ts';

export type SignatureDeps = {
  passages: (workspaceId: string) => Pick<Passages, 'partitions' | 'termCounts'>;
  dictionaries: (workspaceId: string) => Promise<Dictionary>;
  retriever: Pick<Retriever, 'retrieve'>;
  /** Absent when no model is configured; returns undefined when the model is unavailable. */
  embedQuestion?: ((question: string) => Promise<Embedding | undefined>) | undefined;
};

type MadeSignature = {
  signature: Signature;
  /** The article closest to an answer. */
  nearestArticleId?: string;
};

/** Characters of a question that are compared. Longer questions are compared by their beginning. */
const QUESTION_CHARS_MAX = 500;
/** Adds this many texts to the workspace's count, since a few texts do not tell how rare a word is. */
const BACKGROUND_TEXTS = 30;
/** Weight of a synonym, relative to the word itself. */
const SYNONYM_WEIGHT = 0.5;
const ARTICLES_MAX = 8;
/** Decimal digits of stored weights. */
const DIGITS = 3;
/** Decimal digits of stored vectors, whose numbers are about 0.05. */
const VECTOR_DIGITS = 4;

export async function makeSignature(
  workspaceId: string,
  { question, locale }: { question: string; locale: string },
  { passages, dictionaries, retriever, embedQuestion }: SignatureDeps,
): Promise<MadeSignature> {
  const text = question.slice(0, QUESTION_CHARS_MAX);
  const index = passages(workspaceId);
  const [partitions, dictionary, retrieval] = await Promise.all([
    index.partitions(),
    dictionaries(workspaceId),
    retriever.retrieve({
      workspaceId,
      question: text,
      reader: EVERYTHING,
      preference: parseAcceptLanguage(locale),
      limit: ARTICLES_MAX,
    }),
  ]);
  const [main] = partitions.toSorted((a, b) => b.sources - a.sources);
  const words = collectWords(text, locale, main?.locale ?? locale, dictionary);
  const idf = main ? await readIdf(index, main, [...words.keys()]) : () => 1;
  const embedding = await embedQuestion?.(text);
  const nearestArticleId = findNearestArticle(retrieval);
  return {
    signature: {
      text: normalizeQuestion(text).key,
      words: [...words].map(([hash, weight]) => [hash, round(weight * idf(hash))] as const),
      articles: retrieval.results.map(({ articleId, score }) => [articleId, round(score * score)] as const),
      ...(embedding && { embedding: normalize(embedding) }),
    },
    ...(nearestArticleId !== undefined && { nearestArticleId }),
  };
}

const round = (value: number, digits = DIGITS) => Number(value.toFixed(digits));

function normalize({ model, vector }: Embedding): Embedding {
  const length = Math.hypot(...vector) || 1;
  return { model, vector: vector.map((value) => round(value / length, VECTOR_DIGITS)) };
}

/** Returns the question's words in the main language. Words without a translation, such as names, stay as they are. */
function collectWords(
  question: string,
  locale: string,
  mainLocale: string,
  dictionary: Dictionary,
): Map<number, number> {
  const isMain = getLanguage(mainLocale) === getLanguage(locale);
  const words = new Map<number, number>();
  const add = (hash: number, weight: number) => words.set(hash, (words.get(hash) ?? 0) + weight);
  for (const { hash, isFunction } of getQueryWords(question, locale)) {
    if (isFunction) continue;
    const others = dictionary.lookUp(locale, mainLocale, hash);
    if (isMain || others.length === 0) add(hash, 1);
    for (const other of others) add(other.hash, other.weight * (isMain ? SYNONYM_WEIGHT : 1));
  }
  return words;
}

async function readIdf(
  passages: Pick<Passages, 'termCounts'>,
  { locale, chunks: total }: Partition,
  hashes: readonly number[],
): Promise<(hash: number) => number> {
  const counts = new Map(
    (await passages.termCounts(locale, hashes)).map(({ term, chunks }) => [term, chunks]),
  );
  return (hash) => getIdf(total + BACKGROUND_TEXTS, counts.get(hash) ?? 0);
}

/** Stored signatures of another version are computed again. */
const VERSION = 2;

export const encodeSignature = (signature: Signature): string =>
  JSON.stringify({ version: VERSION, ...signature });

export function decodeSignature(stored: string | undefined): Signature | undefined {
  if (stored === undefined) return undefined;
  const { version, ...signature } = JSON.parse(stored) as Signature & { version: number };
  return version === VERSION ? signature : undefined;
}
