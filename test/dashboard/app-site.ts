import type { BrowserContextOptions, Page } from 'playwright-core';
import { type MemberClient, openTeam, type Person, type Team } from '../accounts/team.ts';
import { createPagePool, openBrowser } from '../fixtures/browser.ts';
import { type HarnessOptions, USER_AGENT } from '../harness.ts';

/** A workspace with one browser per person. */
export type AppSite = {
  readonly team: Team;
  /**
   * A path below the workspace such as `/articles`, or below the dashboard when it begins with
   * `//`.
   */
  readonly open: (
    who: Person | MemberClient | 'guest',
    path?: string,
    options?: VisitOptions,
  ) => Promise<Visit>;
  /** Closes the pages of a test. */
  readonly leave: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type VisitOptions = BrowserContextOptions & {
  /** A script that runs before those of the page. */
  readonly before?: string;
};

export type Visit = {
  readonly page: Page;
  /** Violations of the content security policy, console errors and uncaught exceptions. */
  readonly complaints: readonly string[];
  /** Loads another page, as a bookmark would. */
  readonly go: (path: string) => Promise<void>;
};

export async function openAppSite(options: HarnessOptions = {}): Promise<AppSite> {
  const [team, browser] = await Promise.all([openTeam(options), openBrowser()]);
  const { baseUrl, clock } = team.harness;
  const pagePool = createPagePool(browser, baseUrl, isTheirs);
  return {
    team,
    async open(who, path = '', { before, ...contextOptions } = {}) {
      const { context, page, complaints } = await pagePool.take({ ...DEFAULTS, ...contextOptions }, before);
      context.setDefaultTimeout(60_000);
      // The browser follows the test's clock.
      await context.clock.setSystemTime(clock.now());
      if (who !== 'guest') {
        const { cookie } = typeof who === 'string' ? team.as(who) : who;
        const [name = '', value = ''] = cookie.split('=');
        await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' }]);
      }
      const go = async (to: string) => {
        const below = to.startsWith('//') ? to.slice(1) : `/w/${team.workspace.id}${to}`;
        await page.goto(`${baseUrl}/dashboard${below}`);
      };
      await go(path);
      return { page, complaints, go };
    },
    leave: () => pagePool.leave(),
    async close() {
      await browser.close();
      await team.close();
    },
  };
}

const DEFAULTS: BrowserContextOptions = {
  userAgent: USER_AGENT,
  locale: 'en-GB',
  viewport: { width: 1280, height: 900 },
  reducedMotion: 'reduce',
};

/** Chromium logs every error response, including those that the page handles. */
const isTheirs = (consoleError: string) => !consoleError.startsWith('Failed to load resource');
