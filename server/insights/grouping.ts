/**
 * Decides which questions mean the same, by comparing the signatures that signatures.ts computes. eval/grouping.ts fits
 * the weights of each model, and those without a model; docs/analytics.md has the results.
 */
import { multiply } from '../base/vector.ts';
import fitted from './grouping.json' with { type: 'json' };

/** Something with its weight, such as the hash of a word. */
type Weighted<Key> = readonly (readonly [key: Key, weight: number])[];

export type Signature = {
  /** The question without case, spaces and punctuation. */
  text: string;
  /** Its content words, translated to the workspace's main language where a dictionary knows them. */
  words: Weighted<number>;
  /** The articles that the search finds for it, best first. */
  articles: Weighted<string>;
  /** Absent when no model was available. */
  embedding?: Embedding;
};

/** @property vector of length 1 */
export type Embedding = { model: string; vector: readonly number[] };

export type Representative = { groupId: string; signature: Signature };

/** A question joins a group from this similarity on. Chosen to avoid wrong groups rather than to have few groups. */
const SAME_GROUP = 0.75;
/** For models without fitted weights: some give 0.8 to texts that have little to do with each other, but hardly 0.9. */
const SAME_EMBEDDING = 0.9;

type Similarities = {
  words: number;
  articles: number;
  /** Cosine of the embeddings; absent without a common model. */
  meaning?: number;
};
/** The weights of a logistic regression. */
type Weights = Similarities & { bias: number };

const MODELS: Readonly<Record<string, Required<Weights>>> = fitted.models;

/** Returns the likelihood that two questions mean the same, from 0 to 1. */
export function compareQuestions(a: Signature, b: Signature): number {
  if (a.text === b.text) return 1;
  const { words, articles, meaning } = measureSimilarities(a, b);
  const fit = MODELS[a.embedding?.model ?? ''];
  if (meaning !== undefined && fit)
    return toLikelihood(fit.bias + fit.words * words + fit.articles * articles + fit.meaning * meaning);
  if (meaning !== undefined && meaning >= SAME_EMBEDDING) return 1;
  const { bias, words: ofWords, articles: ofArticles } = fitted.words;
  return toLikelihood(bias + ofWords * words + ofArticles * articles);
}

export function measureSimilarities(a: Signature, b: Signature): Similarities {
  const [one, other] = [a.embedding, b.embedding];
  const hasMeaning = one && other && one.model === other.model && one.vector.length === other.vector.length;
  return {
    words: compareWeights(a.words, b.words),
    articles: compareWeights(a.articles, b.articles),
    meaning: hasMeaning ? multiply(one.vector, other.vector) : undefined,
  };
}

/** Returns the group that the question belongs to; undefined when no group is similar enough. */
export function findGroup(
  question: Signature,
  representatives: readonly Representative[],
  likelihoodMin = SAME_GROUP,
): string | undefined {
  let best: { groupId: string; likelihood: number } | undefined;
  for (const { groupId, signature } of representatives) {
    const likelihood = compareQuestions(question, signature);
    if (likelihood >= (best?.likelihood ?? likelihoodMin)) best = { groupId, likelihood };
  }
  return best?.groupId;
}

const toLikelihood = (sum: number) => 1 / (1 + Math.exp(-sum));

/** Computes the cosine similarity. */
function compareWeights<Key>(a: Weighted<Key>, b: Weighted<Key>): number {
  const others = new Map(b);
  const product = a.reduce((sum, [key, weight]) => sum + weight * (others.get(key) ?? 0), 0);
  return product / (measureLength(a.map(([, weight]) => weight)) * measureLength([...others.values()]) || 1);
}

const measureLength = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
