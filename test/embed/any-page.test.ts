import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, openFirefox } from '../support/browser.ts';
import { canFindProgram } from '../support/debian.ts';
import { type DemoSite, ready } from '../support/demo-site.ts';
import { USER_AGENT } from '../support/harness.ts';
import type { Website } from '../support/website.ts';
import { openAnyPages, QUESTION, SPY } from './any-page-website.ts';
import { type AnyPage, defaultTag, insertLate, listPages } from './any-pages.ts';

/** The same visit on pages of every kind, in Chromium and Firefox. */

let site: DemoSite;
let website: Website;

beforeAll(async () => {
  ({ site, website } = await openAnyPages(INSIDE, FRAME, UNSET));
});
afterAll(() => Promise.all([site.close(), website.close()]));

/** A page that holds the open panel in one of its elements. */
const INSIDE: AnyPage = {
  name: 'inside',
  body: '<div id="inside" style="inline-size: 30rem; block-size: 30rem"></div>',
  tag: (service) => defaultTag(service).replace('async', 'data-gp-target="#inside" async'),
};

/** A page that writes a frame with a page of its own. */
const FRAME: AnyPage = {
  name: 'frame',
  tag: (service) =>
    `<iframe srcdoc='<main>Preview</main>${defaultTag(service)}' style="inline-size: 900px; block-size: 600px"></iframe>`,
};

/** A page whose tag manager drops the attributes of the script, without settings elsewhere. */
const UNSET: AnyPage = { name: 'unset', tag: (service) => insertLate(service) };

// By class: Playwright's locators by role and label fail on forms whose controls hide the methods that they call.
const launcher = (page: Page) => page.locator('guidepost-guide .launcher');
const field = (page: Page) => page.locator('guidepost-guide textarea');

const typed = (page: Page) => page.evaluate("Guidepost.shadowRoot.querySelector('textarea').value");

/** Opens the guide, asks, scrolls the answer and pastes, as a visitor does. */
async function visit(page: Page, { name, prepare, holds }: AnyPage): Promise<void> {
  await page.goto(`${website.origin}/${name}`, { waitUntil: 'domcontentloaded' });
  await launcher(page).waitFor();
  if (prepare) await page.evaluate(prepare);
  const size = page.viewportSize()!;
  const { x, y, width, height } = (await launcher(page).boundingBox())!;
  expect({ x: x >= 0 && x + width <= size.width, y: y >= 0 && y + height <= size.height }).toEqual({
    x: true,
    y: true,
  });
  await page.mouse.click(x + width / 2, y + height / 2);
  await ready(page);

  const box = (await field(page).boundingBox())!;
  expect(box.y + box.height).toBeLessThanOrEqual(size.height);
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.type(QUESTION);
  expect(await typed(page)).toBe(QUESTION);
  for (const keys of ['Control+a', 'Control+x', 'Control+v']) await page.keyboard.press(keys);
  expect(await typed(page)).toBe(QUESTION);
  await page.keyboard.press('Enter');
  await page.locator('guidepost-guide .send:not(.microphone):visible').first().waitFor();
  await page.locator('guidepost-guide .rating').waitFor();
  expect(await page.locator('guidepost-guide .text').first().textContent()).toContain('Print');

  const log = page.locator('guidepost-guide .log');
  const inLog = (rest: string) =>
    page.evaluate(`Guidepost.shadowRoot.querySelector('.log').scrollTop${rest}`);
  const scrolled = () => inLog('') as Promise<number>;
  await inLog(' = 0');
  const area = (await log.boundingBox())!;
  const [middleX, middleY] = [area.x + area.width / 2, area.y + area.height / 2];
  await page.mouse.move(middleX, middleY);
  await page.mouse.wheel(0, 60);
  await expect.poll(scrolled, { timeout: 5000 }).toBeGreaterThan(0);
  if (page.context().browser()!.browserType().name() === 'chromium') {
    await inLog(' = 0');
    const protocol = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: { x: number; y: number }[]) =>
      protocol.send('Input.dispatchTouchEvent', { type, touchPoints: points });
    await touch('touchStart', { x: middleX, y: middleY });
    for (let moved = 10; moved <= 120; moved += 10)
      await touch('touchMove', { x: middleX, y: middleY - moved });
    await touch('touchEnd');
    await protocol.detach();
    await expect.poll(scrolled, { timeout: 5000 }).toBeGreaterThan(0);
  }
  expect(await page.evaluate('[scrollY, [...new Set(seenEvents)]]')).toEqual([0, []]);
  if (holds) expect(await page.evaluate(holds)).toBe(true);
}

const browsers = {
  Chromium: async () => (await openBrowser()) as Browser,
  Firefox: openFirefox,
};

const canRun = { Chromium: true, Firefox: canFindProgram('firefox-esr') };
if (!canRun.Firefox) console.warn('Skipped in Firefox: install firefox-esr to run these tests in it too.');

it('the console says once that another script removes the guide, which then stays away', async () => {
  const browser = await openBrowser();
  const page = await browser.newPage({ userAgent: USER_AGENT });
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.addInitScript(`new MutationObserver(() => document.querySelector('guidepost-guide')?.remove())
    .observe(document, { childList: true, subtree: true })`);
  await page.goto(`${website.origin}/plain`);
  await expect
    .poll(() => messages)
    .toContainEqual(expect.stringContaining('Another script keeps removing the guide'));
  expect(await page.evaluate('document.querySelector("#buy").textContent')).toBe('Buy now');
  expect(messages.filter((text) => text.startsWith('Guidepost'))).toHaveLength(1);
  await browser.close();
});

it('the guide is in the part of the page that fills the screen', async () => {
  const browser = await openBrowser();
  const page = await browser.newPage({ userAgent: USER_AGENT });
  await page.goto(`${website.origin}/plain`);
  await launcher(page).waitFor();
  await page.evaluate('document.querySelector("main").requestFullscreen()');
  await expect.poll(() => page.evaluate('Guidepost.parentNode.localName')).toBe('main');
  await launcher(page).click();
  await ready(page);
  await page.evaluate('document.exitFullscreen()');
  await expect.poll(() => page.evaluate('Guidepost.parentNode.localName')).toBe('html');
  await browser.close();
});

it('the console says that a late script has no settings', async () => {
  const browser = await openBrowser();
  const page = await browser.newPage({ userAgent: USER_AGENT });
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.goto(`${website.origin}/unset`);
  await expect
    .poll(() => messages, { timeout: 10_000 })
    .toContainEqual(expect.stringContaining('The guide does not start: there is no data-gp-app'));
  await browser.close();
});

it('the console tells a header that a script of the page adds from an origin that is not allowed', async () => {
  const browser = await openBrowser();
  const page = await browser.newPage({ userAgent: USER_AGENT });
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.addInitScript(`const inner = fetch;
    fetch = (url, options) => inner(url, { ...options, headers: { ...options?.headers, ['x-' + 'long'.repeat(20)]: '1' } });`);
  await page.goto(`${website.origin}/plain`);
  await expect.poll(() => messages).toContainEqual(expect.stringContaining('not the headers that a script'));
  await browser.close();
});

it('a question is asked without the page when its reader does not load', async () => {
  const browser = await openBrowser();
  const page = await browser.newPage({ userAgent: USER_AGENT });
  const messages: string[] = [];
  page.on('console', (message) => messages.push(message.text()));
  await page.route('**/capture.js*', (route) => route.abort());
  await page.goto(`${website.origin}/plain`);
  await launcher(page).click();
  await ready(page);
  for (const asked of [1, 2]) {
    await field(page).fill(QUESTION);
    await page.keyboard.press('Enter');
    await page
      .locator('guidepost-guide .rating')
      .nth(asked - 1)
      .waitFor();
  }
  expect(messages.filter((text) => text.startsWith('Guidepost'))).toEqual([
    expect.stringContaining('The page could not be read'),
  ]);
  await browser.close();
});

describe.each(Object.keys(browsers) as (keyof typeof browsers)[])('in %s', (name) => {
  if (!canRun[name]) return it.skip('a visitor asks on any page: the browser is not installed');
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  beforeAll(async () => {
    browser = await browsers[name]();
    context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width: 1000, height: 700 },
      ...(name === 'Chromium' ? { userAgent: USER_AGENT, hasTouch: true } : {}),
    });
    context.setDefaultTimeout(20_000);
    await context.addInitScript(SPY);
    page = await context.newPage();
  });
  afterAll(() => browser?.close());

  it('a visitor searches, reads and asks in the dialog', async () => {
    await page.goto(`${website.origin}/plain`);
    await launcher(page).waitFor();
    await page.evaluate(`document.querySelector('main').append(document.createElement('guidepost-search'))`);
    await page.locator('guidepost-search button').click();
    const input = page.locator('guidepost-guide input');
    await input.waitFor();
    await page.keyboard.type('wireless');
    await page.locator('guidepost-guide [aria-selected=true]').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('guidepost-guide .article .text').waitFor();
    await page.keyboard.press('Escape');
    expect(await input.inputValue()).toBe('wireless');
    await input.fill(QUESTION);
    await page.locator('guidepost-guide .ask').click();
    await page.locator('guidepost-guide .rating').waitFor();
    expect(await page.evaluate('[...new Set(seenEvents)]')).toEqual([]);
  });

  it('a popover of the page that opens meanwhile leaves the focus and the scrolled log alone', async () => {
    await page.goto(`${website.origin}/popover-over-all`);
    await launcher(page).click();
    await ready(page);
    await field(page).fill(QUESTION);
    await page.keyboard.press('Enter');
    await page.locator('guidepost-guide .rating').waitFor();
    const log = (rest: string) =>
      page.evaluate(`Guidepost.shadowRoot.querySelector('.log').scrollTop${rest}`);
    await log(' = 40');
    await field(page).focus();
    await page.evaluate('document.querySelector("#over").showPopover()');
    // The guide is above the popover.
    await expect
      .poll(() => page.evaluate('document.elementFromPoint(innerWidth - 60, innerHeight - 60).localName'))
      .toBe('guidepost-guide');
    await page.keyboard.type('And then?');
    expect(await typed(page)).toBe('And then?');
    expect(await log('')).toBe(40);
  });

  it('the page does not hear the key that closes the guide', async () => {
    await page.goto(`${website.origin}/plain`);
    await launcher(page).click();
    await ready(page);
    await page.keyboard.press('Escape');
    await launcher(page).waitFor();
    await page.keyboard.press('a');
    // The launcher has the focus, in which nobody types.
    expect(await page.evaluate('seenEvents.filter((type) => type === "keyup").length')).toBe(2);
  });

  it('a visitor asks in a frame that the page has written', async () => {
    await page.goto(`${website.origin}/frame`);
    const frame = page.frameLocator('iframe');
    await frame.locator('guidepost-guide .launcher').click();
    await frame.locator('guidepost-guide textarea').fill(QUESTION);
    await page.keyboard.press('Enter');
    await frame.locator('guidepost-guide .rating').waitFor();
  });

  it('a visitor asks in a panel inside the page', async () => {
    await page.goto(`${website.origin}/inside`);
    await field(page).fill(QUESTION);
    await page.keyboard.press('Enter');
    await page.locator('guidepost-guide .rating').waitFor();
    const [outer, inner] = [page.locator('#inside'), page.locator('guidepost-guide .panel')];
    expect(await inner.boundingBox()).toEqual(await outer.boundingBox());
    expect(await launcher(page).isVisible()).toBe(false);
  });

  it.each(listPages('').map(({ name }) => name))('a visitor asks on the page %s', async (name) => {
    // Not refused for asking often.
    site.harness.clock.advance(60_000);
    const messages: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    try {
      await visit(page, listPages(site.harness.baseUrl).find((each) => each.name === name)!);
    } catch (error) {
      console.log(messages, await page.content());
      throw error;
    } finally {
      page.removeAllListeners('console');
    }
    expect(messages.filter((text) => text.startsWith('Guidepost'))).toEqual([]);
  });
});
