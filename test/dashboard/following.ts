import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Harness, openHarness } from '../harness.ts';
import { type OpenedPage, openPagesSite, type PagesSite } from './pages-site.ts';

/** A fresh server for each test of the file that imports this, and links to it that are followed until the test ends. */

export let site: PagesSite;
export let harness: Harness;
const opened: OpenedPage[] = [];
beforeAll(async () => {
  site = await openPagesSite();
});
beforeEach(async () => {
  harness = await openHarness({ articles: [], dashboardFolder: site.folder });
});
afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
  await harness.close();
});
afterAll(() => site.close());

export async function follow(link: string, options?: BrowserContextOptions): Promise<OpenedPage> {
  const visit = await site.open(link, options);
  opened.push(visit);
  return visit;
}

export const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

export const tokenOf = (link: string) => new URL(link).hash.replace('#token=', '');

/** Neither the address, nor where one can go back to, nor what is on the page holds what opens the door. */
export async function expectNoToken(page: Page, link: string): Promise<void> {
  expect(page.url()).toBe(link.split('#')[0]);
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  expect(entries.map(({ url }) => url).filter((url) => url.includes('token'))).toEqual([]);
  expect(await page.content()).not.toContain(tokenOf(link));
}
