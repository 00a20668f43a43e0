import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type DemoSite, openDemoSite, type Visit, type VisitOptions } from './demo-site.ts';

/** The demo site of a test file, and visits that end with their test. */

export let site: DemoSite;
const visits: Visit[] = [];

export function aDemoSite(): void {
  beforeAll(async () => {
    site = await openDemoSite();
  });
  afterEach(async () => {
    for (const visit of visits.splice(0)) await visit.close();
  });
  afterAll(() => site.close());
}

export async function visit(options?: VisitOptions): Promise<Visit> {
  const opened = await site.open(options);
  visits.push(opened);
  return opened;
}

/** A visit with the panel open. */
export async function open(options?: VisitOptions): Promise<Visit> {
  const opened = await visit(options);
  await openPanel(opened.page);
  return opened;
}

/** Actions and observations of a visitor, for the tests. */
export const launcher = (page: Page) => page.getByRole('button', { name: 'Open the guide' });
export const panel = (page: Page) => page.getByRole('dialog');
export const field = (page: Page) => page.getByLabel('Your question', { exact: true });

/** Opens the panel and waits until it accepts questions. */
export async function openPanel(page: Page): Promise<void> {
  await launcher(page).click();
  await ready(page);
}

export const ready = (page: Page) => page.locator('guidepost-guide textarea:enabled').waitFor();

export async function ask(page: Page, question: string): Promise<void> {
  const answered = page.getByText('Was this helpful?');
  const before = await answered.count();
  await field(page).fill(question);
  await field(page).press('Enter');
  await answered.nth(before).waitFor();
  // Only now is the turn complete and stored on the device.
  await page.locator('guidepost-guide .send:not(.microphone)').first().waitFor();
}

/** Computed styles of an element. Browser types do not exist here. */
export function getStyles(of: Locator, names: readonly string[]): Promise<(string | undefined)[]> {
  return of.evaluate((node, wanted) => {
    const page = globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> };
    const style = page.getComputedStyle(node);
    return wanted.map((name) => style[name]);
  }, names);
}

/** Everything that a page can store on a device. */
export async function storedOnDevice(page: Page): Promise<unknown> {
  const inPage = await page.evaluate(
    '(async () => [{ ...localStorage }, { ...sessionStorage }, await indexedDB.databases(), await caches.keys()])()',
  );
  return [inPage, await page.context().cookies()];
}
export const NOTHING = [[{}, {}, [], []], []];
