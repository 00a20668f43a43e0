import type { BrowserContextOptions, Page } from 'playwright-core';
import { type Desk, type Office, openOffice, type Person } from '../accounts/office.ts';
import { openBrowser } from '../fixtures/browser.ts';
import { seatsFor } from '../fixtures/page-pool.ts';
import { type HarnessOptions, USER_AGENT } from '../harness.ts';

/** An office whose people look at the dashboard in browsers of their own. */
export type AppSite = {
  readonly office: Office;
  /** A path below the workspace such as `/articles`, or below the dashboard when it begins with `//`. */
  readonly open: (who: Person | Desk | 'nobody', path?: string, options?: VisitOptions) => Promise<Visit>;
  /** Ends the visits of a test. */
  readonly leave: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type VisitOptions = BrowserContextOptions & {
  /** Runs in the page before anything of it. */
  readonly before?: string;
};

export type Visit = {
  readonly page: Page;
  /** What the content security policy was broken with, errors on the console, and whatever was thrown. */
  readonly complaints: readonly string[];
  /** Goes to another page as a bookmark would. */
  readonly go: (path: string) => Promise<void>;
};

export async function openAppSite(options: HarnessOptions = {}): Promise<AppSite> {
  const [office, browser] = await Promise.all([openOffice(options), openBrowser()]);
  const { baseUrl, clock } = office.harness;
  const seats = seatsFor(browser, baseUrl, isTheirs);
  return {
    office,
    async open(who, path = '', { before, ...contextOptions } = {}) {
      const { context, page, complaints } = await seats.take({ ...USUAL, ...contextOptions }, before);
      context.setDefaultTimeout(60_000);
      // The service of a test may live on another day than the machine.
      await context.clock.setSystemTime(clock.now());
      if (who !== 'nobody') {
        const { cookie } = typeof who === 'string' ? office.as(who) : who;
        const [name = '', value = ''] = cookie.split('=');
        await context.addCookies([{ name, value, url: baseUrl, httpOnly: true, sameSite: 'Lax' }]);
      }
      const go = async (to: string) => {
        const below = to.startsWith('//') ? to.slice(1) : `/w/${office.workspace.id}${to}`;
        await page.goto(`${baseUrl}/dashboard${below}`);
      };
      await go(path);
      return { page, complaints, go };
    },
    leave: () => seats.leave(),
    async close() {
      await browser.close();
      await office.close();
    },
  };
}

const USUAL: BrowserContextOptions = {
  userAgent: USER_AGENT,
  locale: 'en-GB',
  viewport: { width: 1280, height: 900 },
  reducedMotion: 'reduce',
};

/** A refusal that a page deals with is an error to the console of Chromium; the page's own are not. */
const isTheirs = (consoleError: string) => !consoleError.startsWith('Failed to load resource');
