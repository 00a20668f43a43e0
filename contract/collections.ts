import { z } from 'zod';
import { collectionName, tag } from './article-fields.ts';
import { collectionId, namedObject, okReply, workspaceId } from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { editRoute, readRoute, route, router } from './route.ts';

const count = z.int32().min(0).meta({ example: 12 });

const collection = namedObject(
  'Collection',
  'A group of articles. An article is in one collection at most.',
  {
    id: collectionId,
    name: collectionName,
    articles: count,
  },
);

const collectionList = namedObject('CollectionList', 'The collections of a workspace.', {
  data: z.array(collection).max(ARTICLE_LIMITS.collectionsMax),
});

const tagList = namedObject('TagList', 'The tags of the articles of a workspace.', {
  data: z
    .array(namedObject('TagCount', 'A tag and how many articles have it.', { tag, articles: count }))
    .max(ARTICLE_LIMITS.tagsListedMax)
    .describe('The tags, most frequent first.'),
});

const collectionInput = namedObject('CollectionInput', 'The name of a collection, unique in the workspace.', {
  name: collectionName,
});

export type CollectionRecord = z.infer<typeof collection>;

const base = '/api/tenants/:tenantId/knowledge';
const pathParams = z.strictObject({ tenantId: workspaceId });
const collectionParams = z.strictObject({ tenantId: workspaceId, collectionId });

export const collections = router('Articles', {
  listCollections: route({
    method: 'GET',
    path: `${base}/collections`,
    summary: 'List collections',
    description: 'Returns all collections of articles by name, with the number of their articles.',
    pathParams,
    responses: { 200: collectionList },
    meta: readRoute,
  }),

  createCollection: route({
    method: 'POST',
    path: `${base}/collections`,
    summary: 'Create a collection',
    description: 'Creates an empty collection of articles.',
    pathParams,
    body: collectionInput,
    responses: { 201: collection },
    errors: ['collection/name_taken', 'collection/too_many'],
    meta: editRoute,
  }),

  renameCollection: route({
    method: 'PUT',
    path: `${base}/collections/:collectionId`,
    summary: 'Rename a collection',
    description: 'Changes the name of a collection. Its articles stay in it.',
    pathParams: collectionParams,
    body: collectionInput,
    responses: { 200: collection },
    errors: ['collection/not_found', 'collection/name_taken'],
    meta: editRoute,
  }),

  deleteCollection: route({
    method: 'DELETE',
    path: `${base}/collections/:collectionId`,
    summary: 'Delete a collection',
    description: 'Deletes a collection. Its articles remain, in no collection.',
    pathParams: collectionParams,
    responses: { 200: okReply },
    errors: ['collection/not_found'],
    meta: editRoute,
  }),

  listTags: route({
    method: 'GET',
    path: `${base}/tags`,
    summary: 'List tags',
    description: 'Returns the tags of the articles, with the number of articles that have them.',
    pathParams,
    responses: { 200: tagList },
    meta: readRoute,
  }),
});
