/**
 * Finds the articles that answer a visitor's question. Matching uses every live variant of an
 * article; results contain the variant selected for the visitor's languages.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Passage, Passages, PublishedVariant } from '../../storage/passages.ts';
import { selectQuotes } from '../answer/select-quotes.ts';
import { selectTranslatedQuotes } from '../answer/translated-quotes.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import {
  type FallbackReason,
  getLocaleChain,
  type LocaleSelection,
  type Preference,
  parseAcceptLanguage,
  selectLocale,
} from '../locale.ts';
import { decodeNormalized } from './chunks.ts';
import { scoreSentences } from './rank.ts';
import {
  ANSWER_THRESHOLD,
  type ArticleMatch,
  type PartitionQuery,
  type PartitionSearch,
  prepareQueries,
  searchPartition,
} from './search-partition.ts';

export interface RetrieveRequest {
  readonly workspaceId: string;
  readonly question: string;
  /** The header as received; ignored where a preference is given. */
  readonly acceptLanguage?: string | undefined;
  readonly preference?: Preference;
  /** What the conversation was about, for a question that leans on it. */
  readonly context?: SearchContext;
  /** Maximum number of results, 5 by default. */
  readonly limit?: number;
}

export interface SearchContext {
  /** Its words count less than those of the question. */
  readonly text: string;
  /** Articles that the last answers cited. */
  readonly articleIds: readonly string[];
}

export interface Sentence {
  /** Verbatim from the answer, at these UTF-16 offsets. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Result extends PublishedVariant {
  /**
   * The requested locale that matched, else the first requested one; `und` without a preference.
   */
  readonly requestedLocale: string;
  readonly contentLocale: string;
  /** Absent when the content is in exactly the requested locale. */
  readonly fallbackReason?: FallbackReason;
  /** 0..1, comparable between questions. */
  readonly score: number;
  /** Likelihood that this article answers the question, 0..1. */
  readonly confidence: number;
  /** What to quote, in the order of the text; empty where the answer has no sentence. */
  readonly sentences: readonly Sentence[];
}

export interface Nearest {
  readonly articleId: string;
  readonly title: string;
  readonly url?: string;
  readonly locale: string;
}

export interface Retrieval {
  /** The first requested locale; `und` without a preference. */
  readonly requestedLocale: string;
  /** Whether the first result is good enough to quote. */
  readonly found: boolean;
  /** Confidence of the first result, 0..1. */
  readonly confidence: number;
  /** Where nothing was found: whether the nearest titles are good enough to be offered as choices. */
  readonly likely?: boolean;
  /** Best first, whether or not `found`. */
  readonly results: readonly Result[];
  /** Up to three titles to offer when nothing was found. */
  readonly nearest: readonly Nearest[];
}

export interface Retriever {
  retrieve(request: RetrieveRequest): Promise<Retrieval>;
  /** Returns up to three titles of what the workspace has, in the visitor's language where it has any. */
  listTopics(workspaceId: string, preference: Preference): Promise<readonly Nearest[]>;
}

const RESULTS_DEFAULT = 5;
const NEAREST_MAX = 3;
/** Maximum number of further languages to search when the visitor's languages have no answer. */
const OTHER_PARTITIONS_MAX = 3;
/**
 * A further language is searched only if it contains at least this share of the question's weight.
 */
const KNOWN_SHARE_MIN = 0.3;

export function createRetriever(store: {
  passages(workspaceId: string): Passages;
  dictionaries?(workspaceId: string): Promise<Dictionary>;
}): Retriever {
  return {
    async retrieve({ workspaceId, question, acceptLanguage, preference, limit = RESULTS_DEFAULT }) {
      const passages = store.passages(workspaceId);
      const languages = preference ?? parseAcceptLanguage(acceptLanguage);
      const search = await searchLanguages(passages, question, languages);
      const results = await loadResults(passages, question, search, languages, limit);
      const confidence = results[0]?.confidence ?? 0;
      return {
        requestedLocale: languages.wanted[0] ?? 'und',
        found: confidence >= ANSWER_THRESHOLD,
        confidence,
        results,
        nearest: results.slice(0, NEAREST_MAX).map(toNearest),
      };
    },

    async listTopics(workspaceId, preference) {
      const passages = store.passages(workspaceId);
      const partitions = await passages.partitions();
      const chain = getLocaleChain(preference);
      const bySources = partitions.toSorted((a, b) => b.sources - a.sources);
      const locale =
        chain.find((wanted) => partitions.some((one) => one.locale === wanted)) ?? bySources[0]?.locale;
      if (locale === undefined) return [];
      return (await passages.titles(locale, NEAREST_MAX)).map((title) => ({ ...title, locale }));
    },
  };
}

function toNearest({ articleId, title, url, locale }: Result): Nearest {
  return { articleId, title, locale, ...(url === undefined ? {} : { url }) };
}

/**
 * Searches the visitor's languages and those of the sources first. Without an answer there, also
 * searches the languages that contain more of the question, since it was probably asked in one of
 * them.
 */
async function searchLanguages(
  passages: Passages,
  question: string,
  preference: Preference,
): Promise<PartitionSearch> {
  const partitions = await passages.partitions();
  const chain = new Set(getLocaleChain(preference));
  const inChain = partitions.filter(({ locale, sources }) => chain.has(locale) || sources > 0);
  const queries = await prepareQueries(passages, question, inChain);
  const first = await searchAll(passages, queries);
  if (first.confidence >= ANSWER_THRESHOLD || inChain.length === partitions.length) return first;

  const others = partitions.filter((partition) => !inChain.includes(partition));
  const knownInChain = Math.max(KNOWN_SHARE_MIN, ...queries.map(({ knownShare }) => knownShare));
  const likely = (await prepareQueries(passages, question, others))
    .filter(({ knownShare }) => knownShare > knownInChain)
    .sort((a, b) => b.knownShare - a.knownShare)
    .slice(0, OTHER_PARTITIONS_MAX);
  return mergeSearches([first, await searchAll(passages, likely)]);
}

async function searchAll(passages: Passages, queries: readonly PartitionQuery[]): Promise<PartitionSearch> {
  const searches: PartitionSearch[] = [];
  for (const query of queries) {
    // Yield between partitions so other requests are not delayed.
    if (searches.length > 0) await nextTurn();
    searches.push(await searchPartition(passages, query));
  }
  return mergeSearches(searches);
}

/**
 * Keeps each article once, with its best score. The first result of the most confident search stays
 * first.
 */
function mergeSearches(searches: readonly PartitionSearch[]): PartitionSearch {
  const byConfidence = [...searches].sort((a, b) => b.confidence - a.confidence);
  const mostConfident = byConfidence[0];
  if (!mostConfident) return { found: [], confidence: 0 };
  const top = mostConfident.found[0];
  const best = new Map<string, ArticleMatch>();
  for (const match of byConfidence.flatMap(({ found }) => found)) {
    const known = best.get(match.articleId);
    if (!known || (known !== top && match.score > known.score)) best.set(match.articleId, match);
  }
  const found = [...best.values()].sort((a, b) => {
    if (a === top || b === top) return a === top ? -1 : 1;
    return b.score - a.score;
  });
  return { found, confidence: mostConfident.confidence };
}

/**
 * Loads each match in the variant for this visitor. Skips articles that were unpublished since the
 * search.
 */
async function loadResults(
  passages: Passages,
  question: string,
  { found, confidence }: PartitionSearch,
  preference: Preference,
  limit: number,
): Promise<Result[]> {
  const selected = await selectVariants(passages, found, preference, limit);
  const ids = new Set(selected.flatMap(({ match, passageId }) => [match.passageId, passageId]));
  const loaded = new Map((await passages.load([...ids])).map((passage) => [passage.passageId, passage]));
  const topScore = found[0]?.score || 1;
  return selected.flatMap(({ match, passageId, selection }) => {
    const matched = loaded.get(match.passageId);
    const shown = loaded.get(passageId);
    if (!matched || !shown) return [];
    const { passageId: _, chunks: __, ...variant } = shown;
    const result: Result = {
      ...variant,
      ...selection,
      score: match.score,
      confidence: confidence * Math.min(1, match.score / topScore),
      sentences: selectResultQuotes(question, match, matched, shown),
    };
    return [result];
  });
}

type SelectedVariant = {
  readonly match: ArticleMatch;
  readonly passageId: number;
  readonly selection: LocaleSelection;
};

async function selectVariants(
  passages: Passages,
  found: readonly ArticleMatch[],
  preference: Preference,
  limit: number,
): Promise<SelectedVariant[]> {
  const selected: SelectedVariant[] = [];
  for (let from = 0; from < found.length && selected.length < limit; from += limit) {
    const batch = found.slice(from, from + limit);
    const live = await passages.liveVariants(batch.map(({ articleId }) => articleId));
    for (const match of batch) {
      const variants = live.filter(({ articleId }) => articleId === match.articleId);
      const source = variants.find((variant) => variant.source)?.locale;
      const locales = variants.map(({ locale }) => locale);
      const selection = selectLocale(preference, locales, source);
      const variant = selection && variants.find(({ locale }) => locale === selection.contentLocale);
      if (variant && selected.length < limit) {
        selected.push({ match, passageId: variant.passageId, selection });
      }
    }
  }
  return selected;
}

/** What of the matched text answers the question; in another variant, the same parts of it. */
function selectResultQuotes(
  question: string,
  match: ArticleMatch,
  matched: Passage,
  shown: Passage,
): Sentence[] {
  const request = {
    title: matched.title,
    answer: matched.answer,
    sentences: match.chunk.sentences,
    scores: scoreSentences(match.scored.matches, match.query),
    question,
    locale: matched.locale,
  };
  const spans =
    matched.passageId === shown.passageId
      ? selectQuotes(request)
      : selectTranslatedQuotes(request, {
          title: shown.title,
          answer: shown.answer,
          sentences: shown.chunks.flatMap((chunk) => decodeNormalized(chunk).sentences),
        });
  return spans.map((span) => quote(shown.answer, span));
}

function quote(answer: string, { start, end }: { start: number; end: number }): Sentence {
  return { text: answer.slice(start, end), start, end };
}
