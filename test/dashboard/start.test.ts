import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

it('the start page says why a website could not be read, and how to begin without it', async () => {
  const { page, pageErrors } = await site.open('owner', '/start');
  await page.getByRole('button', { name: /^Read https:/ }).click();
  const { service, clock } = site.team.harness;
  await expect
    .poll(async () => {
      clock.advance(1_000);
      await service.tick();
      return page.getByText('robots.txt could not be read').count();
    })
    .toBe(1);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Install the guide first' }).click();
  await waitForHeading(page, 'Set up your guide');
  expect(pageErrors).toEqual([]);
});

it('the start page is locked for members', async () => {
  const { page } = await site.open('member', '/start');
  await waitForHeading(page, 'Start with your website');
  await page.getByText('owners and admins', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: /^Read/ }).count()).toBe(0);
});
