import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { getSlugCandidates, toSlug } from '../base/slug.ts';
import { ApiError } from '../http/errors.ts';
import type { ChangeDeps } from '../knowledge/article-changes.ts';
import type { Indexing } from '../knowledge/search/indexing.ts';
import type { ChangeTranslationDeps } from '../knowledge/translation-changes.ts';
import type { ArticleContent } from '../storage/passages.ts';
import type {
  ArticleState,
  LastApplied,
  ReadText,
  RunItem,
  Snapshot,
  SourceMode,
} from '../storage/source-rows.ts';
import type { WorkspaceStore } from '../storage/store.ts';

/** Types and helpers for the two ways of writing a source's texts: publishing them, or writing drafts. */

export type ApplyDeps = {
  store: Pick<WorkspaceStore, 'sources' | 'articles' | 'translations'>;
  sourceId: string;
  mode: SourceMode;
  indexing: Indexing;
  clock: Clock;
  /** The member who started the run. */
  actor: string;
  /** Whether a person chose the source's text in a conflict. */
  replaces?: true;
};

/** A text to write, as the article or as a translation of it. */
export type TextToWrite = {
  item: RunItem;
  snapshot: Snapshot & { text: NonNullable<Snapshot['text']>; locale: string };
};

/** The article of the group, as it was read. */
export type GroupState = { root: string; article: ArticleState | undefined };

export type Written = {
  place: string;
  articleId?: string;
  translationId?: string;
  /** Why it was not written. */
  reason?: 'no_source_article' | 'too_many_locales' | 'invalid_article';
  detail?: string;
};

export function toContent({ title, answer, aliases, url }: ReadText): ArticleContent {
  return { title, answer, aliases, url };
}

export function toLastApplied(snapshot: Snapshot): LastApplied {
  const { place, translationOf, url, upload, readUrl, etag, lastModified } = snapshot;
  const { locale = 'und', contentHash = '' } = snapshot;
  const origin = { upload, readUrl, etag, lastModified };
  return { place, translationOf, url, ...origin, locale, contentHash, removed: false };
}

/** Returns 'outdated' if the article was changed meanwhile; rethrows any other error. */
export function toOutdated(error: unknown): 'outdated' {
  if (error instanceof ApiError && (error.status === 409 || error.status === 404)) return 'outdated';
  throw error;
}

export function toChangeDeps({ store, indexing, clock, actor }: ApplyDeps): ChangeDeps {
  return { articles: store.articles, indexing, clock, actor, isBulk: true };
}

export function toTranslationDeps({ store, indexing, clock, actor }: ApplyDeps): ChangeTranslationDeps {
  const { articles, translations } = store;
  return { articles, translations, indexing, clock, actor, isBulk: true };
}

/** Lists slugs to try: the stated one, else candidates made from the title; last, one with a unique suffix. */
export function listSlugs({ slug, title }: ReadText): readonly string[] {
  const unique = newId('art').slice(-8);
  return slug === undefined ? [...getSlugCandidates(toSlug(title), unique)] : [slug, `${slug}-${unique}`];
}
