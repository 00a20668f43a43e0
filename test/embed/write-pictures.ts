import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { VOICE_DEFAULTS } from '../../server/storage/workspaces.ts';
import { quitBrowsers } from '../fixtures/browser.ts';
import { ask, openPanel, type VisitOptions } from './demo-site.ts';
import { openSavedPages } from './saved-pages.ts';

/**
 * Writes the screenshots of the guide for README.md and the docs: `node
 * test/embed/write-pictures.ts`.
 */

type Scene = {
  readonly name: string;
  readonly path: string;
  readonly question: string;
  readonly target: string;
  readonly options: VisitOptions;
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

const site = await openSavedPages({
  settings: { voice: { ...VOICE_DEFAULTS, enabled: true }, branding: { title: 'Ask us', launcher: 'end' } },
});
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
