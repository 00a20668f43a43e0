import { z } from 'zod';
import { title, translationStatus } from './article-fields.ts';
import {
  actor,
  articleId,
  cursor,
  locale,
  moment,
  namedObject,
  pageQuery,
  revisionNumber,
  translationId,
  workspaceId,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { readRoute, route, router } from './route.ts';
import { reviewNote } from './translations.ts';

const reviewTaskKind = z.enum(['review', 'changes', 'publish', 'stale']).meta({
  id: 'ReviewTaskKind',
  description:
    'The task: review a submission, make requested changes, publish an approved translation, or ' +
    'update a stale one.',
});

const reviewTaskOwner = z.enum(['me', 'everybody']).meta({
  id: 'ReviewTaskOwner',
  description: "Only tasks for the caller, or everyone's tasks.",
});

const reviewTask = namedObject('ReviewTask', 'A translation with an open task.', {
  kind: reviewTaskKind,
  mine: z
    .boolean()
    .describe('Whether the task is for the caller. Authors review their own texts only if nobody else can.'),
  articleId,
  articleTitle: title,
  translationId,
  locale,
  title,
  status: translationStatus,
  revision: revisionNumber.describe('The latest revision. Send it as `baseRevision`.'),
  since: moment,
  by: actor.describe(
    'The member or session that submitted, reviewed or approved the translation, or changed the article.',
  ),
  reviewNote: reviewNote.optional(),
});

const count = z.int32().min(0).max(ARTICLE_LIMITS.reviewQueueRowsMax).meta({ example: 4 });

const reviewQueueCounts = namedObject('ReviewQueueCounts', 'Number of tasks of each kind.', {
  review: count,
  changes: count,
  publish: count,
  stale: count,
});

const reviewQueuePage = namedObject('ReviewQueuePage', 'A page of the review queue.', {
  data: z.array(reviewTask).max(REQUEST_LIMITS.pageRowsMax).describe('Open tasks, oldest first.'),
  counts: reviewQueueCounts.describe('Number of tasks of each kind, regardless of the `kind` filter.'),
  nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
});

const rows = z.int32().min(0).max(10_000_000).meta({ example: 12 });

const localeCoverage = namedObject('LocaleCoverage', 'Translation coverage of one language.', {
  locale,
  live: rows.describe('Articles that are live and up to date in this language.'),
  stale: rows.describe('Articles that are live but stale in this language.'),
  draft: rows,
  inReview: rows,
  changesRequested: rows,
  approved: rows,
  archived: rows,
  missing: rows.describe('Published articles with no translation in this language, or only an archived one.'),
});

const coverage = namedObject('KnowledgeCoverage', 'Translation coverage of a workspace.', {
  articles: rows,
  published: rows,
  locales: z.array(localeCoverage).max(1000).describe('Languages with content, most used first.'),
});

export type ReviewQueuePage = z.infer<typeof reviewQueuePage>;
export type KnowledgeCoverage = z.infer<typeof coverage>;

const pathParams = z.strictObject({ tenantId: workspaceId });
const base = '/api/tenants/:tenantId/knowledge';

export const reviewQueue = router('Translations', {
  listReviewQueue: route({
    method: 'GET',
    path: `${base}/queue`,
    summary: 'List the review queue',
    description:
      'Returns translations with an open task, oldest first, each of them once. Reviews come before ' +
      'changes, publishing and updates. Members can only read, so they have no tasks. At most 5,000 ' +
      'translations are considered.',
    pathParams,
    query: z.strictObject({
      ...pageQuery,
      kind: reviewTaskKind.optional().describe('Only tasks of this kind.'),
      locale: locale.optional().describe('Only translations in this locale.'),
      for: reviewTaskOwner.default('me').describe('Tasks to return, by reviewer.'),
    }),
    responses: { 200: reviewQueuePage },
    meta: readRoute,
  }),

  readCoverage: route({
    method: 'GET',
    path: `${base}/coverage`,
    summary: 'Retrieve translation coverage',
    description: 'Returns how many articles are live, stale, in progress or missing in each language.',
    pathParams,
    responses: { 200: coverage },
    meta: readRoute,
  }),
});
