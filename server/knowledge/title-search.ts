import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ArticleHead, Articles } from '../storage/articles.ts';
import { type Preference, selectLocale } from './locale.ts';
import { isChanged } from './records.ts';
import { normalizeForSearch } from './search/tokenize.ts';

/**
 * An unpublished text whose title or aliases match the question; shows owners why nothing was
 * found.
 */
export type UnpublishedMatch = {
  readonly articleId: string;
  readonly slug: string;
  readonly translationId?: string;
  readonly locale: string;
  readonly title: string;
  readonly reason: 'never_published' | 'unpublished' | 'newer_draft' | 'not_live';
};

const ROWS_A_READ = 100;
const ARTICLES_MAX = 5_000;
const MATCHES_MAX = 5;
/** Minimum share of the question's words in the title. */
const PART_MIN = 0.5;
/** Shorter words are mostly function words. */
const WORD_CHARS_MIN = 4;
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

export async function findUnpublishedMatches(
  articles: Pick<Articles, 'list'>,
  question: string,
  wish: Preference,
  signal: AbortSignal,
): Promise<UnpublishedMatch[]> {
  const asked = [...new Set(wordsOf(question))];
  const labelsOf = createTitleNormalizer();
  const found: { part: number; match: UnpublishedMatch }[] = [];
  let beforeId: string | undefined;
  for (let seen = 0; asked.length > 0 && seen < ARTICLES_MAX && !signal.aborted; seen += ROWS_A_READ) {
    const some = await articles.list(ROWS_A_READ, beforeId);
    for (const article of some) {
      const match = notServed(article, wish);
      const part = match ? partIn(await labelsOf(article), asked) : 0;
      if (match && part >= PART_MIN) found.push({ part, match });
    }
    if (some.length < ROWS_A_READ) break;
    beforeId = some.at(-1)?.id;
    await nextTurn();
  }
  return found
    .sort((a, b) => b.part - a.part)
    .slice(0, MATCHES_MAX)
    .map(({ match }) => match);
}

function wordsOf(text: string): string[] {
  return [...words.segment(normalizeForSearch(text, 'und'))].flatMap(({ segment, isWordLike }) => {
    const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(segment);
    return isWordLike && (isDense || segment.length >= WORD_CHARS_MIN) ? [segment] : [];
  });
}

/** Share of the question's words in title, slug and aliases, 0..1. */
function partIn(labels: string, asked: readonly string[]): number {
  return asked.filter((word) => labels.includes(word)).length / asked.length;
}

/**
 * The text that visitors with this preference would get if it were published; undefined when they
 * already get the newest.
 */
function notServed(article: ArticleHead, wish: Preference): UnpublishedMatch | undefined {
  const { id: articleId, slug, locale, content, live, status } = article;
  const match = { articleId, slug, locale, title: content.title };
  if (!live) return { ...match, reason: status === 'unpublished' ? 'unpublished' : 'never_published' };
  const wanted = article.variants.filter(({ status: state }) => state !== 'archived');
  const best = selectLocale(
    wish,
    [locale, ...wanted.map((variant) => variant.locale)],
    locale,
  )?.contentLocale;
  const variant = wanted.find((one) => one.locale === best);
  if (variant && !variant.live) {
    return { ...match, translationId: variant.translationId, locale: variant.locale, reason: 'not_live' };
  }
  return isChanged(article) ? { ...match, reason: 'newer_draft' } : undefined;
}

const CHARS_A_TURN = 50_000;

/**
 * Normalizes title, slug and aliases for search, each on its own line. Yields to other requests
 * after every CHARS_A_TURN characters.
 */
export function createTitleNormalizer(): (article: Pick<ArticleHead, 'slug' | 'content'>) => Promise<string> {
  let chars = 0;
  return async ({ slug, content }) => {
    const text = [content.title, slug, ...content.aliases].join('\n');
    chars += text.length;
    if (chars > CHARS_A_TURN) {
      chars = 0;
      await nextTurn();
    }
    return normalizeForSearch(text, 'und');
  };
}
