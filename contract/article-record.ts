import { z } from 'zod';
import { fallbackReason } from './chat-event.ts';
import { actor, articleId, locale, moment, pageOf, revisionNumber, translationId } from './fields.ts';
import { LIMITS } from './limits.ts';

/** Articles as the dashboard reads and writes them. */

export const title = z
  .string()
  .min(1)
  .max(LIMITS.titleCharsMax)
  .regex(/\S/)
  .describe('The title; one line of text, not empty.')
  .meta({ example: 'Returning an order' });

export const answer = z
  .string()
  .min(1)
  .max(LIMITS.answerCharsMax)
  .regex(/\S/)
  .describe('The text that the guide answers from; Markdown or plain, not empty.')
  .meta({ example: 'You can return any order within 30 days.' });

export const aliases = z
  .array(
    z
      .string()
      .min(1)
      .max(LIMITS.aliasCharsMax)
      .regex(/\S/)
      .describe('Other words that people look for this with.')
      .meta({ example: 'send back' }),
  )
  .max(LIMITS.aliasesMax)
  .describe('Other words to be found by, besides title and answer.');

export const searchSummary = z
  .string()
  .max(LIMITS.searchSummaryCharsMax)
  .describe('The beginning of the answer as plain text; made by the service.')
  .meta({ example: 'You can return any order within 30 days.' });

const url = z
  .string()
  .max(LIMITS.urlCharsMax)
  .describe('The http or https address that visitors can read this at.')
  .meta({ format: 'uri', example: 'https://www.example.com/help/returns' });
export const givenUrl = url.regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s]+$/).optional();
const knownUrl = url
  .optional()
  .describe('The address that visitors can read this at; absent where there is none.');

export const slug = z
  .string()
  .min(1)
  .max(LIMITS.slugCharsMax)
  .describe(
    'The name of the article in imports and exports, the same for as long as it lives: letters of any script, digits and any of `._~/-`.',
  )
  .meta({ example: 'returning-an-order' });

export const articleStatus = z.enum(['draft', 'published', 'unpublished']).meta({
  id: 'ArticleStatus',
  description: 'Draft: never published; published: something is live; unpublished: it was taken down.',
});

export const translationStatus = z
  .enum(['draft', 'in_review', 'changes_requested', 'approved', 'published', 'archived'])
  .meta({
    id: 'TranslationStatus',
    description:
      'The status of the working copy of a translation; whether something of it is live is another question.',
  });

export const articleEvent = z.enum(['created', 'edited', 'published', 'unpublished', 'imported']).meta({
  id: 'ArticleStep',
  description: 'What made a revision of an article.',
});

const variant = z
  .strictObject({
    translationId,
    locale,
    status: translationStatus,
    stale: z
      .boolean()
      .describe('True when the working copy was made for other content of the article than it has now.'),
    live: z
      .boolean()
      .describe('True when an approved revision is live; visitors get it while the article is published.'),
    liveStale: z
      .boolean()
      .optional()
      .describe(
        'True when the live revision was made for other content of the article; absent when none is.',
      ),
  })
  .meta({ id: 'ArticleVariant', description: 'How a translation of an article stands, at a glance.' });

const variants = z.array(variant).max(1000).describe('The translations of the article, by locale.');

const live = z
  .strictObject({
    revision: revisionNumber,
    publishedAt: moment.describe('When this revision went live.'),
    publishedBy: actor,
    changed: z.boolean().describe('True when the working copy differs from what is live.'),
  })
  .meta({ id: 'ArticleLive', description: 'What of an article visitors are served.' });

const head = {
  id: articleId,
  slug,
  locale: locale.describe('The language that the article itself is written in.'),
  title,
  status: articleStatus,
  revision: revisionNumber.describe('The newest revision: the working copy. Send it as `baseRevision`.'),
  updatedAt: moment.describe('When the newest revision was made.'),
  updatedBy: actor,
  translations: variants,
};

export const articleSummary = z
  .strictObject({
    ...head,
    liveRevision: revisionNumber
      .optional()
      .describe('The revision that visitors are served, if there is one.'),
    changed: z.boolean().describe('True when something is live and the working copy differs from it.'),
  })
  .meta({ id: 'ArticleSummary', description: 'An article without its text.' });

export const article = z
  .strictObject({
    ...head,
    answer,
    aliases,
    url: knownUrl,
    searchSummary,
    live: live.optional().describe('What visitors are served; absent while nothing is published.'),
    createdAt: moment.describe('When the article was created or first imported.'),
    createdBy: actor,
  })
  .meta({ id: 'Article', description: 'An article: its working copy, and how the rest of it stands.' });

export const articleRevision = z
  .strictObject({
    revision: revisionNumber,
    event: articleEvent,
    title,
    answer,
    aliases,
    url: knownUrl,
    authorId: actor.describe('The member who made it, or `operator` for what came from the command line.'),
    createdAt: moment.describe('When this revision was made; it never changes afterwards.'),
  })
  .meta({ id: 'ArticleRevision', description: 'An article as it was at one time.' });

export const searchHit = z
  .strictObject({
    articleId,
    slug,
    translationId: translationId
      .optional()
      .describe('The translation that is shown; absent for the article itself.'),
    title,
    snippet: z
      .string()
      .max(LIMITS.searchSummaryCharsMax)
      .describe('What of the answer meets the question best, as plain text.')
      .meta({ example: 'You can return any order within 30 days.' }),
    url: knownUrl,
    score: z
      .number()
      .min(0)
      .max(1)
      .describe('How well it meets the question, from 0 to 1.')
      .meta({ example: 0.8 }),
    requestedLocale: locale.describe('The locale that was asked for; `und` where none was.'),
    contentLocale: locale.describe('The locale of the text that is shown.'),
    fallbackReason: fallbackReason
      .optional()
      .describe('Why the text is in another locale than the requested one; absent when it is not.'),
  })
  .meta({ id: 'KnowledgeHit', description: 'An article in the variant that this visitor would be served.' });

export const searchReply = z
  .strictObject({
    data: z.array(searchHit).max(LIMITS.searchResultsMax).describe('What was found, best first.'),
    found: z.boolean().describe('Whether the guide would answer from the first of these.'),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .describe('How likely the first of these answers the question, from 0 to 1.')
      .meta({ example: 0.9 }),
  })
  .meta({ id: 'KnowledgeSearch', description: 'What a visitor who asks this would be served.' });

export const articlePage = pageOf(
  'ArticlePage',
  articleSummary,
  'articles without their texts, newest first',
);
export const articleRevisionPage = pageOf(
  'ArticleRevisionPage',
  articleRevision,
  'revisions of an article, newest first',
);

export type ArticleRecord = z.infer<typeof article>;
export type ArticleSummary = z.infer<typeof articleSummary>;
export type ArticleRevisionRecord = z.infer<typeof articleRevision>;
export type KnowledgeHit = z.infer<typeof searchHit>;
