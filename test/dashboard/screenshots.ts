import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { quitBrowsers } from '../support/browser.ts';
import { askGuide } from '../support/guide-frame.ts';
import { openSampleSite } from '../support/sample-site.ts';

/** Captures the documentation's screenshots of the dashboard: `make screenshots`. */

const FOLDER = new URL('../../docs/images/', import.meta.url);

const site = await openSampleSite();
try {
  const { page, go } = await site.open('owner', '', {
    deviceScaleFactor: 2,
    viewport: { width: 1200, height: 800 },
  });
  await capture(page, 'dashboard-overview', 'Overview');
  await go('/articles');
  await capture(page, 'dashboard-articles', 'Articles');
  await go(`/articles/${site.staleArticleId}/translations/de`);
  await page.locator('ins').first().waitFor();
  await capture(page, 'dashboard-translation', /German/);
  await go('/preview');
  await askGuide(page, 'How do I take a screenshot?');
  await page.getByRole('heading', { level: 2, name: 'Why this answer' }).waitFor();
  await capture(page, 'dashboard-playground', 'Playground');
  await go('/analytics');
  await capture(page, 'dashboard-analytics', 'Analytics');
  const { harness, as } = site.team;
  await as('owner').patch('', { helpCentre: { enabled: true, tagline: 'How can we help?' } });
  await page.goto(`${harness.baseUrl}/help/${harness.appId}/de`);
  await page.getByRole('link', { name: /Bildschirmhelligkeit/ }).click();
  await capture(page, 'help-centre', /Bildschirmhelligkeit/);
} finally {
  await site.leave();
  await site.close();
  await quitBrowsers();
}

async function capture(page: Page, name: string, title: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, FOLDER)), scale: 'css' });
}
