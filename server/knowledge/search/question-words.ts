/** The words of a question in one partition: how rare they are, and which alternatives they have. */
import type { Partition, Passages } from '../../storage/passages.ts';
import type { Alternative, Dictionary } from '../dictionary/dictionary.ts';
import { getQueryWords, type QueryWord, type SearchWord } from './match.ts';
import { getIdf } from './rank.ts';
import { findAlternatives } from './spelling.ts';

/** The question, and the part of the conversation that it refers to. */
export interface SearchQuestion {
  question: string;
  /** Its words count less than those of the question. */
  context?: string | undefined;
}

export interface CountedWord extends SearchWord {
  /** Number of chunks that contain the word, or the number expected from its alternatives. */
  chunks: number;
  /** Number of chunks that contain each hash: of words, of their longer stems and of alternatives. */
  counts: ReadonlyMap<number, number>;
}

/** The question prepared for one partition. */
export interface PartitionQuery {
  partition: Partition;
  words: readonly CountedWord[];
  /** Share of the question's weight that belongs to words in the partition, 0..1. */
  knownShare: number;
}

/** Longer questions are cut to this length. */
const QUESTION_CHARS_MAX = 4_000;
/** Words to search for; longer questions are represented by their rarest words. */
const WORDS_MAX = 32;
/** Weight of a word of the conversation, relative to one of the question. */
const CONTEXT_WEIGHT = 0.4;
/** Unknown words for which to find alternatives; each takes up to a millisecond. */
const UNKNOWN_WORDS_MAX = 2;
/** Share of the content words that must be unknown before alternatives are looked up. */
const UNKNOWN_SHARE_MIN = 0.3;
/** Number of background texts, which a partition is assumed to contain besides its chunks; see countWord. */
const BACKGROUND_TEXTS = 30;
/** Share of the background texts that contain a function word, or a content word. */
const FUNCTION_WORD_SHARE = 0.5;
const CONTENT_WORD_SHARE = 0.005;
/**
 * Lowers the weight of function words: "what" is rare in help articles, so its IDF is too high. Fitted
 * on XQuAD and GNOME help, together with the shares above.
 */
const FUNCTION_WORD_DAMPING = 0.6;

/**
 * @param locale of the question; differs from the partition's when a dictionary translates the question
 */
export async function prepareQuery(
  passages: Passages,
  { question, context }: SearchQuestion,
  partition: Partition,
  { locale = partition.locale, dictionary }: { locale?: string; dictionary?: Dictionary | undefined } = {},
): Promise<PartitionQuery> {
  const questionWords = getQueryWords(question.slice(0, QUESTION_CHARS_MAX), locale);
  const questionHashes = new Set(questionWords.map(({ hash }) => hash));
  const contextWords =
    context === undefined ? [] : getQueryWords(context.slice(0, QUESTION_CHARS_MAX), locale);
  const newContextWords = contextWords.filter(
    ({ hash, isFunction }) => !questionHashes.has(hash) && !isFunction,
  );
  const alternativesByWord = new Map<QueryWord, readonly Alternative[]>(
    [...questionWords, ...newContextWords].map((word) => [
      word,
      translate(word, locale, partition.locale, dictionary),
    ]),
  );
  const hashes = [...alternativesByWord].flatMap(([word, others]) => [
    word.hash,
    ...word.longStems,
    ...others.map(({ hash }) => hash),
  ]);
  const termCounts = await passages.termCounts(partition.locale, [...new Set(hashes)]);
  const counts = new Map(termCounts.map(({ term, chunks }) => [term, chunks]));
  const isForeign = locale !== partition.locale;
  if (!isForeign) await addSpellingAlternatives(passages, partition.locale, alternativesByWord, counts);
  const words = [...alternativesByWord].map(([word, alternatives]) =>
    countWord(word, alternatives, counts, partition, questionWords.includes(word) ? 1 : CONTEXT_WEIGHT),
  );
  return { partition, words: keepRarest(words), knownShare: getKnownShare(words) };
}

function translate(
  word: QueryWord,
  from: string,
  to: string,
  dictionary: Dictionary | undefined,
): readonly Alternative[] {
  return word.isFunction ? [] : (dictionary?.lookUp(from, to, word.hash) ?? []);
}

/** Adds alternatives to words that are not in the partition, if those words are a large share of the question. */
async function addSpellingAlternatives(
  passages: Passages,
  locale: string,
  alternativesByWord: Map<QueryWord, readonly Alternative[]>,
  counts: Map<number, number>,
): Promise<void> {
  const content = [...alternativesByWord].filter(([word]) => !word.isFunction);
  const unknown = content.filter(([word, others]) => ![word, ...others].some(({ hash }) => counts.has(hash)));
  if (unknown.length < content.length * UNKNOWN_SHARE_MIN) return;
  for (const [word] of unknown.slice(0, UNKNOWN_WORDS_MAX)) {
    const found = await findAlternatives(passages, locale, word.text);
    for (const { hash, chunks } of found) counts.set(hash, chunks);
    if (found.length > 0) alternativesByWord.set(word, found);
  }
}

/**
 * Counts a word by its alternatives when only those occur (Darwish and Oard 2003). The weight is an
 * inverse document frequency, as if the partition also contained the background texts: a few
 * articles do not show how rare a word is.
 */
function countWord(
  word: QueryWord,
  alternatives: readonly Alternative[],
  counts: ReadonlyMap<number, number>,
  { chunks: total }: Partition,
  importance: number,
): CountedWord {
  const expectedChunks = alternatives.reduce(
    (sum, { hash, weight }) => sum + weight * (counts.get(hash) ?? 0),
    0,
  );
  const chunks = counts.get(word.hash) ?? Math.min(total, expectedChunks);
  const share = word.isFunction ? FUNCTION_WORD_SHARE : CONTENT_WORD_SHARE;
  const idf = getIdf(total + BACKGROUND_TEXTS, chunks + BACKGROUND_TEXTS * share);
  const weight = importance * (word.isFunction ? FUNCTION_WORD_DAMPING * idf : idf);
  return { ...word, alternatives, weight, chunks, counts };
}

function keepRarest(words: readonly CountedWord[]): readonly CountedWord[] {
  if (words.length <= WORDS_MAX) return words;
  return words
    .filter(({ chunks }) => chunks > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, WORDS_MAX);
}

/** Returns the share of the words' weight that belongs to words in the partition, 0..1. */
export function getKnownShare(words: readonly CountedWord[]): number {
  let [total, known] = [0, 0];
  for (const { weight, chunks } of words) {
    total += weight;
    if (chunks > 0) known += weight;
  }
  return total === 0 ? 0 : known / total;
}
