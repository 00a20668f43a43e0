/**
 * Decides which questions mean the same, by comparing the signatures that signatures.ts computes. The coefficients were
 * fitted on the development half of the turns in eval/ and of XQuAD; docs/analytics.md has the results on the other
 * half.
 */

/** Something with its weight, such as the hash of a word. */
type Weighted<Key> = readonly (readonly [key: Key, weight: number])[];

export type Signature = {
  /** The question without case, spaces and punctuation. */
  readonly text: string;
  /** Its content words, translated to the workspace's main language where a dictionary knows them. */
  readonly words: Weighted<number>;
  /** The articles that the search finds for it, best first. */
  readonly articles: Weighted<string>;
  /** Its meaning by word vectors; English only. */
  readonly meaning?: readonly number[];
  /** Its embedding, if a model is configured. */
  readonly embedding?: { readonly model: string; readonly vector: readonly number[] };
};

export type Representative = { readonly groupId: string; readonly signature: Signature };

/** A question joins a group from this similarity on. Chosen to avoid wrong groups rather than to have few groups. */
const SAME_GROUP = 0.75;
/** Embedding models differ: some give 0.8 to texts that have little to do with each other, but hardly 0.9. */
const SAME_EMBEDDING = 0.9;

const ENGLISH = {
  bias: -3.3,
  words: 5.3,
  articles: 4,
  wordsAndArticles: 4.4,
  meaning: 0.8,
  meaningAndArticles: 2,
};
/** Coefficients where there are no word vectors, whether the questions are in one language or in two. */
const OTHERS = { bias: -3.5, words: 6.2, articles: 1.7 };

/** Returns the likelihood that two questions mean the same, from 0 to 1. */
export function compareQuestions(a: Signature, b: Signature): number {
  if (a.text === b.text) return 1;
  if (isSameEmbedding(a, b)) return 1;
  const words = compareWeights(a.words, b.words);
  const articles = compareWeights(a.articles, b.articles);
  if (!a.meaning || !b.meaning) {
    return toLikelihood(OTHERS.bias + OTHERS.words * words + OTHERS.articles * articles);
  }
  const meaning = Math.max(0, compareVectors(a.meaning, b.meaning));
  return toLikelihood(
    ENGLISH.bias +
      ENGLISH.words * words +
      ENGLISH.articles * articles +
      ENGLISH.wordsAndArticles * words * articles +
      ENGLISH.meaning * meaning +
      ENGLISH.meaningAndArticles * meaning * articles,
  );
}

/** Returns the group that the question belongs to; undefined when no group is similar enough. */
export function findGroup(
  question: Signature,
  representatives: readonly Representative[],
): string | undefined {
  let best: { readonly groupId: string; readonly likelihood: number } | undefined;
  for (const { groupId, signature } of representatives) {
    const likelihood = compareQuestions(question, signature);
    if (likelihood >= (best?.likelihood ?? SAME_GROUP)) best = { groupId, likelihood };
  }
  return best?.groupId;
}

const toLikelihood = (sum: number) => 1 / (1 + Math.exp(-sum));

function isSameEmbedding({ embedding: a }: Signature, { embedding: b }: Signature): boolean {
  return a !== undefined && a.model === b?.model && compareVectors(a.vector, b.vector) >= SAME_EMBEDDING;
}

/** Computes the cosine similarity. */
function compareWeights<Key>(a: Weighted<Key>, b: Weighted<Key>): number {
  const others = new Map(b);
  const product = a.reduce((sum, [key, weight]) => sum + weight * (others.get(key) ?? 0), 0);
  return product / (measureLength(a.map(([, weight]) => weight)) * measureLength([...others.values()]) || 1);
}

function compareVectors(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return 0;
  const product = a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  return product / (measureLength(a) * measureLength(b) || 1);
}

const measureLength = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
