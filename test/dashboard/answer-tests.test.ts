import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerTestBody } from '../../contract/answer-tests.ts';
import { type AppSite, openAppSite, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { decide } from '../support/decisions.ts';
import { askGuide } from '../support/guide-frame.ts';
import { KNOWN, UNKNOWN } from '../support/visitor-actions.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

const admin = () => site.team.as('admin');
const listTests = async () =>
  (await admin().get<{ data: AnswerTestBody[] }>('/answer-tests?limit=200')).json.data;
const put = (...tests: object[]) => admin().put('/answer-tests', { tests });

beforeEach(async () => {
  for (const { id } of await listTests()) await admin().delete(`/answer-tests/${id}`);
});

async function tick(): Promise<void> {
  site.team.harness.clock.advance(2_000);
  await site.team.harness.service.tick();
}

const failing = { question: 'How can I return an order?', locale: 'en', article: 'reset-password' };

describe('the page of answer tests', () => {
  it('adds, changes and deletes a test, and undoes the deletion', async () => {
    const { page, pageErrors } = await site.open('admin', '/answer-tests');
    await page.getByText('No answer tests yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add test' });
    await dialog.getByRole('button', { name: 'Add test' }).click();
    await dialog.getByText('Enter a question.').waitFor();
    await dialog.getByRole('textbox', { name: 'Question' }).fill(KNOWN);
    await dialog.getByRole('combobox', { name: 'Expected article' }).fill('password');
    await page.getByRole('option', { name: 'Reset your password' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Add test' }).click();
    await page.getByRole('rowheader', { name: KNOWN }).waitFor();
    await tick();
    await page.getByRole('cell', { name: 'Passed' }).waitFor();
    const actions = page.getByRole('button', { name: `Actions for “${KNOWN}”` });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const editing = page.getByRole('dialog', { name: 'Edit test' });
    await editing.getByRole('combobox', { name: 'Expected article' }).click();
    await page.getByRole('option', { name: 'No answer' }).click();
    await editing.getByRole('button', { name: 'Save' }).click();
    await editing.waitFor({ state: 'detached' });
    expect((await listTests())[0]).not.toHaveProperty('articleId');
    await actions.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('No answer tests yet').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('rowheader', { name: KNOWN }).waitFor();
    expect(await listTests()).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  it('shows both passages of a failed test, filters by result, and runs all', async () => {
    await put(failing, { question: UNKNOWN, locale: 'en', article: null });
    await tick();
    const { page, pageErrors } = await site.open('admin', '/answer-tests');
    await page.getByText('1 passed, 1 failed, 0 running').waitFor();
    const row = page.getByRole('row', { name: failing.question });
    await row.getByText('Quoted:').waitFor();
    await row.getByText('Return an order', { exact: true }).waitFor();
    await row.getByText('Expected:').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Answer tests' }).and(page.locator('[aria-description]')).waitFor();
    await page.getByRole('combobox', { name: 'Result' }).click();
    await page.getByRole('option', { name: 'Failed' }).click();
    await page.getByRole('rowheader', { name: UNKNOWN }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Run all' }).click();
    await page.getByText('2 running').waitFor();
    await tick();
    await page.getByText('1 passed, 1 failed, 0 running').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('adds the suggested tests that are chosen, and undoes it', async () => {
    const { page } = await site.open('admin', '/answer-tests');
    await page.getByRole('button', { name: 'Suggested tests' }).click();
    const dialog = page.getByRole('dialog', { name: 'Suggested tests' });
    await dialog.getByRole('checkbox', { name: 'forgot password' }).uncheck();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: /^Add \d+ tests$/ }).click();
    await page.getByText(/^\d+ tests added\.$/).waitFor();
    const questions = (await listTests()).map(({ question }) => question);
    expect(questions).toContain('Reset your password');
    expect(questions).not.toContain('forgot password');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('No answer tests yet').waitFor();
  });

  it.each([
    [
      'CSV',
      'tests.csv',
      `\ufeffQuestion;Locale;Article\r\n"${KNOWN}";en;reset-password\r\n${UNKNOWN};en;none\r\n`,
    ],
    [
      'JSON lines',
      'tests.jsonl',
      `{"question":"${KNOWN}","locale":"en","article":"reset-password"}\n{"question":"${UNKNOWN}","locale":"en","article":null}\n`,
    ],
  ])('imports %s', async (_, name, text) => {
    const { page, pageErrors } = await site.open('admin', '/answer-tests');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expectAccessible(page);
    await page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.getByText('2 tests added.').waitFor();
    expect(await listTests()).toMatchObject([
      { question: KNOWN, articleId: expect.any(String) },
      { question: UNKNOWN },
    ]);
    expect(pageErrors).toEqual([]);
  });

  it('names the line that is no test, and imports nothing', async () => {
    const { page } = await site.open('admin', '/answer-tests');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const text = `question,locale,article\n${KNOWN},en,reset-password\n${UNKNOWN},en,no-such-article\n`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'tests.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await page.getByText('Line 3 is not a test of this workspace.').waitFor();
    expect(await listTests()).toEqual([]);
  });

  it('works with the keyboard alone', async () => {
    await put(failing);
    const { page } = await site.open('admin', '/answer-tests');
    await page.getByRole('rowheader', { name: failing.question }).waitFor();
    await page.getByRole('button', { name: `Actions for “${failing.question}”` }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    const getFocused = () => page.evaluate('document.activeElement.textContent');
    for (let presses = 0; presses < 4 && (await getFocused()) !== 'Delete'; presses += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('Test deleted.').waitFor();
  });

  it('shows members the results without actions', async () => {
    await put(failing);
    await tick();
    const { page } = await site.open('member', '/answer-tests');
    await page.getByRole('cell', { name: 'Failed' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
  });

  it('fits a phone', async () => {
    await put(failing);
    await tick();
    const { page } = await site.open('admin', '/answer-tests', { viewport: { width: 390, height: 844 } });
    await page.getByRole('cell', { name: 'Failed' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await expectAccessible(page);
  });
});

describe('keeping an answer as a test', () => {
  it('takes one click in the playground, and can be undone', async () => {
    const { page, pageErrors } = await site.open('admin', '/preview');
    await askGuide(page, KNOWN);
    await page.getByRole('button', { name: 'Keep as test' }).click();
    await page.getByText('Kept as an answer test.').waitFor();
    expect(await listTests()).toMatchObject([
      { question: KNOWN, locale: 'en', articleId: expect.any(String) },
    ]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone.').waitFor();
    expect(await listTests()).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  it('takes one click in a conversation, also without an answer', async () => {
    const { harness } = site.team;
    const visitor = await harness.boot();
    await decide(harness, visitor, { decision: 'accepted' });
    await harness.ask(visitor.jwt, { message: UNKNOWN, conversation_id: 'one' });
    const { page } = await site.open('admin', '/conversations/one');
    await page.getByRole('button', { name: 'Keep as test: no answer' }).click();
    await page.getByText('Kept as an answer test.').waitFor();
    expect((await listTests())[0]).not.toHaveProperty('articleId');
  });
});

describe('publishing', () => {
  it('asks before a translation is unpublished with its article', async () => {
    await put({ question: 'Passwort vergessen', locale: 'de', article: 'reset-password' });
    const { page } = await site.open('admin', '/articles');
    await page.getByRole('link', { name: 'Reset your password' }).click();
    await waitForHeading(page, 'Reset your password');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Unpublish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click();
    const dialog = page.getByRole('dialog', { name: '1 answer test would fail' });
    await dialog.getByText('Passwort vergessen').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByText('Unpublished').count()).toBe(0);
  });

  it('asks when the tests cannot be run', async () => {
    await put({ question: KNOWN, locale: 'en', article: 'reset-password' });
    const { json } = await admin().post<{ id: string }>('/knowledge/articles', {
      title: 'Lamps',
      answer: 'Lamps glow.',
    });
    const { page } = await site.open('admin', `/articles/${json.id}`);
    await page.route('**/answer-test-checks', (route) => route.fulfill({ status: 429, body: '{}' }));
    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer tests could not be run' });
    await dialog.getByRole('button', { name: 'Publish anyway' }).click();
    await page.getByText('Published').first().waitFor();
  });
});
