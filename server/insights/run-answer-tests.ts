import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AnswerTestBody } from '../../contract/answer-tests.ts';
import { PUBLIC, toGrants } from '../base/audience.ts';
import type { Clock } from '../base/clock.ts';
import { parseAcceptLanguage } from '../base/locale.ts';
import type { Log } from '../base/log.ts';
import { type PreviewDeps, previewQuestion } from '../chat/preview.ts';
import { summarize } from '../knowledge/article-content.ts';
import { toSearchHit } from '../knowledge/articles.ts';
import { type BackgroundJob, createBackgroundJob } from '../knowledge/background-job.ts';
import type { ReadingDeps } from '../knowledge/search/readings.ts';
import { createRetriever } from '../knowledge/search/retrieve.ts';
import type { AnswerTest } from '../storage/answer-tests.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';

/** Everything that a test needs besides the engine: tests ask none that costs tokens. */
export type RunTestDeps = Omit<PreviewDeps, 'retriever' | 'answerMillisMax'> & {
  /** Has no time limit: a search that runs out of time skips the comparison by meaning. */
  search: ReadingDeps;
};

export type TestPassages = Pick<AnswerTestBody, 'quoted' | 'expected'>;
export type TestResult = { outcome: 'passed' | 'failed'; passages: TestPassages };

/** Asks the question of a test like a visitor with its language who sees the expected article, and compares the first cited article with the expected one. */
export async function runTest(
  { question: message, locale, articleId }: Pick<AnswerTest, 'question' | 'locale' | 'articleId'>,
  workspace: Workspace,
  { search, ...deps }: RunTestDeps,
  signal: AbortSignal,
): Promise<TestResult> {
  const retriever = createRetriever(search);
  const expected = articleId && (await deps.store.in(workspace.id).articles.find(articleId));
  const [entry] = expected ? expected.audience : [];
  const reader = entry === undefined ? PUBLIC : toGrants({ attributes: [entry] });
  const answer = await previewQuestion(
    { message, locale, reader },
    { workspace },
    { ...deps, retriever },
    signal,
  );
  const [first] = answer.citations;
  const quotes = answer.citations.filter((citation) => citation.articleId === first?.articleId);
  const passages: TestPassages = first
    ? {
        quoted: {
          articleId: first.articleId,
          title: first.title,
          text: summarize(quotes.map(({ quote }) => quote).join(' '), first.contentLocale),
        },
      }
    : {};
  if (first?.articleId === articleId) return { outcome: 'passed', passages };
  if (articleId === undefined) return { outcome: 'failed', passages };
  const found = answer.retrievals
    .flatMap(({ results }) => results)
    .find((each) => each.articleId === articleId);
  const shown =
    found ?? (await retriever.readArticle(workspace.id, articleId, parseAcceptLanguage(locale), reader));
  if (!shown) return { outcome: 'failed', passages };
  const text = found ? toSearchHit(found).snippet : summarize(shown.answer, shown.contentLocale);
  return {
    outcome: 'failed',
    passages: { ...passages, expected: { articleId, title: shown.title, text } },
  };
}

type RunnerDeps = RunTestDeps & {
  store: Pick<Store, 'in' | 'answerTests' | 'workspaces'>;
  clock: Clock;
  log: Log;
};

const CHECK_MILLIS = 2_000;
/** Tests wait while changes go on, for this long at most. */
const WAIT_MILLIS_MAX = 60_000;
const TESTS_PER_BATCH = 20;

/**
 * Runs the tests of a workspace after its answers may have changed, and those that members run. Compares the stored state
 * instead of listening to publications, and so also notices imports by the command line.
 */
export function createAnswerTestRunner(deps: RunnerDeps): BackgroundJob {
  const { store, clock, log } = deps;
  let changes = new Map<string, { fingerprint: string; firstSeenAt: number }>();

  /** Lets all tests of workspaces run in which nothing has changed since the last check. */
  async function enqueueOutdated(): Promise<void> {
    const now = clock.now();
    const before = changes;
    const outdated = await store.answerTests.outdated();
    changes = new Map(
      outdated.map(({ workspaceId, fingerprint }) => [
        workspaceId,
        { fingerprint, firstSeenAt: before.get(workspaceId)?.firstSeenAt ?? now },
      ]),
    );
    for (const { workspaceId, fingerprint } of outdated) {
      const isQuiet = before.get(workspaceId)?.fingerprint === fingerprint;
      if (!isQuiet && now - changes.get(workspaceId)!.firstSeenAt < WAIT_MILLIS_MAX) continue;
      await store.in(workspaceId).answerTests.begin(fingerprint);
      changes.delete(workspaceId);
    }
  }

  async function runSome(workspaceId: string, signal: AbortSignal): Promise<void> {
    const workspace = await store.workspaces.find(workspaceId);
    if (!workspace) return;
    const { answerTests } = store.in(workspaceId);
    const results = [];
    for (const { id, question, locale, articleId } of await answerTests.waiting(TESTS_PER_BATCH)) {
      if (signal.aborted) break;
      const test = { id, question, locale, articleId };
      const { outcome, passages } = await runTest(test, workspace, deps, signal);
      results.push({ ...test, outcome, passages: JSON.stringify(passages), ranAt: clock.now() });
      await yieldToEventLoop();
    }
    await answerTests.record(results);
  }

  return createBackgroundJob(clock, CHECK_MILLIS, async (signal) => {
    await enqueueOutdated();
    const failed = new Set<string>();
    while (!signal.aborted) {
      const workspaceIds = (await store.answerTests.listWaiting()).filter((id) => !failed.has(id));
      if (workspaceIds.length === 0) return;
      // A batch of each in turn, so that none waits for all tests of another.
      for (const workspaceId of workspaceIds) {
        await runSome(workspaceId, signal).catch((error) => {
          failed.add(workspaceId);
          if (!signal.aborted) log.warn({ err: error, workspaceId }, 'could not run answer tests');
        });
      }
    }
  });
}
