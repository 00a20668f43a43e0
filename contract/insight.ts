import { z } from 'zod';
import { analytics, periodLength, zone } from './analytics.ts';
import { rating, turnState } from './chat.ts';
import { fallbackReason, finishReason } from './chat-event.ts';
import {
  articleId,
  askedMoment,
  conversationId,
  locale,
  messageId,
  moment,
  pageOf,
  pageQuery,
  translationId,
  visitorId,
  workspaceId,
} from './fields.ts';
import { LIMITS } from './limits.ts';
import { route, router } from './route.ts';
import { readRoute } from './route-presets.ts';

/** Conversations and ratings. Visitors who denied consent appear in none of them. */

const conversationFields = {
  id: conversationId,
  visitorId,
  startedAt: moment.describe('When the first question was asked.'),
  lastAt: moment.describe('When the latest question was asked.'),
  turns: z.int32().min(0).max(1_000_000).describe('Number of questions.').meta({ example: 3 }),
  locale: locale.describe('Language of the first question.'),
  firstMessage: z
    .string()
    .max(LIMITS.messageCharsMax)
    .describe('The first question.')
    .meta({ example: 'How do I connect to a wireless network?' }),
  answered: z.boolean().describe('Whether every question was answered (finish reason `stop` or `length`).'),
  rating: rating.optional().describe('The latest rating. Absent if there is none.'),
};

const tenantConversation = z
  .strictObject(conversationFields)
  .meta({ id: 'TenantConversation', description: 'A conversation without its turns.' });

export const tenantCitation = z
  .strictObject({
    articleId,
    translationId: translationId
      .optional()
      .describe('The translation that was cited; absent for the source article.'),
    revision: z.int32().min(1).describe('The published revision that contains the quote.'),
    title: z
      .string()
      .max(LIMITS.titleCharsMax)
      .describe('The title of the cited text, in its own language.')
      .meta({ example: 'Connect to a wireless network' }),
    url: z.string().max(LIMITS.urlCharsMax).optional().describe('Public URL of the article, if it has one.'),
    quote: z
      .string()
      .max(20_000)
      .describe('The cited words, verbatim from that revision.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    requestedLocale: locale.describe('The language that the visitor asked for.'),
    contentLocale: locale.describe('The language that the cited text is in.'),
    fallbackReason: fallbackReason.optional().describe('Why contentLocale differs; absent when it does not.'),
    stale: z.boolean().describe('Whether the article had changed since it was translated.'),
  })
  .meta({ id: 'TenantCitation', description: 'A source of an answer.' });

const comment = z
  .string()
  .max(LIMITS.feedbackCharsMax)
  .describe("The visitor's comment.")
  .meta({ example: 'That was quick.' });

const tenantTurn = z
  .strictObject({
    turnIdx: z.int32().min(0).max(LIMITS.turnIdxMax).describe('Index of the turn, as sent by the visitor.'),
    messageId,
    message: z
      .string()
      .max(LIMITS.messageCharsMax)
      .describe('What the visitor asked in this turn.')
      .meta({ example: 'How do I connect to a wireless network?' }),
    answer: z
      .string()
      .max(200_000)
      .describe('The answer, or the part of it that was written before an interruption.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    state: turnState.describe('State of the answer.'),
    finishReason: finishReason
      .optional()
      .describe('Why the answer ended. Absent while it is running or if it failed.'),
    requestedLocale: locale.describe('The language that the visitor asked for.'),
    citations: z.array(tenantCitation).max(100).describe('Sources of the answer, in order.'),
    askedAt: moment.describe('When the visitor asked.'),
    finishedAt: moment.optional().describe('When the answer ended. Absent while it is running.'),
    rating: rating.optional().describe("The visitor's rating. Absent if there is none."),
    comment: comment.optional(),
  })
  .meta({
    id: 'TenantTurn',
    description: "A visitor's question and its answer.",
  });

const tenantTranscript = z
  .strictObject({
    conversation: tenantConversation.describe('The conversation.'),
    turns: z
      .array(tenantTurn)
      .max(LIMITS.turnsPerConversationMax)
      .describe('Turns, oldest first. Long conversations show only the latest ones.'),
  })
  .meta({ id: 'TenantTranscript', description: 'A conversation with its turns.' });

const answeredFilter = z.enum(['true', 'false']).meta({
  id: 'AnsweredFilter',
  description: 'Whether every question of a conversation was answered.',
});

const commentedFilter = z.enum(['true', 'false']).meta({
  id: 'CommentedFilter',
  description: 'Whether a rating has a comment.',
});

const tenantFeedback = z
  .strictObject({
    messageId,
    conversationId,
    rating,
    comment: comment.optional().describe("The visitor's comment. Absent if there is none."),
    at: moment.describe('When the answer was last rated.'),
    question: z
      .string()
      .max(LIMITS.messageCharsMax)
      .describe("The visitor's question.")
      .meta({ example: 'How do I connect to a wireless network?' }),
    answer: z
      .string()
      .max(LIMITS.searchSummaryCharsMax)
      .describe('Beginning of the rated answer.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    locale: locale.describe('The language that the visitor asked for.'),
  })
  .meta({ id: 'TenantFeedback', description: 'A rating of an answer, with its question.' });

const ofTenant = { tenantId: workspaceId };

export const insight = router({
  listTenantConversations: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/conversations',
    summary: 'List conversations',
    description:
      'Returns conversations of visitors who agreed to storage, newest first. With filters, a page may ' +
      'be shorter than its limit, or empty; there are more results while `nextCursor` is present.',
    pathParams: z.strictObject(ofTenant),
    query: z.strictObject({
      ...pageQuery,
      from: askedMoment
        .optional()
        .describe('Only conversations that began at or after this time.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: askedMoment.optional().describe('Only conversations that began before this time.'),
      visitorId: visitorId.optional().describe('Only the conversations of this visitor.'),
      locale: locale.optional().describe('Only conversations whose first question was in this language.'),
      answered: answeredFilter
        .optional()
        .describe('Only answered (`true`) or unanswered (`false`) conversations.'),
      rating: rating.optional().describe('Only conversations with an answer that has this rating.'),
      q: z
        .string()
        .min(1)
        .max(LIMITS.searchQueryCharsMax)
        .optional()
        .describe(
          'Only conversations with these words in a question, answer or comment. Case and accents are ' +
            'ignored.',
        )
        .meta({ example: 'norway' }),
      question: z
        .string()
        .min(1)
        .max(LIMITS.messageCharsMax)
        .optional()
        .describe(
          'Only conversations with this question, grouped as in analytics: case, spaces and punctuation ' +
            'are ignored and only the first 300 characters count.',
        )
        .meta({ example: 'Do you ship to Norway?' }),
    }),
    responses: {
      200: pageOf('TenantConversationPage', tenantConversation, 'conversations, newest first'),
    },
    errors: [],
    meta: { ...readRoute, tag: 'Analytics', operationId: 'listTenantConversations' },
  }),

  readTenantConversation: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/conversations/:conversationId',
    summary: 'Retrieve a conversation',
    description:
      'Returns a conversation with its turns. Only conversations of visitors who agreed to storage can ' +
      'be found.',
    pathParams: z.strictObject({ ...ofTenant, conversationId }),
    responses: { 200: tenantTranscript },
    errors: ['conversation/not_found'],
    meta: { ...readRoute, tag: 'Analytics', operationId: 'readTenantConversation' },
  }),

  listFeedback: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/feedback',
    summary: 'List ratings',
    description:
      'Returns ratings of answers with their questions, newest first, from visitors who agreed to ' +
      'storage. A page may be shorter than its limit, or empty; there are more results while ' +
      '`nextCursor` is present.',
    pathParams: z.strictObject(ofTenant),
    query: z.strictObject({
      ...pageQuery,
      rating: rating.optional().describe('Only ratings with this value.'),
      commented: commentedFilter.optional().describe('Only ratings with a comment, or only those without.'),
      from: askedMoment
        .optional()
        .describe('Only ratings given at or after this time.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: askedMoment.optional().describe('Only ratings given before this time.'),
    }),
    responses: { 200: pageOf('TenantFeedbackPage', tenantFeedback, 'ratings, newest first') },
    errors: [],
    meta: { ...readRoute, tag: 'Analytics', operationId: 'listFeedback' },
  }),

  readAnalytics: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/analytics',
    summary: 'Retrieve analytics',
    description:
      'Returns totals per day or hour in a time zone, compared with the previous range of the same ' +
      'length. Defaults to the last 28 days. At most 400 days, or 31 days by hour.',
    pathParams: z.strictObject(ofTenant),
    query: z.strictObject({
      from: askedMoment
        .optional()
        .describe('Start of the range, inclusive. Defaults to the start of the day 27 days before `to`.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: askedMoment.optional().describe('End of the range, exclusive. Defaults to now.'),
      by: periodLength.default('day').describe('Length of the periods.'),
      zone: zone.default('UTC').describe('IANA time zone for days and hours. Defaults to UTC.'),
    }),
    responses: { 200: analytics },
    errors: [],
    meta: { ...readRoute, tag: 'Analytics', operationId: 'readAnalytics' },
  }),
});
