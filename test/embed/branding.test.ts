import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoSite, openDemoSite } from './demo-site.ts';
import { ask, getStyles, launcher, panel, ready } from './panel-page.ts';

let site: DemoSite;
beforeAll(async () => {
  site = await openDemoSite({
    settings: { branding: { title: 'Ask Juniper', color: '#ffd400', launcher: 'start' } },
  });
});
afterAll(() => site.close());

test('the guide has the title, color and side that its workspace chose', async () => {
  const { page, complaints, close } = await site.open();
  await launcher(page).click();
  await ready(page);
  expect(await panel(page).getByRole('heading').first().textContent()).toBe('Ask Juniper');
  await ask(page, 'How do I take a screenshot?');
  const question = page.locator('guidepost-guide .question');
  // Yellow, on which white text would be unreadable.
  expect(await getStyles(question, ['background-color', 'color'])).toEqual([
    'rgb(255, 212, 0)',
    'rgb(0, 0, 0)',
  ]);
  const { x } = (await panel(page).boundingBox())!;
  expect(x).toBeLessThan(100);
  await page.keyboard.press('Escape');
  expect((await launcher(page).boundingBox())!.x).toBeLessThan(100);
  expect(complaints).toEqual([]);
  await close();
});

test('a page that is not allowed is reported to the service despite CORS', async () => {
  const { page, close } = await site.open();
  const origin = site.harness.baseUrl.replace('127.0.0.1', 'localhost');
  const reported = page.waitForResponse((response) => response.url().includes('/boot/blocked'));
  await page.goto(`${origin}/demo`);
  expect((await reported).status()).toBe(200);
  await close();
});
