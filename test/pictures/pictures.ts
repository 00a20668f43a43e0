import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { findViolations, quitBrowsers } from '../support/browser.ts';
import { openDashboardPictures } from './dashboard-pictures.ts';
import { type Row, renderGallery, toId } from './gallery.ts';
import { openGuidePictures } from './guide-pictures.ts';
import { type Picture, SCREENS } from './picture.ts';

const help = `Takes pictures of every page and state of the dashboard and the guide, light and dark, on a desktop and a phone, into one
gallery (index.html), and checks each with axe. Fails on any finding, and on a page that does not get into its state.

  make pictures [OUT=FOLDER] [ONLY=PART-OF-A-NAME]
  node test/pictures/pictures.ts [--out FOLDER] [--only PART-OF-A-NAME]

OUT is guidepost-pictures in the system's temporary folder unless it is given. Progress goes to stderr.
`;
const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: process.env.OUT || join(tmpdir(), 'guidepost-pictures') },
    only: { type: 'string', default: process.env.ONLY ?? '' },
    help: { type: 'boolean', default: false },
  },
});

const folder = resolve(options.out);
const SCHEMES = ['light', 'dark'] as const;

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const rows: Row[] = [];
  for (const openPictures of [openGuidePictures, openDashboardPictures]) {
    const { pictures, close } = await openPictures();
    for (const picture of pictures) {
      if (!picture.name.includes(options.only)) continue;
      process.stderr.write(`${picture.name}\n`);
      rows.push(await takeAll(picture));
    }
    await close();
  }
  await quitBrowsers();
  writeFileSync(join(folder, 'index.html'), renderGallery(rows));
  process.stdout.write(`${join(folder, 'index.html')}\n`);
  const failed = rows.filter(({ violations }) => violations.length > 0);
  for (const { name, violations } of failed)
    process.stderr.write(`${name}\n${violations.map((violation) => `  ${violation}\n`).join('')}`);
  if (failed.length > 0) process.exitCode = 1;
}

async function takeAll(picture: Picture): Promise<Row> {
  const files: Record<string, string> = {};
  const violations: string[] = [];
  for (const [screen, viewport] of Object.entries(picture.screens ?? SCREENS)) {
    try {
      await take(picture, viewport, async (page, scheme) => {
        const file = `${toId(`${picture.name} ${screen} ${scheme}`)}.png`;
        await page.screenshot({ path: join(folder, file), animations: 'disabled' });
        files[`${screen}, ${scheme}`] = file;
        for (const found of await findViolations(page, picture.within))
          violations.push(`${screen}, ${scheme}: ${found}`);
      });
    } catch (error) {
      violations.push(`${screen}: ${(error as Error).message.split('\n').slice(0, 12).join('\n')}`);
    }
  }
  return { name: picture.name, files, violations };
}

async function take(
  picture: Picture,
  viewport: BrowserContextOptions,
  shoot: (page: Page, scheme: (typeof SCHEMES)[number]) => Promise<void>,
): Promise<void> {
  const { page, close } = await picture.open({ ...viewport, reducedMotion: 'reduce' });
  try {
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await shoot(page, colorScheme);
    }
  } finally {
    await close();
  }
}

if (options.help) process.stdout.write(help);
else await main();
