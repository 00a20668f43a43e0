import { z } from 'zod';
import {
  aliases,
  answer,
  article,
  articlePage,
  articleRevision,
  articleRevisionPage,
  articleStatus,
  givenUrl,
  searchReply,
  slug,
  title,
  translationStatus,
} from './article-record.ts';
import { articleId, locale, okReply, pageQuery, revisionNumber, wholeNumber, workspaceId } from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { editRoute, readRoute } from './route-presets.ts';

const baseRevision = revisionNumber.describe(
  'The revision you last read. The request fails with a conflict if it is no longer the latest.',
);

const content = {
  title,
  answer,
  aliases: aliases.optional().describe('Search keywords. Defaults to none.'),
  url: givenUrl.describe('Public http or https URL. Defaults to none.'),
};

export const newArticle = z
  .strictObject({
    ...content,
    slug: slug
      .optional()
      .describe('Stable name in imports and exports. Defaults to one derived from the title.'),
    locale: locale
      .optional()
      .describe("Language of the article as a BCP 47 tag. Defaults to the workspace's source locale."),
  })
  .meta({ id: 'NewArticle', description: 'An article to create as a draft.' });

export const articleEdit = z.strictObject({ baseRevision, ...content }).meta({
  id: 'ArticleEdit',
  description: 'The complete content of an article. It replaces the existing content.',
});

export const articleBase = z
  .strictObject({ baseRevision })
  .meta({ id: 'ArticleBase', description: 'The revision that the action applies to.' });

const changedFilter = z.enum(['true', 'false']).meta({
  id: 'ChangedFilter',
  description: 'Whether the working copy of an article differs from its live revision.',
});

const staleFilter = z.enum(['true', 'false']).meta({
  id: 'StaleFilter',
  description: 'Whether the article has changed since it was translated.',
});

const pathParams = z.strictObject({ tenantId: workspaceId });
const articleParams = z.strictObject({ tenantId: workspaceId, articleId });

const revisionParams = z.strictObject({
  tenantId: workspaceId,
  articleId,
  revision: z
    .string()
    .max(10)
    .regex(/^[1-9]\d{0,9}$/)
    .describe('Revision number, from 1.')
    .meta({ example: '3' }),
});

const base = '/api/tenants/:tenantId/knowledge';

export const articles = router({
  listArticles: route({
    method: 'GET',
    path: `${base}/articles`,
    summary: 'List articles',
    description: "Returns the workspace's articles without their texts, newest first.",
    pathParams,
    query: z.strictObject({
      ...pageQuery,
      q: z
        .string()
        .min(1)
        .max(LIMITS.searchQueryCharsMax)
        .optional()
        .describe(
          'Only articles with these words in the title, slug or aliases. Case and accents are ignored.',
        )
        .meta({ example: 'return' }),
      status: articleStatus.optional().describe('Only articles with this status.'),
      missing: locale
        .optional()
        .describe('Only articles with no live text in this locale, or only a stale one.'),
      changed: changedFilter
        .optional()
        .describe('Only published articles with unpublished changes (`true`), or only the others (`false`).'),
      locale: locale
        .optional()
        .describe(
          'Only articles with a translation in this locale. The other translation filters then apply to ' +
            'it.',
        ),
      translationStatus: translationStatus
        .optional()
        .describe('Only articles with a translation in this status.'),
      stale: staleFilter
        .optional()
        .describe('Only articles with a stale translation (`true`) or an up-to-date one (`false`).'),
    }),
    responses: { 200: articlePage },
    errors: [],
    meta: { ...readRoute, tag: 'Articles', operationId: 'listArticles' },
  }),

  createArticle: route({
    method: 'POST',
    path: `${base}/articles`,
    summary: 'Create an article',
    description: 'Creates a draft. Visitors do not see it until it is published.',
    pathParams,
    body: newArticle,
    responses: { 201: article },
    errors: ['article/slug_taken'],
    meta: {
      ...editRoute,
      tag: 'Articles',
      operationId: 'createArticle',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),

  readArticle: route({
    method: 'GET',
    path: `${base}/articles/:articleId`,
    summary: 'Retrieve an article',
    description: 'Returns the working copy of an article and what is live of it and its translations.',
    pathParams: articleParams,
    responses: { 200: article },
    errors: ['article/not_found'],
    meta: { ...readRoute, tag: 'Articles', operationId: 'readArticle' },
  }),

  editArticle: route({
    method: 'PUT',
    path: `${base}/articles/:articleId`,
    summary: 'Update an article',
    description:
      'Replaces the content of the working copy and creates a revision. The live revision stays until ' +
      'the next publish. An update without changes creates no revision.',
    pathParams: articleParams,
    body: articleEdit,
    responses: { 200: article },
    errors: ['article/not_found', 'article/conflict'],
    meta: {
      ...editRoute,
      tag: 'Articles',
      operationId: 'editArticle',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),

  deleteArticle: route({
    method: 'DELETE',
    path: `${base}/articles/:articleId`,
    summary: 'Delete an article',
    description: 'Permanently deletes an article with its translations and all their revisions.',
    pathParams: articleParams,
    responses: { 200: okReply },
    errors: ['article/not_found'],
    meta: { ...editRoute, tag: 'Articles', operationId: 'deleteArticle' },
  }),

  publishArticle: route({
    method: 'POST',
    path: `${base}/articles/:articleId/publish`,
    summary: 'Publish an article',
    description:
      'Makes the working copy and the live translations visible to visitors. Translations of other ' +
      'content are marked stale.',
    pathParams: articleParams,
    body: articleBase,
    responses: { 200: article },
    errors: ['article/not_found', 'article/conflict', 'article/not_allowed'],
    meta: { ...editRoute, tag: 'Articles', operationId: 'publishArticle' },
  }),

  unpublishArticle: route({
    method: 'POST',
    path: `${base}/articles/:articleId/unpublish`,
    summary: 'Unpublish an article',
    description:
      'Hides the article and its translations from visitors. The translations become visible again ' +
      'when the article is published again.',
    pathParams: articleParams,
    body: articleBase,
    responses: { 200: article },
    errors: ['article/not_found', 'article/conflict', 'article/not_allowed'],
    meta: { ...editRoute, tag: 'Articles', operationId: 'unpublishArticle' },
  }),

  listArticleRevisions: route({
    method: 'GET',
    path: `${base}/articles/:articleId/revisions`,
    summary: 'List the revisions of an article',
    description:
      'Returns revisions, newest first. Revisions never change. Pages with long texts may be shorter ' +
      'than `limit`.',
    pathParams: articleParams,
    query: z.strictObject(pageQuery),
    responses: { 200: articleRevisionPage },
    errors: ['article/not_found'],
    meta: { ...readRoute, tag: 'Articles', operationId: 'listArticleRevisions' },
  }),

  readArticleRevision: route({
    method: 'GET',
    path: `${base}/articles/:articleId/revisions/:revision`,
    summary: 'Retrieve a revision of an article',
    description: 'Returns an article as of a revision, for example the one that a translation was made from.',
    pathParams: revisionParams,
    responses: { 200: articleRevision },
    errors: ['article/not_found'],
    meta: { ...readRoute, tag: 'Articles', operationId: 'readArticleRevision' },
  }),

  searchKnowledge: route({
    method: 'GET',
    path: `${base}/search`,
    summary: 'Search articles as a visitor',
    description:
      'Returns exactly what a visitor with this locale would see, best match first: live content only, ' +
      'and each article in one variant.',
    pathParams,
    query: z.strictObject({
      q: z
        .string()
        .min(1)
        .max(LIMITS.searchQueryCharsMax)
        .describe('Search query.')
        .meta({ example: 'How do I return an order?' }),
      locale: locale.optional().describe("The visitor's preferred locale, a BCP 47 tag. Defaults to none."),
      limit: wholeNumber(1, LIMITS.searchResultsMax, 10)
        .describe('Maximum number of articles.')
        .meta({ example: 10 }),
    }),
    responses: { 200: searchReply },
    errors: [],
    meta: { ...readRoute, tag: 'Articles', operationId: 'searchKnowledge' },
  }),
});
