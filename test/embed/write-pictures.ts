import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEMO_KNOWLEDGE_DIR } from '../../server/demo/demo.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { quitBrowsers } from '../support/browser.ts';
import { ask, openDemoSite, openPanel } from '../support/demo-site.ts';
import type { Seed } from '../support/seeds.ts';
import { openSavedPages } from './saved-pages.ts';

/** Writes the screenshots of the guide for README.md and the docs: `node test/embed/write-pictures.ts`. */

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));

const settings = {
  voice: { ...VOICE_DEFAULTS, enabled: true },
  branding: { title: 'Ask us', launcher: 'end' },
} as const;

await writeDemo();
await writeShop();
await quitBrowsers();

/** Writes a picture of the demo page with all of its articles. */
async function writeDemo(): Promise<void> {
  const lines = readFileSync(join(DEMO_KNOWLEDGE_DIR, 'gnome-help.jsonl'), 'utf8').trim().split('\n');
  const demo = await openDemoSite({ settings, articles: lines.map((line) => JSON.parse(line) as Seed) });
  const { page } = await demo.open({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  await openPanel(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await ask(page, 'How do I change the alert sound?');
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
  writeFileSync(join(FOLDER, '../demo.png'), await page.screenshot());
  await page.evaluate('Guidepost.close(), Guidepost.open("search")');
  await page.getByRole('combobox', { name: 'Search the articles' }).fill('bluetooth');
  await page.locator('guidepost-guide [aria-selected=true]').waitFor();
  writeFileSync(`${FOLDER}guide-search.png`, await page.screenshot());
  await demo.close();
}

/** Writes a picture of the guide that shows a button in a shop. */
async function writeShop(): Promise<void> {
  const site = await openSavedPages({ settings });
  const { page } = await site.open('/shop', {
    viewport: { width: 1000, height: 640 },
    reducedMotion: 'reduce',
  });
  await openPanel(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await ask(page, 'How do I print the return label?');
  await page.getByRole('button', { name: 'Show “Print the return label”' }).click();
  await page.locator('guidepost-guide .frame').waitFor();
  writeFileSync(`${FOLDER}guide-in-a-shop.png`, await page.screenshot());
  await site.close();
}
