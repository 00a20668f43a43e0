import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { expectAccessible } from '../support/browser.ts';
import {
  ask,
  type DemoSite,
  field,
  getStyles,
  launcher,
  openDemoSite,
  openPanel,
  panel,
  ready,
  type Visit,
  type VisitOptions,
} from '../support/demo-site.ts';

/** Accessibility, languages and screen sizes. */

let site: DemoSite;
const visits: Visit[] = [];
beforeAll(async () => {
  site = await openDemoSite({ settings: { voice: { ...VOICE_DEFAULTS, enabled: true } } });
});
afterEach(async () => {
  for (const visit of visits.splice(0)) await visit.close();
});
afterAll(() => site.close());

async function visit(options: VisitOptions = {}): Promise<Visit> {
  const opened = await site.open({ reducedMotion: 'reduce', ...options });
  visits.push(opened);
  return opened;
}

const fits = (page: Page) =>
  page.evaluate(`(({ shadowRoot }) => {
    const panel = shadowRoot.querySelector('.panel');
    const { left, right } = panel.getBoundingClientRect();
    const wide = [...panel.querySelectorAll('*')].filter((part) =>
      !part.closest('pre, .unseen') && part.getClientRects().length && part.getBoundingClientRect().right > right + 1);
    return { left, right, sideways: panel.scrollWidth > panel.clientWidth, wide: wide.map((part) => part.outerHTML.slice(0, 90)) };
  })(document.querySelector('guidepost-guide'))`);

test.each([
  ['a large screen', {}],
  ['a phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
  ['a screen enlarged four times', { viewport: { width: 320, height: 256 } }],
  ['a screen whose colors the visitor forces', { forcedColors: 'active' }],
] as const)(
  'the panel has no accessibility violation on %s, from the first message to a proposal',
  async (_, options) => {
    const { page } = await visit(options);
    await openPanel(page);
    await expectAccessible(page, 'guidepost-guide');
    await page.getByRole('button', { name: 'Decline' }).click();
    await ask(page, 'How do I take a screenshot?');
    await page.getByRole('button', { name: 'Read aloud' }).waitFor();
    await page.getByRole('button', { name: 'Show “Take a screenshot”' }).click();
    await expectAccessible(page, 'guidepost-guide');
  },
);

test('the panel fits into 320 by 256 pixels without scrolling sideways or animation, if the visitor prefers that', async () => {
  const { page } = await visit({ viewport: { width: 320, height: 256 } });
  await openPanel(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await ask(page, 'How do I take a screenshot?');
  expect(await fits(page)).toEqual({ left: 0, right: 320, sideways: false, wide: [] });
  for (const name of ['Show “Take a screenshot”', 'Copy', 'Yes', 'Privacy', 'Close the guide']) {
    const control = panel(page).getByRole('button', { name }).first();
    await control.scrollIntoViewIfNeeded();
    const box = (await control.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    // Scrolling stops at whole pixels.
    expect(Math.floor(box.y + box.height)).toBeLessThanOrEqual(256);
  }
  await page.getByRole('button', { name: 'Show “Take a screenshot”' }).click();
  const moving = await page.evaluate(
    `document.querySelector('guidepost-guide').shadowRoot.getAnimations().length`,
  );
  expect(moving).toBe(0);
});

test('the panel is mirrored for languages that are written from right to left', async () => {
  const { page } = await visit({ locale: 'ar-EG' });
  await page.getByRole('button', { name: 'فتح المرشد' }).click();
  await ready(page);
  expect(await getStyles(panel(page), ['direction'])).toEqual(['rtl']);
  expect((await panel(page).boundingBox())!.x).toBeLessThan(100);
  await expectAccessible(page, 'guidepost-guide');
});

test('the panel announces each sentence of an answer once, and no partial ones', async () => {
  const { page } = await visit();
  await openPanel(page);
  await page.evaluate(`(() => {
    window.announced = [];
    const region = document.querySelector('guidepost-guide').shadowRoot.querySelector('[role="status"]');
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) announced.push(node.textContent.trim());
    }).observe(region, { childList: true, subtree: true, characterData: true });
  })()`);
  await ask(page, 'How do I connect to a wireless network?');
  const announced = (await page.evaluate('announced')) as string[];
  expect(announced.length).toBeGreaterThan(0);
  expect(new Set(announced).size).toBe(announced.length);
  const answer = (await page.locator('guidepost-guide .text').textContent())!;
  for (const sentence of announced) {
    expect(answer).toContain(sentence.split('\n')[0]!.trim());
    expect(sentence).toMatch(/[.!?:]$/);
  }
});

test("the panel takes the page's colors and shapes, in both color schemes", async () => {
  const theme = `<style>
    guidepost-guide { --guidepost-accent: rgb(120, 0, 80); --guidepost-radius: 2px; --guidepost-color-scheme: dark; }
    guidepost-guide::part(launcher) { border-radius: 4px; }
    guidepost-guide::part(title) { letter-spacing: 3px; }
  </style></head>`;
  const { page } = await visit({ html: (html) => html.replace('</head>', theme), colorScheme: 'light' });
  expect(await getStyles(launcher(page), ['border-radius', 'background-color'])).toEqual([
    '4px',
    'rgb(120, 0, 80)',
  ]);
  await openPanel(page);
  expect(await getStyles(panel(page), ['border-radius', 'background-color'])).toEqual([
    '2px',
    'rgb(22, 27, 37)',
  ]);
  expect(await getStyles(panel(page).getByRole('heading').first(), ['letter-spacing'])).toEqual(['3px']);
});

test.each([
  ['the page’s language when the browser lists it', 'fr', ['de-DE', 'fr-CH'], 'Ouvrir le guide', 'fr-CH'],
  [
    'the browser’s first language when it does not list that of the page',
    'fr',
    ['ro-RO', 'en'],
    'Deschide ghidul',
    'ro-RO',
  ],
  ['the variant of a region', 'pt', ['pt-PT'], 'Abrir o guia', 'pt-PT'],
  ['Bokmål for Norwegian', 'no', ['no-NO'], 'Åpne guiden', 'no-NO'],
  ['German for Swiss German', 'gsw', ['gsw-CH'], 'Assistenten öffnen', 'gsw-CH'],
  ['traditional Chinese in Hong Kong', 'zh', ['zh-HK'], '開啟嚮導', 'zh-HK'],
  ['the page’s language when those of the browser are not supported', 'tr', ['sw'], 'Rehberi aç', 'tr'],
  ['English when no language is supported', 'sw', ['sw'], 'Open the guide', 'en'],
] as const)('the guide selects %s', async (_, lang, languages, name, locale) => {
  const { page } = await visit({
    html: (html) =>
      html.replace('<html lang="en">', `<html lang="${lang}">`).replace('/demo/demo.js', '/demo/none.js'),
    before: `Object.defineProperty(Navigator.prototype, 'languages', { get: () => ${JSON.stringify(languages)} });`,
  });
  await page.getByRole('button', { name }).waitFor();
  expect(await page.locator('guidepost-guide aside').getAttribute('lang')).toBe(locale);
});

test("the guide uses the visitor's text size instead of the page's, and is not printed", async () => {
  const { page } = await visit({
    html: (html) => html.replace('</head>', '<style>html { font-size: 62.5%; }</style></head>'),
  });
  const sizes = async () => {
    const launched = (await launcher(page).boundingBox())!.width;
    await openPanel(page);
    const [text] = await getStyles(page.locator('guidepost-guide .disclosure'), ['font-size']);
    return [launched, (await panel(page).boundingBox())!.width, text];
  };
  expect(await sizes()).toEqual([56, 400, '12px']);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 24 } });
  await page.reload();
  expect(await sizes()).toEqual([84, 600, '18px']);
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 16 } });

  await page.emulateMedia({ media: 'print' });
  expect(await panel(page).isVisible()).toBe(false);
  await page.emulateMedia({ media: null });
  expect(await panel(page).isVisible()).toBe(true);
});

test('an earlier answer can be read aloud, copied and rated', async () => {
  const { page } = await visit();
  const labels = () =>
    page
      .locator('guidepost-guide .tool')
      .evaluateAll((tools) => tools.map((tool) => tool.getAttribute('aria-label')));
  await openPanel(page);
  await page.getByRole('button', { name: 'Agree' }).click();
  await ask(page, 'How do I take a screenshot?');
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
  expect(await labels()).toEqual(['Yes', 'No', 'Copy', 'Read aloud']);
  await page.reload();
  await openPanel(page);
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
  expect(await labels()).toEqual(['Yes', 'No', 'Copy', 'Read aloud']);
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await panel(page).getByText('What was wrong?').waitFor();
});

test('on a phone the panel makes room for a highlight until the next question', async () => {
  const { page } = await visit({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await openPanel(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  expect((await panel(page).boundingBox())!.height).toBe(740);
  await ask(page, 'How do I take a screenshot?');
  await page.getByRole('button', { name: 'Show “Take a screenshot”' }).click();
  await expect.poll(async () => (await panel(page).boundingBox())!.height).toBe(370);
  await field(page).fill('How do I set the screen brightness?');
  await field(page).press('Enter');
  await expect.poll(async () => (await panel(page).boundingBox())!.height).toBe(740);
});

test('the panel traps the focus only while it fills the screen', async () => {
  const { page } = await visit({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  const isModal = (is: boolean) => expect.poll(() => panel(page).getAttribute('aria-modal')).toBe(`${is}`);
  const isInside = () => page.evaluate('document.activeElement.localName === "guidepost-guide"');
  const tabsOut = async (key: string) => {
    for (let pressed = 0; pressed < 20 && (await isInside()); pressed++) await page.keyboard.press(key);
    return !(await isInside());
  };
  await openPanel(page);
  await isModal(true);
  expect([await tabsOut('Tab'), await tabsOut('Shift+Tab')]).toEqual([false, false]);
  await page.getByRole('button', { name: 'Decline' }).click();
  await ask(page, 'How do I take a screenshot?');
  expect([await tabsOut('Tab'), await tabsOut('Shift+Tab')]).toEqual([false, false]);

  await page.getByRole('button', { name: 'Show “Take a screenshot”' }).click();
  await isModal(false);
  expect(await tabsOut('Shift+Tab')).toBe(true);
  await page.evaluate('Guidepost.ask("How do I set the screen brightness?")');
  await isModal(true);
  expect(await isInside()).toBe(true);
  await page.setViewportSize({ width: 1280, height: 720 });
  await isModal(false);
  expect(await tabsOut('Shift+Tab')).toBe(true);
  await page.setViewportSize({ width: 360, height: 740 });
});
