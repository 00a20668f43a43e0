import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KnowledgeCoverage } from '../../contract/review-queue.ts';
import type { ArticleHead, Articles, VariantState } from '../storage/articles.ts';
import { comparedHash } from './article-record.ts';

type Locale = KnowledgeCoverage['locales'][number];
type Tally = { -readonly [K in keyof Locale]: Locale[K] };

const ROWS_A_READ = 100;
const LOCALES_MAX = 1_000;

/** How far the articles of a workspace are in every language that something is written in. */
export async function coverageOf(
  articles: Pick<Articles, 'list'>,
  signal: AbortSignal,
): Promise<KnowledgeCoverage> {
  const tallies = new Map<string, Tally & { there: number }>();
  const tallyOf = (locale: string) => {
    const known = tallies.get(locale) ?? { ...nothingIn(locale), there: 0 };
    tallies.set(locale, known);
    return known;
  };
  let total = 0;
  let published = 0;
  for (let beforeId: string | undefined; !signal.aborted; ) {
    const some = await articles.list(ROWS_A_READ, beforeId);
    for (const article of some) {
      total += 1;
      if (article.live) published += 1;
      countSource(article, tallyOf(article.locale));
      for (const variant of article.variants) countVariant(variant, article, tallyOf(variant.locale));
    }
    if (some.length < ROWS_A_READ) break;
    beforeId = some.at(-1)?.id;
    await nextTurn();
  }
  const locales = [...tallies.values()]
    .map(({ there, ...tally }) => ({ ...tally, missing: published - there }))
    .sort((a, b) => b.live + b.stale - (a.live + a.stale) || (a.locale < b.locale ? -1 : 1))
    .slice(0, LOCALES_MAX);
  return { articles: total, published, locales };
}

const nothingIn = (locale: string): Tally => ({
  locale,
  live: 0,
  stale: 0,
  draft: 0,
  inReview: 0,
  changesRequested: 0,
  approved: 0,
  archived: 0,
  missing: 0,
});

function countSource({ live, status }: ArticleHead, tally: Tally & { there: number }): void {
  if (live) {
    tally.live += 1;
    tally.there += 1;
  } else if (status === 'draft') tally.draft += 1;
}

const FIELDS = {
  draft: 'draft',
  in_review: 'inReview',
  changes_requested: 'changesRequested',
  approved: 'approved',
  archived: 'archived',
} as const;

function countVariant(
  { status, live }: VariantState,
  article: ArticleHead,
  tally: Tally & { there: number },
): void {
  if (status !== 'published') tally[FIELDS[status]] += 1;
  if (article.live && status !== 'archived') tally.there += 1;
  // Visitors get it while the article itself is published.
  if (live && article.live) tally[live.sourceHash === comparedHash(article) ? 'live' : 'stale'] += 1;
}
