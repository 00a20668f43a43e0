import { and, desc, eq, lt } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { isLive, isNewest, live, newest } from './article-search.ts';
import type { SqlDatabase } from './database.ts';
import { articles, translationRevisions, translations } from './schema/index.ts';
import { db, input, matches, statement } from './statements.ts';

/** The working copy of an article or a translation. */
export type StoredText = {
  articleId: string;
  translationId?: string | undefined;
  locale: string;
  revision: number;
  title: string;
  answer: string;
  contentHash: string;
  liveHash: string | null;
};

/** Sorts after every id. */
const AFTER_ALL_IDS = '~';

type Listing = {
  /** Translations in this locale, instead of the articles themselves. */
  locale: string | undefined;
  limit: number;
  beforeId?: string | undefined;
};

export function sqlStoredTexts({ read }: SqlDatabase) {
  return (workspaceId: string) => ({
    /** Lists working copies newest first, starting after the given id. */
    list: ({ locale, limit, beforeId = AFTER_ALL_IDS }: Listing): Promise<StoredText[]> =>
      read(workspaceId, (tx) =>
        locale === undefined
          ? tx.all(articleTexts, { workspaceId, limit, beforeId })
          : tx.all(translationTexts, { workspaceId, locale, limit, beforeId }),
      ),
  });
}

const articleTexts = statement(() =>
  db
    .select({
      articleId: articles.id,
      locale: articles.locale,
      revision: articles.revision,
      title: newest.title,
      answer: newest.answer,
      contentHash: newest.contentHash,
      liveHash: live.contentHash,
    })
    .from(articles)
    .innerJoin(newest, isNewest)
    .leftJoin(live, isLive)
    .where(and(matches(articles.workspaceId), lt(articles.id, input('beforeId'))))
    .orderBy(desc(articles.id))
    .limit(input('limit')),
);

export const newestText = alias(translationRevisions, 'newest_text');
export const isNewestText = and(
  eq(newestText.translationId, translations.id),
  eq(newestText.revision, translations.revision),
);
const liveText = alias(translationRevisions, 'live_text');
const translationTexts = statement(() =>
  db
    .select({
      articleId: translations.articleId,
      translationId: translations.id,
      locale: translations.locale,
      revision: translations.revision,
      title: newestText.title,
      answer: newestText.answer,
      contentHash: newestText.contentHash,
      liveHash: liveText.contentHash,
    })
    .from(translations)
    .innerJoin(newestText, isNewestText)
    .leftJoin(
      liveText,
      and(eq(liveText.translationId, translations.id), eq(liveText.revision, translations.liveRevision)),
    )
    .where(
      and(matches(translations.workspaceId, translations.locale), lt(translations.id, input('beforeId'))),
    )
    .orderBy(desc(translations.id))
    .limit(input('limit')),
);
