import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import pino from 'pino';
import { PUBLIC } from '../base/audience.ts';
import { CHAT_TAGS } from '../base/guide-languages.ts';
import { detectLanguage } from '../chat/intent/detect-language.ts';
import { knowsIntents } from '../chat/intent/predict-intent.ts';
import { createExtractiveEngine } from '../engine/extractive.ts';
import { type RunTestDeps, runTest, type TestResult } from '../insights/run-answer-tests.ts';
import { createLoadedDictionaries } from '../knowledge/dictionary/dictionary.ts';
import { openEmbeddings } from '../knowledge/embeddings/open-embeddings.ts';
import type { Config } from '../settings/config.ts';
import type { AnswerTest } from '../storage/answer-tests.ts';
import type { Store } from '../storage/store.ts';
import { createTokenBudget } from '../workspaces/token-budget.ts';
import { getWorkspace, withStore } from './open-store.ts';
import { addCommand, CommandFailed, createProgressLine, print, type Terminal } from './terminal.ts';

export function addCheck(program: Command, terminal: Terminal): void {
  addCommand(program, 'check', 'Run the answer tests of a workspace, and fail when one does.')
    .requiredOption('--workspace <id>', 'workspace id or app id')
    .option('--junit <file>', 'also write the results as JUnit XML')
    .addHelpText(
      'after',
      `
Answers are searched in the configured database as for visitors, without a language model. Nothing is stored.
The exit code is 1 when a test fails, or when the workspace has none.`,
    )
    .action((options: CheckOptions) => check(terminal, options));
}

type CheckOptions = { json?: boolean; workspace: string; junit?: string };
type Checked = Pick<AnswerTest, 'id' | 'question' | 'locale' | 'articleId'> &
  TestResult & {
    /** How long the answer took. */
    millis: number;
  };

async function check(terminal: Terminal, options: CheckOptions): Promise<void> {
  await withStore(terminal, async (store, config) => {
    const workspace = await getWorkspace(store, options.workspace);
    const tests = await store.in(workspace.id).answerTests.list();
    if (tests.length === 0)
      throw new CommandFailed(
        `${workspace.name} has no answer tests. Add some in the dashboard, under "Answer tests".`,
      );
    const progress = createProgressLine(terminal);
    const { testing, close } = openTesting(store, config, terminal);
    const checked: Checked[] = [];
    try {
      for (const { id, question, locale, articleId } of tests) {
        progress.show(`${checked.length} of ${tests.length} tests`);
        const startedAt = performance.now();
        const test = { id, question, locale, articleId };
        const result = await runTest(test, workspace, testing, new AbortController().signal);
        checked.push({ ...test, ...result, millis: Math.round(performance.now() - startedAt) });
      }
    } finally {
      progress.end();
      await close();
    }
    const failed = checked.filter(({ outcome }) => outcome === 'failed').length;
    if (options.junit !== undefined) writeFileSync(options.junit, toJunit(workspace.name, checked));
    print(terminal, options, toJson(checked), toTable(checked));
    if (failed > 0)
      throw new CommandFailed(
        `${failed} of ${checked.length} answer ${checked.length === 1 ? 'test' : 'tests'} failed.`,
      );
  });
}

/** Opens what a search needs. Texts are not embedded here, but compared with the vectors that a server has stored. */
function openTesting(store: Store, config: Config, { clock, stderr }: Terminal) {
  const write = (line: string) => void stderr.write(`guidepost: Warning: ${JSON.parse(line).msg}\n`);
  const log = pino({ level: 'warn', base: null }, { write });
  const embeddings = openEmbeddings(config.embeddings, {
    ...{ store, clock, log, telemetry: undefined, shippedVectors: undefined },
    metrics: { recordQuestion() {}, observeProgress() {} },
    onIndexed() {},
  });
  const engine = createExtractiveEngine();
  const testing: RunTestDeps = {
    store,
    clock,
    engines: { get: async () => ({ engine, isOwn: false }) },
    tokenBudget: createTokenBudget({ store, clock, ...config.modelLimits }),
    embedMessages: knowsIntents(embeddings.model) ? embeddings.embedMessages : undefined,
    search: {
      passages: (workspaceId, reader = PUBLIC) => store.in(workspaceId).passagesFor(reader),
      dictionaries: createLoadedDictionaries(store.in).get,
      detectLanguage: (question, expected) => detectLanguage(question, CHAT_TAGS, expected),
      findSimilar: embeddings.findSimilarUnhurried,
    },
  };
  return { testing, close: embeddings.close };
}

const toJson = (checked: readonly Checked[]) => ({
  passed: checked.filter(({ outcome }) => outcome === 'passed').length,
  failed: checked.filter(({ outcome }) => outcome === 'failed').length,
  tests: checked.map(({ id, question, locale, articleId, outcome, passages }) => ({
    ...{ id, question, locale, outcome },
    ...(articleId === undefined ? {} : { article_id: articleId }),
    ...passages,
  })),
});

/** Describes what was expected and what was quoted, each with its passage. */
function explain({ articleId, passages: { quoted, expected } }: Checked): string[] {
  const show = ({ title, text }: { title: string; text: string }) => `"${title}": ${text}`;
  return [
    `expected ${expected ? show(expected) : articleId === undefined ? 'no answer' : `${articleId}, which is not published in this language`}`,
    `quoted   ${quoted ? show(quoted) : 'nothing'}`,
  ];
}

function toTable(checked: readonly Checked[]): string {
  const localeChars = Math.max(...checked.map(({ locale }) => locale.length));
  const lines = checked.flatMap((test) => [
    `${test.outcome === 'passed' ? 'passed' : 'FAILED'}  ${test.locale.padEnd(localeChars)}  ${test.question}`,
    ...(test.outcome === 'failed' ? explain(test).map((line) => `        ${line}`) : []),
  ]);
  const { passed, failed } = toJson(checked);
  return [...lines, '', `${passed} passed, ${failed} failed`].join('\n');
}

/** Writes the results as build servers read them: a suite with a case for each test. */
function toJunit(workspaceName: string, checked: readonly Checked[]): string {
  const seconds = (millis: number) => (millis / 1000).toFixed(3);
  const time = seconds(checked.reduce((sum, { millis }) => sum + millis, 0));
  const totals = `tests="${checked.length}" failures="${toJson(checked).failed}" errors="0" skipped="0" time="${time}"`;
  const cases = checked.map((test) => {
    const name = `classname="${escapeXml(`answer-tests.${test.locale}`)}" name="${escapeXml(test.question)}"`;
    const head = `    <testcase ${name} time="${seconds(test.millis)}"`;
    if (test.outcome === 'passed') return `${head}/>`;
    const [expected, quoted] = explain(test);
    return `${head}>\n      <failure message="${escapeXml(quoted!)}">${escapeXml(`${expected}\n${quoted}`)}</failure>\n    </testcase>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${totals}>
  <testsuite name="${escapeXml(workspaceName)}" ${totals}>
${cases.join('\n')}
  </testsuite>
</testsuites>
`;
}

/** Leaves out characters that XML cannot contain. */
const escapeXml = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML cannot contain.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/[<>&"\n]/g, (character) => `&#${character.charCodeAt(0)};`);
