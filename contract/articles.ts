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
import { changing, reading } from './route-presets.ts';

const baseRevision = revisionNumber.describe(
  'The revision that you have seen; when it is no longer the newest, nothing is done.',
);

const content = {
  title,
  answer,
  aliases: aliases.optional().describe('Other words to be found by; none when absent.'),
  url: givenUrl.describe('The http or https address that visitors can read this at; none when absent.'),
};

export const newArticle = z
  .strictObject({
    ...content,
    slug: slug
      .optional()
      .describe('The name of the article in imports and exports; made of the title when absent.'),
    locale: locale
      .optional()
      .describe(
        "The language that it is written in, a BCP 47 tag; the workspace's source locale when absent.",
      ),
  })
  .meta({ id: 'NewArticle', description: 'An article to create as a draft.' });

export const articleEdit = z
  .strictObject({ baseRevision, ...content })
  .meta({ id: 'ArticleEdit', description: 'The whole content of an article; it replaces what was there.' });

export const articleBase = z
  .strictObject({ baseRevision })
  .meta({ id: 'ArticleBase', description: 'The revision of an article that a step is meant for.' });

const changedFilter = z.enum(['true', 'false']).meta({
  id: 'ChangedFilter',
  description: 'Whether the working copy of an article differs from what is live.',
});

const staleFilter = z.enum(['true', 'false']).meta({
  id: 'StaleFilter',
  description: 'Whether a translation was made for other content of its article than it has now.',
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
    .describe('The number of the revision, from 1.')
    .meta({ example: '3' }),
});

const base = '/api/tenants/:tenantId/knowledge';

export const articles = router({
  listArticles: route({
    method: 'GET',
    path: `${base}/articles`,
    summary: 'List articles',
    description: 'The articles of the workspace without their texts, newest first.',
    pathParams,
    query: z.strictObject({
      ...pageQuery,
      q: z
        .string()
        .min(1)
        .max(LIMITS.searchQueryCharsMax)
        .optional()
        .describe(
          'Only articles with these words in title, slug or aliases, whatever their case and accents.',
        )
        .meta({ example: 'return' }),
      status: articleStatus.optional().describe('Only articles with this status.'),
      missing: locale
        .optional()
        .describe('Only articles of which nothing is live in this locale, or only something stale.'),
      changed: changedFilter
        .optional()
        .describe('Only articles that are published and have a newer working copy, or only the others.'),
      locale: locale
        .optional()
        .describe(
          'Only articles with a translation in this locale; what is asked of translations is asked of this one.',
        ),
      translationStatus: translationStatus
        .optional()
        .describe('Only articles with a translation whose working copy has this status.'),
      stale: staleFilter
        .optional()
        .describe(
          'Only articles with a translation whose working copy or live text is stale, or with one where neither is.',
        ),
    }),
    answers: { 200: articlePage },
    errors: [],
    meta: { ...reading, tag: 'Articles', operationId: 'listArticles' },
  }),

  createArticle: route({
    method: 'POST',
    path: `${base}/articles`,
    summary: 'Create an article',
    description: 'Creates a draft. Visitors are not served it before it is published.',
    pathParams,
    body: newArticle,
    answers: { 201: article },
    errors: ['article/slug_taken'],
    meta: {
      ...changing,
      tag: 'Articles',
      operationId: 'createArticle',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),

  readArticle: route({
    method: 'GET',
    path: `${base}/articles/:articleId`,
    summary: 'Read an article',
    description: 'The working copy of an article, and what of it and of its translations is live.',
    pathParams: articleParams,
    answers: { 200: article },
    errors: ['article/not_found'],
    meta: { ...reading, tag: 'Articles', operationId: 'readArticle' },
  }),

  editArticle: route({
    method: 'PUT',
    path: `${base}/articles/:articleId`,
    summary: 'Edit an article',
    description:
      'Replaces the content of the working copy by a new revision. What is live stays until the next publication. An edit that ' +
      'changes nothing makes no revision.',
    pathParams: articleParams,
    body: articleEdit,
    answers: { 200: article },
    errors: ['article/not_found', 'article/conflict'],
    meta: {
      ...changing,
      tag: 'Articles',
      operationId: 'editArticle',
      bodyBytesMax: LIMITS.articleBodyBytesMax,
    },
  }),

  deleteArticle: route({
    method: 'DELETE',
    path: `${base}/articles/:articleId`,
    summary: 'Delete an article',
    description: 'Deletes an article with its translations and all revisions of both. There is no way back.',
    pathParams: articleParams,
    answers: { 200: okReply },
    errors: ['article/not_found'],
    meta: { ...changing, tag: 'Articles', operationId: 'deleteArticle' },
  }),

  publishArticle: route({
    method: 'POST',
    path: `${base}/articles/:articleId/publish`,
    summary: 'Publish an article',
    description:
      'Visitors are served the working copy from now on, and the translations that are live. Translations that were made for ' +
      'other content are marked stale.',
    pathParams: articleParams,
    body: articleBase,
    answers: { 200: article },
    errors: ['article/not_found', 'article/conflict', 'article/not_allowed'],
    meta: { ...changing, tag: 'Articles', operationId: 'publishArticle' },
  }),

  unpublishArticle: route({
    method: 'POST',
    path: `${base}/articles/:articleId/unpublish`,
    summary: 'Take an article down',
    description:
      'Visitors are no longer served the article, nor any translation of it. Its translations are served again when it is published ' +
      'again.',
    pathParams: articleParams,
    body: articleBase,
    answers: { 200: article },
    errors: ['article/not_found', 'article/conflict', 'article/not_allowed'],
    meta: { ...changing, tag: 'Articles', operationId: 'unpublishArticle' },
  }),

  listArticleRevisions: route({
    method: 'GET',
    path: `${base}/articles/:articleId/revisions`,
    summary: 'List the revisions of an article',
    description:
      'Every step appended one, and none ever changes. Newest first; a page ends early where the texts are long.',
    pathParams: articleParams,
    query: z.strictObject(pageQuery),
    answers: { 200: articleRevisionPage },
    errors: ['article/not_found'],
    meta: { ...reading, tag: 'Articles', operationId: 'listArticleRevisions' },
  }),

  readArticleRevision: route({
    method: 'GET',
    path: `${base}/articles/:articleId/revisions/:revision`,
    summary: 'Read a revision of an article',
    description:
      'An article as it was at one time, such as the revision that a translation was made for. A revision that there is not is ' +
      'answered like an article that there is not.',
    pathParams: revisionParams,
    answers: { 200: articleRevision },
    errors: ['article/not_found'],
    meta: { ...reading, tag: 'Articles', operationId: 'readArticleRevision' },
  }),

  searchKnowledge: route({
    method: 'GET',
    path: `${base}/search`,
    summary: 'Search as a visitor would',
    description:
      'Answers with exactly what a visitor of this locale would be served, best first: live content alone, each article in one ' +
      'variant. Interface document, section 4.6, rule 6.',
    pathParams,
    query: z.strictObject({
      q: z
        .string()
        .min(1)
        .max(LIMITS.searchQueryCharsMax)
        .describe('What the visitor asks or looks for.')
        .meta({ example: 'How do I return an order?' }),
      locale: locale
        .optional()
        .describe('The locale that the visitor prefers, a BCP 47 tag; none when absent.'),
      limit: wholeNumber(1, LIMITS.searchResultsMax, 10)
        .describe('How many articles at most.')
        .meta({ example: 10 }),
    }),
    answers: { 200: searchReply },
    errors: [],
    meta: { ...reading, tag: 'Articles', operationId: 'searchKnowledge' },
  }),
});
