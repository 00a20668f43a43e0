import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { followLink, type OpenedPage } from '../dashboard/pages-site.ts';
import { type OwnBrowser, openBrowser } from '../fixtures/browser.ts';
import { type Harness, openHarness } from '../harness.ts';

/** Opens a new server for each test of a file, and follows its links in a browser. */

export let harness: Harness;
let browser: OwnBrowser;

export function aServiceForEach(): void {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  beforeEach(async () => {
    harness = await openHarness({ articles: [] });
  });
  afterEach(async () => {
    await browser.close();
    await harness.close();
  });
}

export const follow = (link: string, options?: BrowserContextOptions): Promise<OpenedPage> =>
  followLink(browser, link, options);

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

export const tokenOf = (link: string) => new URL(link).hash.replace('#token=', '');

/** Expects the token in neither the URL, nor the browser's history, nor the page. */
export async function expectNoToken(page: Page, link: string): Promise<void> {
  expect(page.url()).toBe(link.split('#')[0]);
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  expect(entries.map(({ url }) => url).filter((url) => url.includes('token'))).toEqual([]);
  expect(await page.content()).not.toContain(tokenOf(link));
}
