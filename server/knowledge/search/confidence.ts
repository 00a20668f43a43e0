/** Computes the likelihood that the best article answers the question. */
import { SIMILAR_ARTICLES_MAX, type SimilarArticle, type Similarity } from '../embeddings/similarity.ts';
import fits from './confidence.json' with { type: 'json' };
import { measureCoverage } from './match.ts';
import { getKnownShare } from './question-words.ts';
import type { ArticleMatch } from './search-partition.ts';

/** By words alone, articles below this confidence are not quoted. */
export const WORDS_THRESHOLD = 0.4;
/** The same together with the question before: words alone hardly tell whether a message continues it. */
export const CONTEXT_THRESHOLD = 0.65;
/** By words and meaning, articles below this confidence are not quoted. The others are chosen on the development half of eval/. */
const ANSWER_THRESHOLD = 0.5;
/** The same in small workspaces, where most questions about a neighbouring subject have no article but share words with one. */
const SMALL_WORKSPACE_THRESHOLD = 0.7;
/** The same in partly translated workspaces, where the article that answers may have no translation. */
const PARTLY_TRANSLATED_THRESHOLD = 0.65;
/** Articles below this confidence are not offered as choices. */
export const LIKELY_THRESHOLD = 0.3;

/** The weights of words alone, chosen by hand on the development half of eval/. */
const WORD_WEIGHTS = {
  /** Share of the question, 0..1, that the title contains. */
  title: 1.57,
  score: 4.99,
  /** The margin of the best article over the second. */
  lead: 6.28,
  /** The margin of the best article over the third, as a share of its score. */
  gapToThird: 0.9,
  /** Logarithm of the number of content words in the question. */
  content: 1.32,
  /** Logarithm of the weight of the question's words that the best article contains. */
  information: 0.65,
  /** Logarithm of the number of chunks in the partition. */
  size: -0.28,
};
const WORD_BIAS = -5.67;

/** Title score from which a question of function words alone can be answered, since it may be a title. */
const TITLE_MATCH_MIN = 0.65;

/** Returns the logarithm of the odds that the first article answers the question; undefined if no article can. */
function getWordOdds(matches: readonly ArticleMatch[]): number | undefined {
  const best = matches[0];
  if (!best) return undefined;
  const { words, partition } = best.partitionQuery;
  const content = words.filter(({ isFunction }) => !isFunction).length;
  if (content === 0 && best.scored.titleScore < TITLE_MATCH_MIN) return undefined;
  const coverage = measureCoverage(best.scored, best.query);
  const features: Record<keyof typeof WORD_WEIGHTS, number> = {
    title: coverage.title,
    score: best.score,
    lead: best.score - (matches[1]?.score ?? 0),
    gapToThird: 1 - (matches[2]?.score ?? 0) / best.score,
    content: Math.log1p(content),
    information: Math.log1p(coverage.chunk * best.query.wordsWeight),
    size: Math.log(partition.chunks),
  };
  return sumWeighted(WORD_WEIGHTS, features, WORD_BIAS);
}

/** Returns the likelihood that the first article answers the question, 0..1, by words alone. */
export function computeWordConfidence(matches: readonly ArticleMatch[]): number {
  const odds = getWordOdds(matches);
  return odds === undefined ? 0 : toShare(odds);
}

/** Factors that reduce the odds of an answer by words when the evidence is weak. Fitted on the development half of eval/. */
const FOREIGN_ODDS = 0.55;
const THIN_ODDS = 0.4;
/** Evidence is thin if less than this share of the question's content words is known (see also THIN_TITLE_MAX). */
const KNOWN_CONTENT_MIN = 0.4;
/** Evidence is not thin if the title contains at least this share of the question. */
const THIN_TITLE_MAX = 0.1;

/**
 * Lowers the confidence by words in a partly translated workspace: words of another language match by chance or through
 * learned translations, and a few known words among many may mean something else.
 */
export function discountDoubt(confidence: number, best: ArticleMatch, isForeign: boolean): number {
  const contentWords = best.partitionQuery.words.filter(({ isFunction }) => !isFunction);
  const isThin =
    getKnownShare(contentWords) < KNOWN_CONTENT_MIN &&
    measureCoverage(best.scored, best.query).title < THIN_TITLE_MAX;
  const odds = (confidence / (1 - confidence)) * (isForeign ? FOREIGN_ODDS : 1) * (isThin ? THIN_ODDS : 1);
  return odds / (1 + odds);
}

/** What is known about the first article. */
export type Evidence = {
  /** The articles found by words, the first article first if it is among them. */
  words: readonly ArticleMatch[];
  similarity: Similarity;
  /** The first article as found by meaning, if it is among the most similar. */
  similar: SimilarArticle | undefined;
  /** Whether the first article has a text in the language of the question. */
  isNative: boolean;
  /** Whether one of the most similar articles has no such text. */
  isPartlyTranslated: boolean;
};

export type Regression<Name extends string = string> = {
  bias: number;
  weights: Readonly<Record<Name, number>>;
};

/** The regressions that `make fit` wrote for an embedding model, or for words alone. */
type Fit = {
  /** Whether an article with a text in the language of the question answers it. */
  native: Regression<keyof NativeFeatures>;
  /** Whether an article without such a text answers it. */
  foreign: Regression<keyof ForeignFeatures>;
  /** Whether a message continues the conversation. */
  continues: Regression;
};

const FITS: Readonly<Record<string, Fit>> = fits.models;

/** Bounds of the odds by words, beyond which they say nothing more. */
const WORD_ODDS_MAX = 5;
/** Cosines differ in the second decimal; multiplied by this, they have the size of the other features. */
export const COSINE_SCALE = 10;

type NativeFeatures = {
  /** Logarithm of the odds by words. */
  words: number;
  /** How much nearer the article is than any other one, or less near. */
  margin: number;
};

type ForeignFeatures = Pick<NativeFeatures, 'margin'> & {
  /** How much nearer the article is than unrelated texts. */
  related: number;
};

export function getFeatures({
  words,
  similarity,
  similar,
  isNative,
}: Evidence): NativeFeatures | ForeignFeatures {
  const { articles, background } = similarity;
  const cosine = similar?.score ?? articles.at(-1)?.score ?? background;
  const other = articles.find(({ articleId }) => articleId !== similar?.articleId)?.score ?? background;
  const margin = (cosine - other) * COSINE_SCALE;
  if (!isNative) return { margin, related: (cosine - background) * COSINE_SCALE };
  const isFoundByWords = similar === undefined || words[0]?.articleId === similar.articleId;
  const odds = (isFoundByWords ? getWordOdds(words) : undefined) ?? -WORD_ODDS_MAX;
  return { words: Math.max(-WORD_ODDS_MAX, Math.min(WORD_ODDS_MAX, odds)), margin };
}

/** Returns the likelihood that the first article answers the question, 0..1, by words and meaning. */
export function computeConfidence(evidence: Evidence): number {
  const fit = FITS[evidence.similarity.model];
  if (!fit) return computeAgreement(evidence);
  const regression: Regression = evidence.isNative ? fit.native : fit.foreign;
  return predict(regression, getFeatures(evidence));
}

/** Returns the confidence from which the first article is quoted. */
export function getThreshold(evidence: Evidence): number {
  return FITS[evidence.similarity.model] ? getFittedThreshold(evidence) : WORDS_THRESHOLD;
}

export function getFittedThreshold({ similarity, isNative, isPartlyTranslated }: Evidence): number {
  if (!isNative) return ANSWER_THRESHOLD;
  if (similarity.articles.length < SIMILAR_ARTICLES_MAX) return SMALL_WORKSPACE_THRESHOLD;
  return isPartlyTranslated ? PARTLY_TRANSLATED_THRESHOLD : ANSWER_THRESHOLD;
}

/** For models without a fit, whose cosines say nothing by themselves: words decide, supported by the order by meaning. */
function computeAgreement({ words, similarity, similar }: Evidence): number {
  const isFoundByWords = similar === undefined || words[0]?.articleId === similar.articleId;
  const confidence = isFoundByWords ? computeWordConfidence(words) : 0;
  if (similar === undefined || similar.articleId !== similarity.articles[0]?.articleId) return confidence;
  return Math.max(confidence, confidence >= LIKELY_THRESHOLD ? WORDS_THRESHOLD : LIKELY_THRESHOLD);
}

export type ReadingFeatures = {
  /** Logarithm of the number of content words in the message: those that continue a conversation have few. */
  content: number;
  /** Logarithms of the odds that the first article answers the message alone, and together with the question before. */
  alone: number;
  inContext: number;
  /** Cosine of the message and the question before, scaled; absent without a comparison by meaning. */
  similar?: number;
};

/** Returns the likelihood that a message continues the conversation, 0..1. */
export function computeContinuation(features: ReadingFeatures, model: string | undefined): number {
  return predict((FITS[model ?? ''] ?? fits.words).continues, features);
}

const ODDS_MAX = 4.6;

/** Returns the logarithm of the odds, bounded. */
export function toOdds(share: number): number {
  return Math.max(-ODDS_MAX, Math.min(ODDS_MAX, Math.log(share / (1 - share))));
}

const predict = ({ bias, weights }: Regression, features: Readonly<Record<string, number>>): number =>
  toShare(sumWeighted(weights, features, bias));

function sumWeighted<Name extends string>(
  weights: Readonly<Record<Name, number>>,
  features: Readonly<Record<Name, number>>,
  bias: number,
): number {
  return Object.entries<number>(weights).reduce(
    (sum, [name, weight]) => sum + weight * features[name as Name],
    bias,
  );
}

const toShare = (odds: number) => 1 / (1 + Math.exp(-odds));
