import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEMO_KNOWLEDGE_DIR } from '../../server/demo/demo.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { quitBrowsers } from '../support/browser.ts';
import { ask, openDemoSite, openPanel, type VisitOptions } from '../support/demo-site.ts';
import type { Seed } from '../support/seeds.ts';
import { openSavedPages } from './saved-pages.ts';

/** Writes the screenshots of the guide for README.md and the docs: `node test/embed/write-pictures.ts`. */

type Scene = {
  name: string;
  path: string;
  question: string;
  target: string;
  options: VisitOptions;
};

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const WIDE = { width: 1000, height: 640 };
const invoice = {
  path: '/dashboard/invoices',
  question: 'How do I create an invoice?',
  target: 'Create an invoice',
};
const SCENES: readonly Scene[] = [
  {
    name: 'guide-in-a-shop',
    path: '/shop',
    question: 'How do I print the return label?',
    target: 'Print the return label',
    options: { viewport: WIDE },
  },
  {
    name: 'guide-in-documentation-dark',
    path: '/documentation',
    question: 'How do I verify the signature?',
    target: 'Verify the signature',
    options: { viewport: WIDE, colorScheme: 'dark' },
  },
  { name: 'guide-in-an-application', ...invoice, options: { viewport: WIDE } },
  { name: 'guide-on-a-phone', ...invoice, options: { viewport: { width: 360, height: 640 } } },
];

const settings = {
  voice: { ...VOICE_DEFAULTS, enabled: true },
  branding: { title: 'Ask us', launcher: 'end' },
} as const;

await writeDemo();
const site = await openSavedPages({ settings });
for (const { name, path, question, target, options } of SCENES) {
  const { page, close } = await site.open(path, { reducedMotion: 'reduce', ...options });
  await openPanel(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await ask(page, question);
  await page.getByRole('button', { name: `Show “${target}”` }).click();
  await page.locator('guidepost-guide .frame').waitFor();
  writeFileSync(`${FOLDER}${name}.png`, await page.screenshot());
  await close();
}
await site.close();
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
