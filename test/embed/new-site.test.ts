import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { InstallationReply } from '../../contract/boot.ts';
import { commandLine } from '../support/command-line.ts';
import {
  ask,
  type DemoSite,
  launcher,
  NOTHING,
  openDemoSite,
  panel,
  ready,
  storedOnDevice,
  type VisitOptions,
} from '../support/demo-site.ts';
import { joinAs } from '../support/team.ts';
import { openWebsite, type Website } from '../support/website.ts';

/** A customer's server on another port, with the given pages and headers. */
type Shop = Website & { pages: Map<string, string> };

async function openShop(headers: Record<string, string> = {}): Promise<Shop> {
  const pages = new Map<string, string>();
  const website = await openWebsite((path) => {
    const body = pages.get(new URL(path, 'http://shop').pathname);
    return body === undefined ? undefined : { headers, body };
  });
  return { ...website, pages };
}

/** Returns the page of a shop with the given head. */
const shopPage = (head: string, body = '') => `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>A shop</title><link rel="icon" href="data:,">
    ${head}
  </head>
  <body><main><h1>A shop</h1><p>It sells lamps.</p><button id="buy">Buy a lamp</button>${body}</main></body>
</html>
`;

/**
 * The first steps of a site's owner: a page on another port, the script tag, and the messages on the console.
 */

let site: DemoSite;
let shop: Shop;
let cli: ReturnType<typeof commandLine>;
let snippet: string;
beforeAll(async () => {
  site = await openDemoSite();
  const { baseUrl, dataDir, clock } = site.harness;
  shop = await openShop({
    'content-security-policy': `default-src 'none'; script-src ${baseUrl}; style-src 'none'; connect-src ${baseUrl}; img-src data:; require-trusted-types-for 'script'`,
  });
  cli = commandLine(dataDir, clock.now);
  snippet = `<script src="${baseUrl}/guide.js" data-gp-app="gp_demo" data-gp-api="${baseUrl}" async></script>`;
  await cli.json(['workspace', 'set', site.workspaceId, '--domain', shop.origin, '--domain', baseUrl]);
  // A running server applies a change within a second. More frequent boots would be rate-limited.
  await vi.waitFor(async () => expect((await bootFrom(shop.origin)).status).toBe(200), {
    interval: 500,
    timeout: 30_000,
  });
});
afterAll(() => Promise.all([site.close(), shop.close()]));

/** Records layout shifts and new global names. */
const WATCH = `
  const names = new Set(Object.getOwnPropertyNames(globalThis));
  const seen = { shifts: 0, names: () => Object.getOwnPropertyNames(globalThis).filter((name) => !names.has(name)) };
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) seen.shifts += value; }).observe({ type: 'layout-shift', buffered: true });
  Object.defineProperty(document, 'seen', { value: seen });
`;

async function visitShop(path: string, head: string, options: VisitOptions = {}) {
  shop.pages.set(path, shopPage(head));
  return site.open({ address: `${shop.origin}${path}`, ...options });
}

test('the guide works under a strict policy once the domain is allowed', async () => {
  const visit = await visitShop('/', snippet);
  await launcher(visit.page).waitFor();
  const loaded = visit.requests.map((request) =>
    new URL(request.url()).pathname.replace(/\/guide\/[^/]+/, ''),
  );
  expect(loaded).toEqual(['/', '/guide.js', '/launcher.js', '/en-launcher.js', '/boot']);
  expect(await panel(visit.page).isVisible()).toBe(false);
  await launcher(visit.page).click();
  await ready(visit.page);
  await ask(visit.page, 'How do I take a screenshot?');
  expect(await visit.page.locator('guidepost-guide .text').textContent()).toContain('Print');
  expect(await storedOnDevice(visit.page)).toEqual(NOTHING);
  expect(visit.pageErrors).toEqual([]);
  await visit.close();
});

const bootFrom = (origin: string) =>
  site.harness.fetch('/boot', { json: { app_id: 'gp_demo', origin, path: '/' }, headers: { origin } });

test('a boot needs no preflight, and the owner sees which page was refused', async () => {
  const boots: unknown[] = [];
  site.harness.service.server.on('request', ({ method, url, headers }) => {
    if (url === '/boot') boots.push([method, headers.origin, headers['content-type']]);
  });
  const visit = await visitShop('/', snippet);
  await launcher(visit.page).waitFor();
  const elsewhere = shop.origin.replace('127.0.0.1', 'localhost');
  const refused = await visitShop('/refused', snippet, { address: `${elsewhere}/refused` });
  await expect.poll(() => ownMessages(refused.pageErrors)).toHaveLength(1);
  const type = 'text/plain;charset=UTF-8';
  expect(boots).toEqual([
    ['POST', shop.origin, type],
    ['POST', elsewhere, type],
    // The report tries without the page's `fetch`, which may add headers.
    ['POST', elsewhere, type],
  ]);
  const workspace = (await site.harness.service.store.workspaces.find(site.workspaceId))!;
  const owner = await joinAs(site.harness, workspace, 'owner');
  const { json } = await owner.get<InstallationReply>(`/api/tenants/${workspace.id}/installation`);
  expect(json.refused).toContainEqual({
    origin: elsewhere,
    lastAskedAt: expect.any(String),
    count: expect.any(Number),
  });
  await Promise.all([visit.close(), refused.close()]);
});

test('the script tag shifts no layout and adds one global name', async () => {
  const { page, close } = await visitShop('/', snippet, { before: WATCH });
  await page.reload();
  await launcher(page).click();
  await ready(page);
  await ask(page, 'How do I take a screenshot?');
  expect(await page.evaluate('[document.seen.shifts, document.seen.names()]')).toEqual([0, ['Guidepost']]);
  await close();
});

/** Leaves out the browser's own messages about the page's policy. */
const ownMessages = (pageErrors: readonly string[]) =>
  pageErrors.filter((line) => line.startsWith('Guidepost'));

test('the console explains each installation error, and visitors see no button', async () => {
  const { baseUrl } = site.harness;
  const elsewhere = shop.origin.replace('127.0.0.1', 'localhost');
  const cases: [head: string, options: VisitOptions, sentence: RegExp][] = [
    [
      snippet,
      { address: `${elsewhere}/case-0` },
      new RegExp(`not among its allowed domains.*workspace set ID --domain ${elsewhere}`),
    ],
    [snippet.replace('gp_demo', 'gp_unknown'), {}, /app id "gp_unknown" is unknown/],
    [
      snippet.replace(/data-gp-api="[^"]*"/, ''),
      {},
      /no data-gp-api, so no visitor token is minted.*Add data-gp-api=/,
    ],
    [snippet.replace('gp_demo', ''), {}, /no data-gp-app.*workspace list/],
    [`<script src="${baseUrl}/guide.js" async></script>`, {}, /no data-gp-app, no \?app=/],
    [snippet + snippet, {}, /twice/],
    [snippet.replace(/data-gp-api="[^"]*"/, 'data-gp-api="http://127.0.0.1:9"'), {}, /Could not reach/],
  ];
  await Promise.all(
    cases.map(async ([head, options, sentence], index) => {
      const { page, pageErrors, close } = await visitShop(`/case-${index}`, head, options);
      await expect.poll(() => ownMessages(pageErrors)).toEqual([expect.stringMatching(sentence)]);
      if (index !== 5) expect(await launcher(page).count()).toBe(0);
      await close();
    }),
  );
});

test('the console explains how to switch the guide on, and the panel says that it is unavailable', async () => {
  for (const [off, on, sentence, shown] of [
    [
      ['workspace', 'disable', site.workspaceId],
      ['workspace', 'enable', site.workspaceId],
      /is disabled.*workspace enable ID/,
      'The guide is not available here at the moment.',
    ],
    [
      ['killswitch', 'on'],
      ['killswitch', 'off'],
      /switched off for all workspaces.*killswitch off/,
      'The guide is paused at the moment.',
    ],
  ] as const) {
    await cli.json(off);
    await expect.poll(async () => (await bootFrom(shop.origin)).status).not.toBe(200);
    const { page, pageErrors, close } = await visitShop('/', snippet);
    await expect.poll(() => pageErrors).toEqual([expect.stringMatching(sentence)]);
    expect(await launcher(page).count()).toBe(0);
    await page.evaluate('Guidepost.open()');
    await panel(page).getByText(shown).waitFor();
    await close();
    await cli.json(on);
    await expect.poll(async () => (await bootFrom(shop.origin)).status).toBe(200);
  }
});

test('an open panel says that the guide is paused while the kill switch is on, and keeps the question', async () => {
  const { page, close } = await visitShop('/', snippet);
  await launcher(page).click();
  await ready(page);
  await cli.json(['killswitch', 'on']);
  await expect.poll(async () => (await bootFrom(shop.origin)).status).not.toBe(200);
  const field = page.locator('guidepost-guide textarea');
  await field.fill('How do I take a screenshot?');
  await field.press('Enter');
  await panel(page)
    .getByRole('log')
    .getByText('The guide is paused at the moment.', { exact: false })
    .waitFor();
  expect(await page.locator('guidepost-guide .question').textContent()).toContain('take a screenshot');
  await close();
  await cli.json(['killswitch', 'off']);
  await expect.poll(async () => (await bootFrom(shop.origin)).status).toBe(200);
});
