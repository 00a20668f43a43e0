import { KIB } from './units.ts';

/** Limits of articles, translations and searches. */
export const ARTICLE_LIMITS = {
  /** Translations that the review queue considers. */
  reviewQueueRowsMax: 5000,
  localesPerArticleMax: 32,
  revisionsShown: 100,
  /** Every text at its maximum length, each character up to twelve bytes. */
  articleBodyBytesMax: 1536 * KIB,
  reviewNoteCharsMax: 2000,
  slugCharsMax: 200,
  searchSummaryCharsMax: 280,
  /** How far ahead a publication can be scheduled, and an article be left unverified. */
  scheduleDaysMax: 1830,
  searchQueryCharsMax: 1000,
  searchResultsMax: 50,
  /** What visitors get at once when they browse and when they search. */
  helpPageRowsMax: 50,
  helpHitsMax: 10,
  titleCharsMax: 300,
  answerCharsMax: 100_000,
  aliasesMax: 50,
  aliasCharsMax: 200,
  aliasSuggestionsMax: 20,
  /** Words to find in texts, the places shown of one text, and the characters around each. */
  findTextCharsMax: 200,
  findHitsMax: 100,
  findContextChars: 60,
  /** Articles of one bulk action. */
  bulkArticlesMax: 500,
  /** Article ids that a selection of all matching articles may contain. */
  matchingIdsMax: 10_000,
  collectionsMax: 200,
  collectionNameCharsMax: 80,
  /** Slugs in addresses: 100 characters of the title, each up to two units, and a suffix. */
  addressSlugCharsMax: 220,
  /** Slugs that lead to a collection besides its own. More renames forget the oldest. */
  earlierSlugsMax: 20,
  tagsPerArticleMax: 20,
  tagCharsMax: 40,
  /** Tags that the list of tags contains: the most frequent ones. */
  tagsListedMax: 500,
  /** Dismissed aliases per article. Dismissing more forgets the oldest. */
  dismissedAliasesMax: 200,
} as const;
