import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite, waitForHeading } from '../support/app-site.ts';
import { countClicks, expectTree } from '../support/clicks.ts';
import { sendMessage, UNKNOWN, visit } from '../support/visitor-actions.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
});
afterEach(() => site.leave());
afterAll(() => site.close());

async function tick(millis: number): Promise<void> {
  site.team.harness.clock.advance(millis);
  await site.team.harness.service.tick();
}

const QUESTION = 'How can I return an order?';
const ANSWER = 'Yes, we sell submarines in Norway.';

it('answering an unanswered question and keeping it as a test takes at most 5 clicks', async () => {
  const { team } = site;
  await sendMessage(team, await visit(team), 'c1', UNKNOWN);
  await tick(61_000);
  const { page, pageErrors } = await site.open('admin', '/inbox');
  await page.getByRole('heading', { level: 2, name: UNKNOWN }).waitFor();
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'New article' }).click();
  await waitForHeading(page, 'New article');
  await page.getByRole('textbox', { name: 'Answer' }).fill(ANSWER);
  await page.getByRole('button', { name: 'Create draft' }).click();
  await waitForHeading(page, UNKNOWN);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published').first().waitFor();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByText('Answered by').waitFor();
  await page.getByRole('button', { name: 'Keep as test' }).click();
  await page.getByText('Kept as an answer test.').waitFor();
  clicks.expectAtMost(5);
  await tick(2_000);
  await page.getByRole('link', { name: 'Answer tests' }).click();
  await expectTree(page.getByRole('main'), [
    'heading "Answer tests" [level=1]',
    'table "Answer tests"',
    `rowheader "${UNKNOWN}"`,
    `link "${UNKNOWN}"`,
  ]);
  await page.getByRole('cell', { name: 'Passed' }).waitFor();
  expect(pageErrors).toEqual([]);
});

it('finding the answer that a text breaks, before it is published, takes at most 3 clicks', async () => {
  const { team } = site;
  const tests = [{ question: QUESTION, locale: 'en', article: 'return-an-order' }];
  await team.as('admin').put('/answer-tests', { tests });
  const { page, pageErrors } = await site.open('admin', '/articles');
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: 'Return an order', exact: true }).click();
  await waitForHeading(page, 'Return an order');
  await page.getByRole('textbox', { name: 'Title' }).fill('Opening hours');
  await page.getByRole('textbox', { name: 'Answer' }).fill('We are open from nine to five.');
  await page.getByRole('button', { name: 'Publish changes' }).click();
  const dialog = page.getByRole('dialog', { name: '1 answer test would fail' });
  await expectTree(dialog, ['list "Answer tests"', 'listitem', 'button "Cancel"', 'button "Publish anyway"']);
  await dialog.getByText(QUESTION).waitFor();
  await dialog.getByText('Quoted: nothing').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  clicks.expectAtMost(3);
  await page.getByRole('button', { name: 'Publish changes' }).click();
  await page.getByRole('button', { name: 'Publish anyway' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tick(2_000);
  await tick(2_000);
  await page.getByRole('link', { name: 'Answer tests' }).click();
  await page.getByRole('cell', { name: 'Failed' }).waitFor();
  expect(pageErrors).toEqual([]);
});
