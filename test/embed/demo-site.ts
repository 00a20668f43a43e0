import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core';
import { buildEmbed } from '../../client/embed/build.ts';
import { DEMO_APP_ID, DEMO_KNOWLEDGE_DIR } from '../../server/demo/demo.ts';
import { newId } from '../../server/ids.ts';
import { VOICE_USUAL, type WorkspaceSettings } from '../../server/storage/workspaces.ts';
import { type Harness, type HarnessOptions, openHarness, USER_AGENT } from '../harness.ts';
import { importSeeds, type Seed } from '../seeds.ts';

/** The demo page of a real server with some of its articles, and a browser to look at it. */
export type DemoSite = {
  readonly harness: Harness;
  readonly workspaceId: string;
  readonly demoUrl: string;
  /** The page for a fresh visitor. */
  readonly open: (options?: VisitOptions) => Promise<Visit>;
  readonly close: () => Promise<void>;
};

export type VisitOptions = BrowserContextOptions & {
  /** Another page than the demo's. */
  readonly address?: string;
  /** Changes the page on its way, as another customer would have written it. */
  readonly html?: (html: string) => string;
  /** What the customer's own server would add. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Runs in the page before anything of it. */
  readonly before?: string;
};

export type Visit = {
  readonly page: Page;
  /** What the guide has written to the console as errors, and whatever was thrown. */
  readonly complaints: readonly string[];
  /** What was sent to this path, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every operation.
  readonly sent: (path: string) => readonly any[];
  readonly requests: readonly Request[];
  readonly close: () => Promise<void>;
};

const ARTICLES = [
  'screen-shot-record',
  'display-brightness',
  'a11y-font-size',
  'net-wireless-connect',
  'backup-why',
];

export async function openDemoSite(
  options: Pick<HarnessOptions, 'engine' | 'env'> & {
    readonly settings?: Partial<WorkspaceSettings>;
    /** Instead of some of the demo's. */
    readonly articles?: readonly Seed[];
    /** For the browser. */
    readonly flags?: readonly string[];
  } = {},
): Promise<DemoSite> {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-embed-'));
  // The script as its sources are now, not as somebody built it last.
  const guideFolder = pathToFileURL(`${folder}/`);
  const env = { GUIDEPOST_DEMO: 'on', ...options.env };
  const [harness, browser] = await Promise.all([
    openHarness({ ...options, env, settings: {}, articles: [], guideFolder }),
    launch(options.flags),
    buildEmbed(folder),
  ]);
  const workspaceId = newId('ws');
  await harness.service.store.workspaces.create({
    id: workspaceId,
    appId: DEMO_APP_ID,
    name: 'Juniper Desktop',
    settings: {
      allowedOrigins: [harness.baseUrl],
      sourceLocale: 'en',
      showBranding: true,
      consentStrictness: 'region',
      features: { pageActions: true, screenshot: true, feedback: true },
      suggestions: ['How do I take a screenshot?'],
      voice: VOICE_USUAL,
      ...options.settings,
    },
    createdAt: harness.clock.now(),
  });
  await importSeeds(harness.service.store, workspaceId, options.articles ?? demoArticles());

  return {
    harness,
    workspaceId,
    demoUrl: `${harness.baseUrl}/demo`,
    open: (options) => visit(browser, { address: `${harness.baseUrl}/demo`, ...options }),
    close: async () => {
      await browser.close();
      await harness.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function visit(
  browser: Browser,
  { address, html, headers = {}, before = '', ...options }: VisitOptions & { readonly address: string },
): Promise<Visit> {
  const context = await browser.newContext({ userAgent: USER_AGENT, locale: 'en-GB', ...options });
  context.setDefaultTimeout(10_000);
  await context.addInitScript(before);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: Request[] = [];
  page.on('console', (message) => {
    const isOurs =
      message.text().startsWith('Guidepost') || message.text().includes('Content Security Policy');
    if (message.type() === 'error' && isOurs) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`thrown: ${error.message}`));
  page.on('request', (request) => requests.push(request));
  if (html)
    await page.route('**/demo', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: html(await response.text()),
        headers: { ...response.headers(), ...headers },
      });
    });
  await page.goto(address);
  return {
    page,
    complaints,
    requests,
    sent: (path) =>
      requests
        .filter((request) => new URL(request.url()).pathname === path)
        .map((request) => request.postDataJSON()),
    close: () => context.close(),
  };
}

/** Its usual flags switch off what these tests are about: the Origin header and the borders between pages. */
const LESS_SAFE = ['--disable-web-security', '--allow-running-insecure-content', '--single-process'];

export async function launch(more: readonly string[] = []): Promise<Browser> {
  const args = [...sparticuz.args.filter((flag) => !LESS_SAFE.includes(flag)), ...more];
  return chromium.launch({ executablePath: await sparticuz.executablePath(), args });
}

function demoArticles(): Seed[] {
  const lines = readFileSync(join(DEMO_KNOWLEDGE_DIR, 'gnome-help.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Seed).filter((article) => ARTICLES.includes(article.slug));
}
