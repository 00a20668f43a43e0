import {
  checkAnswerTests,
  deleteAnswerTest,
  listAnswerTests,
  putAnswerTests,
} from '../../generated/routes.ts';
import type { AnswerTest, AnswerTestCheck, AnswerTestInput } from '../../generated/types.ts';
import type { Tenant } from '../sdk/tenant.ts';
import { useTenantQuery } from './session.ts';

export const ANSWER_TESTS = 'answer-tests';
const RUNNING_POLL_MILLIS = 2_000;
/** Tests also run after changes by others. */
const POLL_MILLIS = 10_000;
/** Slightly longer than the service takes at most. */
const CHECK_SECONDS = 30;

export const putTests = (tenant: Tenant, tests: readonly AnswerTestInput[]) =>
  tenant.call(putAnswerTests, { body: { tests: [...tests] } });

/** Deletes tests that were just added. */
export const removeTests = async (tenant: Tenant, tests: readonly Pick<AnswerTest, 'id'>[]) => {
  for (const { id: testId } of tests) await tenant.call(deleteAnswerTest, { params: { testId } });
};

export const checkChange = (tenant: Tenant, body: AnswerTestCheck) =>
  tenant.call(checkAnswerTests, { body, deadlineSeconds: CHECK_SECONDS });

/** Reads how many tests there are in each state, again and again, more often while some are to run. */
export const useTestCounts = () =>
  useTenantQuery(
    [ANSWER_TESTS, 'counts'],
    async (tenant, { signal }) =>
      (await tenant.call(listAnswerTests, { query: { limit: 1 }, signal })).counts,
    {
      staleTime: 60_000,
      refetchInterval: ({ state }) =>
        state.data && state.data.waiting > 0 ? RUNNING_POLL_MILLIS : POLL_MILLIS,
    },
  );
