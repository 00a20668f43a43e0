import type { BrowserContextOptions, Page } from 'playwright-core';
import type { OwnBrowser } from '../fixtures/browser.ts';
import { USER_AGENT } from '../harness.ts';

export type OpenedPage = {
  readonly page: Page;
  /** What the content security policy was broken with, and whatever was thrown. */
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
};

/** As somebody does who was sent the link and has never been here. */
export async function followLink(
  browser: OwnBrowser,
  link: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ userAgent: USER_AGENT, locale: 'en-GB', ...options });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  await page.goto(link);
  return { page, complaints, close: () => context.close() };
}

/** Elements that a finger has to meet and that are smaller than it. */
export function tooSmall(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('button, input, select, textarea')]
    .map((each) => [each.id || each.textContent, each.getBoundingClientRect().height])
    .filter(([, height]) => height < 44)`);
}

/** The id of the element that has the focus, or its name. */
export function focused(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.id || document.activeElement.tagName');
}

/** What is said about a field beside its label. */
export async function described(page: Page, id: string): Promise<string> {
  return (await page.evaluate(`(document.getElementById('${id}').getAttribute('aria-describedby') ?? '')
    .split(' ').filter(Boolean).map((each) => document.getElementById(each).textContent).join(' ')`)) as string;
}
