import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DEMO_APP_ID } from '../../server/demo/demo.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { expectAccessible } from '../support/browser.ts';
import { type DemoSite, openDemoSite, type Visit, type VisitOptions } from '../support/demo-site.ts';

/** The help centre in a browser. */

let site: DemoSite;
const visits: Visit[] = [];
beforeAll(async () => {
  const helpCentre = { ...HELP_CENTRE_DEFAULTS, enabled: true, tagline: 'Ask us anything' };
  site = await openDemoSite({ settings: { helpCentre } });
});
afterEach(async () => {
  for (const visit of visits.splice(0)) await visit.close();
});
afterAll(() => site.close());

async function visit(options: VisitOptions = {}): Promise<Visit> {
  const address = `${site.harness.baseUrl}/help/${DEMO_APP_ID}`;
  const opened = await site.open({ address, ...options });
  visits.push(opened);
  return opened;
}

test('a reader without JavaScript searches, reads, rates and changes the language', async () => {
  const { page, requests } = await visit({ javaScriptEnabled: false, locale: 'en-GB' });
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(page.url()).toMatch(/\/en$/);
  await page.getByRole('searchbox').fill('brightness of the screen');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Set screen brightness' }).click();
  await page.getByRole('heading', { level: 1, name: 'Set screen brightness' }).waitFor();
  await page.getByText('you can change the brightness of your screen').first().waitFor();
  await page.getByRole('button', { name: 'Yes' }).click();
  await page.getByRole('status').getByText('Thank you!').waitFor();
  await page.getByText('English', { exact: true }).first().click();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await page.locator('html[lang=de]').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Bildschirmhelligkeit' }).waitFor();
  await page.getByRole('link', { name: 'Startseite' }).click();
  await page.getByRole('searchbox').fill('xyzzy');
  await page.getByRole('button', { name: 'Artikel durchsuchen' }).click();
  await page.getByText('Keine Artikel gefunden.').or(page.getByText('Gefundene Artikel')).first().waitFor();
  expect(
    requests.filter((request) => !request.isNavigationRequest()).map((request) => request.url()),
  ).toEqual([]);
});

test.each([
  ['a large screen', {}],
  ['a phone', { viewport: { width: 360, height: 740 } }],
  ['a screen enlarged four times', { viewport: { width: 320, height: 256 } }],
] as const)('the pages have no accessibility violation and fit on %s', async (_, options) => {
  // Text below a launcher that fades in would have too little contrast for a moment.
  const { page, pageErrors } = await visit({ ...options, reducedMotion: 'reduce' });
  const launcher = page.locator('guidepost-guide').getByRole('button').first();
  for (const path of ['', '/en/set-screen-brightness', '/en/search?q=wireless', '/ar', '/en/not-here']) {
    if (path !== '') await page.goto(`${site.harness.baseUrl}/help/${DEMO_APP_ID}${path}`);
    await launcher.waitFor();
    await expectAccessible(page, 'body');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true);
  }
  expect(pageErrors.filter((error) => !/404/.test(error))).toEqual([]);
});

test('the guide is on the pages, in their language, and answers what was searched for', async () => {
  const { page, pageErrors } = await visit({ locale: 'de' });
  await page.getByRole('searchbox').fill('Bildschirmhelligkeit ändern');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Bildschirmhelligkeit ändern' }).click();
  await page.getByRole('complementary').getByText('Bildschirmhelligkeit ändern').first().waitFor();
  await page
    .locator('guidepost-guide')
    .getByRole('button', { name: 'Vorlesen' })
    .or(page.locator('guidepost-guide').getByText('Quellen'))
    .first()
    .waitFor();
  expect(pageErrors).toEqual([]);
});
