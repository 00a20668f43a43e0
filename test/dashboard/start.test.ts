import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { serveWebsite } from '../support/website.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [], env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
});
afterEach(() => site.leave());
afterAll(() => site.close());

/** Runs background jobs until the page shows the text. */
async function runUntil(page: Page, text: string): Promise<void> {
  const { service, clock } = site.team.harness;
  await expect
    .poll(
      async () => {
        clock.advance(1_000);
        await service.tick();
        return page.getByText(text).count();
      },
      { timeout: 20_000 },
    )
    .toBe(1);
}

it('the start page says why a website could not be read, and how to begin without it', async () => {
  const { page, pageErrors } = await site.open('owner', '/start');
  await page.getByRole('button', { name: /^Read https:/ }).click();
  await runUntil(page, 'robots.txt could not be read');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Install the guide first' }).click();
  await waitForHeading(page, 'Set up your guide');
  expect(pageErrors).toEqual([]);
});

it('the start page allows and reads the website to which the given one redirects', async () => {
  const drawn = await serveWebsite({ '/': '<!doctype html><title>Shop</title><div id="root"></div>' });
  const { origin } = await serveWebsite((path) => ({
    status: 301,
    headers: { location: `${drawn.origin}${path}` },
  }));
  const owner = site.team.as('owner');
  await owner.patch('', { allowedOrigins: [origin] });
  const website = { startUrls: [`${origin}/`] };
  await owner.post('/knowledge/sources', {
    type: 'website',
    name: 'Shop',
    website,
    mode: 'review',
    schedule: 'weekly',
  });
  const { page, pageErrors } = await site.open('owner', '/start');
  await runUntil(page, `The website redirects to ${drawn.origin}`);
  await page.getByRole('button', { name: `Allow and read ${drawn.origin}` }).click();
  await runUntil(page, 'No page had a text that could become an article.');
  await page.getByText('Has no text.').waitFor();
  await expectAccessible(page);
  const { json } = await owner.get<{ allowedOrigins: string[] }>('');
  expect(json.allowedOrigins).toEqual([origin, drawn.origin]);
  expect(pageErrors).toEqual([]);
});

it('the start page is locked for members', async () => {
  const { page } = await site.open('member', '/start');
  await waitForHeading(page, 'Start with your website');
  await page.getByText('owners and admins', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: /^Read/ }).count()).toBe(0);
});
