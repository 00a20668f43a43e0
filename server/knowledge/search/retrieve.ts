/**
 * Finds the articles that answer a visitor's question. Matching uses every live variant of an
 * article; results contain the variant selected for the visitor's languages.
 */

import type { Grants } from '../../base/audience.ts';
import {
  type FallbackReason,
  getLocaleChain,
  type LocaleSelection,
  type Preference,
  parseAcceptLanguage,
  selectLocale,
} from '../../base/locale.ts';
import type { LiveVariant, Passage, Passages, PublishedVariant } from '../../storage/passages.ts';
import { selectQuotes } from '../answer/select-quotes.ts';
import { selectTranslatedQuotes } from '../answer/translated-quotes.ts';
import type { SimilarArticle } from '../embeddings/similarity.ts';
import { decodeNormalized } from './chunks.ts';
import { LIKELY_THRESHOLD } from './confidence.ts';
import { scoreSentences } from './rank.ts';
import type { Match, Ranking } from './rank-articles.ts';
import { type ReadingDeps, rankReadings, type SearchContext } from './readings.ts';
import type { Span } from './tokenize.ts';

interface RetrieveRequest {
  workspaceId: string;
  question: string;
  /** What the reader may see; by default, what everyone sees. */
  reader?: Grants | undefined;
  /** The Accept-Language header as received; ignored if `preference` is given. */
  acceptLanguage?: string | undefined;
  preference?: Preference;
  /** The subject of the conversation, for a follow-up. */
  context?: SearchContext;
  /** Maximum number of results, 5 by default. */
  limit?: number;
  /** How many results need the parts to quote, which take time to select; all by default. */
  quotedMax?: number | undefined;
}

export interface Sentence {
  /** Verbatim from the answer, at these UTF-16 offsets. */
  text: string;
  start: number;
  end: number;
}

/** A published article in the variant selected for the visitor's languages. */
export interface SelectedArticle extends PublishedVariant {
  /** The first requested locale, whether or not it matched; `und` without a preference. */
  requestedLocale: string;
  contentLocale: string;
  fallbackReason?: FallbackReason;
}

export interface Result extends SelectedArticle {
  /** 0..1, comparable between questions. */
  score: number;
  /** Likelihood that this article answers the question, 0..1. */
  confidence: number;
  /** The parts to quote, in the order of the text; empty if the answer has no sentence, or beyond `quotedMax`. */
  sentences: readonly Sentence[];
  /** The best sentence of the parts to quote; absent if they are those of another variant. */
  bestSentence?: Sentence;
}

interface Nearest {
  articleId: string;
  title: string;
  url?: string;
  locale: string;
}

export interface Retrieval {
  /** The first requested locale; `und` without a preference. */
  requestedLocale: string;
  /** Whether the first result is good enough to quote. */
  found: boolean;
  /** Confidence of the first result, 0..1. */
  confidence: number;
  /** Confidence from which the first result is good enough. */
  threshold: number;
  /** Best first, whether or not `found`. */
  results: readonly Result[];
  /** Whether one of `nearest` probably answers the question. */
  likely: boolean;
  /** Up to three articles to offer as choices when nothing was found. */
  nearest: readonly Nearest[];
}

export interface Retriever {
  retrieve(request: RetrieveRequest): Promise<Retrieval>;
  /** Returns a whole article, or undefined when nothing of it is published for these languages. */
  readArticle(
    workspaceId: string,
    articleId: string,
    preference: Preference,
    reader?: Grants,
  ): Promise<SelectedArticle | undefined>;
  /** Returns the articles of which something is published for these languages, in the order of the ids. */
  readArticles(
    workspaceId: string,
    articleIds: readonly string[],
    preference: Preference,
    reader?: Grants,
  ): Promise<readonly SelectedArticle[]>;
  /** Returns up to three article titles of the workspace, in the visitor's language if possible. */
  listTopics(workspaceId: string, preference: Preference, reader?: Grants): Promise<readonly Nearest[]>;
}

const RESULTS_DEFAULT = 5;
const NEAREST_MAX = 3;
/** Articles below this share of the best score are not offered beside it. */
const NEAREST_SCORE_SHARE = 0.6;

export function createRetriever(store: ReadingDeps): Retriever {
  return {
    async retrieve(request) {
      const { workspaceId, question, reader, acceptLanguage, limit = RESULTS_DEFAULT } = request;
      const { quotedMax = limit } = request;
      const passages = store.passages(workspaceId, reader);
      const preference = request.preference ?? parseAcceptLanguage(acceptLanguage);
      const ranking = await rankReadings(store, { ...request, preference });
      const results = await loadResults(passages, question, ranking, preference, { limit, quotedMax });
      const confidence = results[0]?.confidence ?? 0;
      const closest = results.filter(({ score }) => score >= NEAREST_SCORE_SHARE * results[0]!.score);
      return {
        requestedLocale: preference.wanted[0] ?? 'und',
        found: results.length > 0 && confidence >= ranking.threshold,
        confidence,
        threshold: ranking.threshold,
        results,
        likely: confidence >= LIKELY_THRESHOLD && !isUnrelated(ranking),
        nearest: closest.slice(0, NEAREST_MAX).map(toNearest),
      };
    },

    async readArticle(workspaceId, articleId, preference, reader) {
      return (await readArticles(store.passages(workspaceId, reader), [articleId], preference))[0];
    },

    readArticles: (workspaceId, articleIds, preference, reader) =>
      readArticles(store.passages(workspaceId, reader), articleIds, preference),

    async listTopics(workspaceId, preference, reader) {
      const passages = store.passages(workspaceId, reader);
      const partitions = await passages.partitions();
      const chain = getLocaleChain(preference);
      const bySources = partitions.toSorted((a, b) => b.sources - a.sources);
      const wanted = chain.find((each) => partitions.some((partition) => partition.locale === each));
      // The reader may see no article in a language.
      for (const locale of new Set([...(wanted ? [wanted] : []), ...bySources.map((each) => each.locale)])) {
        const titles = await passages.titles(locale, NEAREST_MAX);
        if (titles.length > 0) return titles.map((title) => ({ ...title, locale }));
      }
      return [];
    },
  };
}

/** Returns the article closest to an answer. A search always finds something, so a result that is not likely does not count. */
export const findNearestArticle = ({ likely, results }: Pick<Retrieval, 'likely' | 'results'>) =>
  likely ? results[0]?.articleId : undefined;

async function readArticles(
  passages: Passages,
  articleIds: readonly string[],
  preference: Preference,
): Promise<SelectedArticle[]> {
  const live = await passages.liveVariants(articleIds);
  const selected = articleIds.flatMap((id) => {
    const variants = live.filter(({ articleId }) => articleId === id);
    return selectVariant(variants, preference) ?? [];
  });
  const selections = new Map(selected.map(({ passageId, selection }) => [passageId, selection]));
  const loaded = await passages.load([...selections.keys()]);
  return loaded.map((passage) => ({ ...toVariant(passage), ...selections.get(passage.passageId)! }));
}

/** Whether the first article is less near than texts that have nothing to do with the workspace, and not good enough to quote. */
function isUnrelated({ confidence, threshold, evidence }: Ranking): boolean {
  const nearness = evidence?.similar?.score;
  return nearness !== undefined && nearness < evidence!.similarity.background && confidence < threshold;
}

function toNearest({ articleId, title, url, locale }: Result): Nearest {
  return { articleId, title, locale, url };
}

/**
 * Loads each match in the variant for this visitor. Skips articles that were unpublished since the
 * search.
 */
async function loadResults(
  passages: Passages,
  question: string,
  { matches, confidence }: Ranking,
  preference: Preference,
  { limit, quotedMax }: { limit: number; quotedMax: number },
): Promise<Result[]> {
  const selected = await selectVariants(passages, matches, preference, limit);
  const ids = new Set(selected.flatMap(({ match, passageId }) => [match.passageId, passageId]));
  const loaded = new Map((await passages.load([...ids])).map((passage) => [passage.passageId, passage]));
  const topScore = matches[0]?.score || 1;
  return selected.flatMap(({ match, passageId, selection }, at) => {
    const matched = loaded.get(match.passageId);
    const shown = loaded.get(passageId);
    if (!matched || !shown) return [];
    const result: Result = {
      ...toVariant(shown),
      ...selection,
      score: match.score,
      confidence: confidence * Math.min(1, match.score / topScore),
      ...(at < quotedMax ? selectResultQuotes(question, match, matched, shown) : { sentences: [] }),
    };
    return [result];
  });
}

const toVariant = ({ passageId: _, chunks: __, ...variant }: Passage): PublishedVariant => variant;

type SelectedVariant = {
  passageId: number;
  selection: LocaleSelection;
};

/** Returns undefined when none of an article's live variants is for these languages. */
function selectVariant(
  variants: readonly LiveVariant[],
  preference: Preference,
): SelectedVariant | undefined {
  const source = variants.find((variant) => variant.source)?.locale;
  const locales = variants.map(({ locale }) => locale);
  const selection = selectLocale(preference, locales, source);
  const variant = selection && variants.find(({ locale }) => locale === selection.contentLocale);
  return variant && { passageId: variant.passageId, selection };
}

async function selectVariants(
  passages: Passages,
  matches: readonly Match[],
  preference: Preference,
  limit: number,
): Promise<(SelectedVariant & { match: Match })[]> {
  const selected: (SelectedVariant & { match: Match })[] = [];
  for (let from = 0; from < matches.length && selected.length < limit; from += limit) {
    const batch = matches.slice(from, from + limit);
    const live = await passages.liveVariants(batch.map(({ articleId }) => articleId));
    for (const match of batch) {
      const variants = live.filter(({ articleId }) => articleId === match.articleId);
      const variant = selectVariant(variants, preference);
      if (variant && selected.length < limit) selected.push({ match, ...variant });
    }
  }
  return selected;
}

/** Returns the parts of the matched text that answer the question, or the corresponding parts of the shown variant. */
function selectResultQuotes(
  question: string,
  match: Match,
  matched: Passage,
  shown: Passage,
): Pick<Result, 'sentences' | 'bestSentence'> {
  const sentences =
    match.words?.chunk.sentences ?? matched.chunks.flatMap((chunk) => decodeNormalized(chunk).sentences);
  const request = {
    title: matched.title,
    answer: matched.answer,
    sentences,
    scores: match.words
      ? scoreSentences(match.words.scored.matches, match.words.query)
      : sentences.map((sentence) => scoreByMeaning(sentence, match.similar)),
    question,
    locale: matched.locale,
  };
  if (matched.passageId !== shown.passageId) {
    const spans = selectTranslatedQuotes(request, {
      title: shown.title,
      answer: shown.answer,
      sentences: shown.chunks.flatMap((chunk) => decodeNormalized(chunk).sentences),
    });
    return { sentences: spans.map((span) => quote(shown.answer, span)) };
  }
  const { scores } = request;
  const best = sentences[scores.indexOf(Math.max(...scores))];
  return {
    sentences: selectQuotes(request).map((span) => quote(shown.answer, span)),
    ...(best ? { bestSentence: quote(shown.answer, best) } : {}),
  };
}

/** Scores of the sentences of the most similar window, and of the most similar sentence. */
const WINDOW_SCORE = 0.5;
const SENTENCE_SCORE = 1;

function scoreByMeaning(sentence: Span, similar: SimilarArticle | undefined): number {
  if (similar?.sentence && overlaps(sentence, similar.sentence)) return SENTENCE_SCORE;
  return similar && overlaps(sentence, similar.window) ? WINDOW_SCORE : 0;
}

const overlaps = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

function quote(answer: string, { start, end }: Span): Sentence {
  return { text: answer.slice(start, end), start, end };
}
