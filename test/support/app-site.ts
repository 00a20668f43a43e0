import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { createPagePool, type OwnBrowser, openBrowser } from './browser.ts';
import { type Harness, type HarnessOptions, openHarness, USER_AGENT } from './harness.ts';
import { type MemberClient, openTeam, type Person, type Team } from './team.ts';

type OpenedPage = {
  page: Page;
  /** Violations of the content security policy and uncaught exceptions. */
  pageErrors: readonly string[];
  close: () => Promise<void>;
};

type LinkOptions = BrowserContextOptions & {
  /** A script that runs before those of the page. */
  before?: string;
};

/** Opens a link in a fresh browser context. */
export async function followLink(
  browser: OwnBrowser,
  link: string,
  { before, ...options }: LinkOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ userAgent: USER_AGENT, locale: 'en-GB', ...options });
  context.setDefaultTimeout(60_000);
  if (before) await context.addInitScript(before);
  const page = await context.newPage();
  const pageErrors: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) pageErrors.push(message.text());
  });
  page.on('pageerror', (error) => pageErrors.push(`thrown: ${error.message}`));
  await page.goto(link);
  return { page, pageErrors, close: () => context.close() };
}

/** Returns the controls that are smaller than a touch target of 44 px. */
export function listSmallControls(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('button, input, select, textarea')]
    .map((each) => [each.id || each.textContent, each.getBoundingClientRect().height])
    .filter(([, height]) => height < 44)`);
}

/** Returns the id of the focused element, or its tag name. */
export function getFocusedId(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.id || document.activeElement.tagName');
}

/** Returns the accessible description of a field. */
export async function getDescription(page: Page, id: string): Promise<string> {
  return (await page.evaluate(`(document.getElementById('${id}').getAttribute('aria-describedby') ?? '')
    .split(' ').filter(Boolean).map((each) => document.getElementById(each).textContent).join(' ')`)) as string;
}

export let harness: Harness;
let browser: OwnBrowser;

/** Opens a new server for each test of a file. */
export function openServiceBeforeEach(): void {
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

export const follow = (link: string, options?: LinkOptions): Promise<OpenedPage> =>
  followLink(browser, link, options);

export const waitForHeading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** Goes back as the browser's button does. Playwright's `goBack` may miss an entry that the page has just added to the history. */
export async function goBack(page: Page): Promise<void> {
  const { href } = new URL(page.url());
  await page.evaluate('history.back()');
  await page.waitForURL((url) => url.href !== href);
}

export const tokenOf = (link: string) => new URL(link).hash.replace('#token=', '');

/** Expects the token in neither the URL, nor the browser's history, nor the page. */
export async function expectNoToken(page: Page, link: string): Promise<void> {
  expect(page.url()).toBe(link.split('#')[0]);
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  expect(entries.map(({ url }) => url).filter((url) => url.includes('token'))).toEqual([]);
  expect(await page.content()).not.toContain(tokenOf(link));
}

/** A workspace with one browser per person. */
export type AppSite = {
  team: Team;
  /** Opens a path below the workspace such as `/articles`, or below the dashboard when the path begins with `//`. */
  open: (who: Person | MemberClient | 'guest', path?: string, options?: VisitOptions) => Promise<Visit>;
  /** Closes the pages of a test. */
  leave: () => Promise<void>;
  close: () => Promise<void>;
};

export type VisitOptions = BrowserContextOptions & {
  /** A script that runs before those of the page. */
  before?: string;
};

export type Visit = {
  page: Page;
  /** Violations of the content security policy, console errors and uncaught exceptions. */
  pageErrors: readonly string[];
  /** Loads another page, as a bookmark would. */
  go: (path: string) => Promise<void>;
};

export async function openAppSite(options: HarnessOptions = {}): Promise<AppSite> {
  const [team, browser] = await Promise.all([openTeam(options), openBrowser()]);
  const { baseUrl, clock } = team.harness;
  const pagePool = createPagePool(browser, baseUrl, isPageError);
  return {
    team,
    async open(who, path = '', { before, ...contextOptions } = {}) {
      const { context, page, pageErrors } = await pagePool.take({ ...DEFAULTS, ...contextOptions }, before);
      context.setDefaultTimeout(60_000);
      // The browser follows the test's clock.
      await context.clock.setSystemTime(clock.now());
      if (who !== 'guest') {
        const { cookie } = typeof who === 'string' ? team.as(who) : who;
        const [name = '', value = ''] = cookie.split('=');
        await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' }]);
      }
      const go = async (to: string) => {
        const dashboardPath = to.startsWith('//') ? to.slice(1) : `/w/${team.workspace.id}${to}`;
        await page.goto(`${baseUrl}/dashboard${dashboardPath}`);
      };
      await go(path);
      return { page, pageErrors, go };
    },
    leave: () => pagePool.leave(),
    async close() {
      await browser.close();
      await team.close();
    },
  };
}

/** Runs background jobs until the page shows a text. */
export async function tickUntil({ team }: AppSite, page: Page, text: string): Promise<void> {
  const { service, clock } = team.harness;
  await expect
    .poll(async () => {
      clock.advance(1_000);
      await service.tick();
      return page.getByText(text, { exact: true }).count();
    })
    .toBeGreaterThan(0);
}

const DEFAULTS: BrowserContextOptions = {
  userAgent: USER_AGENT,
  locale: 'en-GB',
  viewport: { width: 1280, height: 900 },
  reducedMotion: 'reduce',
};

/** Leaves out error responses, which Chromium logs even if the page handles them. */
const isPageError = (consoleError: string) => !consoleError.startsWith('Failed to load resource');
