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
import { reading } from './route-presets.ts';

/** What a workspace learns of its conversations. Visitors who denied consent appear in none of it. */

const conversationFields = {
  id: conversationId,
  visitorId,
  startedAt: moment.describe('When its first question was asked.'),
  lastAt: moment.describe('When its newest question was asked.'),
  turns: z
    .int32()
    .min(0)
    .max(1_000_000)
    .describe('How many questions were asked in it.')
    .meta({ example: 3 }),
  locale: locale.describe('The language that its first question was asked in.'),
  firstMessage: z
    .string()
    .max(LIMITS.messageCharsMax)
    .describe('What the visitor asked first.')
    .meta({ example: 'How do I connect to a wireless network?' }),
  answered: z.boolean().describe('True when every question got an answer: reason stop or length.'),
  rating: rating.optional().describe('The newest rating of one of its answers; absent while there is none.'),
};

const tenantConversation = z
  .strictObject(conversationFields)
  .meta({ id: 'TenantConversation', description: 'A conversation, as the list of a workspace shows it.' });

export const tenantCitation = z
  .strictObject({
    articleId,
    translationId: translationId
      .optional()
      .describe('The translation that was cited; absent for the source article.'),
    revision: z.int32().min(1).describe('The published revision that the quote stands in.'),
    title: z
      .string()
      .max(LIMITS.titleCharsMax)
      .describe('The title of the cited text, in its own language.')
      .meta({ example: 'Connect to a wireless network' }),
    url: z
      .string()
      .max(LIMITS.urlCharsMax)
      .optional()
      .describe('Where the article can be read, when its owner gave an address.'),
    quote: z
      .string()
      .max(20_000)
      .describe('The cited words, verbatim from that revision.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    requestedLocale: locale.describe('The language that the visitor asked for.'),
    contentLocale: locale.describe('The language that the cited text is in.'),
    fallbackReason: fallbackReason.optional().describe('Why contentLocale differs; absent when it does not.'),
    stale: z.boolean().describe('True when the article had changed after this translation was made.'),
  })
  .meta({ id: 'TenantCitation', description: 'A source of an answer, as a workspace reads it.' });

const comment = z
  .string()
  .max(LIMITS.feedbackCharsMax)
  .describe('What the visitor added to the rating.')
  .meta({ example: 'That was quick.' });

const tenantTurn = z
  .strictObject({
    turnIdx: z.int32().min(0).max(LIMITS.turnIdxMax).describe('The index that the visitor sent with it.'),
    messageId,
    message: z
      .string()
      .max(LIMITS.messageCharsMax)
      .describe('What the visitor asked in this turn.')
      .meta({ example: 'How do I connect to a wireless network?' }),
    answer: z
      .string()
      .max(200_000)
      .describe('What the guide answered; what there was of it when it was interrupted.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    state: turnState.describe('How far the answer got.'),
    finishReason: finishReason
      .optional()
      .describe('Why the answer ended; absent while it runs and when it failed.'),
    requestedLocale: locale.describe('The language that the visitor asked for.'),
    citations: z.array(tenantCitation).max(100).describe('The sources of the answer, in their order.'),
    askedAt: moment.describe('When the visitor asked.'),
    finishedAt: moment.optional().describe('When the answer ended; absent while it runs.'),
    rating: rating.optional().describe('How the visitor rated the answer; absent when not at all.'),
    comment: comment.optional(),
  })
  .meta({
    id: 'TenantTurn',
    description: 'A question of a visitor and its answer, as a workspace reads it.',
  });

const tenantTranscript = z
  .strictObject({
    conversation: tenantConversation.describe('The conversation as the list shows it.'),
    turns: z
      .array(tenantTurn)
      .max(LIMITS.turnsPerConversationMax)
      .describe('Its turns, oldest first; the newest ones where there are more than fit.'),
  })
  .meta({ id: 'TenantTranscript', description: 'A conversation with everything that was said in it.' });

const answeredFilter = z.enum(['true', 'false']).meta({
  id: 'AnsweredFilter',
  description: 'Whether every question of a conversation got an answer.',
});

const commentedFilter = z.enum(['true', 'false']).meta({
  id: 'CommentedFilter',
  description: 'Whether the visitor added words to a rating.',
});

const tenantFeedback = z
  .strictObject({
    messageId,
    conversationId,
    rating,
    comment: comment.optional().describe('What the visitor added to the rating; absent when nothing.'),
    at: moment.describe('When it was rated last.'),
    question: z
      .string()
      .max(LIMITS.messageCharsMax)
      .describe('What the visitor had asked.')
      .meta({ example: 'How do I connect to a wireless network?' }),
    answer: z
      .string()
      .max(LIMITS.searchSummaryCharsMax)
      .describe('The beginning of the answer that was rated.')
      .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
    locale: locale.describe('The language that the visitor asked for.'),
  })
  .meta({ id: 'TenantFeedback', description: 'A rating of an answer, with what was asked.' });

const ofTenant = { tenantId: workspaceId };

export const insight = router({
  listTenantConversations: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/conversations',
    summary: 'List conversations',
    description:
      'The conversations of the workspace that may be kept, newest first. A page can be shorter than its limit, and even ' +
      'empty, where few match: there is more for as long as there is a `nextCursor`.',
    pathParams: z.strictObject(ofTenant),
    query: z.strictObject({
      ...pageQuery,
      from: askedMoment
        .optional()
        .describe('Only conversations that began at this moment or later.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: askedMoment.optional().describe('Only conversations that began before this moment.'),
      visitorId: visitorId.optional().describe('Only the conversations of this visitor.'),
      locale: locale.optional().describe('Only conversations whose first question was in this language.'),
      answered: answeredFilter
        .optional()
        .describe('Only conversations that were answered, or that were not.'),
      rating: rating
        .optional()
        .describe('Only conversations in which some answer is rated so, by its newest rating.'),
      q: z
        .string()
        .min(1)
        .max(LIMITS.searchQueryCharsMax)
        .optional()
        .describe(
          'Only conversations with these words in a question, answer or comment, whatever their case and accents.',
        )
        .meta({ example: 'norway' }),
      question: z
        .string()
        .min(1)
        .max(LIMITS.messageCharsMax)
        .optional()
        .describe(
          'Only conversations in which this was asked, as the analytics group it: case, spaces and punctuation make no difference, and ' +
            'only the first 300 characters count.',
        )
        .meta({ example: 'Do you ship to Norway?' }),
    }),
    answers: {
      200: pageOf('TenantConversationPage', tenantConversation, 'conversations, newest first'),
    },
    errors: [],
    meta: { ...reading, tag: 'Insight', operationId: 'listTenantConversations' },
  }),

  readTenantConversation: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/conversations/:conversationId',
    summary: 'Read a conversation',
    description:
      'A conversation with its turns. One that does not exist, one of another workspace and one that may not be kept are ' +
      'answered alike.',
    pathParams: z.strictObject({ ...ofTenant, conversationId }),
    answers: { 200: tenantTranscript },
    errors: ['conversation/not_found'],
    meta: { ...reading, tag: 'Insight', operationId: 'readTenantConversation' },
  }),

  listFeedback: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/feedback',
    summary: 'List ratings',
    description:
      'What visitors thought of answers, newest first, with the question that was answered. Only of conversations that may be kept. A ' +
      'page can be shorter than its limit, and even empty: there is more for as long as there is a `nextCursor`.',
    pathParams: z.strictObject(ofTenant),
    query: z.strictObject({
      ...pageQuery,
      rating: rating.optional().describe('Only ratings that say this.'),
      commented: commentedFilter.optional().describe('Only ratings with a comment, or only those without.'),
      from: askedMoment
        .optional()
        .describe('Only ratings that were given at this moment or later.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: askedMoment.optional().describe('Only ratings that were given before this moment.'),
    }),
    answers: { 200: pageOf('TenantFeedbackPage', tenantFeedback, 'ratings, newest first') },
    errors: [],
    meta: { ...reading, tag: 'Insight', operationId: 'listFeedback' },
  }),

  readAnalytics: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/analytics',
    summary: 'Read analytics',
    description:
      'What happened in the workspace, in figures for each day or hour of a time zone, beside the equally long time ' +
      'before. The last 28 days when nothing is asked for; at most 400 days, and at most 31 days of hours.',
    pathParams: z.strictObject(ofTenant),
    query: z.strictObject({
      from: askedMoment
        .optional()
        .describe('The first moment to count; the beginning of the day 27 days before `to`.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: askedMoment
        .optional()
        .describe('The end of what is counted, not counted itself; now when it is absent.'),
      by: periodLength.default('day').describe('Whether to cut the range into days or into hours.'),
      zone: zone
        .default('UTC')
        .describe('The time zone to cut days and hours in, by its IANA name; UTC when it is absent.'),
    }),
    answers: { 200: analytics },
    errors: [],
    meta: { ...reading, tag: 'Insight', operationId: 'readAnalytics' },
  }),
});
