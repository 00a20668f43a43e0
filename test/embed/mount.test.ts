import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PathRule } from '../../server/storage/workspace-settings.ts';
import {
  type DemoSite,
  launcher,
  openDemoSite,
  panel,
  ready,
  type Visit,
  type VisitOptions,
} from '../support/demo-site.ts';

const RULES: PathRule[] = [
  { pattern: '/checkout/help', mode: 'opened', suggestions: ['How do I pay?'] },
  { pattern: '/checkout/*', mode: 'hidden' },
  { pattern: '/offers', mode: 'shown', suggestions: ['What is on offer?'] },
];

let site: DemoSite;
let visited: Visit | undefined;
beforeAll(async () => {
  site = await openDemoSite({ settings: { pathRules: RULES } });
});
afterEach(() => visited?.close());
afterAll(() => site.close());

async function visit(options?: VisitOptions): Promise<Visit> {
  visited = await site.open(options);
  return visited;
}

const go = (page: Page, path: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
const isLauncherVisible = (page: Page) => launcher(page).isVisible();

describe.each([
  ['with the Navigation API', undefined],
  ['without the Navigation API', "Object.defineProperty(window, 'navigation', { value: undefined });"],
])('path rules in a single-page application %s', (_what, before) => {
  it('hide, show and open the guide as the path changes, without another boot', async () => {
    const { page, sent, pageErrors } = await visit(before ? { before } : {});
    await launcher(page).waitFor();
    await go(page, '/checkout/pay');
    await expect.poll(() => isLauncherVisible(page)).toBe(false);
    await page.evaluate("history.replaceState({}, '', '/offers')");
    await launcher(page).waitFor();
    await launcher(page).click();
    await ready(page);
    await page.getByRole('button', { name: 'What is on offer?' }).waitFor();
    await go(page, '/about');
    await panel(page).getByRole('button', { name: 'How do I take a screenshot?' }).waitFor();
    await go(page, '/checkout/pay');
    await expect.poll(() => panel(page).isVisible()).toBe(false);
    expect(await isLauncherVisible(page)).toBe(false);
    await page.evaluate('history.back()');
    await launcher(page).waitFor();
    await go(page, '/checkout/help');
    await panel(page).waitFor();
    await page.getByRole('button', { name: 'How do I pay?' }).waitFor();
    expect(sent('/boot')).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });
});

describe('a guide that opens by itself', () => {
  it('leaves the focus alone, and stays closed once the visitor has closed it', async () => {
    const { page } = await visit();
    await launcher(page).waitFor();
    await go(page, '/checkout/help');
    await ready(page);
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true);
    await panel(page).getByRole('button', { name: 'Close' }).click();
    await go(page, '/about');
    await go(page, '/checkout/help');
    await launcher(page).waitFor();
    await panel(page).waitFor({ state: 'hidden' });
  });

  it('does not open on a phone', async () => {
    const { page } = await visit({ viewport: { width: 390, height: 800 } });
    await launcher(page).waitFor();
    await go(page, '/checkout/help');
    await page.waitForTimeout(300);
    expect(await panel(page).isVisible()).toBe(false);
    expect(await isLauncherVisible(page)).toBe(true);
  });

  it('does not open for a visitor with a privacy signal', async () => {
    const { page } = await visit({
      before: "Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });",
    });
    await launcher(page).waitFor();
    await go(page, '/checkout/help');
    await page.waitForTimeout(300);
    expect(await panel(page).isVisible()).toBe(false);
  });
});

it('a hidden guide still opens when the page calls it', async () => {
  const { page } = await visit();
  await launcher(page).waitFor();
  await go(page, '/checkout/pay');
  await expect.poll(() => isLauncherVisible(page)).toBe(false);
  await page.evaluate('Guidepost.open()');
  await ready(page);
  await panel(page).getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => panel(page).isVisible()).toBe(false);
  expect(await isLauncherVisible(page)).toBe(false);
});

it('a path rule hides and shows a panel inside the page', async () => {
  const { page } = await visit({
    html: (html) =>
      html
        .replace('data-gp-app', 'data-gp-target="#place" data-gp-app')
        .replace(/<main[^>]*>/, (main) => `${main}<div id="place" style="block-size: 30rem"></div>`),
  });
  await panel(page).waitFor();
  await go(page, '/checkout/pay');
  await expect.poll(() => panel(page).isVisible()).toBe(false);
  await go(page, '/about');
  await panel(page).waitFor();
});
