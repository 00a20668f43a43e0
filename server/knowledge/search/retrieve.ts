/**
 * Finds what answers a visitor's question, in the variant that this visitor reads.
 *
 * Matching may use any live variant of an article; serving uses the one that is effective for the visitor.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Passage, Passages, PublishedVariant } from '../../storage/passages.ts';
import {
  type FallbackReason,
  getLocaleChain,
  type Preference,
  parseAcceptLanguage,
  type Served,
  selectLocale,
} from '../locale.ts';
import { decodeNormalized } from './chunks.ts';
import { bestSentences, samePlace } from './rank.ts';
import {
  ANSWER_THRESHOLD,
  type Found,
  type PartitionQuery,
  type PartitionSearch,
  prepareQueries,
  searchPartition,
} from './search-partition.ts';

export interface RetrieveRequest {
  readonly workspaceId: string;
  readonly question: string;
  /** The header as it came; ignored where a preference is given. */
  readonly acceptLanguage?: string | undefined;
  readonly preference?: Preference;
  /** Results at most; 5 unless said. */
  readonly limit?: number;
}

export interface Sentence {
  /** Verbatim from the answer, at these UTF-16 offsets. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Result extends PublishedVariant {
  /** The visitor's wish that the content meets, else the first wish; `und` where none was made. */
  readonly requestedLocale: string;
  readonly contentLocale: string;
  /** Absent when the visitor reads exactly what was wished. */
  readonly fallbackReason?: FallbackReason;
  /** 0..1, comparable between questions. */
  readonly score: number;
  /** How likely this article answers the question, 0..1. */
  readonly confidence: number;
  /** The best one first, at most two; empty for an answer without a single word. */
  readonly sentences: readonly Sentence[];
}

export interface Nearest {
  readonly articleId: string;
  readonly title: string;
  readonly url?: string;
  readonly locale: string;
}

export interface Retrieval {
  /** The visitor's first wish; `und` where none was made. */
  readonly requestedLocale: string;
  /** Whether the first result is worth quoting. */
  readonly found: boolean;
  /** Of the first result, 0..1. */
  readonly confidence: number;
  /** Best first, found or not. */
  readonly results: readonly Result[];
  /** What comes closest, for an answer that has to say "not found": at most three. */
  readonly nearest: readonly Nearest[];
}

export interface Retriever {
  retrieve(request: RetrieveRequest): Promise<Retrieval>;
}

const resultsDefault = 5;
const nearestMax = 3;
/** How many languages outside the visitor's chain are searched when the chain has no answer. */
const otherPartitionsMax = 3;
/** Another language is not searched unless it knows this part of the question. */
const knownPartMin = 0.3;

export function createRetriever(store: { passages(workspaceId: string): Passages }): Retriever {
  return {
    async retrieve({ workspaceId, question, acceptLanguage, preference, limit = resultsDefault }) {
      const passages = store.passages(workspaceId);
      const wish = preference ?? parseAcceptLanguage(acceptLanguage);
      const search = await searchChainThenOthers(passages, question, wish);
      const results = await serve(passages, search, wish, limit);
      const confidence = results[0]?.confidence ?? 0;
      return {
        requestedLocale: wish.wanted[0] ?? 'und',
        found: confidence >= ANSWER_THRESHOLD,
        confidence,
        results,
        nearest: results.slice(0, nearestMax).map(nearestOf),
      };
    },
  };
}

function nearestOf({ articleId, title, url, locale }: Result): Nearest {
  return { articleId, title, locale, ...(url === undefined ? {} : { url }) };
}

/**
 * The chain's own partitions and those that sources are written in. If they fail, the languages that know more of the
 * question than these do: it was asked in one of them.
 */
async function searchChainThenOthers(
  passages: Passages,
  question: string,
  wish: Preference,
): Promise<PartitionSearch> {
  const partitions = await passages.partitions();
  const chain = new Set(getLocaleChain(wish));
  const inChain = partitions.filter(({ locale, sources }) => chain.has(locale) || sources > 0);
  const own = await prepareQueries(passages, question, inChain);
  const first = await searchAll(passages, own);
  if (first.confidence >= ANSWER_THRESHOLD || inChain.length === partitions.length) return first;

  const others = partitions.filter((partition) => !inChain.includes(partition));
  const knownToOwn = Math.max(knownPartMin, ...own.map(({ known }) => known));
  const likely = (await prepareQueries(passages, question, others))
    .filter(({ known }) => known > knownToOwn)
    .sort((a, b) => b.known - a.known)
    .slice(0, otherPartitionsMax);
  return merged([first, await searchAll(passages, likely)]);
}

async function searchAll(passages: Passages, questions: readonly PartitionQuery[]): Promise<PartitionSearch> {
  const searches: PartitionSearch[] = [];
  for (const question of questions) {
    if (searches.length > 0) await nextTurn();
    searches.push(await searchPartition(passages, question));
  }
  return merged(searches);
}

/** Each article once, where it scored best; the surest search keeps its first place. */
function merged(searches: readonly PartitionSearch[]): PartitionSearch {
  const bySurety = [...searches].sort((a, b) => b.confidence - a.confidence);
  const surest = bySurety[0];
  if (!surest) return { found: [], confidence: 0 };
  const best = new Map<string, Found>();
  for (const one of bySurety.flatMap(({ found }) => found)) {
    const known = best.get(one.articleId);
    if (!known || (known !== surest.found[0] && one.score > known.score)) best.set(one.articleId, one);
  }
  const top = surest.found[0];
  const found = [...best.values()].sort((a, b) => {
    if (a === top || b === top) return a === top ? -1 : 1;
    return b.score - a.score;
  });
  return { found, confidence: surest.confidence };
}

/** What was found, in each article's effective variant. An article that left meanwhile, or has none, is skipped. */
async function serve(
  passages: Passages,
  { found, confidence }: PartitionSearch,
  wish: Preference,
  limit: number,
): Promise<Result[]> {
  const effective = await effectiveVariants(passages, found, wish, limit);
  const ids = new Set(effective.flatMap(({ one, passageId }) => [one.passageId, passageId]));
  const loaded = new Map((await passages.load([...ids])).map((passage) => [passage.passageId, passage]));
  const topScore = found[0]?.score || 1;
  return effective.flatMap(({ one, passageId, served }) => {
    const matched = loaded.get(one.passageId);
    const shown = loaded.get(passageId);
    if (!matched || !shown) return [];
    const { passageId: _, chunks: __, ...variant } = shown;
    const result: Result = {
      ...variant,
      ...served,
      score: one.score,
      confidence: confidence * Math.min(1, one.score / topScore),
      sentences: sentencesFor(one, matched, shown),
    };
    return [result];
  });
}

async function effectiveVariants(
  passages: Passages,
  found: readonly Found[],
  wish: Preference,
  limit: number,
): Promise<{ one: Found; passageId: number; served: Served }[]> {
  const chosen: { one: Found; passageId: number; served: Served }[] = [];
  for (let from = 0; from < found.length && chosen.length < limit; from += limit) {
    const some = found.slice(from, from + limit);
    const live = await passages.liveVariants(some.map(({ articleId }) => articleId));
    for (const one of some) {
      const variants = live.filter(({ articleId }) => articleId === one.articleId);
      const source = variants.find((variant) => variant.source)?.locale;
      const served = selectLocale(
        wish,
        variants.map(({ locale }) => locale),
        source,
      );
      const variant = served && variants.find(({ locale }) => locale === served.contentLocale);
      if (variant && chosen.length < limit) chosen.push({ one, passageId: variant.passageId, served });
    }
  }
  return chosen;
}

/** The best sentences of the match, or in another variant those that stand in the same places. */
function sentencesFor(one: Found, matched: Passage, shown: Passage): Sentence[] {
  const places = bestSentences(one.scored.matches, one.scale);
  if (matched.passageId === shown.passageId) {
    return places.map((place) => quote(shown.answer, one.window.sentences[place]!));
  }
  const own = matched.chunks.map((window) => decodeNormalized(window).sentences);
  const theirs = shown.chunks.flatMap((window) => decodeNormalized(window).sentences);
  const before = own.slice(0, one.ordinal).reduce((sum, sentences) => sum + sentences.length, 0);
  const ownCount = own.reduce((sum, sentences) => sum + sentences.length, 0);
  const same = places.map((place) => samePlace(before + place, ownCount, theirs.length));
  return [...new Set(same)].flatMap((place) => {
    const span = theirs[place];
    return span ? [quote(shown.answer, span)] : [];
  });
}

function quote(answer: string, { start, end }: { start: number; end: number }): Sentence {
  return { text: answer.slice(start, end), start, end };
}
