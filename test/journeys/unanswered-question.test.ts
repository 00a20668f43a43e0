import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite, waitForHeading } from '../support/app-site.ts';
import { countClicks, expectTree } from '../support/clicks.ts';
import { sendMessage, UNKNOWN, visit } from '../support/visitor-actions.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
});
afterAll(() => site.close());

it('answering an unanswered question takes at most 5 clicks', async () => {
  const { team } = site;
  await sendMessage(team, await visit(team), 'c1', UNKNOWN);
  team.harness.clock.advance(61_000);
  await team.harness.service.tick();
  const { page, pageErrors } = await site.open('admin', '/inbox');
  await page.getByRole('heading', { level: 2, name: UNKNOWN }).waitFor();
  const clicks = await countClicks(page);
  await expectTree(page.getByRole('main'), [
    'heading "Inbox" [level=1]',
    'radiogroup "Status"',
    'button "Filters"',
    `heading "${UNKNOWN}" [level=2]`,
    'link "New article"',
    'button "More actions"',
  ]);
  await page.getByRole('link', { name: 'New article' }).click();
  await waitForHeading(page, 'New article');
  await expectTree(page.getByRole('main'), [
    'heading "New article" [level=1]',
    'region "Visitors asked"',
    `textbox "Title": ${UNKNOWN}`,
    'textbox "Answer"',
    'button "Create draft"',
  ]);
  await page.getByRole('region', { name: 'Visitors asked' }).getByText(UNKNOWN).waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe(UNKNOWN);
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes, we sell submarines in Norway.');
  await page.getByRole('button', { name: 'Create draft' }).click();
  await waitForHeading(page, UNKNOWN);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published').first().waitFor();
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByText('Answered by').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('1 of 1 answered when asked again').first().waitFor();
  await expectTree(page.getByRole('main'), [
    `heading "${UNKNOWN}" [level=2]`,
    'table "Questions asked again"',
    'columnheader "Before"',
    'columnheader "Now"',
    `rowheader "${UNKNOWN}"`,
    'cell "Not answered"',
    `link "${UNKNOWN}"`,
  ]);
  clicks.expectAtMost(5);
  expect(pageErrors).toEqual([]);
});
