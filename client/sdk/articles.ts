import * as operations from '../../generated/routes.ts';
import type { TenantConnection } from './connection.ts';
import type { CallOptions, LastCallOptions } from './http.ts';
import { bindMethods } from './methods.ts';
import type {
  Article,
  ArticleContent,
  DismissedAlias,
  ReviewDecision,
  Translation,
  TranslationContent,
} from './types.ts';

/** The articles of a workspace, with their translations and images. */

/** An article as last read, listed or returned. A change is based on its revision. */
export type SeenArticle = Pick<Article, 'id' | 'revision'>;
/** A translation as last read, listed or returned. A change is based on its revision. */
export type SeenTranslation = Pick<Translation, 'id' | 'articleId' | 'revision'>;
/** A translation as last read, with the revision of its article that its author has read too. */
export type ReadTranslation = SeenTranslation & Pick<Translation, 'currentSourceRevision'>;

/**
 * Articles. A change takes the article as last read and returns the changed article, ready for the next change. When
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

export function openArticles(bound: TenantConnection) {
  const { call, send } = bound;
  const { read, readById, write, pages, pagesOf, removeById } = bindMethods(bound);
  const changeStatus =
    (operation: typeof operations.publishArticle | typeof operations.unpublishArticle) =>
    ({ id, revision: baseRevision }: SeenArticle, options?: CallOptions) =>
      call(operation, { params: { articleId: id }, body: { baseRevision }, ...options });
  return {
    /** Without their texts, newest first. */
    list: pages(operations.listArticles),
    /** The newest revision of an article. Rejects with `article/not_found`. */
    read: readById(operations.readArticle, 'articleId'),
    /** Creates a draft. Rejects with `article/slug_taken` when another article has the slug. */
    create: write(operations.createArticle),
    /** Replaces the whole content of the working copy. The live version stays until the next publication. */
    edit: ({ id, revision: baseRevision }: SeenArticle, content: ArticleContent, options?: CallOptions) =>
      // A repeated request would conflict with its own success.
      call(operations.editArticle, {
        params: { articleId: id },
        body: { ...content, baseRevision },
        idempotent: false,
        ...options,
      }),
    /** Makes the working copy live. */
    publish: changeStatus(operations.publishArticle),
    /** Publishes the working copy at a later time, in RFC 3339 format; null cancels that. */
    schedule: (
      { id: articleId, revision: baseRevision }: SeenArticle,
      publishAt: string | null,
      options?: CallOptions,
    ) =>
      call(operations.scheduleArticle, {
        params: { articleId },
        body: { baseRevision, publishAt },
        ...options,
      }),
    /** Confirms that an article is right, and sets when to check it again; null for never. */
    verify: (articleId: string, verifyAfter: string | null, options?: CallOptions) =>
      call(operations.verifyArticle, { params: { articleId }, body: { verifyAfter }, ...options }),
    /** Takes the article and all its translations offline. */
    unpublish: changeStatus(operations.unpublishArticle),
    /** Deletes the article with its translations and all revisions of both. This cannot be undone. */
    delete: removeById(operations.deleteArticle, 'articleId'),
    /** All revisions with their texts, newest first. */
    revisions: pagesOf(operations.listArticleRevisions, 'articleId'),
    /** One revision, such as the `sourceRevision` of a translation. */
    revision: (articleId: string, revision: number, options?: CallOptions) =>
      call(operations.readArticleRevision, { params: { articleId, revision }, ...options }),
    /**
     * Suggests synonyms of the title's words that the article does not contain. To accept one, add it to the aliases.
     */
    aliasSuggestions: async (articleId: string, options?: CallOptions) =>
      (await call(operations.listAliasSuggestions, { params: { articleId }, ...options })).data,
    /** Keeps a suggested alias from being suggested again for this article. */
    dismissAlias: (articleId: string, dismissed: DismissedAlias, options?: CallOptions) =>
      send(operations.dismissAliasSuggestion, { params: { articleId }, body: dismissed, ...options }),
    /** The texts that contain these words, letter by letter. A page can be empty even when more follow. */
    find: pages(operations.findText),
    /** For each language, how many articles are live, stale, in progress or missing. */
    coverage: read(operations.readCoverage),
  };
}

/** A file of a few megabytes over a slow connection takes longer than other calls. */
const UPLOAD_SECONDS = 120;

export function openImages(bound: TenantConnection) {
  const { readById, pages } = bindMethods(bound);
  return {
    /** Newest first, each with the articles that show it; `used: false` lists images that no article shows. */
    list: pages(operations.listImages),
    /**
     * Stores an image for articles. Rejects with `image/unsupported` or `image/too_large` for files that guides cannot show,
     * and with `image/too_many` when the workspace has no room for it.
     */
    upload: (file: Blob, { name = '', ...options }: CallOptions & { name?: string } = {}) => {
      const body = new FormData();
      body.append('image', file);
      return bound.call(operations.uploadImage, {
        query: { name },
        body,
        deadlineSeconds: UPLOAD_SECONDS,
        ...options,
      });
    },
    /** Rejects with `image/in_use` and `usedBy` while articles show the image. */
    delete: readById(operations.deleteImage, 'imageId'),
  };
}

const bindStatusChange =
  ({ call }: TenantConnection) =>
  (
    operation:
      | typeof operations.submitTranslation
      | typeof operations.publishTranslation
      | typeof operations.archiveTranslation
      | typeof operations.restoreTranslation,
  ) =>
  ({ articleId, id, revision: baseRevision }: SeenTranslation, options?: LastCallOptions) =>
    call(operation, { params: { articleId, translationId: id }, body: { baseRevision }, ...options });

export function openTranslations(bound: TenantConnection) {
  const { call, send, list } = bound;
  const { pages, writeById } = bindMethods(bound);
  const changeStatus = bindStatusChange(bound);
  return {
    /** All translations of an article, sorted by locale. */
    list: (articleId: string, options?: CallOptions) =>
      list(operations.listTranslations, { params: { articleId }, ...options }),
    /** A translation with its newest 100 revisions. */
    read: (articleId: string, translationId: string, options?: CallOptions) =>
      call(operations.readTranslation, { params: { articleId, translationId }, ...options }),
    /** Creates a draft: one per locale, at most 32. */
    create: writeById(operations.createTranslation, 'articleId'),
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
      call(operations.editTranslation, {
        params: { articleId, translationId: id },
        body: { ...content, baseRevision, sourceRevision },
        idempotent: false,
        ...options,
      }),
    /** Deletes a translation that was never published. Rejects with `translation/was_published`. This cannot be undone. */
    delete: ({ articleId, id, revision }: SeenTranslation, options?: LastCallOptions) =>
      send(operations.deleteTranslation, {
        params: { articleId, translationId: id },
        query: { baseRevision: String(revision) },
        ...options,
      }),
    /** Submits a draft for review. */
    submit: changeStatus(operations.submitTranslation),
    /** Reviews exactly the revision that was seen. Requesting changes takes a note. */
    review: (
      { articleId, id, revision: baseRevision }: SeenTranslation,
      decision: ReviewDecision,
      { note: reviewNote, signal }: CallOptions & { note?: string | undefined } = {},
    ) =>
      call(operations.reviewTranslation, {
        params: { articleId, translationId: id },
        body: { baseRevision, decision, reviewNote },
        signal,
      }),
    /** Makes the approved revision live. Visitors get it while the article itself is published. */
    publish: changeStatus(operations.publishTranslation),
    /** Publishes the approved revision at a later time, in RFC 3339 format; null cancels that. */
    schedule: (
      { articleId, id, revision: baseRevision }: SeenTranslation,
      publishAt: string | null,
      options?: CallOptions,
    ) =>
      call(operations.scheduleTranslation, {
        params: { articleId, translationId: id },
        body: { baseRevision, publishAt },
        ...options,
      }),
    /** Takes the translation offline. */
    archive: changeStatus(operations.archiveTranslation),
    /** Turns an archived translation into a draft, which has to be reviewed and published again. */
    restore: changeStatus(operations.restoreTranslation),
    /** The review queue, of the caller or of everyone: to review, change, publish or bring up to date. */
    reviewQueue: pages(operations.listReviewQueue),
  };
}
