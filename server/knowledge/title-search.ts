import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Preference, selectLocale } from '../base/locale.ts';
import { hasUnspacedLetters, normalizeForSearch } from '../base/text.ts';
import type { ArticleHead } from '../storage/article-queries.ts';
import type { Articles } from '../storage/articles.ts';
import { isChanged } from './records.ts';

/**
 * An unpublished text whose title or aliases match the question. Shows owners why a search found
 * nothing.
 */
export type UnpublishedMatch = {
  articleId: string;
  slug: string;
  translationId?: string;
  locale: string;
  title: string;
  reason: 'never_published' | 'unpublished' | 'newer_draft' | 'not_live';
};

const ROWS_PER_READ = 100;
const ARTICLES_MAX = 5_000;
const MATCHES_MAX = 5;
/** Minimum share of the question's words in the title. */
const MATCH_SHARE_MIN = 0.5;
/** Shorter words are mostly function words. */
const WORD_CHARS_MIN = 4;
const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

export async function findUnpublishedMatches(
  articles: Pick<Articles, 'list'>,
  question: string,
  preference: Preference,
  signal: AbortSignal,
): Promise<UnpublishedMatch[]> {
  const questionWords = [...new Set(getContentWords(question))];
  const normalizeTitles = createTitleNormalizer();
  const matches: { share: number; match: UnpublishedMatch }[] = [];
  let beforeId: string | undefined;
  for (
    let rowsRead = 0;
    questionWords.length > 0 && rowsRead < ARTICLES_MAX && !signal.aborted;
    rowsRead += ROWS_PER_READ
  ) {
    const batch = await articles.list(ROWS_PER_READ, beforeId);
    for (const article of batch) {
      const match = toUnpublishedMatch(article, preference);
      const share = match ? getMatchShare(await normalizeTitles(article), questionWords) : 0;
      if (match && share >= MATCH_SHARE_MIN) matches.push({ share, match });
    }
    if (batch.length < ROWS_PER_READ) break;
    beforeId = batch.at(-1)?.id;
    await yieldToEventLoop();
  }
  return matches
    .sort((a, b) => b.share - a.share)
    .slice(0, MATCHES_MAX)
    .map(({ match }) => match);
}

function getContentWords(text: string): string[] {
  return [...wordSegmenter.segment(normalizeForSearch(text, 'und'))].flatMap(({ segment, isWordLike }) => {
    return isWordLike && (hasUnspacedLetters(segment) || segment.length >= WORD_CHARS_MIN) ? [segment] : [];
  });
}

/** Returns the share of the question's words in title, slug and aliases, 0..1. */
function getMatchShare(titles: string, questionWords: readonly string[]): number {
  return questionWords.filter((word) => titles.includes(word)).length / questionWords.length;
}

/**
 * Returns the text that visitors with this preference would get if it were published, or undefined
 * when they already get the latest text.
 */
function toUnpublishedMatch(article: ArticleHead, preference: Preference): UnpublishedMatch | undefined {
  const { id: articleId, slug, locale, content, live, status } = article;
  const match = { articleId, slug, locale, title: content.title };
  if (!live) return { ...match, reason: status === 'unpublished' ? 'unpublished' : 'never_published' };
  const translations = article.variants.filter(({ status: state }) => state !== 'archived');
  const best = selectLocale(
    preference,
    [locale, ...translations.map((variant) => variant.locale)],
    locale,
  )?.contentLocale;
  const variant = translations.find((translation) => translation.locale === best);
  if (variant && !variant.live) {
    return { ...match, translationId: variant.translationId, locale: variant.locale, reason: 'not_live' };
  }
  return isChanged(article) ? { ...match, reason: 'newer_draft' } : undefined;
}

const CHARS_BEFORE_YIELD = 50_000;

/**
 * Normalizes title, slug and aliases for search, one per line. Yields to other requests after every
 * CHARS_PER_TURN characters.
 */
function createTitleNormalizer(): (article: Pick<ArticleHead, 'slug' | 'content'>) => Promise<string> {
  let chars = 0;
  return async ({ slug, content }) => {
    const text = [content.title, slug, ...content.aliases].join('\n');
    chars += text.length;
    if (chars > CHARS_BEFORE_YIELD) {
      chars = 0;
      await yieldToEventLoop();
    }
    return normalizeForSearch(text, 'und');
  };
}
