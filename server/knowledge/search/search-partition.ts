/** Searches one workspace in one locale: selects terms, fetches candidates and ranks them. */
import type { Candidate, Partition, Passages, WeightedTerm } from '../../storage/passages.ts';
import { decodeNormalized, type NormalizedText } from './chunks.ts';
import type { CountedWord, PartitionQuery } from './question-words.ts';
import { type AverageLengths, rank, type ScoredCandidate, type WeightedQuery } from './rank.ts';

/** An article found in one locale, by its best chunk. */
export interface ArticleMatch {
  articleId: string;
  locale: string;
  passageId: number;
  /** 0..1 */
  score: number;
  chunk: NormalizedText;
  scored: ScoredCandidate;
  query: WeightedQuery;
  partitionQuery: PartitionQuery;
}

const CANDIDATES_MAX = 50;
/** Maximum number of index entries read per search; bounds the time in large partitions. */
const POSTINGS_MAX = 30_000;
/** Words in a greater share of the chunks select candidates only within a lower limit of index entries. */
const FREQUENT_SHARE = 0.25;
const FREQUENT_POSTINGS_MAX = 600;

/** Returns each article once, best first. */
export async function searchPartition(
  passages: Passages,
  partitionQuery: PartitionQuery,
): Promise<ArticleMatch[]> {
  const { partition, words } = partitionQuery;
  const candidates = await selectCandidates(passages, partitionQuery);
  const chunks = candidates.map((candidate) => decodeNormalized(candidate.normalized));
  const titles = candidates.map((candidate) => decodeNormalized(candidate.titles));
  const { scored, query } = rank(
    words,
    candidates.map(({ articleId, ordinal }, at) => ({
      articleId,
      ordinal,
      chunk: chunks[at]!,
      titles: titles[at]!,
    })),
    getAverageLengths(partition),
  );
  return keepBestChunks(scored, candidates).map(
    ([scored, candidate]): ArticleMatch => ({
      articleId: candidate.articleId,
      locale: partition.locale,
      passageId: candidate.passageId,
      score: scored.score,
      chunk: chunks[scored.candidate]!,
      scored,
      query,
      partitionQuery,
    }),
  );
}

async function selectCandidates(
  passages: Passages,
  { partition, words }: PartitionQuery,
): Promise<readonly Candidate[]> {
  if (words.length === 0) return [];
  // A partition this small is ranked as a whole, and so found by parts of words, which the index does not contain.
  if (partition.chunks <= CANDIDATES_MAX) return passages.chunks(partition.locale, CANDIDATES_MAX);
  return passages.candidates(partition.locale, selectTerms(words, partition), CANDIDATES_MAX);
}

/**
 * Takes the content words, rarest first, until the limit is reached; function words only when there
 * is nothing else. Takes at least one known term.
 */
function selectTerms(words: readonly CountedWord[], partition: Partition): WeightedTerm[] {
  const known = words.filter(({ chunks }) => chunks > 0);
  const content = known.filter(({ isFunction }) => !isFunction);
  const terms = (content.length > 0 ? content : known).flatMap((word) =>
    [
      { hash: word.hash, weight: 1 },
      ...Array.from(word.longStems, (hash) => ({ hash, weight: 1 })),
      ...word.alternatives,
    ].map(({ hash, weight }) => ({
      term: hash,
      weight: word.weight * weight,
      chunks: word.counts.get(hash) ?? 0,
    })),
  );
  const selected: WeightedTerm[] = [];
  let postings = 0;
  for (const { term, weight, chunks } of terms.sort((a, b) => a.chunks - b.chunks)) {
    if (chunks === 0) continue;
    postings += chunks;
    const isFrequent = chunks > partition.chunks * FREQUENT_SHARE;
    if (selected.length > 0 && postings > (isFrequent ? FREQUENT_POSTINGS_MAX : POSTINGS_MAX)) break;
    selected.push({ term, weight });
  }
  return selected;
}

function getAverageLengths({ words, ngrams, chunks, sentences }: Partition): AverageLengths {
  return {
    chunkWords: words / chunks,
    chunkNgrams: ngrams / chunks,
    sentenceWords: words / sentences,
    sentenceNgrams: ngrams / sentences,
  };
}

function keepBestChunks(
  scored: readonly ScoredCandidate[],
  candidates: readonly Candidate[],
): [ScoredCandidate, Candidate][] {
  const best = new Map<string, [ScoredCandidate, Candidate]>();
  for (const chunk of scored) {
    const candidate = candidates[chunk.candidate]!;
    if (chunk.score > 0 && !best.has(candidate.articleId)) best.set(candidate.articleId, [chunk, candidate]);
  }
  return [...best.values()];
}
