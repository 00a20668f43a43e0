import { z } from 'zod';
import { conversationFields, feedbackReason, rating, ratingDetails, turnFields } from './chat.ts';
import { citedSource } from './chat-event.ts';
import { consentDecision } from './consent.ts';
import { conversationNote } from './conversation-notes.ts';
import {
  articleId,
  buildPage,
  conversationId,
  inCamelCase,
  locale,
  messageId,
  moment,
  namedObject,
  pageQuery,
  pattern,
  queryMoment,
  regionCode,
  text,
  visitorId,
  workspaceId,
  yesOrNo,
} from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { readRoute, route, router } from './route.ts';

/**
 * Analytics of a workspace, shared by the dashboard and the export. Field names are single words, so
 * they are the same in snake_case and camelCase. Everything except `unanswered` and `reasons` is counted from events.
 */
export const ANALYTICS = {
  daysDefault: 28,
  daysMax: 400,
  /** Maximum range when counting by hour. */
  hourDaysMax: 31,
  /** Maximum length of lists. */
  rowsMax: 100,
  topicsMax: 30,
  /** Questions that are compared for topics, the most frequent ones. */
  topicQuestionsMax: 300,
  topicExamplesMax: 5,
} as const;

/** 31 days of hours, plus daylight-saving changes. */
const PERIODS_MAX = 800;

const top = <T extends z.ZodType>(row: T) => z.array(row).max(ANALYTICS.rowsMax);

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 12 });
const millis = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 240 });

export const zone = text(64)
  .regex(/^[A-Za-z][A-Za-z0-9_+/-]*$/)
  .meta({ description: 'IANA time zone that days and hours are counted in.', example: 'Europe/Berlin' });

export const periodLength = z.enum(['day', 'hour']).meta({
  id: 'AnalyticsPeriodLength',
  description: 'Length of a period, in the given time zone.',
});

const actionFigures = namedObject(
  'ActionFigures',
  'Proposed actions and their outcomes. An outcome is counted when the page reports it.',
  {
    proposed: count,
    confirmed: count.describe(
      'Reported outcomes where the visitor accepted the action: done, missing and failed.',
    ),
    declined: count,
    done: count,
    missing: count.describe('Reported outcomes where the target was no longer on the page.'),
    failed: count,
  },
);

const feedbackFigures = namedObject('FeedbackFigures', 'Ratings given. A changed rating counts again.', {
  up: count,
  down: count,
});

const searchFigures = namedObject(
  'SearchFigures',
  'Searches in the articles, in the panel and in the dialog. Words that follow each other while a visitor types are one search.',
  {
    found: count.describe('Searches with at least one article.'),
    empty: count.describe('Searches without an article.'),
  },
);

const latencyFigures = namedObject(
  'LatencyFigures',
  'Time from the question to the first text, in milliseconds. Exact up to 100, within 1 % above.',
  {
    p50: millis,
    p90: millis,
    p99: millis,
  },
);

const deflectionFigures = namedObject(
  'DeflectionFigures',
  'How conversations ended. Exact up to 65,536 conversations, within about 1 % above.',
  {
    conversations: count.describe('Conversations of visitors who agreed to storage, without programs.'),
    answered: count.describe('Those of them whose last question was answered.'),
  },
);

const figures = {
  boots: count.describe('Times the guide started on a page.'),
  visitors: count.describe(
    'Distinct visitors, without programs. Exact up to 65,536, within about 1 % above.',
  ),
  conversations: count.describe('Conversations with at least one finished turn.'),
  turns: count,
  answered: count.describe('Turns that ended with an answer (finish reason `stop` or `length`).'),
  unanswered: count.describe(
    'Turns that ended without an answer (finish reason `no_knowledge` or `refusal`).',
  ),
  deflection: deflectionFigures,
  citations: count,
  actions: actionFigures,
  feedback: feedbackFigures.describe('Ratings of answers.'),
  articles: feedbackFigures.describe('Ratings of articles in the help centre.'),
  voice: z.number().min(0).max(1e12).describe('Seconds of voice used.').meta({ example: 90 }),
  searches: searchFigures,
  limited: count.describe('Times a rate limit was exceeded, at most one per limit, visitor and minute.'),
  latency: latencyFigures.optional().describe('Absent if no answer had text.'),
};

const analyticsFigures = namedObject('AnalyticsFigures', 'Totals of one period of time.', figures);

const analyticsPeriod = namedObject(
  'AnalyticsPeriod',
  'One day or hour of the range in the given time zone. The first and last may be partial.',
  {
    start: moment.describe(
      'Start of the period. It ends where the next period begins, the last one at `to`.',
    ),
    ...figures,
  },
);

const citedArticle = namedObject('CitedArticle', 'Citations of one article in one language.', {
  article: articleId.describe('May have been deleted since.'),
  locale,
  citations: count,
});

const answeredQuestions = {
  turns: count,
  answered: count,
};

const path = z.string().max(1024).describe('Without query and fragment.').meta({ example: '/pricing' });

const askedPage = namedObject('AskedPage', 'Questions that were asked on one page.', {
  path,
  ...answeredQuestions,
});

const unansweredPage = namedObject('UnansweredPage', 'Unanswered questions on one page.', { path, count });

const unansweredLanguage = namedObject('UnansweredLanguage', 'Unanswered questions in one language.', {
  locale,
  count,
});

const askedLanguage = namedObject('AskedLanguage', 'Questions of visitors who asked for one language.', {
  locale,
  ...answeredQuestions,
  native: count.describe('Those of the answers whose first source was in this language.'),
});

const fallbackCount = namedObject('FallbackCount', 'Citations that were not in the requested language.', {
  reason: pattern(/^[a-z_]+$/, 64).meta({ example: 'source_article' }),
  count,
});

const reasonCount = namedObject('FeedbackReasonCount', 'Ratings that reported this defect of an answer.', {
  reason: feedbackReason,
  count,
});

const consentCount = namedObject(
  'ConsentCount',
  'Consent decisions by mode and region. Denials leave no event and are not counted.',
  {
    region: regionCode,
    mode: pattern(/^[a-z_]+$/, 16)
      .describe('Consent mode at decision time: `opt_in`, `opt_out` or `notice`.')
      .meta({ example: 'opt_in' }),
    decision: consentDecision.describe("Decision of the visitor or of the browser on the visitor's behalf."),
    count,
  },
);

const unansweredQuestion = namedObject(
  'UnansweredQuestion',
  'An unanswered question. Similar questions are grouped, ignoring case, spaces and punctuation.',
  {
    question: z
      .string()
      .max(WORKSPACE_LIMITS.questionCharsMax)
      .describe('As last asked, truncated to 300 characters.')
      .meta({ example: 'Do you ship to Norway?' }),
    count,
    last: moment,
  },
);

const nearestArticle = namedObject('NearestArticle', 'Unanswered questions whose closest article this was.', {
  article: articleId.describe('May have been deleted since.'),
  count,
});

const anonymousFigures = namedObject(
  'AnonymousFigures',
  'Unanswered questions that are counted without their visitors, who had not decided about storage. The inbox does not have them.',
  {
    unanswered: count,
    pages: top(unansweredPage),
    languages: top(unansweredLanguage),
    articles: top(nearestArticle).describe(
      'Closest articles. Questions that no article is close to are not counted.',
    ),
  },
);

const searchedWords = namedObject('SearchedWords', 'Searches for the same words.', {
  words: z
    .string()
    .max(WORKSPACE_LIMITS.questionCharsMax)
    .describe('As last typed, with recognized personal data masked.')
    .meta({ example: 'return an order' }),
  count,
  results: count.describe('Articles that the last of these searches found.'),
});

const limitHits = namedObject('LimitHits', 'How often a rate limit was exceeded.', {
  bucket: z.string().max(64).meta({ example: 'chat/visitor-burst' }),
  count,
});

export const analyticsReport = namedObject('Analytics', 'Analytics of a workspace.', {
  from: moment.describe('Start of the range, inclusive.'),
  to: moment.describe('End of the range, exclusive.'),
  zone,
  by: periodLength,
  totals: analyticsFigures,
  previous: analyticsFigures.describe('Totals of the previous range of the same length, for comparison.'),
  periods: z
    .array(analyticsPeriod)
    .max(PERIODS_MAX)
    .describe('Every day or hour of the range, oldest first, including empty ones.'),
  articles: top(citedArticle).describe('Most cited articles, at most 100.'),
  pages: top(askedPage).describe('Pages with the most questions, at most 100.'),
  languages: top(askedLanguage).describe('Languages that visitors asked for, most frequent first.'),
  fallbacks: top(fallbackCount),
  reasons: top(reasonCount).describe(
    'Reasons of `down` ratings, most frequent first, from visitors who agreed to storage.',
  ),
  consents: top(consentCount),
  unanswered: top(unansweredQuestion).describe(
    'Most frequent unanswered questions, at most 100, from visitors who agreed to storage.',
  ),
  anonymous: anonymousFigures,
  searched: top(searchedWords).describe(
    'Most frequent searches in the articles, at most 100, from visitors who agreed to storage, and from undecided ones if the ' +
      'workspace keeps their words (`retention.anonymousQuestions`).',
  ),
  hits: top(limitHits),
});

const topicQuestion = z.string().max(WORKSPACE_LIMITS.questionCharsMax);

const topic = namedObject('QuestionTopic', 'Questions about the same subject.', {
  question: topicQuestion
    .describe('Its most frequent question, which names the topic.')
    .meta({ example: 'How do I return an order?' }),
  locale: locale.describe('The language of that question.'),
  ...answeredQuestions,
  before: count.describe('Questions in the previous range of the same length.'),
  periods: z.array(count).max(PERIODS_MAX).describe('Questions in each period, in the order of `starts`.'),
  examples: z.array(topicQuestion).max(ANALYTICS.topicExamplesMax).describe('Other frequent questions.'),
});

const topicReport = namedObject('QuestionTopics', 'What visitors asked about, over time.', {
  from: moment.describe('Start of the range, inclusive.'),
  to: moment.describe('End of the range, exclusive.'),
  starts: z.array(moment).max(PERIODS_MAX).describe('Start of each period, oldest first.'),
  topics: z
    .array(topic)
    .max(ANALYTICS.topicsMax)
    .describe('Topics, largest first. Only questions of visitors who agreed to storage are grouped.'),
});

export type Topics = z.infer<typeof topicReport>;
export type Analytics = z.infer<typeof analyticsReport>;
export type AnalyticsFigures = z.infer<typeof analyticsFigures>;

/** Conversations and ratings. Visitors who denied consent appear in none of them. */

const tenantConversation = namedObject('TenantConversation', 'A conversation without its turns.', {
  id: conversationId,
  ...inCamelCase(conversationFields),
});

export const tenantCitation = namedObject(
  'TenantCitation',
  'A source of an answer.',
  inCamelCase(citedSource),
);

const tenantTurn = namedObject('TenantTurn', "A visitor's question and its answer.", {
  ...inCamelCase(turnFields),
  citations: z.array(tenantCitation).max(100),
  askedAt: moment,
  finishedAt: moment.optional().describe('When the answer ended. Absent while it is running.'),
  rating: rating.optional(),
  ...ratingDetails,
});

const tenantTranscript = namedObject('TenantTranscript', 'A conversation with its turns and notes.', {
  conversation: tenantConversation,
  turns: z
    .array(tenantTurn)
    .max(CHAT_LIMITS.turnsPerConversationMax)
    .describe('Turns, oldest first. Long conversations show only the latest ones.'),
  notes: z.array(conversationNote).max(CHAT_LIMITS.notesMax).describe('Notes of the team, oldest first.'),
});

const answeredFilter = yesOrNo('AnsweredFilter', 'Whether every question of a conversation was answered.');

const commentedFilter = yesOrNo('CommentedFilter', 'Whether a rating has a comment.');

const tenantFeedback = namedObject('TenantFeedback', 'A rating of an answer, with its question.', {
  messageId,
  conversationId,
  rating,
  ...ratingDetails,
  at: moment,
  question: turnFields.message,
  answer: z
    .string()
    .max(ARTICLE_LIMITS.searchSummaryCharsMax)
    .meta({ example: 'Open the system menu and choose Wi-Fi.' }),
  locale: locale.describe('The language that the visitor asked for.'),
});

const tenantParam = { tenantId: workspaceId };

const rangeQuery = z.strictObject({
  from: queryMoment
    .optional()
    .describe('Start of the range, inclusive. Defaults to the start of the day 27 days before `to`.')
    .meta({ example: '2026-11-01T00:00:00.000Z' }),
  to: queryMoment.optional().describe('End of the range, exclusive. Defaults to now.'),
  by: periodLength.default('day').describe('Length of the periods.'),
  zone: zone.default('UTC').describe('IANA time zone for days and hours. Defaults to UTC.'),
});

export const analytics = router('Analytics', {
  listTenantConversations: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/conversations',
    summary: 'List conversations',
    description:
      'Returns conversations of visitors who agreed to storage, newest first. With filters, a page may ' +
      'be shorter than its limit, or empty; there are more results while `nextCursor` is present.',
    pathParams: z.strictObject(tenantParam),
    query: z.strictObject({
      ...pageQuery,
      from: queryMoment
        .optional()
        .describe('Only conversations that began at or after this time.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: queryMoment.optional().describe('Only conversations that began before this time.'),
      visitorId: visitorId.optional().describe('Only the conversations of this visitor.'),
      locale: locale.optional().describe('Only conversations whose first question was in this language.'),
      answered: answeredFilter
        .optional()
        .describe('Only answered (`true`) or unanswered (`false`) conversations.'),
      rating: rating.optional().describe('Only conversations with an answer that has this rating.'),
      q: text(ARTICLE_LIMITS.searchQueryCharsMax)
        .optional()
        .describe(
          'Only conversations with these words in a question, answer or comment. Case and accents are ' +
            'ignored.',
        )
        .meta({ example: 'norway' }),
      question: text(CHAT_LIMITS.messageCharsMax)
        .optional()
        .describe(
          'Only conversations with this question, grouped as in analytics: case, spaces and punctuation ' +
            'are ignored and only the first 300 characters count.',
        )
        .meta({ example: 'Do you ship to Norway?' }),
    }),
    responses: { 200: buildPage('TenantConversationPage', tenantConversation) },
    meta: readRoute,
  }),

  readTenantConversation: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/conversations/:conversationId',
    summary: 'Retrieve a conversation',
    description:
      'Returns a conversation with its turns. Only conversations of visitors who agreed to storage can ' +
      'be found.',
    pathParams: z.strictObject({ ...tenantParam, conversationId }),
    responses: { 200: tenantTranscript },
    errors: ['conversation/not_found'],
    meta: readRoute,
  }),

  listFeedback: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/feedback',
    summary: 'List ratings',
    description:
      'Returns ratings of answers with their questions, newest first, from visitors who agreed to ' +
      'storage. A page may be shorter than its limit, or empty; there are more results while ' +
      '`nextCursor` is present.',
    pathParams: z.strictObject(tenantParam),
    query: z.strictObject({
      ...pageQuery,
      rating: rating.optional().describe('Only ratings with this value.'),
      commented: commentedFilter.optional().describe('Only ratings with a comment, or only those without.'),
      from: queryMoment
        .optional()
        .describe('Only ratings given at or after this time.')
        .meta({ example: '2026-11-01T00:00:00.000Z' }),
      to: queryMoment.optional().describe('Only ratings given before this time.'),
    }),
    responses: { 200: buildPage('TenantFeedbackPage', tenantFeedback) },
    meta: readRoute,
  }),

  readAnalytics: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/analytics',
    summary: 'Retrieve analytics',
    description:
      'Returns totals per day or hour in a time zone, compared with the previous range of the same ' +
      'length. Defaults to the last 28 days. At most 400 days, or 31 days by hour.',
    pathParams: z.strictObject(tenantParam),
    query: rangeQuery,
    responses: { 200: analyticsReport },
    meta: readRoute,
  }),

  readTopics: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/analytics/topics',
    summary: 'Retrieve topics',
    description:
      'Groups the 300 most frequent questions of a range by meaning. Returns the 30 largest topics over time, ' +
      'compared with the previous range of the same length. Small talk is left out. Takes the ranges of analytics.',
    pathParams: z.strictObject(tenantParam),
    query: rangeQuery,
    responses: { 200: topicReport },
    meta: readRoute,
  }),
});
