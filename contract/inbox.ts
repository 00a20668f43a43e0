import { z } from 'zod';
import { ratingDetails } from './chat.ts';
import {
  articleId,
  conversationId,
  cursor,
  locale,
  memberId,
  messageId,
  moment,
  namedObject,
  pageQuery,
  typeId,
  workspaceId,
} from './fields.ts';
import { CHAT_LIMITS } from './limits/chat.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { editRoute, readRoute, route, router } from './route.ts';

const groupId = typeId('ibx', 'A group of similar questions');

const inboxKind = z.enum(['unanswered', 'rated_down', 'low_confidence']).meta({
  id: 'InboxKind',
  description:
    'Why a question is in the inbox: the guide had no answer, the visitor rated the answer as not helpful, ' +
    `or the confidence of the answer was below ${WORKSPACE_LIMITS.inboxLowConfidence}.`,
});

const inboxState = z.enum(['open', 'assigned', 'resolved', 'dismissed']).meta({
  id: 'InboxState',
  description:
    'State of a group: `assigned` is open with an assignee. A question that is asked after its group was ' +
    'resolved opens it again; dismissed groups stay dismissed.',
});

const inboxOrder = z.enum(['asked', 'recent']).meta({
  id: 'InboxOrder',
  description: 'Order of groups: most questions first, or the latest question first.',
});

const inboxOwner = z.enum(['me', 'nobody', 'everybody']).meta({
  id: 'InboxOwner',
  description: 'Groups to return: assigned to the caller, to nobody, or all.',
});

const count = z.int32().min(0).max(2_000_000_000).meta({ example: 12 });
const confidence = z
  .number()
  .min(0)
  .max(1)
  .meta({ description: 'Confidence in the answer, from 0 to 1.', example: 0.3 });

const questionText = z.string().max(CHAT_LIMITS.messageCharsMax).meta({ example: 'Do you ship to Norway?' });

const inboxQuestion = namedObject('InboxQuestion', 'A question of a visitor that was not answered well.', {
  messageId,
  conversationId,
  question: questionText,
  locale: locale.describe('The language that the visitor asked for.'),
  askedAt: moment,
  kinds: z.array(inboxKind).min(1).max(3),
  confidence: confidence.optional().describe('Confidence of the answer that the visitor got, if it had one.'),
  ...ratingDetails,
});

const kindCounts = {
  unanswered: count,
  ratedDown: count,
  lowConfidence: count,
};

const inboxQuestionCounts = namedObject(
  'InboxQuestionCounts',
  'Questions by kind; one may be of several.',
  kindCounts,
);

const beforeAndAfter = namedObject(
  'InboxResolution',
  'How often was asked before and after the group was resolved.',
  {
    at: moment,
    before: count,
    after: count,
  },
);

const askedAgain = namedObject(
  'InboxAskedAgain',
  'The latest outcome of asking the questions of a group again.',
  {
    at: moment,
    asked: count,
    answered: count,
  },
);

const groupFields = {
  id: groupId,
  state: inboxState,
  asked: count,
  counts: inboxQuestionCounts,
  lastAskedAt: moment,
  assigneeId: memberId.optional().describe('The member it is assigned to. Absent if it is unassigned.'),
  articleId: articleId.optional().describe('The article that answers. Absent if none is linked.'),
  nearestArticleId: articleId.optional().describe('The published article closest to the latest question.'),
  resolution: beforeAndAfter.optional().describe('Absent if the group was never resolved.'),
  askedAgain: askedAgain.optional().describe('Absent if they were never asked again.'),
};

const inboxGroup = namedObject(
  'InboxGroup',
  'Similar questions that were not answered well, of visitors who agreed to storage.',
  {
    ...groupFields,
    questions: z.array(inboxQuestion).max(WORKSPACE_LIMITS.inboxQuestionsMax),
  },
);

const inboxCounts = namedObject(
  'InboxCounts',
  'Number of open groups: all, and those with questions of each kind.',
  {
    open: count,
    mine: count.describe('Open groups that are assigned to the caller.'),
    ...kindCounts,
  },
);

const inboxPage = namedObject('InboxPage', 'A page of the inbox.', {
  data: z
    .array(inboxGroup)
    .max(REQUEST_LIMITS.pageRowsMax)
    .describe('Groups, each with its newest three questions.'),
  counts: inboxCounts.describe('Number of open groups, regardless of the filters.'),
  nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
});

const inboxChange = namedObject('InboxChange', 'Changes to a group. Absent fields stay as they are.', {
  state: z
    .enum(['open', 'resolved', 'dismissed'])
    .meta({ id: 'InboxTarget', description: 'The state that a group is put into.' })
    .optional()
    .describe('Resolves, dismisses or reopens the group.'),
  assigneeId: memberId
    .nullable()
    .optional()
    .describe('The member to assign it to, or `null` to unassign it.'),
  articleId: articleId.nullable().optional().describe('The article that answers, or `null` for none.'),
});

const answerState = namedObject('InboxAnswer', 'Whether and from what a question is answered.', {
  answered: z.boolean(),
  confidence: confidence.optional(),
  articleId: articleId.optional().describe('The article that is cited first. Absent without a citation.'),
});

const askAgainResult = namedObject('InboxAskAgainResult', 'A question, answered then and now.', {
  messageId,
  question: questionText,
  locale: locale.describe('The language that the visitor asked for.'),
  before: answerState.describe('Answer that the visitor got, without its article.'),
  after: answerState,
});

const askAgainReply = namedObject('InboxAskAgain', 'The questions of a group, answered then and now.', {
  group: inboxGroup,
  results: z
    .array(askAgainResult)
    .max(WORKSPACE_LIMITS.inboxAskAgainMax)
    .describe('Different questions of the group, newest first.'),
});

const anonymousQuestion = namedObject(
  'AnonymousQuestion',
  'An unanswered question of visitors who had not decided about storage. Equal questions are one row, ignoring case, spaces and punctuation.',
  {
    question: questionText.describe(
      'As last asked, without personal data and secrets, truncated to 300 characters.',
    ),
    locale: locale.describe('The language that the last visitor asked for.'),
    path: z
      .string()
      .max(1024)
      .describe('Page of the last question, without query and fragment.')
      .meta({ example: '/pricing' }),
    asked: count,
    lastAskedAt: moment,
    nearestArticleId: articleId.optional().describe('The published article closest to the last question.'),
  },
);

const anonymousQuestions = namedObject(
  'AnonymousQuestions',
  `Unanswered questions without their visitors, of the last ${WORKSPACE_LIMITS.anonymousQuestionDays} days.`,
  {
    kept: z.boolean().describe('Whether the workspace keeps the words of these questions.'),
    data: z
      .array(anonymousQuestion)
      .max(WORKSPACE_LIMITS.anonymousQuestionsMax)
      .describe('Most frequent first.'),
  },
);

export type InboxGroupBody = z.infer<typeof inboxGroup>;
export type InboxQuestionBody = z.infer<typeof inboxQuestion>;

const base = '/api/tenants/:tenantId/inbox';
const tenantParam = { tenantId: workspaceId };
const pathParams = z.strictObject({ ...tenantParam, groupId });

export const inbox = router('Inbox', {
  listInbox: route({
    method: 'GET',
    path: base,
    summary: 'List the inbox',
    description:
      'Returns groups of similar questions that were not answered well. Questions arrive within about two ' +
      'minutes, and leave with their conversation. Without `state`: open groups, assigned or not. Stale ' +
      'translations are in the review queue.',
    pathParams: z.strictObject(tenantParam),
    query: z.strictObject({
      ...pageQuery,
      state: inboxState.optional().describe('Only groups in this state.'),
      kind: inboxKind.optional().describe('Only groups with a question of this kind.'),
      for: inboxOwner.default('everybody').describe('Groups to return, by assignee.'),
      order: inboxOrder.default('asked').describe('Order of the groups.'),
    }),
    responses: { 200: inboxPage },
    meta: readRoute,
  }),

  listAnonymousQuestions: route({
    method: 'GET',
    path: '/api/tenants/:tenantId/anonymous-questions',
    summary: 'List unanswered questions without a visitor',
    description:
      'Returns the words of unanswered questions of visitors who had not decided about storage, if the workspace keeps them ' +
      '(`retention.anonymousQuestions`). Analytics counts such questions whether their words are kept or not.',
    pathParams: z.strictObject(tenantParam),
    responses: { 200: anonymousQuestions },
    meta: readRoute,
  }),

  readInboxGroup: route({
    method: 'GET',
    path: `${base}/:groupId`,
    summary: 'Retrieve a group of questions',
    description: `Returns a group with its newest ${WORKSPACE_LIMITS.inboxQuestionsMax} questions.`,
    pathParams,
    responses: { 200: inboxGroup },
    errors: ['inbox/not_found'],
    meta: readRoute,
  }),

  changeInboxGroup: route({
    method: 'PATCH',
    path: `${base}/:groupId`,
    summary: 'Change a group of questions',
    description: 'Assigns a group, resolves, dismisses or reopens it, or links the article that answers.',
    pathParams,
    body: inboxChange,
    responses: { 200: inboxGroup },
    errors: ['inbox/not_found', 'member/not_found', 'article/not_found'],
    meta: editRoute,
  }),

  askAgain: route({
    method: 'POST',
    path: `${base}/:groupId/ask-again`,
    summary: 'Ask the questions of a group again',
    description:
      `Asks up to ${WORKSPACE_LIMITS.inboxAskAgainMax} different questions of a group again, newest first, as a visitor with the ` +
      'same language would, and keeps how many were answered. No conversation or event is recorded, but ' +
      'tokens of a language model count. Takes up to a minute; disconnecting cancels it.',
    pathParams,
    body: null,
    responses: { 200: askAgainReply },
    errors: ['inbox/not_found', 'chat/answer_broke_off'],
    meta: {
      ...editRoute,
      limits: ['tenant/member-mutations', 'tenant/member-previews'],
      killSwitch: 'guide/paused',
    },
  }),
});
