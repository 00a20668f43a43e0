import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import {
  ask,
  field,
  getStyles,
  NOTHING,
  open,
  openDemoSiteBeforeAll,
  panel,
  storedOnDevice,
  visit,
} from '../support/demo-site.ts';

openDemoSiteBeforeAll();

/** What fades in has less contrast meanwhile. */
const STILL = { reducedMotion: 'reduce' } as const;

const searchField = (page: Page) => page.getByRole('combobox', { name: 'Search the articles' });
const results = (page: Page) => page.getByRole('listbox', { name: 'Help articles' });
const searchDialog = (page: Page) => page.getByRole('dialog', { name: 'Help articles' });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const press = (page: Page, name: string) => panel(page).getByRole('button', { name, exact: true }).click();
const focused = (page: Page) =>
  page.evaluate('document.querySelector("guidepost-guide").shadowRoot.activeElement?.textContent');

/** The name of the focused control. */
const focusedField = (page: Page) =>
  page.evaluate(`{
    const focused = document.querySelector('guidepost-guide').shadowRoot.activeElement;
    (focused.labels?.[0]?.textContent || focused.ariaLabel).trim();
  }`);

async function openHelp(page: Page): Promise<void> {
  await panel(page).locator('header').getByRole('button', { name: 'Help articles' }).click();
  await panel(page).getByRole('list').first().waitFor();
}

test('the Help view lists collections with their counts, and shows an article with ways back', async () => {
  const { page, pageErrors, requests } = await open(STILL);
  await openHelp(page);
  await expectAccessible(page, 'guidepost-guide');
  expect(await panel(page).locator('.view').ariaSnapshot()).toBe(
    `- region "Help articles":
  - button "Back to the conversation"
  - heading "Help articles" [level=3]
  - combobox "Search the articles"
  - status
  - list:
    - listitem:
      - button "Screen 2"
    - listitem:
      - button "Back up your important files"
    - listitem:
      - button "Change text size on the screen"
    - listitem:
      - button "Connect to a wireless network"`,
  );
  await page.setViewportSize({ width: 320, height: 640 });
  const beyond = '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)';
  expect(await page.evaluate(`${beyond}(Guidepost.shadowRoot.querySelector('.help .view'))`)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 720 });
  await press(page, 'Screen 2');
  await heading(page, 'Screen').waitFor();
  expect(await focused(page)).toBe('Screen');
  await press(page, 'Set screen brightness');
  await panel(page).locator('.article .text').waitFor();
  await expectAccessible(page, 'guidepost-guide');
  expect(await focused(page)).toBe('Set screen brightness');
  expect(await panel(page).locator('.article').textContent()).toContain('brightness');
  // Escape and the button go back one step, with the focus where it was.
  await page.keyboard.press('Escape');
  expect(await focused(page)).toBe('Set screen brightness');
  await press(page, 'Back');
  expect(await focused(page)).toBe('Screen2');
  await page.keyboard.press('Escape');
  await field(page).waitFor();
  expect(await focusedField(page)).toBe('Help articles');
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'hidden' });
  expect(pageErrors).toEqual([]);
  // What is read is not recorded, on the device neither.
  expect(await storedOnDevice(page)).toEqual(NOTHING);
  const paths = requests.map((request) => new URL(request.url()).pathname);
  expect(paths).not.toContain('/chat');
});

test('an article is shown in the language of the visitor, or says in which one it is', async () => {
  const { page } = await visit({ locale: 'de-DE' });
  await page.getByRole('button', { name: 'Assistenten öffnen' }).click();
  await panel(page).getByRole('button', { name: 'Hilfeartikel' }).last().click();
  await panel(page).getByRole('button', { name: 'Screen 2' }).click();
  const article = panel(page).getByRole('button', { name: /Bildschirmhelligkeit/ });
  await article.click();
  const text = panel(page).locator('.article .text');
  await text.waitFor();
  expect(await text.getAttribute('lang')).toBe('de');
  expect(await panel(page).locator('.article .note').count()).toBe(0);

  const other = await visit({ locale: 'th-TH' });
  await other.page.locator('guidepost-guide .launcher').click();
  await panel(other.page).locator('.browse').click();
  await panel(other.page).locator('.row').last().click();
  await panel(other.page).locator('.article .note').waitFor();
});

test('"Ask about this" goes back to the conversation with the title in the field', async () => {
  const { page } = await open();
  await openHelp(page);
  await press(page, 'Connect to a wireless network');
  await press(page, 'Ask about this');
  expect(await field(page).inputValue()).toBe('Connect to a wireless network: ');
  expect(await focusedField(page)).toBe('Your question');
});

test('a question that is sent from the Help view is answered in the conversation', async () => {
  const { page } = await open();
  await openHelp(page);
  await ask(page, 'How do I take a screenshot?');
  await panel(page).getByText('How do I take a screenshot?').waitFor();
  expect(await panel(page).locator('.help').count()).toBe(0);
});

test('the search dialog finds as one types, by keyboard alone, and opens an article', async () => {
  const { page, pageErrors } = await visit(STILL);
  await page.evaluate('Guidepost.open("search")');
  await searchDialog(page).waitFor();
  expect(await panel(page).count()).toBe(1);
  await page.keyboard.type('wirel');
  const first = results(page).getByRole('option').first();
  await expect.poll(() => first.getAttribute('aria-selected')).toBe('true');
  expect(await first.textContent()).toContain('Connect to a wireless network');
  const activeId = () => searchField(page).getAttribute('aria-activedescendant');
  expect(await activeId()).toBe(await first.getAttribute('id'));
  expect(await searchField(page).getAttribute('aria-expanded')).toBe('true');
  await expectAccessible(page, 'guidepost-guide');
  await page.keyboard.press('ArrowUp');
  expect(await results(page).getByRole('option', { selected: true }).textContent()).toBe(
    'Ask the guide: “wirel”',
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await heading(page, 'Connect to a wireless network').waitFor();
  await searchDialog(page).locator('.article .text').waitFor();
  await expectAccessible(page, 'guidepost-guide');
  await page.keyboard.press('Escape');
  expect(await searchField(page).inputValue()).toBe('wirel');
  expect(await focusedField(page)).toBe('Search the articles');
  await page.keyboard.press('Escape');
  await searchDialog(page).waitFor({ state: 'detached' });
  expect(pageErrors).toEqual([]);
});

test('the last row of a search asks the guide', async () => {
  const { page, sent } = await visit();
  await page.evaluate('Guidepost.open("search")');
  await searchField(page).fill('How do I take a screenshot?');
  await results(page).getByRole('option', { name: 'Ask the guide: “How do I take a screenshot?”' }).click();
  await page.getByText('Was this helpful?').waitFor();
  expect(await searchDialog(page).count()).toBe(0);
  expect(sent('/chat')).toMatchObject([{ message: 'How do I take a screenshot?' }]);
});

const NOTE_ABORTED = `{
  const own = fetch;
  window.abortedUrls = [];
  window.fetch = (url, options) => {
    options?.signal?.addEventListener('abort', () => window.abortedUrls.push(String(url)));
    return own(url, options);
  };
}`;

test('only the latest of several searches is shown, and searches that are overtaken are aborted', async () => {
  const { page } = await visit({ before: NOTE_ABORTED });
  const held: (() => void)[] = [];
  await page.route('**/articles/search?q=screen', async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue().catch(() => {});
  });
  await page.evaluate('Guidepost.open("search")');
  await searchField(page).fill('screen');
  await expect.poll(() => held.length).toBe(1);
  await searchField(page).fill('wireless');
  const latest = results(page).getByRole('option', { name: 'Connect to a wireless network' });
  await latest.waitFor();
  expect(await page.evaluate('abortedUrls.filter((url) => url.endsWith("q=screen")).length')).toBe(1);
  held[0]!();
  expect(await latest.isVisible()).toBe(true);
});

test('a search that fails says so, and can be tried again', async () => {
  const { page } = await visit();
  await page.route('**/articles/search*', (route) => route.abort(), { times: 20 });
  await page.evaluate('Guidepost.open("search")');
  await searchField(page).fill('wireless');
  await searchDialog(page).locator('.trouble').waitFor();
  await page.unroute('**/articles/search*');
  await searchDialog(page).getByRole('button', { name: 'Try again' }).click();
  await results(page)
    .getByRole('option', { name: /wireless network/ })
    .waitFor();
  await searchField(page).fill('xqzw');
  await searchDialog(page).locator('.note', { hasText: 'No articles found.' }).waitFor();
});

const withSearch = (markup: string) => ({ html: (html: string) => html.replace('<main', `${markup}<main`) });

test('a search button in the page opens the dialog, also by its shortcut, and gets the focus back', async () => {
  const { page, pageErrors } = await visit(withSearch('<guidepost-search shortcut></guidepost-search>'));
  const button = page.getByRole('button', { name: 'Search the articles' });
  await button.waitFor();
  await expectAccessible(page, 'guidepost-search');
  await button.click();
  await searchDialog(page).waitFor();
  await page.keyboard.press('Escape');
  await searchDialog(page).waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.localName')).toBe('guidepost-search');
  await page.keyboard.press('Control+k');
  await searchField(page).fill('x');
  await page.mouse.click(5, 5);
  await searchDialog(page).waitFor({ state: 'detached' });
  expect(pageErrors).toEqual([]);
});

test('Ctrl+K stays with the page unless a search button asks for it, and search buttons may come later', async () => {
  const { page } = await visit(withSearch(''));
  await page.getByRole('button', { name: 'Open the guide' }).waitFor();
  await page.evaluate(`{
    const search = document.createElement('guidepost-search');
    search.textContent = 'Find help';
    document.querySelector('main').prepend(search);
  }`);
  await page.getByRole('button', { name: 'Find help' }).waitFor();
  await page.keyboard.press('Control+k');
  expect(await searchDialog(page).count()).toBe(0);
  await page.evaluate('document.querySelector("guidepost-search").setAttribute("shortcut", "")');
  await page.keyboard.press('Control+k');
  await searchDialog(page).waitFor();
});

test('search buttons stay empty where the guide is not enabled', async () => {
  const { page } = await visit({
    ...withSearch('<guidepost-search></guidepost-search>'),
    before: "window.fetch = async () => Response.json({ error: 'boot/origin_unknown' }, { status: 403 })",
  });
  await page.waitForFunction('customElements.get("guidepost-search")');
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('button', { name: 'Search the articles' }).count()).toBe(0);
});

const placed = (attributes = '') => ({
  html: (html: string) =>
    html
      .replace('data-gp-app', `data-gp-target="#place" ${attributes} data-gp-app`)
      .replace('<main', '<div id="place" style="inline-size: 30rem; block-size: 36rem"></div><main'),
});
const box = (page: Page, selector: string) => page.locator(selector).boundingBox();

test('a page can hold the open panel in one of its elements', async () => {
  const { page, pageErrors } = await visit({ ...placed(), ...STILL });
  await panel(page).waitFor();
  await page.locator('guidepost-guide .log:not([aria-busy])').waitFor();
  const [outer, inner] = [await box(page, '#place'), await box(page, 'guidepost-guide .panel')];
  expect(inner).toEqual(outer);
  expect(await page.evaluate('document.activeElement.localName')).toBe('body');
  for (const name of ['Open the guide', 'Close the guide', 'Enlarge'])
    expect(await page.getByRole('button', { name }).isVisible()).toBe(false);
  await expectAccessible(page, 'guidepost-guide');
  await ask(page, 'How do I take a screenshot?');
  await page.keyboard.press('Escape');
  await page.evaluate('Guidepost.close()');
  expect(await panel(page).isVisible()).toBe(true);
  expect(await getStyles(panel(page), ['position'])).toEqual(['absolute']);
  expect(pageErrors).toEqual([]);
});

test('a panel in the page keeps to its element on a phone', async () => {
  const { page } = await visit({
    ...placed(),
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  });
  await panel(page).waitFor();
  expect(await box(page, 'guidepost-guide .panel')).toEqual(await box(page, '#place'));
  expect(await panel(page).getAttribute('aria-modal')).toBe('false');
});

test('the guide floats where the page has no element for it, and moves when one comes and goes', async () => {
  const { page, pageErrors } = await visit({
    html: (html) => html.replace('data-gp-app', 'data-gp-target="#place" data-gp-app'),
  });
  await page.getByRole('button', { name: 'Open the guide' }).waitFor();
  await page.evaluate(`{
    const place = document.createElement('div');
    place.id = 'place';
    place.style.blockSize = '30rem';
    document.querySelector('main').prepend(place);
  }`);
  await panel(page).waitFor();
  expect(await page.evaluate('document.querySelector("guidepost-guide").parentElement.id')).toBe('place');
  await ask(page, 'How do I take a screenshot?');
  await page.evaluate('document.querySelector("#place").remove()');
  await page.getByRole('button', { name: 'Open the guide' }).click();
  await panel(page).getByText('How do I take a screenshot?').waitFor();
  expect(await page.evaluate('document.querySelector("guidepost-guide").parentElement.localName')).toBe(
    'html',
  );
  expect(pageErrors).toEqual([]);
});

test('a file that does not load leaves the page and the conversation as they are', async () => {
  const { page } = await open();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.route('**/help.js*', (route) => route.abort(), { times: 2 });
  await panel(page).locator('.browse').click();
  await expect.poll(() => panel(page).locator('.help').count()).toBe(0);
  await page.evaluate('Guidepost.open("search")');
  await ask(page, 'How do I take a screenshot?');
  await openHelp(page);
  expect(errors).toEqual([]);
});
