import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import {
  actionsIn,
  articlesFile,
  cli,
  dataDir,
  inStore,
  returns,
  setUpInstallation,
} from '../support/command-line.ts';

setUpInstallation();

const LAMPS = { slug: 'lamps', locale: 'en', title: 'Lamps & <shades>', answer: 'Lamps glow for a year.' };
const FAILING = 'How long do "lamps" glow?';

describe('guidepost check', () => {
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await cli.createWorkspace()).tenant_id;
    await cli.json(['knowledge', 'import', '--workspace', workspaceId, articlesFile(returns, LAMPS)]);
  });

  const keep = (tests: Readonly<Record<string, string | null>>) =>
    inStore(async (store) => {
      const { answerTests, articles } = store.in(workspaceId);
      const at = Date.now();
      const rows = [];
      for (const [question, slug] of Object.entries(tests)) {
        const articleId = slug === null ? undefined : await articles.findId(slug);
        const by = { createdAt: at, createdBy: 'operator' };
        rows.push({ id: newId('tst'), question, locale: 'en', ...by, ...(articleId && { articleId }) });
      }
      const audit = { id: newId('aud'), atMillis: at, actor: 'operator', subject: '', details: {} };
      await answerTests.put(rows, 10, { ...audit, action: 'answer_test.changed' });
    });
  const check = (...more: string[]) => cli.runInProcess(['check', '--workspace', workspaceId, ...more]);

  it('prints what passes and exits with 0', async () => {
    await keep({ 'How do returns work within 30 days?': 'returns', 'Do you sell submarines?': null });
    expect(await check()).toEqual({
      code: 0,
      stderr: '',
      stdout: [
        'passed  en  How do returns work within 30 days?',
        'passed  en  Do you sell submarines?',
        '',
        '2 passed, 0 failed',
        '',
      ].join('\n'),
    });
  });

  it('names the article that took over with both passages, and exits with 1', async () => {
    await keep({ [FAILING]: 'returns', 'How do returns work within 30 days?': 'returns' });
    const { code, stdout, stderr } = await check();
    expect(code).toBe(1);
    expect(stderr).toBe('guidepost: 1 of 2 answer tests failed.\n');
    expect(stdout).toContain(
      `FAILED  en  ${FAILING}
        expected "Returns": Within 30 days.
        quoted   "Lamps & <shades>": Lamps glow for a year.
passed  en  How do returns work within 30 days?`,
    );
  });

  it('writes JUnit XML with escaped texts, also when tests fail', async () => {
    await keep({ [FAILING]: 'returns', 'Do you sell submarines?': null });
    const file = join(dataDir, '..', 'answers.xml');
    expect(await check('--junit', file)).toMatchObject({ code: 1 });
    const xml = readFileSync(file, 'utf8');
    expect(xml).toMatch(
      /<testsuite name="Shop" tests="2" failures="1" errors="0" skipped="0" time="[\d.]+">/,
    );
    expect(xml).toMatch(
      /<testcase classname="answer-tests.en" name="How long do &#34;lamps&#34; glow\?" time="[\d.]+">/,
    );
    expect(xml).toContain('&#34;Lamps &#38; &#60;shades&#62;&#34;: Lamps glow for a year.');
    expect(xml).toMatch(/name="Do you sell submarines\?" time="[\d.]+"\/>/);
  });

  it('prints JSON, and stores nothing', async () => {
    await keep({ 'How do returns work within 30 days?': 'returns' });
    const before = await actionsIn(workspaceId);
    expect(await cli.json(['check', '--workspace', workspaceId])).toMatchObject({
      passed: 1,
      failed: 0,
      tests: [{ outcome: 'passed', quoted: { title: 'Returns', text: 'Within 30 days.' } }],
    });
    expect(await actionsIn(workspaceId)).toEqual(before);
    expect(await inStore((store) => store.in(workspaceId).answerTests.list())).toMatchObject([
      { waiting: true },
    ]);
  });

  it('fails without tests, and for an unknown workspace', async () => {
    expect(await check()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Shop has no answer tests.'),
    });
    expect(await cli.runInProcess(['check', '--workspace', 'ws_unknown'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No workspace with id ws_unknown'),
    });
  });

  it('explains itself', async () => {
    const { code, stdout } = await cli.runInProcess(['check', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--junit <file>');
  });
});
