/** Ranks the articles of a workspace by words and by meaning together. */
import type { Passages } from '../../storage/passages.ts';
import type { SimilarArticle, Similarity } from '../embeddings/similarity.ts';
import {
  CONTEXT_THRESHOLD,
  computeConfidence,
  computeWordConfidence,
  discountDoubt,
  type Evidence,
  getThreshold,
  WORDS_THRESHOLD,
} from './confidence.ts';
import type { ArticleMatch } from './search-partition.ts';
import { isIn, type WordResult, type WordSearch } from './search-words.ts';

/** An article found by words, by meaning, or by both. */
export type Match = {
  articleId: string;
  /** The passage that was found by words, else the source. */
  passageId: number;
  /** 0..1 */
  score: number;
  words?: ArticleMatch;
  similar?: SimilarArticle;
};

export type Ranking = {
  /** One entry per article, best first. */
  matches: readonly Match[];
  /** Likelihood that the first article answers the question, 0..1. */
  confidence: number;
  /** Confidence from which the first article is quoted. */
  threshold: number;
  /** What the confidence was computed from; absent without a comparison by meaning. */
  evidence?: Evidence;
};

/** Weight of a cosine that is one unit above the mean of the ten nearest, against a word score of 0 to 1. */
const MEANING_WEIGHT = 0.3;
/** Smallest unit of cosines; models with a wider spread have a greater one. */
const COSINE_UNIT_MIN = 0.03;
/** The nearest article is at most this many units above the mean. */
const UNITS_MAX = 3;

/** Returns the ranking by words alone. */
export function rankByWords(
  { language, matches, hasOtherLanguages }: WordResult,
  { context }: Pick<WordSearch, 'context'>,
): Ranking {
  const confidence = computeWordConfidence(matches);
  const [best] = matches;
  const isForeign = best !== undefined && !isIn(language, best);
  return {
    matches: matches.map((match) => ({ ...toMatch(match), words: match })),
    confidence: best && hasOtherLanguages ? discountDoubt(confidence, best, isForeign) : confidence,
    threshold: context === undefined ? WORDS_THRESHOLD : CONTEXT_THRESHOLD,
  };
}

const toMatch = ({ articleId, passageId, score }: ArticleMatch) => ({ articleId, passageId, score });

/** Returns the ranking by words and meaning. */
export async function rankArticles(
  passages: Passages,
  words: WordResult,
  similarity: Similarity,
): Promise<Ranking> {
  const wordMatches = new Map(words.matches.map((match) => [match.articleId, match]));
  const similar = new Map(similarity.articles.map((article) => [article.articleId, article]));
  const onlySimilar = [...similar.keys()].filter((articleId) => !wordMatches.has(articleId));
  const live = onlySimilar.length === 0 ? [] : await passages.liveVariants(onlySimilar);
  const translated = new Set(
    live.filter((variant) => isIn(words.language, variant)).map(({ articleId }) => articleId),
  );
  const isNative = (articleId: string) => {
    const match = wordMatches.get(articleId);
    return (match !== undefined && isIn(words.language, match)) || translated.has(articleId);
  };
  const published = new Set([...wordMatches.keys(), ...live.map(({ articleId }) => articleId)]);
  const getMeaning = measureMeaning(similarity);
  const matches = [...published]
    .map((articleId) => {
      const match = wordMatches.get(articleId);
      const meaning = similar.get(articleId);
      const sum = (match?.score ?? 0) + getMeaning(articleId);
      // Translated words tell articles apart, but not their sentences.
      return meaning && !isNative(articleId) ? join(undefined, meaning, sum) : join(match, meaning, sum);
    })
    .sort((a, b) => b.score - a.score || (a.articleId < b.articleId ? -1 : 1));
  const [best] = matches;
  if (!best) return { matches, confidence: 0, threshold: WORDS_THRESHOLD };
  const bestByWords = best.words ? [best.words] : [];
  const evidence: Evidence = {
    words: [...bestByWords, ...words.matches.filter((match) => match !== best.words)],
    similarity,
    similar: best.similar,
    isNative: isNative(best.articleId),
    isPartlyTranslated: [...published].some((id) => similar.has(id) && !isNative(id)),
  };
  return { matches, confidence: computeConfidence(evidence), threshold: getThreshold(evidence), evidence };
}

/** Returns how much an article's cosine adds to its score. */
function measureMeaning({ articles, nearestMean }: Similarity): (articleId: string) => number {
  const cosines = new Map(articles.map(({ articleId, score }) => [articleId, score]));
  const lowest = articles.at(-1)?.score ?? nearestMean;
  const nearest = articles[0]?.score ?? nearestMean;
  const unit = Math.max(COSINE_UNIT_MIN, (nearest - nearestMean) / UNITS_MAX);
  return (articleId) => (MEANING_WEIGHT * ((cosines.get(articleId) ?? lowest) - nearestMean)) / unit;
}

function join(words: ArticleMatch | undefined, similar: SimilarArticle | undefined, sum: number): Match {
  const { articleId, passageId } = (words ?? similar)!;
  const match = { articleId, passageId, score: toShare(sum) };
  return { ...match, ...(words ? { words } : {}), ...(similar ? { similar } : {}) };
}

/** Maps the sum to 0..1 and keeps the order: half the best possible word score is 0.5. */
const toShare = (sum: number) => 1 / (1 + Math.exp(-4 * (sum - 0.5)));
