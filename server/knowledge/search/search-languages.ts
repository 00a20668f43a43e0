/** Detects the language of a question, searches the languages of a workspace, and merges the results. */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Partition, Passages } from '../../storage/passages.ts';
import { getLanguage } from '../../text.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { getLocaleChain, type Preference } from '../locale.ts';
import { ANSWER_THRESHOLD, computeConfidence } from './confidence.ts';
import { getFunctionShare, measureCoverage } from './match.ts';
import { orderByMeaning } from './meaning.ts';
import { getKnownShare, type PartitionQuery, prepareQuery, type SearchQuestion } from './question-words.ts';
import { type ArticleMatch, searchPartition } from './search-partition.ts';

export interface Search extends SearchQuestion {
  /** Articles that the last answers cited. */
  readonly articleIds: readonly string[];
  readonly preference: Preference;
  readonly dictionary: Dictionary | undefined;
}

export interface SearchResult {
  /** One entry per article, best first. */
  readonly matches: readonly ArticleMatch[];
  /** Likelihood that the first article answers the question, 0..1. */
  readonly confidence: number;
}

/** Maximum number of further languages to search when the visitor's languages have no answer. */
const OTHER_PARTITIONS_MAX = 3;
/**
 * A further language is searched only if it contains at least this share of the question's weight.
 */
const KNOWN_SHARE_MIN = 0.3;

/**
 * Searches the visitor's languages and those of the sources first. Without an answer there, also
 * searches the languages that contain more of the question, since it was probably asked in one of
 * them. Reorders uncertain results for an English question by meaning.
 */
export async function searchLanguages(passages: Passages, search: Search): Promise<SearchResult> {
  const { language, undiscountedConfidence, ...result } = await searchByWords(passages, search);
  // A follow-up has no complete meaning of its own.
  const isClear = undiscountedConfidence >= ANSWER_THRESHOLD || search.context !== undefined;
  if (isClear || getLanguage(language) !== 'en') return result;
  return { ...result, matches: await orderByMeaning(search.question, result.matches) };
}

type WordSearchResult = SearchResult & {
  /** The probable locale of the question. */
  readonly language: string;
  /** The confidence before doubts about thin or translated evidence. */
  readonly undiscountedConfidence: number;
};

export async function searchByWords(passages: Passages, search: Search): Promise<WordSearchResult> {
  const partitions = await passages.partitions();
  const preferredLocales = new Set(getLocaleChain(search.preference));
  const preferredPartitions = partitions.filter(
    ({ locale, sources }) => preferredLocales.has(locale) || sources > 0,
  );
  const queries = await prepareQueries(passages, search, preferredPartitions);
  const first = await searchAll(passages, search, queries);
  if (first.confidence >= ANSWER_THRESHOLD || preferredPartitions.length === partitions.length) return first;

  const otherPartitions = partitions.filter((partition) => !preferredPartitions.includes(partition));
  const knownSharePreferred = Math.max(KNOWN_SHARE_MIN, ...queries.map(({ knownShare }) => knownShare));
  const likelyQueries = (await prepareQueries(passages, search, otherPartitions))
    .filter(({ knownShare }) => knownShare > knownSharePreferred)
    .sort((a, b) => b.knownShare - a.knownShare)
    .slice(0, OTHER_PARTITIONS_MAX);
  if (likelyQueries.length === 0) return first;
  const second = await searchAll(passages, search, [...queries, ...likelyQueries]);
  return second.confidence > first.confidence ? second : first;
}

function prepareQueries(
  passages: Passages,
  search: Search,
  partitions: readonly Partition[],
): Promise<PartitionQuery[]> {
  const { dictionary } = search;
  return Promise.all(
    partitions.map((partition) => prepareQuery(passages, search, partition, { dictionary })),
  );
}

async function searchAll(
  passages: Passages,
  search: Search,
  queries: readonly PartitionQuery[],
): Promise<WordSearchResult> {
  const language = detectLanguage(search, queries);
  const isNative = ({ partition }: PartitionQuery) => getLanguage(partition.locale) === getLanguage(language);
  const nativeLists: ArticleMatch[][] = [];
  const foreignLists: ArticleMatch[][] = [];
  for (const [at, query] of queries.entries()) {
    // Yield between partitions so other requests are not delayed.
    if (at > 0) await yieldToEventLoop();
    if (isNative(query)) {
      nativeLists.push(addContext(await searchPartition(passages, query), search));
    } else {
      const { dictionary } = search;
      const projected = await prepareQuery(passages, search, query.partition, {
        locale: language,
        dictionary,
      });
      foreignLists.push(addContext(await searchPartition(passages, projected), search));
    }
  }
  const nativeMatches = mergeNative(nativeLists);
  const nativeLocales = queries.filter(isNative).map(({ partition }) => partition.locale);
  const matches =
    nativeMatches.length > 0
      ? await addForeign(passages, nativeMatches, foreignLists, nativeLocales)
      : mergeNative(foreignLists);
  const isForeign = matches[0] !== undefined && !nativeLocales.includes(matches[0].locale);
  const undiscountedConfidence = computeConfidence(matches);
  // Without other languages, every article has a variant in the question's language.
  const confidence =
    foreignLists.length === 0
      ? undiscountedConfidence
      : discountDoubt(undiscountedConfidence, matches[0], isForeign);
  return { matches, confidence, undiscountedConfidence, language };
}

/** Factors that reduce the odds of an answer when the evidence is weak. Fitted on the development half of eval/. */
const FOREIGN_ODDS = 0.55;
const THIN_ODDS = 0.4;
/** Evidence is thin if less than this share of the question's content words is known (see also THIN_TITLE_MAX). */
const KNOWN_CONTENT_MIN = 0.4;
/** Evidence is not thin if the title contains at least this share of the question. */
const THIN_TITLE_MAX = 0.1;

/**
 * Lowers the confidence of weak evidence: words of another language match through learned
 * translations, and a few known words among many may mean something else.
 */
function discountDoubt(confidence: number, best: ArticleMatch | undefined, isForeign: boolean): number {
  if (!best) return confidence;
  const isThin =
    getKnownShare(best.partitionQuery.words.filter(({ isFunction }) => !isFunction)) < KNOWN_CONTENT_MIN &&
    measureCoverage(best.scored, best.query).title < THIN_TITLE_MAX;
  const odds = (confidence / (1 - confidence)) * (isForeign ? FOREIGN_ODDS : 1) * (isThin ? THIN_ODDS : 1);
  return odds / (1 + odds);
}

/** Bonus for an article that the last answers cited. Fitted on the follow-ups of eval/. */
const CONTEXT_BONUS = 0.25;

function addContext(matches: readonly ArticleMatch[], { articleIds }: Search): ArticleMatch[] {
  if (articleIds.length === 0) return [...matches];
  const raise = (score: number) => 1 - (1 - score) * (1 - CONTEXT_BONUS);
  return sortByScore(
    matches.map((match) =>
      articleIds.includes(match.articleId) ? { ...match, score: raise(match.score) } : match,
    ),
  );
}

const sortByScore = (matches: readonly ArticleMatch[]) =>
  matches.toSorted((a, b) => b.score - a.score || (a.articleId < b.articleId ? -1 : 1));

/** Bonus for the visitor's first preferred language, and for the others, on a language's share of known words. */
const FIRST_PREFERENCE_PRIOR = 0.2;
const PREFERENCE_PRIOR = 0.1;

/** Returns the probable locale of the question: one of a partition, or one that the visitor prefers. */
function detectLanguage({ question, preference }: Search, queries: readonly PartitionQuery[]): string {
  const wanted = preference.wanted.map(getLanguage);
  const getPrior = (locale: string) => {
    const at = wanted.indexOf(getLanguage(locale));
    return at < 0 ? 0 : at === 0 ? FIRST_PREFERENCE_PRIOR : PREFERENCE_PRIOR;
  };
  const knownShares = new Map(queries.map(({ partition, knownShare }) => [partition.locale, knownShare]));
  const locales = [...knownShares.keys(), ...preference.wanted];
  let [best, highest] = [locales[0] ?? 'und', -1];
  for (const locale of new Set(locales)) {
    const fit = (knownShares.get(locale) ?? 0) + getFunctionShare(question, locale) + getPrior(locale);
    if (fit > highest) [best, highest] = [locale, fit];
  }
  return best;
}

/** Keeps each article once, with its best score. */
function mergeNative(lists: readonly (readonly ArticleMatch[])[]): ArticleMatch[] {
  if (lists.length === 1) return [...lists[0]!];
  const best = new Map<string, ArticleMatch>();
  for (const match of sortByScore(lists.flat())) {
    if (!best.has(match.articleId)) best.set(match.articleId, match);
  }
  return [...best.values()];
}

/** Articles to add per other language; further ones cannot become results. */
const FOREIGN_MAX = 15;
/** If fewer articles are found in both languages, their scores are not compared. */
const COMPARED_MIN = 3;
const RATIO_MAX = 2;

/**
 * Adds articles that have no variant in the question's language. Scores of two languages are not
 * comparable: scores of the other language are scaled by the median ratio of articles found in both.
 */
async function addForeign(
  passages: Passages,
  nativeMatches: readonly ArticleMatch[],
  foreign: readonly (readonly ArticleMatch[])[],
  nativeLocales: readonly string[],
): Promise<ArticleMatch[]> {
  const scores = new Map(nativeMatches.map(({ articleId, score }) => [articleId, score]));
  const added: ArticleMatch[] = [];
  for (const list of foreign) {
    const missing = list.filter(({ articleId }) => !scores.has(articleId)).slice(0, FOREIGN_MAX);
    if (missing.length === 0) continue;
    const scale = getScale(nativeMatches, list, scores);
    const live = await passages.liveVariants(missing.map(({ articleId }) => articleId));
    const translated = new Set(
      live.filter(({ locale }) => nativeLocales.includes(locale)).map(({ articleId }) => articleId),
    );
    for (const match of missing) {
      if (!translated.has(match.articleId)) added.push({ ...match, score: Math.min(1, match.score * scale) });
    }
  }
  return added.length === 0 ? [...nativeMatches] : mergeNative([nativeMatches, added]);
}

/** Factor by which an article that the question's language lacks must outscore the best one that it has. */
const CONTEST_MARGIN = 1.2;

/**
 * Returns the factor for scores of the other language. If that language ranks an article that the
 * question's language lacks above the best one that it has, the factor keeps that order.
 */
function getScale(
  [best]: readonly ArticleMatch[],
  list: readonly ArticleMatch[],
  scores: ReadonlyMap<string, number>,
): number {
  const ratios = list.flatMap(({ articleId, score }) => {
    const native = scores.get(articleId);
    return native === undefined ? [] : [native / score];
  });
  const ratio = ratios.length < COMPARED_MIN ? 1 : getMedian(ratios);
  const bounded = Math.min(RATIO_MAX, Math.max(1 / RATIO_MAX, ratio));
  const sameArticle = list.find(({ articleId }) => articleId === best?.articleId);
  const first = list[0];
  const isContested =
    sameArticle && first && !scores.has(first.articleId) && first.score >= CONTEST_MARGIN * sameArticle.score;
  return isContested ? Math.max(bounded, best!.score / sameArticle.score) : bounded;
}

function getMedian(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
