/** Merges the results of the word search with articles whose vectors are similar to the question's. */
import type { Passages } from '../../storage/passages.ts';
import type { SimilarArticle } from '../embeddings/vectors.ts';
import { decodeNormalized } from './chunks.ts';
import { ANSWER_THRESHOLD, LIKELY_THRESHOLD } from './confidence.ts';
import type { ArticleMatch } from './search-partition.ts';

/** An article found by words, or by its vector alone; then without `scored` and `query`. */
export type Match = Pick<ArticleMatch, 'articleId' | 'passageId' | 'score' | 'chunk'> &
  Partial<Pick<ArticleMatch, 'scored' | 'query'>>;

export type FoundMatches = {
  /** One entry per article, best first. */
  readonly matches: readonly Match[];
  /** Likelihood that the first article answers the question, 0..1. */
  readonly confidence: number;
};

/** Reciprocal rank fusion: a rank in a list scores 1 / (60 + rank). */
const RANK_OFFSET = 60;
/**
 * Cosine from which an article is quoted even if the words do not match. Models differ: some give
 * 0.8 to texts that have little to do with each other, but rarely 0.9.
 */
const CERTAIN_SIMILARITY = 0.9;
/**
 * Share of the best score that a word match needs to be ranked; in small workspaces every article
 * shares some n-grams with the question.
 */
const RANKED_SCORE_SHARE = 0.6;
/** Maximum confidence for a cosine below CERTAIN_SIMILARITY: enough to offer the article, not to quote it. */
const UNCERTAIN_CONFIDENCE = ANSWER_THRESHOLD * 0.9;

export async function addSimilar(
  passages: Passages,
  wordResult: FoundMatches,
  similar: readonly SimilarArticle[] | undefined,
): Promise<FoundMatches> {
  if (!similar || similar.length === 0) return wordResult;
  const foundIds = new Set(wordResult.matches.map(toArticleId));
  const added = await loadMatches(
    passages,
    similar.filter(({ articleId }) => !foundIds.has(articleId)),
  );
  const fused = fuse([...wordResult.matches, ...added], [getRankedWordMatches(wordResult), similar]);
  const first = fused[0];
  if (!first) return wordResult;
  const cosines = new Map(similar.map(({ articleId, score }) => [articleId, score]));
  return {
    matches: makeScoresDescend(fused, (match) => getScore(match, wordResult, cosines)),
    confidence: getConfidence(first, wordResult, similar),
  };
}

const toArticleId = ({ articleId }: { readonly articleId: string }) => articleId;

async function loadMatches(passages: Passages, similar: readonly SimilarArticle[]): Promise<Match[]> {
  const byId = new Map(similar.map((passage) => [passage.passageId, passage]));
  return (await passages.load([...byId.keys()])).flatMap(({ passageId, articleId, chunks }) => {
    const { ordinal, score } = byId.get(passageId)!;
    const chunk = chunks[ordinal];
    return chunk ? [{ articleId, passageId, score, chunk: decodeNormalized(chunk) }] : [];
  });
}

/** Returns the word matches that are close to the best, or none when even the best is unlikely. */
function getRankedWordMatches({ matches, confidence }: FoundMatches): readonly Match[] {
  if (confidence < LIKELY_THRESHOLD) return [];
  return matches.filter(({ score }) => score >= RANKED_SCORE_SHARE * matches[0]!.score);
}

/** Sorts the matches by reciprocal rank fusion. Of equal matches, those found by words come first. */
function fuse(
  matches: readonly Match[],
  rankings: readonly (readonly { readonly articleId: string }[])[],
): Match[] {
  const fusedScores = new Map<string, number>();
  for (const ranking of rankings) {
    ranking.forEach(({ articleId }, position) => {
      fusedScores.set(articleId, (fusedScores.get(articleId) ?? 0) + 1 / (RANK_OFFSET + position + 1));
    });
  }
  const getFusedScore = ({ articleId }: Match) => fusedScores.get(articleId) ?? 0;
  return matches.toSorted((a, b) => getFusedScore(b) - getFusedScore(a));
}

type Cosines = ReadonlyMap<string, number>;

/** Returns the score of the word search if it found something likely, else the cosine if there is one. */
function getScore(
  { articleId, score, scored }: Match,
  { matches, confidence }: FoundMatches,
  cosines: Cosines,
): number {
  if (confidence < LIKELY_THRESHOLD) return cosines.get(articleId) ?? score;
  if (scored) return score;
  // Articles that words did not find stay below the best match: they are offered beside it, not quoted.
  return Math.min(score, matches[0]!.score * Math.min(1, UNCERTAIN_CONFIDENCE / confidence));
}

/** Makes scores descend: the first match gets the highest score, each later one at most that of the match before. */
function makeScoresDescend(fused: readonly Match[], getScore: (match: Match) => number): Match[] {
  const scores = fused.map(getScore);
  let last = Math.max(...scores);
  return fused.map((match, position) => {
    if (position > 0) last = Math.min(last, scores[position]!);
    return { ...match, score: last };
  });
}

function getConfidence(first: Match, wordResult: FoundMatches, similar: readonly SimilarArticle[]): number {
  const byWords = first.scored
    ? wordResult.confidence * Math.min(1, first.score / (wordResult.matches[0]!.score || 1))
    : 0;
  const cosine = similar.find(({ articleId }) => articleId === first.articleId)?.score ?? 0;
  const isAgreed =
    wordResult.confidence >= LIKELY_THRESHOLD &&
    [wordResult.matches[0], similar[0]].every((match) => match?.articleId === first.articleId);
  const bySimilarity =
    isAgreed || cosine >= CERTAIN_SIMILARITY ? ANSWER_THRESHOLD : Math.min(cosine, UNCERTAIN_CONFIDENCE);
  return Math.max(byWords, bySimilarity);
}
