import { z } from 'zod';
import { slug, title } from './article-fields.ts';
import {
  articleId,
  cursor,
  locale,
  moment,
  namedObject,
  okReply,
  pageQuery,
  typeId,
  visibleText,
  workspaceId,
} from './fields.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';
import { editRoute, readRoute, route, router } from './route.ts';

const { answerTestsMax } = WORKSPACE_LIMITS;

export const answerTestId = typeId('tst', 'An answer test');

export const answerTestQuestion = visibleText(WORKSPACE_LIMITS.answerTestQuestionCharsMax).meta({
  example: 'How do I return an order?',
});

const state = z.enum(['passed', 'failed', 'waiting']).meta({
  id: 'AnswerTestState',
  description: 'State of a test. `waiting`: it runs soon; its passages are those of the last run.',
});

const passage = namedObject('AnswerTestPassage', 'What an article says to a question.', {
  articleId,
  title,
  text: z.string().max(1000).meta({ example: 'You can return any order within 30 days.' }),
});

const test = namedObject('AnswerTest', 'A question, with the article that is expected to answer it.', {
  id: answerTestId,
  question: answerTestQuestion,
  locale,
  articleId: articleId.optional().describe('Absent if no answer is expected.'),
  state,
  quoted: passage.optional().describe('What was quoted first. Absent if nothing was.'),
  expected: passage.optional().describe('Set if it was not quoted first, but is published.'),
  ranAt: moment.optional(),
});

const count = z.int32().min(0).max(answerTestsMax).meta({ example: 12 });

const page = namedObject('AnswerTestPage', 'Answer tests, with the number of all.', {
  data: z.array(test).max(answerTestsMax),
  counts: namedObject('AnswerTestCounts', 'Number of tests by state.', {
    passed: count,
    failed: count,
    waiting: count,
  }),
  nextCursor: cursor.optional().describe('Cursor for the next page. Absent on the last page.'),
});

const input = namedObject('AnswerTestInput', 'A test to add, or to change if it has an id.', {
  id: answerTestId.optional(),
  question: answerTestQuestion,
  locale,
  article: slug
    .nullable()
    .describe('Id or slug of the expected article; `null` if no answer is expected.')
    .meta({ example: 'returns' }),
});

const change = z
  .strictObject({
    articleId,
    locale: locale.optional().describe('Publishes this translation instead.'),
    unpublish: z.boolean().optional().describe('Unpublishes the article instead.'),
  })
  .meta({
    id: 'AnswerTestCheck',
    description: 'A change of what is published.',
    example: { articleId: 'art_01kakv2fxse7wtg6x5r0h8rjbm' },
  });

export type AnswerTestBody = z.infer<typeof test>;
export type AnswerTestInput = z.infer<typeof input>;
export type AnswerTestCounts = z.infer<typeof page>['counts'];

const tenant = '/api/tenants/:tenantId';
const base = `${tenant}/answer-tests`;
const tenantParam = { tenantId: workspaceId };
const pathParams = z.strictObject(tenantParam);

export const answerTests = router('Articles', {
  listAnswerTests: route({
    method: 'GET',
    path: base,
    summary: 'List answer tests',
    description:
      'Returns tests, oldest first. They run without a language model when something is published.',
    pathParams,
    query: z.strictObject({ ...pageQuery, state: state.optional().describe('Only tests in this state.') }),
    responses: { 200: page },
    meta: readRoute,
  }),

  putAnswerTests: route({
    method: 'PUT',
    path: base,
    summary: 'Add or change answer tests',
    description: 'Replaces tests with the same question and language. Returns the tests, which run soon.',
    pathParams,
    body: namedObject('AnswerTestsInput', 'Tests to add or change.', {
      tests: z.array(input).min(1).max(answerTestsMax),
    }),
    responses: { 200: page },
    errors: ['answer_test/not_found', 'answer_test/too_many'],
    meta: { ...editRoute, bodyBytesMax: WORKSPACE_LIMITS.answerTestsBodyBytesMax },
  }),

  deleteAnswerTest: route({
    method: 'DELETE',
    path: `${base}/:testId`,
    summary: 'Delete an answer test',
    description: 'Deletes a test.',
    pathParams: z.strictObject({ ...tenantParam, testId: answerTestId }),
    responses: { 200: okReply },
    errors: ['answer_test/not_found'],
    meta: editRoute,
  }),

  runAnswerTests: route({
    method: 'POST',
    path: `${tenant}/answer-test-runs`,
    summary: 'Run answer tests',
    description: 'Runs tests in the background.',
    pathParams,
    query: z.strictObject({ testId: answerTestId.optional().describe('Runs all without it.') }),
    body: null,
    responses: { 200: okReply },
    meta: editRoute,
  }),

  suggestAnswerTests: route({
    method: 'GET',
    path: `${tenant}/answer-test-suggestions`,
    summary: 'Suggest answer tests',
    description: 'Returns published titles and aliases that are no tests yet.',
    pathParams,
    responses: {
      200: namedObject('AnswerTestSuggestions', 'Suggested tests.', {
        data: z
          .array(
            namedObject('AnswerTestSuggestion', 'A title or an alias.', {
              question: answerTestQuestion,
              locale,
              articleId,
            }),
          )
          .max(WORKSPACE_LIMITS.answerTestSuggestionsMax),
      }),
    },
    meta: readRoute,
  }),

  checkAnswerTests: route({
    method: 'POST',
    path: `${tenant}/answer-test-checks`,
    summary: 'Check what a change would break',
    description:
      'Runs the tests as if the working copy were published. Returns those that would break, and the states of all; ' +
      `after ${WORKSPACE_LIMITS.answerTestCheckSeconds} seconds, the others are waiting.`,
    pathParams,
    body: change,
    responses: { 200: page },
    errors: ['article/not_found', 'translation/not_found'],
    meta: { ...readRoute, limits: ['tenant/member-previews'], worksReadOnly: true },
  }),
});
