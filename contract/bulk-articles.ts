import { z } from 'zod';
import {
  aliases,
  answer,
  articleStatus,
  audience,
  collectionName,
  slug,
  tag,
  tags,
  title,
} from './article-fields.ts';
import { articleFilters } from './articles.ts';
import { articleId, collectionId, locale, namedObject, workspaceId } from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { editRoute, readRoute, route, router } from './route.ts';

const bulkAction = z.enum(['publish', 'unpublish', 'move', 'tag', 'untag', 'restrict', 'delete']).meta({
  id: 'BulkActionName',
  // `move`, `restrict` and `delete` are keywords of some languages.
  'x-enum-varnames': [
    'publish',
    'unpublish',
    'move_articles',
    'tag',
    'untag',
    'restrict_articles',
    'delete_articles',
  ],
  description: 'Action on each of the articles.',
});

const articleIds = z.array(articleId).min(1).max(ARTICLE_LIMITS.bulkArticlesMax);

const bulkRequest = z
  .strictObject({
    action: bulkAction,
    articleIds,
    collectionId: collectionId
      .nullable()
      .optional()
      .describe('With `move`: the collection, or `null` to take the articles out of theirs.'),
    tag: tag.optional().describe('With `tag` and `untag`: the tag to add or remove.'),
    audience: audience.optional().describe('With `restrict`: who sees the articles; empty for everyone.'),
  })
  .meta({
    id: 'BulkAction',
    description: 'An action on several articles.',
    example: { action: 'publish', articleIds: ['art_01kakv2fxse7wtg6x5r0h8rjbm'] },
  });

const bulkOutcome = namedObject('BulkOutcome', 'The outcome of an action for one article.', {
  articleId,
  outcome: z
    .enum(['done', 'unchanged', 'refused'])
    .meta({ id: 'BulkOutcomeName', description: 'Outcome of the action for an article.' }),
  error: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'With `refused`: a stable error code.', example: 'article/not_found' }),
  previousStatus: articleStatus
    .optional()
    .describe('With `publish` and `unpublish`: the status before, if the action was done.'),
  previousCollectionId: collectionId
    .optional()
    .describe('With `move`: the collection before. Absent if the article was in none.'),
  previousAudience: audience.optional().describe('With `restrict`: who saw the article before, if changed.'),
});

const bulkReply = namedObject('BulkReply', 'Outcome of an action on several articles.', {
  data: z
    .array(bulkOutcome)
    .max(ARTICLE_LIMITS.bulkArticlesMax)
    .describe('One outcome for each article, in the order of the request.'),
  done: z.int32().min(0).meta({ example: 12 }),
  refused: z.int32().min(0).meta({ example: 0 }),
});

const idList = namedObject('ArticleIdList', 'The ids of all articles that match.', {
  data: z
    .array(articleId)
    .max(ARTICLE_LIMITS.matchingIdsMax)
    .describe('Ids of the matching articles, newest first.'),
});

const url = z.string().max(REQUEST_LIMITS.urlCharsMax).describe('Public http or https URL.').meta({
  format: 'uri',
  example: 'https://shop.example.com/help/returns',
});

const contentFields = { title, answer, aliases, url: url.optional() };

const exportedArticle = namedObject(
  'ExportedArticle',
  'The newest text of an article, as a line that can be imported.',
  {
    slug,
    locale: locale.describe('Language of the article itself.'),
    ...contentFields,
    collection: collectionName.optional(),
    tags: tags.optional(),
    audience: audience.optional(),
    translations: z
      .array(
        namedObject('ExportedTranslation', 'The live text of a translation.', {
          locale,
          title,
          answer,
          aliases,
        }),
      )
      .max(1000)
      .describe('Translations that have a live revision.'),
  },
);

export type BulkAction = z.infer<typeof bulkRequest>;
export type BulkOutcome = z.infer<typeof bulkOutcome>;
export type ExportedArticle = z.infer<typeof exportedArticle>;

const base = '/api/tenants/:tenantId/knowledge';
const pathParams = z.strictObject({ tenantId: workspaceId });

export const bulkArticles = router('Articles', {
  listArticleIds: route({
    method: 'GET',
    path: `${base}/article-ids`,
    summary: 'List the ids of matching articles',
    description: 'Returns the ids of all articles that match, to select them for an action.',
    pathParams,
    query: z.strictObject(articleFilters),
    responses: { 200: idList },
    meta: readRoute,
  }),

  changeArticles: route({
    method: 'POST',
    path: `${base}/article-actions`,
    summary: 'Change several articles',
    description:
      'Publishes, unpublishes, moves, tags, restricts or deletes articles. Each article succeeds or fails on its own. ' +
      'The audit has one entry for all of them.',
    pathParams,
    body: bulkRequest,
    responses: { 200: bulkReply },
    errors: ['collection/not_found'],
    meta: editRoute,
  }),

  exportArticles: route({
    method: 'POST',
    path: `${base}/article-export`,
    summary: 'Export articles',
    description:
      'Streams the newest texts of articles, with their live translations, as JSON Lines that can be ' +
      'imported again. Deleted articles are left out.',
    pathParams,
    body: namedObject('ArticleSelection', 'The articles to export.', { articleIds }),
    responses: { 200: exportedArticle },
    meta: { ...readRoute, worksReadOnly: true, lines: exportedArticle },
  }),
});
