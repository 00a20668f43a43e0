import {
  archiveTranslation,
  createArticle,
  createTranslation,
  deleteArticle,
  editArticle,
  editTranslation,
  listArticleRevisions,
  listArticles,
  listTranslations,
  listWaiting,
  publishArticle,
  publishTranslation,
  readArticle,
  readArticleRevision,
  readCoverage,
  readTranslation,
  restoreTranslation,
  reviewTranslation,
  submitTranslation,
  unpublishArticle,
} from '../../generated/routes.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './guide.ts';
import type { Answer, ClientRoute } from './http.ts';
import type { RowList } from './pages.ts';
import type {
  Article,
  ArticleContent,
  ArticleFilters,
  ArticleRevision,
  ArticleSummary,
  KnowledgeCoverage,
  ListOptions,
  NewArticle,
  NewTranslation,
  ReviewDecision,
  Translation,
  TranslationContent,
  TranslationDetail,
  WaitingFilters,
  WaitingPage,
  WaitingTranslation,
} from './types.ts';

/** An article as it was read, listed or answered last; its revision is what a change is based on. */
export type SeenArticle = Pick<Article, 'id' | 'revision'>;
/** A translation as it was read, listed or answered last; its revision is what a change is based on. */
export type SeenTranslation = Pick<Translation, 'id' | 'articleId' | 'revision'>;

/**
 * Articles. What changes one takes it as it was seen and answers with it as it is then, so that the answer is what the
 * next change takes. When somebody else came first, nothing is done: `isConflict` says so and tells who it was.
 */
export type Articles = {
  /** Without their texts, newest first. */
  list(filters?: ArticleFilters): RowList<ArticleSummary>;
  read(articleId: string, options?: CallOptions): Answer<Article>;
  /** Creates a draft. Rejects with `article/slug_taken` when another article has the slug. */
  create(article: NewArticle, options?: CallOptions): Answer<Article>;
  /** Replaces the whole content of the working copy; what is live stays until the next publication. */
  edit(seen: SeenArticle, content: ArticleContent, options?: CallOptions): Answer<Article>;
  /** Serves the working copy to visitors from now on. */
  publish(seen: SeenArticle, options?: CallOptions): Answer<Article>;
  /** Serves visitors neither the article nor any translation of it. */
  unpublish(seen: SeenArticle, options?: CallOptions): Answer<Article>;
  /** Deletes the article with its translations and all revisions of both. There is no way back. */
  delete(articleId: string, options?: CallOptions): Answer<void>;
  /** Every revision with its text, newest first. */
  revisions(articleId: string, options?: ListOptions): RowList<ArticleRevision>;
  /** One revision, such as the `sourceRevision` of a translation. */
  revision(articleId: string, revision: number, options?: CallOptions): Answer<ArticleRevision>;
  /** For every language, how many articles are live, stale, in the works or missing in it. */
  coverage(options?: CallOptions): Answer<KnowledgeCoverage>;
};

/** What waits to be done, longest waiting first; each page also tells how much there is of each kind. */
export type Waiting = AsyncIterable<WaitingTranslation> & {
  page(cursor?: string, options?: CallOptions): Answer<WaitingPage>;
};

/**
 * Translations and their review. As with articles, a change takes the translation as it was seen. A step that the status
 * does not allow rejects with `translation/not_allowed` and `currentStatus`, one that needs a newer text with
 * `translation/stale` and `currentSourceRevision`.
 */
export type Translations = {
  /** All translations of an article, by locale. */
  list(articleId: string, options?: CallOptions): RowList<Translation>;
  /** With its newest 100 revisions. */
  read(articleId: string, translationId: string, options?: CallOptions): Answer<TranslationDetail>;
  /** Creates a draft, one in each locale and at most 32. */
  create(articleId: string, translation: NewTranslation, options?: CallOptions): Answer<Translation>;
  /** Replaces the whole text, which is a draft afterwards; what is live stays live. */
  edit(seen: SeenTranslation, content: TranslationContent, options?: CallOptions): Answer<Translation>;
  submit(seen: SeenTranslation, options?: CallOptions): Answer<Translation>;
  /** Decides about exactly the revision that was seen. Changes are requested with a note. */
  review(
    seen: SeenTranslation,
    decision: ReviewDecision,
    options?: CallOptions & { readonly note?: string | undefined },
  ): Answer<Translation>;
  /** Makes the approved revision live. Visitors get it while the article itself is published. */
  publish(seen: SeenTranslation, options?: CallOptions): Answer<Translation>;
  /** Takes it from visitors, whatever was live. */
  archive(seen: SeenTranslation, options?: CallOptions): Answer<Translation>;
  /** Makes a draft of an archived translation; it is reviewed and published anew before visitors get it. */
  restore(seen: SeenTranslation, options?: CallOptions): Answer<Translation>;
  /** What waits for the caller, or for everybody: to be reviewed, changed, published or brought up to date. */
  waiting(filters?: WaitingFilters): Waiting;
};

export function openArticles({ ask, tell, list }: Connection, tenantId: string): Articles {
  const at = (articleId: string) => ({ parameters: { tenantId, articleId } });
  const step =
    (route: ClientRoute) =>
    ({ id, revision: baseRevision }: SeenArticle, options?: CallOptions) =>
      ask<Article>(route, { ...at(id), body: { baseRevision } }, options);
  return {
    list: ({ signal, ...query } = {}) => list(listArticles, { parameters: { tenantId }, query }, { signal }),
    read: (id, options) => ask(readArticle, at(id), options),
    create: (body, options) => ask(createArticle, { parameters: { tenantId }, body }, options),
    edit: ({ id, revision: baseRevision }, content, options) =>
      // Sent once more after it was done unheard, it would be told of a conflict with itself.
      ask(editArticle, { ...at(id), body: { ...content, baseRevision }, harmlessAgain: false }, options),
    publish: step(publishArticle),
    unpublish: step(unpublishArticle),
    delete: (id, options) => tell(deleteArticle, at(id), options),
    revisions: (id, { signal, limit } = {}) =>
      list(listArticleRevisions, { ...at(id), query: { limit } }, { signal }),
    revision: (articleId, revision, options) =>
      ask(readArticleRevision, { parameters: { tenantId, articleId, revision: `${revision}` } }, options),
    coverage: (options) => ask(readCoverage, { parameters: { tenantId } }, options),
  };
}

export function openTranslations({ ask, list }: Connection, tenantId: string): Translations {
  const at = (articleId: string, translationId: string) => ({
    parameters: { tenantId, articleId, translationId },
  });
  const step =
    (route: ClientRoute) =>
    ({ articleId, id, revision: baseRevision }: SeenTranslation, options?: CallOptions) =>
      ask<Translation>(route, { ...at(articleId, id), body: { baseRevision } }, options);
  return {
    list: (articleId, options) => list(listTranslations, { parameters: { tenantId, articleId } }, options),
    read: (articleId, id, options) => ask(readTranslation, at(articleId, id), options),
    create: (articleId, body, options) =>
      ask(createTranslation, { parameters: { tenantId, articleId }, body }, options),
    edit: ({ articleId, id, revision: baseRevision }, content, options) => {
      const body = { ...content, baseRevision };
      return ask(editTranslation, { ...at(articleId, id), body, harmlessAgain: false }, options);
    },
    submit: step(submitTranslation),
    review: ({ articleId, id, revision: baseRevision }, decision, { note: reviewNote, signal } = {}) =>
      ask(
        reviewTranslation,
        { ...at(articleId, id), body: { baseRevision, decision, reviewNote } },
        { signal },
      ),
    publish: step(publishTranslation),
    archive: step(archiveTranslation),
    restore: step(restoreTranslation),
    waiting: ({ signal, ...query } = {}) =>
      // Its pages hold more than rows.
      list(listWaiting, { parameters: { tenantId }, query }, { signal }) as unknown as Waiting,
  };
}
