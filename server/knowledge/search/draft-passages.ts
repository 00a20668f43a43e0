import { EVERYTHING } from '../../base/audience.ts';
import type { Article } from '../../storage/article-queries.ts';
import type { Articles } from '../../storage/articles.ts';
import type {
  ArticleContent,
  Candidate,
  IndexedPassage,
  Partition,
  Passage,
  Passages,
  WeightedTerm,
} from '../../storage/passages.ts';
import type { Translation } from '../../storage/translations.ts';
import type { FindSimilar } from '../embeddings/similarity.ts';
import type { Indexing } from './indexing.ts';
import type { ReadingDeps } from './readings.ts';

/** Searches as if a change of one article were published, without writing anything. */

export type DraftChange = {
  article: Article;
  /** Publishes this translation, or nothing; without it, the article itself. */
  publish?: Translation | 'nothing';
};

type DraftDeps = { articles: Pick<Articles, 'liveTexts'>; indexing: Indexing; search: ReadingDeps };

/** Lets a search find the draft of an article instead of its published texts. */
export async function searchDraft(
  workspaceId: string,
  change: DraftChange,
  { articles, indexing, search }: DraftDeps,
): Promise<ReadingDeps> {
  const passages = search.passages(workspaceId, EVERYTHING);
  const { id } = change.article;
  const live = await passages.load((await passages.liveVariants([id])).map(({ passageId }) => passageId));
  const toIndexed = async (variant: Variant): Promise<IndexedPassage> => ({
    ...variant,
    ...(await indexing.index(variant.slug, variant.locale, variant)),
  });
  const published = await listPublished(change, articles);
  const locales = new Set(published.map(({ locale }) => locale));
  const isReplaced = ({ locale }: Passage) => change.publish === 'nothing' || locales.has(locale);
  const removed: Removed[] = [];
  for (const passage of live.filter(isReplaced))
    removed.push({ ...(await toIndexed(passage)), passageId: passage.passageId });
  const added: IndexedPassage[] = [];
  for (const variant of published) added.push(await toIndexed(variant));
  const { findSimilar } = search;
  return {
    ...search,
    // Who tries out a draft sees it, whoever its audience is.
    passages: (_, reader) => replacePassages(search.passages(workspaceId, reader), removed, added),
    findSimilar: findSimilar && replaceSimilar(findSimilar, removed, added),
  };
}

type Variant = Omit<IndexedPassage, 'titles' | 'chunks'>;
type Removed = IndexedPassage & { passageId: number };

/** Returns what the change publishes. */
async function listPublished(
  { article, publish }: DraftChange,
  articles: DraftDeps['articles'],
): Promise<Variant[]> {
  const { id: articleId, slug, revision } = article;
  const toVariant = (locale: string, content: ArticleContent, translationId?: string): Variant => ({
    ...{ articleId, slug, locale, revision, sourceRevision: revision, stale: false },
    ...content,
    ...(translationId === undefined ? {} : { translationId }),
  });
  if (publish === 'nothing') return [];
  // Translations are served only while their article is.
  if (publish) return article.live ? [toVariant(publish.locale, publish.content, publish.id)] : [];
  const translations = article.live ? [] : await articles.liveTexts(articleId);
  return [
    toVariant(article.locale, article.content),
    ...translations.map(({ locale, content, translationId }) => toVariant(locale, content, translationId)),
  ];
}

/** Ids of passages that are not stored are negative. */
const toDraftId = (index: number) => -1 - index;

function replacePassages(
  stored: Passages,
  removed: readonly Removed[],
  added: readonly IndexedPassage[],
): Passages {
  const removedIds = new Set(removed.map(({ passageId }) => passageId));
  const isKept = ({ passageId }: { passageId: number }) => !removedIds.has(passageId);
  const drafts = added.map((passage, index) => ({ ...passage, passageId: toDraftId(index) }));
  const inLocale = <T extends IndexedPassage>(passages: readonly T[], locale: string) =>
    passages.filter((passage) => passage.locale === locale);
  const listCandidates = (locale: string): (Candidate & { terms: Int32Array })[] =>
    inLocale(drafts, locale).flatMap(({ passageId, articleId, titles, chunks }) =>
      chunks.map(({ normalized, terms }, ordinal) => ({
        ...{ passageId, articleId, ordinal, normalized, titles, terms },
      })),
    );
  return {
    ...stored,
    async partitions() {
      const partitions = new Map((await stored.partitions()).map((each) => [each.locale, each]));
      for (const passage of removed) addToPartition(partitions, passage, -1);
      for (const passage of added) addToPartition(partitions, passage, 1);
      return [...partitions.values()].filter(({ articles }) => articles > 0);
    },
    async termCounts(locale, terms) {
      const counts = new Map(
        (await stored.termCounts(locale, terms)).map((each) => [each.term, each.chunks]),
      );
      const count = (passages: readonly IndexedPassage[], term: number) =>
        inLocale(passages, locale).flatMap(({ chunks }) => chunks.filter((each) => each.terms.includes(term)))
          .length;
      return terms
        .map((term) => ({
          term,
          chunks: (counts.get(term) ?? 0) - count(removed, term) + count(added, term),
        }))
        .filter(({ chunks }) => chunks > 0);
    },
    async candidates(locale, terms, limit) {
      const others = await stored.candidates(locale, terms, limit);
      return [...selectMatching(listCandidates(locale), terms, limit), ...others.filter(isKept)];
    },
    async chunks(locale, limit) {
      const removedChunks = inLocale(removed, locale).reduce((sum, { chunks }) => sum + chunks.length, 0);
      const others = await stored.chunks(locale, limit + removedChunks);
      return [...listCandidates(locale), ...others.filter(isKept)].slice(0, limit);
    },
    async liveVariants(articleIds) {
      const others = await stored.liveVariants(articleIds);
      return [
        ...others.filter(isKept),
        ...drafts
          .filter(({ articleId }) => articleIds.includes(articleId))
          .map(({ passageId, articleId, locale, translationId }) => ({
            ...{ passageId, articleId, locale, source: translationId === undefined },
          })),
      ];
    },
    async load(passageIds) {
      const loaded = await stored.load(passageIds.filter((id) => id > 0 && !removedIds.has(id)));
      const byId = new Map(
        [
          ...loaded,
          ...drafts.map((draft) => ({ ...draft, chunks: draft.chunks.map(({ normalized }) => normalized) })),
        ].map((passage) => [passage.passageId, passage]),
      );
      return passageIds.flatMap((id) => byId.get(id) ?? []);
    },
  };
}

function addToPartition(
  partitions: Map<string, Partition>,
  { locale, translationId, chunks }: IndexedPassage,
  sign: 1 | -1,
): void {
  const before = partitions.get(locale) ?? {
    ...{ locale, articles: 0, sources: 0, chunks: 0, sentences: 0, words: 0, ngrams: 0 },
  };
  const sum = (name: 'sentences' | 'words' | 'ngrams') =>
    before[name] + sign * chunks.reduce((total, chunk) => total + chunk[name], 0);
  partitions.set(locale, {
    locale,
    articles: before.articles + sign,
    sources: before.sources + (translationId === undefined ? sign : 0),
    chunks: before.chunks + sign * chunks.length,
    ...{ sentences: sum('sentences'), words: sum('words'), ngrams: sum('ngrams') },
  });
}

/** Selects the chunks that contain any of the terms, highest sum of weights first. */
function selectMatching(
  candidates: readonly (Candidate & { terms: Int32Array })[],
  terms: readonly WeightedTerm[],
  limit: number,
): Candidate[] {
  return candidates
    .map((candidate) => ({
      candidate,
      weight: terms.reduce((sum, each) => sum + (candidate.terms.includes(each.term) ? each.weight : 0), 0),
    }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** Compares by meaning with the stored vectors: those of a draft are computed after its publication. */
function replaceSimilar(
  findSimilar: FindSimilar,
  removed: readonly Removed[],
  added: readonly IndexedPassage[],
): FindSimilar {
  const drafts = new Map(
    added.flatMap(({ translationId, articleId }, index) =>
      translationId === undefined ? [[articleId, toDraftId(index)] as const] : [],
    ),
  );
  const removedIds = new Set(removed.map(({ passageId }) => passageId));
  return async (request) => {
    const comparison = await findSimilar(request);
    return (
      comparison && {
        ...comparison,
        similarities: comparison.similarities.map((similarity) => ({
          ...similarity,
          articles: similarity.articles.flatMap((article) => {
            if (!removedIds.has(article.passageId)) return [article];
            const passageId = drafts.get(article.articleId);
            return passageId === undefined ? [] : [{ ...article, passageId }];
          }),
        })),
      }
    );
  };
}
