import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { DEMO_APP_ID, DEMO_KNOWLEDGE_DIR } from '../../server/demo/demo.ts';
import type { WorkspaceSettings } from '../../server/storage/workspace-settings.ts';
import { createPagePool, openBrowser, type PagePool } from './browser.ts';
import { type Harness, type HarnessOptions, openHarness, USER_AGENT } from './harness.ts';
import { importSeeds, SETTINGS, type Seed } from './seeds.ts';

/** The demo page of a real server with some articles, and a browser. */
export type DemoSite = {
  harness: Harness;
  workspaceId: string;
  demoUrl: string;
  /** Opens the page for a new visitor. */
  open: (options?: VisitOptions) => Promise<Visit>;
  close: () => Promise<void>;
};

export type VisitOptions = BrowserContextOptions & {
  /** The address of the page, by default the demo page. */
  address?: string;
  /** Changes the HTML, like another customer's page. */
  html?: (html: string) => string;
  /** Headers that the customer's server would add. */
  headers?: Readonly<Record<string, string>>;
  /** Runs in the page before its own scripts. */
  before?: string;
};

export type Visit = {
  page: Page;
  /** Errors on the console and uncaught exceptions. */
  pageErrors: readonly string[];
  /** The parsed bodies that were sent to this path. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every operation.
  sent: (path: string) => readonly any[];
  requests: readonly Request[];
  close: () => Promise<void>;
};

const ARTICLES = [
  'screen-shot-record',
  'display-brightness',
  'a11y-font-size',
  'net-wireless-connect',
  'backup-why',
];

const ON_THE_SCREEN = ['screen-shot-record', 'display-brightness'];

export async function openDemoSite(
  options: Pick<HarnessOptions, 'engine' | 'env'> & {
    settings?: Partial<WorkspaceSettings>;
    /** Replaces some settings of the demo. */
    articles?: readonly Seed[];
    /** Options of the browser. */
    flags?: readonly string[];
  } = {},
): Promise<DemoSite> {
  const env = { GUIDEPOST_DEMO: 'on', LOOP_DELAY_MILLIS_MAX: '60000', ...options.env };
  const [harness, browser] = await Promise.all([
    openHarness({ ...options, env, settings: {}, articles: [] }),
    openBrowser(options.flags),
  ]);
  const pagePool = createPagePool(browser, harness.baseUrl, isGuideError);
  const workspaceId = newId('ws');
  await harness.service.store.workspaces.create({
    id: workspaceId,
    appId: DEMO_APP_ID,
    name: 'Juniper Desktop',
    settings: {
      ...SETTINGS,
      allowedOrigins: [harness.baseUrl],
      suggestions: ['How do I take a screenshot?'],
      ...options.settings,
    },
    createdAt: harness.clock.now(),
  });
  await importSeeds(harness.service.store, workspaceId, options.articles ?? demoArticles());

  return {
    harness,
    workspaceId,
    demoUrl: `${harness.baseUrl}/demo`,
    open: (options) => openVisit(pagePool, { address: `${harness.baseUrl}/demo`, ...options }),
    close: async () => {
      await browser.close();
      await harness.close();
    },
  };
}

async function openVisit(
  pagePool: PagePool,
  { address, html, headers = {}, before, ...options }: VisitOptions & { address: string },
): Promise<Visit> {
  const taken = await pagePool.take({ ...DEFAULTS, ...options }, before);
  const { context, page, pageErrors, requests, leave } = taken;
  context.setDefaultTimeout(60_000);
  if (html)
    await page.route('**/demo', async (route) => {
      const response = await route.fetch();
      // The content security policy of the demo page does not allow what tests insert.
      const { 'content-security-policy': _, ...kept } = response.headers();
      await route.fulfill({
        response,
        body: html(await response.text()),
        headers: { ...kept, ...headers },
      });
    });
  await page.goto(address);
  return {
    page,
    pageErrors,
    requests,
    sent: (path) =>
      requests
        .filter((request) => new URL(request.url()).pathname === path)
        .map((request) => request.postDataJSON()),
    close: leave,
  };
}

const DEFAULTS: BrowserContextOptions = {
  userAgent: USER_AGENT,
  locale: 'en-GB',
  viewport: { width: 1280, height: 720 },
};

const isGuideError = (consoleError: string) =>
  consoleError.startsWith('Guidepost') || consoleError.includes('Content Security Policy');

function demoArticles(): Seed[] {
  const lines = readFileSync(join(DEMO_KNOWLEDGE_DIR, 'gnome-help.jsonl'), 'utf8').trim().split('\n');
  return lines
    .map((line) => JSON.parse(line) as Seed)
    .filter(({ slug }) => ARTICLES.includes(slug))
    .map((article) =>
      ON_THE_SCREEN.includes(article.slug) ? { ...article, collection: 'Screen' } : article,
    );
}

/** The demo site of a test file, and visits that end with their test. */

export let site: DemoSite;
const visits: Visit[] = [];

export function openDemoSiteBeforeAll(): void {
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

/** Visits the page and opens the panel. */
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

export const ready = (page: Page) => page.locator('guidepost-guide .log:not([aria-busy])').waitFor();

export async function ask(page: Page, question: string): Promise<void> {
  const answered = page.getByText('Was this helpful?');
  const before = await answered.count();
  await field(page).fill(question);
  await field(page).press('Enter');
  await answered.nth(before).waitFor();
  // Only now is the turn complete and stored on the device.
  await page.locator('guidepost-guide .send:not(.microphone)').first().waitFor();
}

/** Returns computed styles of an element, without browser types, which do not exist here. */
export function getStyles(of: Locator, names: readonly string[]): Promise<(string | undefined)[]> {
  return of.evaluate((node, wanted) => {
    const page = globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> };
    const style = page.getComputedStyle(node);
    return wanted.map((name) => style[name]);
  }, names);
}

/** Returns everything that the page has stored on the device. */
export async function storedOnDevice(page: Page): Promise<unknown> {
  const inPage = await page.evaluate(
    '(async () => [{ ...localStorage }, { ...sessionStorage }, await indexedDB.databases(), await caches.keys()])()',
  );
  return [inPage, await page.context().cookies()];
}
export const NOTHING = [[{}, {}, [], []], []];
