/** Searches for a message alone and together with the question before it, and decides which of the two is meant. */

import type { Grants } from '../../base/audience.ts';
import type { Preference } from '../../base/locale.ts';
import type { Passages } from '../../storage/passages.ts';
import type { Dictionary } from '../dictionary/dictionary.ts';
import type { FindSimilar } from '../embeddings/similarity.ts';
import { COSINE_SCALE, computeContinuation, type ReadingFeatures, toOdds } from './confidence.ts';
import { getQueryWords } from './match.ts';
import { type Match, type Ranking, rankArticles, rankByWords } from './rank-articles.ts';
import { addOtherLanguages, searchByWords, type WordSearch } from './search-words.ts';

/** What a message may continue. */
export interface SearchContext {
  /** The question before. Its words count less than those of the message. */
  text: string;
  /** Articles that the last answers cited. */
  articleIds: readonly string[];
}

export type ReadingDeps = {
  passages(workspaceId: string, reader?: Grants): Passages;
  /** The dictionary learned from the workspace's translations, if any. */
  dictionaries?(workspaceId: string): Promise<Dictionary>;
  /** Detects the language of a question by itself, where it is clearly not the expected one. */
  detectLanguage?(question: string, expected: string | undefined): string | undefined;
  /** Without it, articles are found by words alone. */
  findSimilar?: FindSimilar | undefined;
};

type Message = {
  workspaceId: string;
  question: string;
  reader?: Grants | undefined;
  context?: SearchContext;
  preference: Preference;
};

export async function rankReadings(
  { passages: open, dictionaries, detectLanguage, findSimilar }: ReadingDeps,
  { workspaceId, question, reader, context, preference }: Message,
): Promise<Ranking> {
  const passages = open(workspaceId, reader);
  const texts = context ? [question, joinTexts(context.text, question)] : [question];
  const comparing = findSimilar?.({
    workspaceId,
    texts,
    before: context?.text,
    hidden: passages.hiddenArticles(),
  });
  const [partitions, dictionary] = await Promise.all([passages.partitions(), dictionaries?.(workspaceId)]);
  const detected = detectLanguage?.(question, preference.wanted[0]);
  const alone: WordSearch = { question, articleIds: [], preference, partitions, dictionary, detected };
  const searches = context
    ? [alone, { ...alone, context: context.text, articleIds: context.articleIds }]
    : [alone];
  const found = [];
  for (const search of searches) {
    found.push(await addOtherLanguages(passages, search, await searchByWords(passages, search)));
  }
  const comparison = await comparing;
  const rankings: Ranking[] = [];
  for (const [at, words] of found.entries()) {
    const similarity = comparison?.similarities[at];
    const isCompared = similarity && similarity.articles.length > 0;
    rankings.push(
      isCompared ? await rankArticles(passages, words, similarity) : rankByWords(words, searches[at]!),
    );
  }
  const [first, inContext] = rankings as [Ranking, Ranking | undefined];
  if (!inContext) return first;
  const features = getReadingFeatures(question, found[0]!.language, first, inContext, comparison?.toBefore);
  const continues = computeContinuation(features, first.evidence?.similarity.model);
  return chooseReading(continues, first, inContext);
}

/** The text whose meaning is compared for a message and the question before it. */
export const joinTexts = (before: string, message: string) => `${before}\n${message}`;

/**
 * Chooses the reading that is more probably meant and answered. A reading's confidence is that of its ranking times the
 * likelihood that it is meant; if both find the same article, the two add up.
 * @param continues likelihood that the message continues the conversation
 */
export function chooseReading<
  Reading extends Pick<Ranking, 'confidence'> & { matches: readonly Pick<Match, 'articleId'>[] },
>(continues: number, alone: Reading, inContext: Reading): Reading {
  const aloneShare = (1 - continues) * alone.confidence;
  const inContextShare = continues * inContext.confidence;
  const isSame = alone.matches[0]?.articleId === inContext.matches[0]?.articleId;
  const chosen = inContextShare >= aloneShare ? inContext : alone;
  const confidence = isSame ? aloneShare + inContextShare : Math.max(aloneShare, inContextShare);
  return { ...chosen, confidence };
}

/** @param similar cosine of the message and the question before */
export function getReadingFeatures(
  message: string,
  language: string,
  alone: Pick<Ranking, 'confidence'>,
  inContext: Pick<Ranking, 'confidence'>,
  similar: number | undefined,
): ReadingFeatures {
  const content = getQueryWords(message, language).filter(({ isFunction }) => !isFunction).length;
  return {
    content: Math.log1p(content),
    alone: toOdds(alone.confidence),
    inContext: toOdds(inContext.confidence),
    ...(similar === undefined ? {} : { similar: similar * COSINE_SCALE }),
  };
}
