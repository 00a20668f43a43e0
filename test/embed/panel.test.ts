import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, reportLocale } from '../support/browser.ts';
import {
  ask,
  type DemoSite,
  getStyles,
  launcher,
  NOTHING,
  open,
  openDemoSite,
  openDemoSiteBeforeAll,
  openPanel,
  panel,
  ready,
  site,
  storedOnDevice,
  visit,
} from '../support/demo-site.ts';

openDemoSiteBeforeAll();

/** What remains on the device of a visitor who declined. */
const DENIAL = [[{ 'guidepost:gp_demo:declined': '1' }, {}, [], []], []];

async function evidence() {
  const chain = await site.harness.service.store.in(site.workspaceId).consents.chain(1000);
  return chain.map((link) => JSON.parse(link.content));
}

test('the panel discloses the AI and asks for consent with two equal choices before the first message', async () => {
  const { page } = await open();
  await panel(page).getByText('AI', { exact: false }).first().waitFor();
  const prompt = page.getByRole('group', { name: 'May the guide remember you?' });
  const properties = ['color', 'backgroundColor', 'borderColor', 'fontWeight', 'fontSize', 'opacity'];
  const boxes = await Promise.all(
    ['Decline', 'Agree'].map(async (name) => {
      const choice = prompt.getByRole('button', { name });
      const box = await choice.boundingBox();
      return [Math.round(box!.width), Math.round(box!.height), ...(await getStyles(choice, properties))];
    }),
  );
  expect(boxes[0]).not.toContain(undefined);
  expect(boxes[0]).toEqual(boxes[1]);
});

test('the panel answers with a citation and stores nothing on the device before consent', async () => {
  const { page, pageErrors } = await open();
  await ask(page, 'How do I take a screenshot?');
  const answer = page.locator('guidepost-guide .answer');
  expect(await answer.locator('.text').textContent()).toContain('Print');
  const source = answer.getByRole('link', { name: 'Screenshots and screencasts' });
  expect(await source.count()).toBe(1);
  await answer.getByRole('button', { name: 'Source 1: Screenshots and screencasts' }).click();
  const passage = page.getByRole('region', { name: 'Screenshots and screencasts' });
  expect(await passage.locator('blockquote').textContent()).toContain('Print');
  const address = await passage.getByRole('link', { name: 'Read the article' }).getAttribute('href');
  expect(address).toMatch(/^https:.*#:~:text=\S+/);
  expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.tagName')).toBe('H3');
  await page.keyboard.press('Escape');
  expect(await passage.count()).toBe(0);
  expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.textContent')).toBe('1');
  expect(await storedOnDevice(page)).toEqual(NOTHING);
  expect(pageErrors).toEqual([]);
});

test.each([
  ['de_DE@euro', 'de-DE'],
  ['en-US@posix', 'en-US'],
  ['C', 'en'],
])('the panel answers in a browser that reports the locale %s', async (tag, locale) => {
  const { page, pageErrors, requests } = await visit({ before: reportLocale(tag) });
  const host = page.locator('guidepost-guide');
  await host.getByRole('button').first().click();
  await ready(page);
  expect(await page.locator('guidepost-guide aside').getAttribute('lang')).toBe(locale);
  await host.locator('textarea').fill('How do I take a screenshot?');
  await host.locator('textarea').press('Enter');
  await host.locator('.answer .text').first().waitFor();
  const chat = requests.find((request) => new URL(request.url()).pathname === '/chat');
  expect(await chat?.headerValue('accept-language')).toContain(locale);
  expect(pageErrors).toEqual([]);
});

test('the panel answers a how-to with its steps in order, after it announced the connection and the AI', async () => {
  const { page, pageErrors } = await open();
  await ask(page, 'Connect to a wireless network');
  const announced = await page.locator('guidepost-guide [role="status"] p').allTextContents();
  expect(announced[0]).toBe('Connecting…');
  expect(announced[1]).toContain('AI');
  const steps = await page.locator('guidepost-guide .answer .text > *').allTextContents();
  const first = steps.indexOf('Open the system menu from the right side of the top bar.');
  expect(steps.slice(first, first + 3)).toEqual([
    'Open the system menu from the right side of the top bar.',
    'Select Wi-Fi. The Wi-Fi section of the menu will expand.',
    'Click the name of the network you want.',
  ]);
  expect(pageErrors).toEqual([]);
});

test('the panel keeps visitor and conversation after consent, and deletes them on request', async () => {
  const before = (await evidence()).length;
  const { page, sent } = await open();
  await ask(page, 'How do I take a screenshot?');
  await page.getByRole('button', { name: 'Agree' }).click();
  await page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
  expect((await evidence()).slice(before)).toMatchObject([{ decision: 'accepted' }]);
  expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['guidepost:gp_demo']);

  await page.reload();
  await launcher(page).click();
  await page.locator('guidepost-guide .question', { hasText: 'How do I take a screenshot?' }).waitFor();
  expect(sent('/boot').at(-1)).toHaveProperty('visitor_id');
  await ask(page, 'How do I set the screen brightness?');
  expect(sent('/chat').at(-1)).toMatchObject({ turn_idx: 1 });

  await page.getByRole('button', { name: 'Privacy' }).click();
  await page.getByRole('button', { name: 'Delete my data' }).click();
  // Whoever goes on does not delete anything later by mistake.
  await ask(page, 'How do I take a screenshot?');
  expect(await page.getByRole('button', { name: 'Delete everything now' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Privacy' }).click();
  await page.getByRole('button', { name: 'Delete my data' }).click();
  await page.getByRole('button', { name: 'Delete everything now' }).click();
  await page.locator('guidepost-guide .question').first().waitFor({ state: 'detached' });
  expect(await storedOnDevice(page)).toEqual(NOTHING);
});

test('the panel answers a visitor who declines, stores nothing but that, and does not ask again', async () => {
  const before = (await evidence()).length;
  const { page, sent } = await open();
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
  await ask(page, 'How do I take a screenshot?');
  expect((await evidence()).slice(before)).toMatchObject([{ decision: 'denied' }]);
  expect(await storedOnDevice(page)).toEqual(DENIAL);

  await page.reload();
  await openPanel(page);
  expect(await page.getByRole('group', { name: 'May the guide remember you?' }).count()).toBe(0);
  expect((await evidence()).slice(before)).toMatchObject([{ decision: 'denied' }, { decision: 'denied' }]);
  expect(new Set(sent('/consent').map((body) => body.visitor_id)).size).toBe(2);
  expect(await storedOnDevice(page)).toEqual(DENIAL);
  await page.getByRole('button', { name: 'Privacy' }).click();
  await page.getByRole('button', { name: 'Agree' }).click();
  await expect.poll(() => page.evaluate('Object.keys(localStorage)')).toEqual(['guidepost:gp_demo']);
});

test('the panel takes Global Privacy Control as an opt-out, says so, and does not ask', async () => {
  const before = (await evidence()).length;
  const { page, sent } = await open({
    before: 'Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true });',
  });
  expect(sent('/boot')[0]).toMatchObject({ gpc: true });
  await panel(page).getByText('Global Privacy Control', { exact: false }).first().waitFor();
  expect(await page.getByRole('button', { name: 'Agree' }).count()).toBe(0);
  await expect
    .poll(async () => (await evidence()).slice(before))
    .toMatchObject([{ decision: 'gpc_auto_optout' }]);
  expect(sent('/consent')[0]).toMatchObject({ gpc: true, override_source: 'gpc' });
});

describe('a guide that may proceed until the visitor decides', () => {
  let regional: DemoSite;
  beforeAll(async () => {
    regional = await openDemoSite({ env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' } });
  });
  afterAll(() => regional.close());

  test.each([
    ['opt-out', 'US'],
    ['notice', 'JP'],
  ])('says under %s what is on, and declines with one click', async (strictness, country) => {
    const { page, pageErrors, close } = await regional.open({
      extraHTTPHeaders: { 'cf-ipcountry': country },
    });
    await openPanel(page);
    expect(await page.getByRole('group', { name: 'May the guide remember you?' }).count()).toBe(0);
    const notice = panel(page).getByText('keeps your conversations', { exact: false });
    const deny = panel(page).getByRole('button', { name: 'Decline', exact: true });
    expect(await notice.isVisible()).toBe(true);
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual(['guidepost:gp_demo']);
    if (strictness === 'opt-out') await expectAccessible(page, 'guidepost-guide');
    await deny.click();
    await deny.waitFor({ state: 'detached' });
    expect(await notice.count()).toBe(0);
    expect(await storedOnDevice(page)).toEqual(DENIAL);
    // The service has not seen the denial of this new visitor, and the region's rule would let it store the visitor.
    await page.reload();
    await launcher(page).waitFor();
    expect(await storedOnDevice(page)).toEqual(DENIAL);
    await openPanel(page);
    await ask(page, 'How do I take a screenshot?');
    expect(await notice.count()).toBe(0);
    expect(await storedOnDevice(page)).toEqual(DENIAL);
    expect(pageErrors).toEqual([]);
    await close();
  });
});

test('the panel highlights a proposed target only after a click, and reports the outcome', async () => {
  const { page, sent } = await open({ reducedMotion: 'reduce' });
  await ask(page, 'How do I take a screenshot?');
  const frame = page.locator('guidepost-guide .frame');
  expect(await frame.isVisible()).toBe(false);
  const propose = page.getByRole('button', { name: 'Show “Take a screenshot”' });
  await propose.click();
  await frame.waitFor();
  const framed = (await frame.boundingBox())!;
  const target = (await page.locator('#screenshot').boundingBox())!;
  expect(Math.abs(framed.x + framed.width / 2 - (target.x + target.width / 2))).toBeLessThan(2);
  expect(Math.abs(framed.y + framed.height / 2 - (target.y + target.height / 2))).toBeLessThan(2);

  await page.evaluate('document.querySelector("#screenshot").remove()');
  await propose.click();
  await page.getByText('“Take a screenshot” is no longer on this page.').first().waitFor();
  await ask(page, 'How do I set the screen brightness?');
  expect(sent('/chat').at(-1).action_results).toEqual([
    { action_id: 'act_1', outcome: 'done' },
    { action_id: 'act_1', outcome: 'target_missing' },
  ]);
});

test('the panel works by keyboard alone and returns the focus', async () => {
  const { page } = await visit();
  await launcher(page).focus();
  await page.keyboard.press('Enter');
  await ready(page);
  const focused = () =>
    page.evaluate(
      '(({ activeElement: e }) => e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent || e.id)(document.activeElement.shadowRoot)',
    );
  expect(await focused()).toBe('question');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  expect(await focused()).toBe('Decline');
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'May the guide remember you?' }).waitFor({ state: 'detached' });
  expect(await focused()).toBe('question');
  await page.keyboard.type('How do I take a screenshot?');
  await page.keyboard.press('Enter');
  await page.getByText('Was this helpful?').waitFor();
  expect(await focused()).toBe('question');

  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'hidden' });
  expect(await focused()).toBe('Open the guide');
  await page.keyboard.press('Enter');
  expect(await focused()).toBe('question');
});

describe('the panel of a workspace with branding', () => {
  let site: DemoSite;
  beforeAll(async () => {
    site = await openDemoSite({
      settings: { branding: { title: 'Ask Juniper', color: '#ffd400', launcher: 'start' } },
    });
  });
  afterAll(() => site.close());

  test('the guide has the title, color and side that its workspace chose', async () => {
    const { page, pageErrors, close } = await site.open();
    await launcher(page).click();
    await ready(page);
    expect(await panel(page).getByRole('heading').first().textContent()).toBe('Ask Juniper');
    await ask(page, 'How do I take a screenshot?');
    const question = page.locator('guidepost-guide .question');
    // Yellow, on which white text would be unreadable.
    expect(await getStyles(question, ['background-color', 'color'])).toEqual([
      'rgb(255, 212, 0)',
      'color(xyz-d65 0 0 0)',
    ]);
    const { x } = (await panel(page).boundingBox())!;
    expect(x).toBeLessThan(100);
    await page.keyboard.press('Escape');
    expect((await launcher(page).boundingBox())!.x).toBeLessThan(100);
    expect(pageErrors).toEqual([]);
    await close();
  });
});
