/** Detects the language of a question and finds articles by words, in that language and in others. */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { getLocaleChain, type Preference } from '../../base/locale.ts';
import { getLanguage } from '../../base/text.ts';
import type { Partition, Passages } from '../../storage/passages.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import { computeWordConfidence, WORDS_THRESHOLD } from './confidence.ts';
import { getFunctionShare } from './match.ts';
import { type PartitionQuery, prepareQuery, type SearchQuestion } from './question-words.ts';
import { type ArticleMatch, searchPartition } from './search-partition.ts';

export interface WordSearch extends SearchQuestion {
  /** Articles that the last answers cited. */
  articleIds: readonly string[];
  preference: Preference;
  /** All of the workspace. */
  partitions: readonly Partition[];
  dictionary: Dictionary | undefined;
  /** The language that the question is clearly in, which the workspace and the visitor's preference need not name. */
  detected?: string | undefined;
}

export interface WordResult {
  /** The probable locale of the question. */
  language: string;
  /** One entry per article, best first. */
  matches: readonly ArticleMatch[];
  /** Whether articles in other languages were searched too. */
  hasOtherLanguages?: boolean;
}

/** Maximum number of further languages to consider when the visitor's languages have no answer. */
const OTHER_PARTITIONS_MAX = 3;
/** A further language is considered only if it contains at least this share of the question's weight. */
const KNOWN_SHARE_MIN = 0.3;

/**
 * Finds articles with a text in the language of the question. That is one of the visitor's or of the sources; if they
 * have no answer, another one may be it that contains more of the question.
 */
export async function searchByWords(passages: Passages, search: WordSearch): Promise<WordResult> {
  const { partitions } = search;
  const preferred = partitions.filter(isPreferred(search));
  const queries = await prepareQueries(passages, search, preferred);
  const first = await searchLanguage(passages, search, queries);
  if (preferred.length === partitions.length) return first;
  const confidence = computeWordConfidence(first.matches);
  if (confidence >= WORDS_THRESHOLD) return first;

  const others = partitions.filter((partition) => !preferred.includes(partition));
  const knownSharePreferred = Math.max(KNOWN_SHARE_MIN, ...queries.map(({ knownShare }) => knownShare));
  const likelyQueries = (await prepareQueries(passages, search, others))
    .filter(({ knownShare }) => knownShare > knownSharePreferred)
    .sort((a, b) => b.knownShare - a.knownShare)
    .slice(0, OTHER_PARTITIONS_MAX);
  if (likelyQueries.length === 0) return first;
  const second = await searchLanguage(passages, search, [...queries, ...likelyQueries]);
  return computeWordConfidence(second.matches) > confidence ? second : first;
}

function isPreferred({ preference }: WordSearch): (partition: Partition) => boolean {
  const locales = new Set(getLocaleChain(preference));
  return ({ locale, sources }) => locales.has(locale) || sources > 0;
}

function prepareQueries(
  passages: Passages,
  search: WordSearch,
  partitions: readonly Partition[],
): Promise<PartitionQuery[]> {
  return Promise.all(partitions.map((partition) => prepareQuery(passages, search, partition)));
}

async function searchLanguage(
  passages: Passages,
  search: WordSearch,
  queries: readonly PartitionQuery[],
): Promise<WordResult> {
  const language = findLanguage(search, queries);
  const lists: ArticleMatch[][] = [];
  for (const query of queries) {
    if (!isIn(language, query.partition)) continue;
    if (lists.length > 0) await yieldToEventLoop();
    lists.push(addContext(await searchPartition(passages, query), search));
  }
  return { language, matches: merge(lists) };
}

/** Whether a text is in the language of a locale. */
export const isIn = (language: string, { locale }: { locale: string }) =>
  getLanguage(locale) === getLanguage(language);

/**
 * Adds articles without a text in the language of the question, found by the words that their source shares with it and
 * by the dictionary.
 */
export async function addOtherLanguages(
  passages: Passages,
  search: WordSearch,
  { language, matches }: WordResult,
): Promise<WordResult> {
  const { dictionary } = search;
  const partitions = search.partitions.filter(
    (partition) => isPreferred(search)(partition) && !isIn(language, partition),
  );
  if (partitions.length === 0) return { language, matches };
  const scores = new Map(matches.map(({ articleId, score }) => [articleId, score]));
  const others: ArticleMatch[] = [];
  for (const partition of partitions) {
    // Yield between partitions so other requests are not delayed.
    await yieldToEventLoop();
    const query = await prepareQuery(passages, search, partition, { locale: language, dictionary });
    const found = addContext(await searchPartition(passages, query), search);
    const scale = getScale(matches, found, scores);
    const missing = found.filter(({ articleId }) => !scores.has(articleId)).slice(0, OTHERS_MAX);
    others.push(...missing.map((match) => ({ ...match, score: Math.min(1, match.score * scale) })));
  }
  if (others.length === 0) return { language, matches, hasOtherLanguages: true };
  const native = await findArticlesIn(
    passages,
    language,
    others.map(({ articleId }) => articleId),
  );
  const added = others.filter(({ articleId }) => !native.has(articleId));
  return { language, matches: merge([matches, added]), hasOtherLanguages: true };
}

/** If fewer articles are found in both languages, their scores are not compared. */
const COMPARED_MIN = 3;
const RATIO_MAX = 2;
/** Factor by which an article that the question's language lacks must outscore the best one that it has. */
const CONTEST_MARGIN = 1.2;

/**
 * Returns the factor for scores of another language, which are not comparable: the median ratio of the articles found
 * in both. If that language ranks an article that the question's language lacks above the best one that it has, the
 * factor keeps that order.
 */
function getScale(
  [best]: readonly ArticleMatch[],
  others: readonly ArticleMatch[],
  scores: ReadonlyMap<string, number>,
): number {
  const ratios = others.flatMap(({ articleId, score }) => {
    const native = scores.get(articleId);
    return native === undefined ? [] : [native / score];
  });
  const ratio = ratios.length < COMPARED_MIN ? 1 : getMedian(ratios);
  const bounded = Math.min(RATIO_MAX, Math.max(1 / RATIO_MAX, ratio));
  const sameArticle = others.find(({ articleId }) => articleId === best?.articleId);
  const [first] = others;
  const isContested =
    sameArticle && first && !scores.has(first.articleId) && first.score >= CONTEST_MARGIN * sameArticle.score;
  return isContested ? Math.max(bounded, best!.score / sameArticle.score) : bounded;
}

const getMedian = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Articles to add per other language; further ones cannot become results. */
const OTHERS_MAX = 15;

/** Returns those of the articles that have a text in the language. */
async function findArticlesIn(
  passages: Passages,
  language: string,
  articleIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const live = await passages.liveVariants(articleIds);
  return new Set(live.filter((variant) => isIn(language, variant)).map(({ articleId }) => articleId));
}

/** Bonus for an article that the last answers cited. Fitted on the follow-ups of eval/. */
const CONTEXT_BONUS = 0.25;

function addContext(matches: readonly ArticleMatch[], { articleIds }: WordSearch): ArticleMatch[] {
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

/** Keeps each article once, with its best score. */
function merge(lists: readonly (readonly ArticleMatch[])[]): ArticleMatch[] {
  const best = new Map<string, ArticleMatch>();
  for (const match of sortByScore(lists.flat())) {
    if (!best.has(match.articleId)) best.set(match.articleId, match);
  }
  return [...best.values()];
}

/** Bonus for the visitor's first preferred language, and for the others, on a language's share of known words. */
const FIRST_PREFERENCE_PRIOR = 0.2;
const PREFERENCE_PRIOR = 0.1;

/** Returns the probable locale of the question: of a partition, one that the visitor prefers, or the one it looks like. */
function findLanguage(
  { question, preference, detected }: WordSearch,
  queries: readonly PartitionQuery[],
): string {
  const wanted = preference.wanted.map(getLanguage);
  const getPrior = (locale: string) => {
    const at = wanted.indexOf(getLanguage(locale));
    return at < 0 ? 0 : at === 0 ? FIRST_PREFERENCE_PRIOR : PREFERENCE_PRIOR;
  };
  const knownShares = new Map(queries.map(({ partition, knownShare }) => [partition.locale, knownShare]));
  const locales = [...knownShares.keys(), ...preference.wanted, ...(detected ? [detected] : [])];
  let [best, highest] = [locales[0] ?? 'und', -1];
  for (const locale of new Set(locales)) {
    const fit = (knownShares.get(locale) ?? 0) + getFunctionShare(question, locale) + getPrior(locale);
    if (fit > highest) [best, highest] = [locale, fit];
  }
  return best;
}
