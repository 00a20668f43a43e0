import {
  archiveTranslation,
  createArticle,
  createTranslation,
  deleteArticle,
  deleteTranslation,
  dismissAliasSuggestion,
  editArticle,
  editTranslation,
  listAliasSuggestions,
  listArticleRevisions,
  listArticles,
  listReviewQueue,
  listTranslations,
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
import type { TenantConnection } from './connection.ts';
import type { CallOptions } from './http.ts';
import type {
  Article,
  ArticleContent,
  ArticleFilters,
  DismissedAlias,
  ListOptions,
  NewArticle,
  NewTranslation,
  ReviewDecision,
  ReviewQueueFilters,
  Translation,
  TranslationContent,
} from './types.ts';

/** An article as last read, listed or returned. A change is based on its revision. */
export type SeenArticle = Pick<Article, 'id' | 'revision'>;
/** A translation as last read, listed or returned. A change is based on its revision. */
export type SeenTranslation = Pick<Translation, 'id' | 'articleId' | 'revision'>;
/** A translation as last read, with the revision of its article that its author has read too. */
export type ReadTranslation = SeenTranslation & Pick<Translation, 'currentSourceRevision'>;

/**
 * Articles. A change takes the article as last seen and returns it as it is afterwards, ready for the next change. When
 * someone else has changed it meanwhile, nothing is saved and the call rejects with a conflict; see `isConflict`.
 */
export type Articles = ReturnType<typeof openArticles>;

/**
 * Translations and their review. As with articles, a change takes the translation as last seen. An action that the status
 * does not allow rejects with `translation/not_allowed` and `currentStatus`, one that needs a newer text with
 * `translation/stale` and `currentSourceRevision`.
 */
export type Translations = ReturnType<typeof openTranslations>;

/** The review queue, longest waiting first. Each page also counts the entries of each kind. */
export type ReviewQueue = ReturnType<Translations['reviewQueue']>;

export function openArticles({ call, send, list }: TenantConnection) {
  const changeStatus =
    (operation: typeof publishArticle | typeof unpublishArticle) =>
    ({ id, revision: baseRevision }: SeenArticle, options?: CallOptions) =>
      call(operation, { params: { articleId: id }, body: { baseRevision }, ...options });
  return {
    /** Without their texts, newest first. */
    list: ({ signal, ...query }: ArticleFilters = {}) => list(listArticles, { query, signal }),
    /** The newest revision of an article. Rejects with `article/not_found`. */
    read: (articleId: string, options?: CallOptions) =>
      call(readArticle, { params: { articleId }, ...options }),
    /** Creates a draft. Rejects with `article/slug_taken` when another article has the slug. */
    create: (article: NewArticle, options?: CallOptions) =>
      call(createArticle, { body: article, ...options }),
    /** Replaces the whole content of the working copy. The live version stays until the next publication. */
    edit: ({ id, revision: baseRevision }: SeenArticle, content: ArticleContent, options?: CallOptions) =>
      // A repeated request would conflict with its own success.
      call(editArticle, {
        params: { articleId: id },
        body: { ...content, baseRevision },
        idempotent: false,
        ...options,
      }),
    /** Makes the working copy live. */
    publish: changeStatus(publishArticle),
    /** Takes the article and all its translations offline. */
    unpublish: changeStatus(unpublishArticle),
    /** Deletes the article with its translations and all revisions of both. This cannot be undone. */
    delete: (articleId: string, options?: CallOptions) =>
      send(deleteArticle, { params: { articleId }, ...options }),
    /** All revisions with their texts, newest first. */
    revisions: (articleId: string, { signal, limit }: ListOptions = {}) =>
      list(listArticleRevisions, { params: { articleId }, query: { limit }, signal }),
    /** One revision, such as the `sourceRevision` of a translation. */
    revision: (articleId: string, revision: number, options?: CallOptions) =>
      call(readArticleRevision, { params: { articleId, revision }, ...options }),
    /** Words for what the title says that the article does not contain. To accept one, add it to its aliases. */
    aliasSuggestions: async (articleId: string, options?: CallOptions) =>
      (await call(listAliasSuggestions, { params: { articleId }, ...options })).data,
    /** Keeps a suggested alias from being suggested again for this article. */
    dismissAlias: (articleId: string, dismissed: DismissedAlias, options?: CallOptions) =>
      send(dismissAliasSuggestion, { params: { articleId }, body: dismissed, ...options }),
    /** For each language, how many articles are live, stale, in progress or missing. */
    coverage: (options?: CallOptions) => call(readCoverage, options),
  };
}

export function openTranslations({ call, send, list }: TenantConnection) {
  const changeStatus =
    (
      operation:
        | typeof submitTranslation
        | typeof publishTranslation
        | typeof archiveTranslation
        | typeof restoreTranslation,
    ) =>
    ({ articleId, id, revision: baseRevision }: SeenTranslation, options?: CallOptions) =>
      call(operation, { params: { articleId, translationId: id }, body: { baseRevision }, ...options });
  return {
    /** All translations of an article, sorted by locale. */
    list: (articleId: string, options?: CallOptions) =>
      list(listTranslations, { params: { articleId }, ...options }),
    /** A translation with its newest 100 revisions. */
    read: (articleId: string, translationId: string, options?: CallOptions) =>
      call(readTranslation, { params: { articleId, translationId }, ...options }),
    /** Creates a draft: one per locale, at most 32. */
    create: (articleId: string, translation: NewTranslation, options?: CallOptions) =>
      call(createTranslation, { params: { articleId }, body: translation, ...options }),
    /**
     * Replaces the whole text and makes it a draft. The live version stays live. Rejects with `translation/source_changed`
     * and `currentSourceRevision` when the article has changed since it was read.
     */
    edit: (
      { articleId, id, revision: baseRevision, currentSourceRevision: sourceRevision }: ReadTranslation,
      content: TranslationContent,
      options?: CallOptions,
    ) =>
      // A repeated request would conflict with its own success.
      call(editTranslation, {
        params: { articleId, translationId: id },
        body: { ...content, baseRevision, sourceRevision },
        idempotent: false,
        ...options,
      }),
    /** Deletes a translation that was never published. Rejects with `translation/was_published`. This cannot be undone. */
    delete: ({ articleId, id, revision }: SeenTranslation, options?: CallOptions) =>
      send(deleteTranslation, {
        params: { articleId, translationId: id },
        query: { baseRevision: String(revision) },
        ...options,
      }),
    /** Submits a draft for review. */
    submit: changeStatus(submitTranslation),
    /** Reviews exactly the revision that was seen. Requesting changes takes a note. */
    review: (
      { articleId, id, revision: baseRevision }: SeenTranslation,
      decision: ReviewDecision,
      { note: reviewNote, signal }: CallOptions & { readonly note?: string | undefined } = {},
    ) =>
      call(reviewTranslation, {
        params: { articleId, translationId: id },
        body: { baseRevision, decision, reviewNote },
        signal,
      }),
    /** Makes the approved revision live. Visitors get it while the article itself is published. */
    publish: changeStatus(publishTranslation),
    /** Takes the translation offline. */
    archive: changeStatus(archiveTranslation),
    /** Turns an archived translation into a draft, which has to be reviewed and published again. */
    restore: changeStatus(restoreTranslation),
    /** The review queue, of the caller or of everyone: to review, change, publish or bring up to date. */
    reviewQueue: ({ signal, ...query }: ReviewQueueFilters = {}) => list(listReviewQueue, { query, signal }),
  };
}
