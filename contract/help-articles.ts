import { z } from 'zod';
import { answer, collectionName } from './article-fields.ts';
import { citation } from './chat-event.ts';
import { acceptLanguage, articleId, collectionId, cursor, namedObject, text } from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { route, router } from './route.ts';

/** The published articles, as visitors browse, search and read them. */

const { article_id, title, url, requested_locale, content_locale, fallback_reason, stale } = citation.shape;

const head = { article_id, title, url, requested_locale, content_locale, fallback_reason, stale };

const helpArticle = namedObject('HelpArticle', "A published article in the visitor's language.", {
  ...head,
  snippet: z
    .string()
    .max(ARTICLE_LIMITS.searchSummaryCharsMax)
    .optional()
    .describe('Best matching part of the text, as plain text. Only in search results.')
    .meta({ example: 'You can return any order within 30 days.' }),
});

const helpArticleText = namedObject('HelpArticleText', 'A published article with its text.', {
  ...head,
  answer: answer.describe('The text in Markdown.'),
});

const helpCollection = namedObject('HelpCollection', 'A group of articles.', {
  id: collectionId,
  name: collectionName,
  articles: z.int32().min(1).describe('How many of its articles are published.').meta({ example: 12 }),
});

const helpPage = namedObject(
  'HelpPage',
  'Published articles by title, and the collections on the first page.',
  {
    data: z.array(helpArticle).max(ARTICLE_LIMITS.helpPageRowsMax),
    nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
    collections: z
      .array(helpCollection)
      .max(ARTICLE_LIMITS.collectionsMax)
      .describe(
        'Collections with published articles, by name. Empty within a collection and on later pages.',
      ),
  },
);

const helpSearch = namedObject('HelpSearch', 'The articles that match a search.', {
  data: z.array(helpArticle).max(ARTICLE_LIMITS.helpHitsMax).describe('Best first.'),
});

export type HelpArticleRecord = z.infer<typeof helpArticle>;

const headers = {
  'accept-language': acceptLanguage.describe("The visitor's languages. They determine the translations."),
};
const meta = {
  credential: 'visitor',
  unauthorized: 'visitor/unauthorized',
  limits: ['articles/visitor-burst', 'articles/network-burst'],
  limitsWithoutCredential: ['visitor/ip-rate-limited'],
  killSwitch: 'guide/paused',
} as const;

export const helpArticles = router('Visitor', {
  listHelpArticles: route({
    method: 'GET',
    path: '/articles',
    summary: 'List published articles',
    description:
      'Returns the published articles of a collection by title, or those in no collection together with all ' +
      'collections. Nothing is recorded.',
    query: z.strictObject({
      collection: collectionId.optional().describe('Only articles of this collection.'),
      cursor: cursor.optional().describe('Pagination cursor from `nextCursor`.'),
    }),
    headers,
    responses: { 200: helpPage },
    meta,
  }),

  searchHelpArticles: route({
    method: 'GET',
    path: '/articles/search',
    summary: 'Search published articles',
    description: 'Returns the published articles that match words or a question. Nothing is recorded.',
    query: z.strictObject({
      q: text(ARTICLE_LIMITS.searchQueryCharsMax).meta({
        description: 'The words to search for.',
        example: 'How do I return an order?',
      }),
    }),
    headers,
    responses: { 200: helpSearch },
    meta,
  }),

  readHelpArticle: route({
    method: 'GET',
    path: '/articles/:article_id',
    summary: 'Retrieve a published article',
    description:
      "Returns a published article with its text, in the translation for the visitor's languages. Nothing is recorded.",
    pathParams: z.strictObject({ article_id: articleId }),
    headers,
    responses: { 200: helpArticleText },
    errors: ['article/not_found'],
    meta,
  }),
});
