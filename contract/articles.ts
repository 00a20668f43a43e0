import { z } from 'zod';
import {
  alias,
  aliases,
  answer,
  articleEvent,
  articleStatus,
  audience,
  dismissedAlias,
  publishAt,
  scheduledPublication,
  searchSummary,
  slug,
  tag,
  tags,
  title,
  translationStatus,
  verification,
} from './article-fields.ts';
import { optionalFallbackReason } from './chat-event.ts';
import {
  acceptLanguage,
  actor,
  articleId,
  articleSource,
  buildPage,
  collectionId,
  futureMoment,
  locale,
  moment,
  namedObject,
  okReply,
  pageQuery,
  pathRevision,
  revisionNumber,
  sourceId,
  text,
  translationId,
  webAddress,
  wholeNumber,
  workspaceId,
  yesOrNo,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { editRoute, readRoute, route, router } from './route.ts';

const urlMeta = { format: 'uri', example: 'https://shop.example.com/help/returns' };
const urlInput = webAddress(REQUEST_LIMITS.urlCharsMax)
  .meta({ ...urlMeta, description: 'Public http or https URL.' })
  .optional();
const optionalUrl = z
  .string()
  .max(REQUEST_LIMITS.urlCharsMax)
  .meta({ ...urlMeta, description: 'Public URL.' })
  .optional();

const variant = namedObject('ArticleVariant', 'Status of one translation of an article.', {
  translationId,
  locale,
  status: translationStatus,
  stale: z.boolean().describe('Whether the article has changed since the working copy was translated.'),
  live: z
    .boolean()
    .describe('Whether an approved revision is live. Visitors see it while the article is published.'),
  liveStale: z
    .boolean()
    .optional()
    .describe(
      'Whether the article has changed since the live revision was translated. Absent if none is live.',
    ),
  scheduled: scheduledPublication.optional().describe('Absent if none is scheduled.'),
});

const variants = z.array(variant).max(1000);

const live = namedObject('ArticleLive', 'The live revision of an article.', {
  revision: revisionNumber,
  publishedAt: moment,
  publishedBy: actor,
  changed: z.boolean().describe('Whether the working copy differs from the live revision.'),
  pageUrl: optionalUrl.describe('Its page in the help centre. Absent while it has none.'),
});

const head = {
  id: articleId,
  slug,
  locale: locale.describe('Language of the article itself.'),
  title,
  status: articleStatus,
  revision: revisionNumber.describe('Revision of the working copy, the latest. Send it as `baseRevision`.'),
  updatedAt: moment,
  updatedBy: actor,
  translations: variants,
  collectionId: collectionId.optional(),
  tags,
  audience: audience.optional(),
  source: articleSource.optional().describe('Absent if it was written here.'),
  scheduled: scheduledPublication.optional().describe('Absent if none is scheduled.'),
  verify: verification.optional().describe('Absent if the article is not to be verified again.'),
};

const articleSummary = namedObject('ArticleSummary', 'An article without its text.', {
  ...head,
  liveRevision: revisionNumber.optional().describe('Revision that is live, if any.'),
  changed: z.boolean().describe('Whether a revision is live and the working copy differs from it.'),
});

export const article = namedObject(
  'Article',
  'An article: its working copy and the status of its translations.',
  {
    ...head,
    answer,
    aliases,
    url: optionalUrl,
    searchSummary,
    live: live.optional().describe('Absent while nothing is published.'),
    createdAt: moment,
    createdBy: actor,
  },
);

export const articleRevision = namedObject('ArticleRevision', 'A revision of an article.', {
  revision: revisionNumber,
  event: articleEvent,
  title,
  answer,
  aliases,
  url: optionalUrl,
  authorId: actor.describe('Id of the member who created it, or `operator` for the command line.'),
  createdAt: moment,
});

export const searchHit = namedObject(
  'KnowledgeHit',
  'An article in the variant that this visitor would see.',
  {
    articleId,
    slug,
    translationId: translationId
      .optional()
      .describe('The translation that is shown. Absent for the article itself.'),
    title,
    snippet: z
      .string()
      .max(ARTICLE_LIMITS.searchSummaryCharsMax)
      .describe('Best matching part of the answer, as plain text.')
      .meta({ example: 'You can return any order within 30 days.' }),
    url: optionalUrl,
    score: z.number().min(0).max(1).describe('Relevance to the query, from 0 to 1.').meta({ example: 0.8 }),
    requestedLocale: locale.describe('The requested locale, or `und` if none was requested.'),
    contentLocale: locale,
    fallbackReason: optionalFallbackReason,
  },
);

const searchReply = namedObject('KnowledgeSearch', 'The articles that a visitor with this query would see.', {
  data: z.array(searchHit).max(ARTICLE_LIMITS.searchResultsMax).describe('Matching articles, best first.'),
  found: z.boolean().describe('Whether the guide would answer from the first result.'),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe('Probability that the first result answers the question, from 0 to 1.')
    .meta({ example: 0.9 }),
});

export const aliasSuggestions = namedObject(
  'AliasSuggestionList',
  'Questions near the article, and words for what its title says.',
  {
    data: z
      .array(
        namedObject('AliasSuggestion', 'A word or question that people may search an article by.', {
          alias,
          locale,
          evidence: z
            .array(locale.describe('A language in which both words have the same translation.'))
            .max(100)
            .describe('Languages whose translations suggest the alias. Empty for a question of visitors.'),
        }),
      )
      .max(ARTICLE_LIMITS.aliasSuggestionsMax)
      .describe('Suggested aliases: questions of visitors, then words; best first.'),
  },
);

const articlePage = namedObject('ArticlePage', 'A page of articles without their texts.', {
  ...buildPage('ArticleRows', articleSummary).shape,
  total: z
    .int32()
    .min(0)
    .optional()
    .meta({ description: 'Number of matching articles. Only on the first page.', example: 128 }),
});
const articleRevisionPage = buildPage('ArticleRevisionPage', articleRevision);

export type ArticleRecord = z.infer<typeof article>;
export type ArticleSummary = z.infer<typeof articleSummary>;
export type ArticleRevisionRecord = z.infer<typeof articleRevision>;
export type AliasSuggestion = z.infer<typeof aliasSuggestions>['data'][number];
export type DismissedAlias = z.infer<typeof dismissedAlias>;
export type KnowledgeHit = z.infer<typeof searchHit>;

const baseRevision = revisionNumber.describe(
  'The revision you last read. The request fails with a conflict if it is no longer the latest.',
);

const content = {
  title,
  answer,
  aliases: aliases.optional().describe('Search keywords. Defaults to none.'),
  url: urlInput.describe('Public http or https URL. Defaults to none.'),
};

export const newArticle = namedObject('NewArticle', 'An article to create as a draft.', {
  ...content,
  slug: slug
    .optional()
    .describe('Stable name in imports and exports. Defaults to one derived from the title.'),
  locale: locale
    .optional()
    .describe("Language of the article as a BCP 47 tag. Defaults to the workspace's source locale.")
    .meta({ example: 'en' }),
  audience: audience.optional(),
});

export const articleEdit = namedObject(
  'ArticleEdit',
  'The complete content of an article. It replaces the existing content.',
  { baseRevision, ...content },
);

const articleBase = namedObject('ArticleBase', 'The revision that the action applies to.', { baseRevision });

const articleSchedule = namedObject('ArticleSchedule', 'When to publish the working copy.', {
  baseRevision,
  publishAt,
});

const verifyAgain = namedObject('VerifyAgain', 'When to verify an article again.', {
  verifyAfter: futureMoment.nullable().meta({
    description: 'From when on to verify it: in the future, within five years. `null` for never.',
    example: null,
  }),
});

const scheduledFilter = yesOrNo(
  'ScheduledFilter',
  'Whether a publication of an article or of one of its translations is scheduled.',
);

const toVerifyFilter = yesOrNo('ToVerifyFilter', 'Whether an article is to be verified now.');

const audienceFilter = z.enum(['everyone', 'restricted']).meta({
  id: 'AudienceFilter',
  description: 'Articles that everyone sees, or those that only known customers see.',
});

const changedFilter = yesOrNo(
  'ChangedFilter',
  'Whether the working copy of an article differs from its live revision.',
);

const staleFilter = yesOrNo('StaleFilter', 'Whether the article has changed since it was translated.');

const articleSort = z
  .enum(['created_desc', 'created_asc', 'updated_desc', 'updated_asc', 'title_asc', 'title_desc'])
  .meta({ id: 'ArticleSort', description: 'Order of a list of articles.' });

/** Filters that select articles in a list and in bulk actions. */
export const articleFilters = {
  q: text(ARTICLE_LIMITS.searchQueryCharsMax)
    .optional()
    .describe('Only articles with these words in the title, slug or aliases. Case and accents are ignored.')
    .meta({ example: 'return' }),
  status: articleStatus.optional().describe('Only articles with this status.'),
  collection: z
    .string()
    .regex(/^(?:none|col_[0-7][0-9a-hjkmnp-tv-z]{25})$/)
    .max(30)
    .optional()
    .describe('Only articles in this collection, or with `none` those in no collection.')
    .meta({ example: 'none' }),
  tag: tag.optional().describe('Only articles with this tag.'),
  source: sourceId.optional().describe('Only articles that come from this source.'),
  missing: locale.optional().describe('Only articles with no live text in this locale, or only a stale one.'),
  changed: changedFilter
    .optional()
    .describe('Only published articles with unpublished changes (`true`), or only the others (`false`).'),
  locale: locale
    .optional()
    .describe(
      'Only articles with a translation in this locale. The other translation filters then apply to it.',
    ),
  translationStatus: translationStatus
    .optional()
    .describe('Only articles with a translation in this status.'),
  stale: staleFilter
    .optional()
    .describe('Only articles with a stale translation (`true`) or an up-to-date one (`false`).'),
  scheduled: scheduledFilter
    .optional()
    .describe('Only articles with a scheduled publication (`true`), or only the others (`false`).'),
  toVerify: toVerifyFilter
    .optional()
    .describe('Only articles that are to be verified now (`true`), or only the others (`false`).'),
  audience: audienceFilter
    .optional()
    .describe('Only articles for everyone, or only those for some customers (`restricted`).'),
};

const pathParams = z.strictObject({ tenantId: workspaceId });
const articleParams = z.strictObject({ tenantId: workspaceId, articleId });
const revisionParams = z.strictObject({ tenantId: workspaceId, articleId, revision: pathRevision });

const base = '/api/tenants/:tenantId/knowledge';

export const articles = router('Articles', {
  listArticles: route({
    method: 'GET',
    path: `${base}/articles`,
    summary: 'List articles',
    description: "Returns the workspace's articles without their texts.",
    pathParams,
    query: z.strictObject({
      ...pageQuery,
      ...articleFilters,
      sort: articleSort.optional().describe('Order of the articles. Defaults to `created_desc`.'),
    }),
    responses: { 200: articlePage },
    meta: readRoute,
  }),

  createArticle: route({
    method: 'POST',
    path: `${base}/articles`,
    summary: 'Create an article',
    description: 'Creates a draft. Visitors do not see it until it is published.',
    pathParams,
    body: newArticle,
    responses: { 201: article },
    errors: ['article/slug_taken', 'tenant/storage_full'],
    meta: { ...editRoute, bodyBytesMax: ARTICLE_LIMITS.articleBodyBytesMax },
  }),

  readArticle: route({
    method: 'GET',
    path: `${base}/articles/:articleId`,
    summary: 'Retrieve an article',
    description: 'Returns the working copy of an article and what is live of it and its translations.',
    pathParams: articleParams,
    responses: { 200: article },
    errors: ['article/not_found'],
    meta: readRoute,
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
    errors: ['article/not_found', 'article/conflict', 'tenant/storage_full'],
    meta: { ...editRoute, bodyBytesMax: ARTICLE_LIMITS.articleBodyBytesMax },
  }),

  deleteArticle: route({
    method: 'DELETE',
    path: `${base}/articles/:articleId`,
    summary: 'Delete an article',
    description: 'Permanently deletes an article with its translations and all their revisions.',
    pathParams: articleParams,
    responses: { 200: okReply },
    errors: ['article/not_found'],
    meta: editRoute,
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
    meta: editRoute,
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
    meta: editRoute,
  }),

  scheduleArticle: route({
    method: 'PUT',
    path: `${base}/articles/:articleId/schedule`,
    summary: 'Schedule the publication of an article',
    description:
      'Publishes the working copy at that time, with the changes made until then, as if the caller did. Replaces ' +
      'an earlier time. Fails if the working copy is live already.',
    pathParams: articleParams,
    body: articleSchedule,
    responses: { 200: article },
    errors: ['article/not_found', 'article/conflict', 'article/not_allowed'],
    meta: editRoute,
  }),

  verifyArticle: route({
    method: 'PUT',
    path: `${base}/articles/:articleId/verification`,
    summary: 'Set when to verify an article again',
    description:
      'Confirms that the article is right, and sets when somebody is to check it again. Visitors notice nothing, ' +
      'and no revision is created.',
    pathParams: articleParams,
    body: verifyAgain,
    responses: { 200: article },
    errors: ['article/not_found'],
    meta: editRoute,
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
    meta: readRoute,
  }),

  readArticleRevision: route({
    method: 'GET',
    path: `${base}/articles/:articleId/revisions/:revision`,
    summary: 'Retrieve a revision of an article',
    description: 'Returns an article as of a revision, for example the one that a translation was made from.',
    pathParams: revisionParams,
    responses: { 200: articleRevision },
    errors: ['article/not_found'],
    meta: readRoute,
  }),

  listAliasSuggestions: route({
    method: 'GET',
    path: `${base}/articles/:articleId/alias-suggestions`,
    summary: 'List suggested aliases of an article',
    description:
      'Returns questions of the inbox to which this article is the nearest, in its language, and words that mean what ' +
      "the title says, learned from the workspace's published translations, that the article does not contain. Add " +
      'one to `aliases` by editing the article.',
    pathParams: articleParams,
    responses: { 200: aliasSuggestions },
    errors: ['article/not_found'],
    meta: readRoute,
  }),

  dismissAliasSuggestion: route({
    method: 'POST',
    path: `${base}/articles/:articleId/alias-suggestions/dismiss`,
    summary: 'Dismiss a suggested alias',
    description: 'Keeps an alias from being suggested again for this article. Its content does not change.',
    pathParams: articleParams,
    body: dismissedAlias,
    responses: { 200: okReply },
    errors: ['article/not_found'],
    meta: editRoute,
  }),

  searchKnowledge: route({
    method: 'GET',
    path: `${base}/search`,
    summary: 'Search articles as a visitor',
    description:
      'Returns exactly what a visitor with this locale would see who is not signed in, best match first: live content ' +
      'only, and each article in one variant.',
    pathParams,
    query: z.strictObject({
      q: text(ARTICLE_LIMITS.searchQueryCharsMax).meta({
        description: 'The words to search for.',
        example: 'How do I return an order?',
      }),
      locale: locale
        .optional()
        .describe(
          "The visitor's preferred locale, a BCP 47 tag. Defaults to the languages of `Accept-Language`.",
        ),
      limit: wholeNumber(1, ARTICLE_LIMITS.searchResultsMax, 10).meta({
        description: 'Maximum number of articles.',
        example: 10,
      }),
    }),
    headers: {
      'accept-language': acceptLanguage.describe("The visitor's languages, where `locale` is omitted."),
    },
    responses: { 200: searchReply },
    meta: readRoute,
  }),
});
