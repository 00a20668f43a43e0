import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type {
  AnswerTestBody,
  AnswerTestCounts,
  AnswerTestInput,
  answerTests,
} from '../../contract/answer-tests.ts';
import { WORKSPACE_LIMITS } from '../../contract/limits/workspace.ts';
import { toIsoString } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { paginate } from '../http/cursor.ts';
import { throwApiError, throwInvalidRequest } from '../http/errors.ts';
import type { HandlerInput, Handlers } from '../http/handler.ts';
import { getArticle } from '../knowledge/article-changes.ts';
import { normalizeLine, normalizeLocale } from '../knowledge/article-content.ts';
import { type DraftChange, searchDraft } from '../knowledge/search/draft-passages.ts';
import type { Indexing } from '../knowledge/search/indexing.ts';
import type { AnswerTest, NewAnswerTest } from '../storage/answer-tests.ts';
import type { Store, WorkspaceStore } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { StorageMeter } from '../workspaces/storage-meter.ts';
import { type RunTestDeps, runTest, type TestResult } from './run-answer-tests.ts';

type AnswerTestsDeps = {
  store: Pick<Store, 'in'>;
  testing: RunTestDeps;
  indexing: Indexing;
  storageMeter: Pick<StorageMeter, 'requireRoom'>;
};

export function answerTestHandlers(deps: AnswerTestsDeps): Handlers<typeof answerTests> {
  const { store, testing, storageMeter } = deps;
  const toAudit = (action: 'changed' | 'deleted', actor: string, subject: string, details = {}) => ({
    id: newId('aud'),
    atMillis: testing.clock.now(),
    action: `answer_test.${action}`,
    ...{ actor, subject, details },
  });

  return {
    async listAnswerTests({ caller, query }) {
      const all = await store.in(caller.workspace.id).answerTests.list();
      const chosen = all.filter((test) => query.state === undefined || toState(test) === query.state);
      const { data, ...next } = paginate(chosen, query, 'oldest_first');
      return { status: 200, body: { data: data.map(toBody), counts: countStates(all), ...next } };
    },

    async putAnswerTests({ caller, body }) {
      const { workspace, memberId } = caller;
      storageMeter.requireRoom(workspace.id);
      const workspaceStore = store.in(workspace.id);
      const by = { createdAt: testing.clock.now(), createdBy: memberId };
      const tests = (await parseTests(body.tests, workspaceStore)).map((test) => ({ ...test, ...by }));
      const audit = toAudit('changed', memberId, tests[0]!.id, { tests: tests.length });
      const outcome = await workspaceStore.answerTests.put(tests, WORKSPACE_LIMITS.answerTestsMax, audit);
      if (outcome === 'no_article') throwApiError('article/not_found');
      if (outcome === 'too_many') throwApiError('answer_test/too_many');
      const all = await workspaceStore.answerTests.list();
      const ids = new Set(tests.map(({ id }) => id));
      return {
        status: 200,
        body: { data: all.filter(({ id }) => ids.has(id)).map(toBody), counts: countStates(all) },
      };
    },

    async deleteAnswerTest({ caller, params: { testId } }) {
      const audit = toAudit('deleted', caller.memberId, testId);
      const outcome = await store.in(caller.workspace.id).answerTests.remove(testId, audit);
      if (outcome === 'gone') throwApiError('answer_test/not_found');
      return { status: 200, body: { ok: true } };
    },

    async runAnswerTests({ caller, query: { testId } }) {
      await store.in(caller.workspace.id).answerTests.enqueue(testId);
      return { status: 200, body: { ok: true } };
    },

    async suggestAnswerTests({ caller }) {
      return { status: 200, body: { data: await suggestTests(store.in(caller.workspace.id).answerTests) } };
    },

    async checkAnswerTests({ caller: { workspace }, body, ctx }) {
      const change = await readChange(body, store.in(workspace.id));
      return { status: 200, body: await checkTests(change, workspace, deps, ctx.signal) };
    },
  };
}

const toState = ({ waiting, outcome }: Pick<AnswerTest, 'waiting' | 'outcome'>) =>
  waiting || outcome === undefined ? 'waiting' : outcome;

function toBody(test: AnswerTest): AnswerTestBody {
  const { id, question, locale, articleId, ranAt, passages } = test;
  return {
    ...{ id, question, locale, articleId },
    state: toState(test),
    ...(passages === undefined ? {} : (JSON.parse(passages) as TestResult['passages'])),
    ...(ranAt === undefined ? {} : { ranAt: toIsoString(ranAt) }),
  };
}

function countStates(tests: readonly Pick<AnswerTest, 'waiting' | 'outcome'>[]): AnswerTestCounts {
  const counts = { passed: 0, failed: 0, waiting: 0 };
  for (const test of tests) counts[toState(test)] += 1;
  return counts;
}

type ParsedTest = Omit<NewAnswerTest, 'createdAt' | 'createdBy'>;

async function parseTests(
  inputs: readonly AnswerTestInput[],
  { articles, answerTests: tests }: WorkspaceStore,
): Promise<ParsedTest[]> {
  const isChange = inputs.some(({ id }) => id !== undefined);
  const knownIds = new Set(isChange ? (await tests.list()).map(({ id }) => id) : []);
  const parsed: ParsedTest[] = [];
  for (const [index, { id = newId('tst'), ...input }] of inputs.entries()) {
    if (inputs[index]!.id !== undefined && !knownIds.has(id)) throwApiError('answer_test/not_found');
    const question = normalizeLine(input.question);
    if (question === '')
      throwInvalidRequest({
        path: `body.tests.${index}.question`,
        code: 'blank',
        message: 'Expected text that can be seen.',
      });
    const locale = normalizeLocale(input.locale, `body.tests.${index}.locale`);
    const articleId = input.article === null ? undefined : await findArticle(input.article, articles);
    if (input.article !== null && articleId === undefined)
      throwInvalidRequest({
        path: `body.tests.${index}.article`,
        code: 'unknown_article',
        message: 'Expected the id or slug of an article of this workspace.',
      });
    parsed.push({ id, question, locale, ...(articleId === undefined ? {} : { articleId }) });
  }
  return parsed;
}

/** Ids have a form that slugs never have. */
async function findArticle(
  idOrSlug: string,
  articles: WorkspaceStore['articles'],
): Promise<string | undefined> {
  const slug = idOrSlug.normalize('NFC');
  return (await articles.findId(slug)) ?? (await articles.find(idOrSlug))?.id;
}

const TITLES_PER_READ = 100;

/** Suggests the title and the aliases of each published text, in its language, unless a test asks them. */
async function suggestTests(tests: WorkspaceStore['answerTests']) {
  const toKey = (locale: string, question: string) => `${locale} ${question.toLocaleLowerCase(locale)}`;
  const taken = new Set((await tests.list()).map(({ locale, question }) => toKey(locale, question)));
  const suggestions: { question: string; locale: string; articleId: string }[] = [];
  for (let after: { articleId: string; locale: string } | undefined; ; await yieldToEventLoop()) {
    const page = await tests.titles(TITLES_PER_READ, after);
    for (const { articleId, locale, title, aliases } of page) {
      for (const question of [title, ...aliases]) {
        const key = toKey(locale, question);
        if (taken.has(key)) continue;
        taken.add(key);
        suggestions.push({ question, locale, articleId });
        if (suggestions.length === WORKSPACE_LIMITS.answerTestSuggestionsMax) return suggestions;
      }
    }
    if (page.length < TITLES_PER_READ) return suggestions;
    after = page.at(-1);
  }
}

async function readChange(
  { articleId, locale, unpublish }: HandlerInput<(typeof answerTests)['checkAnswerTests']>['body'],
  { articles, translations }: WorkspaceStore,
): Promise<DraftChange> {
  const article = await getArticle(articleId, articles);
  if (unpublish) return { article, publish: 'nothing' };
  if (locale === undefined) return { article };
  const variant = article.variants.find((each) => each.locale === normalizeLocale(locale, 'body.locale'));
  const translation = variant && (await translations.find(articleId, variant.translationId));
  return { article, publish: translation ?? throwApiError('translation/not_found') };
}

/** Runs the tests of the changed article first. A test breaks if it fails only with the change. */
async function checkTests(
  change: DraftChange,
  workspace: Workspace,
  { store, testing, indexing }: AnswerTestsDeps,
  signal: AbortSignal,
) {
  const deadline = performance.now() + WORKSPACE_LIMITS.answerTestCheckSeconds * 1000;
  const { articles, answerTests: stored } = store.in(workspace.id);
  const all = await stored.list();
  const counts = { passed: 0, failed: 0, waiting: all.length };
  if (all.length === 0) return { data: [], counts };
  const search = await searchDraft(workspace.id, change, { articles, indexing, search: testing.search });
  const isAboutChange = ({ articleId }: AnswerTest) => articleId === change.article.id;
  const data: AnswerTestBody[] = [];
  for (const test of [...all.filter(isAboutChange), ...all.filter((each) => !isAboutChange(each))]) {
    if (performance.now() > deadline) break;
    const { outcome, passages } = await runTest(test, workspace, { ...testing, search }, signal);
    counts[outcome] += 1;
    counts.waiting -= 1;
    if (outcome === 'failed' && (await runTest(test, workspace, testing, signal)).outcome === 'passed') {
      const after = {
        waiting: false,
        outcome,
        passages: JSON.stringify(passages),
        ranAt: testing.clock.now(),
      };
      data.push(toBody({ ...test, ...after }));
    }
    await yieldToEventLoop();
  }
  return { data, counts };
}
