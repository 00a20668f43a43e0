import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPILER } from '../../scripts/pack-client.ts';
import { expectAccessible, type OwnBrowser, openBrowser } from '../support/browser.ts';
import { type Harness, openHarness, USER_AGENT } from '../support/harness.ts';
import { importSeeds, seeds } from '../support/seeds.ts';
import { openPackages, openSite, type Packages, type Site } from './react-site.ts';

/** Builds the chat from the code blocks of docs/react.md. */

const docs = readFileSync(new URL('../../docs/react.md', import.meta.url), 'utf8');
const LINES_MAX = 60;
const STRICT = {
  noEmit: true,
  strict: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  jsx: 'react-jsx',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
};
const run = promisify(execFile);

function readBlock(file: string): string {
  const [, block] = new RegExp(`^\`\`\`\\w+\\n(?=.*${file})([\\s\\S]*?)^\`\`\`$`, 'm').exec(docs) ?? [];
  if (!block) throw new Error(`docs/react.md has no block that begins with ${file}.`);
  return block;
}

let harness: Harness;
let site: Site;
let browser: OwnBrowser;
let packages: Packages;
beforeAll(async () => {
  [harness, site, browser, packages] = await Promise.all([
    openHarness(),
    openSite(),
    openBrowser(),
    openPackages(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await Promise.all([harness.close(), packages.remove()]);
  site.close();
});

test('the chat of the documentation has 60 lines, compiles, answers, and is accessible on every screen', async () => {
  const suggestions = ['How do I return an order?'];
  const workspace = await harness.addWorkspace({
    ...{ allowedOrigins: [site.origin], suggestions },
    handover: { mode: 'when_needed', answerTime: 'within one working day' },
  });
  await importSeeds(harness.service.store, workspace.id, seeds);
  const [main, css] = [readBlock('main.tsx'), readBlock('chat.css')];
  expect(`${main}${css}`.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX);

  const project = await packages.openProject(19);
  const folder = await project.buildPage({
    'main.tsx': main.replace('https://guide.example.com', harness.baseUrl).replace('gp_…', workspace.appId),
    'chat.css': css,
    'index.html': readBlock('index.html'),
    // The declarations that Vite's own types contain.
    'styles.d.ts': "declare module '*.css';",
    'tsconfig.json': JSON.stringify({ compilerOptions: STRICT, files: ['main.tsx', 'styles.d.ts'] }),
  });
  await run(COMPILER, ['-p', join(folder, '..')]).catch(({ stdout }) => expect.fail(stdout));
  site.serve('chat', folder);

  const page = await browser.newPage({ userAgent: USER_AGENT, locale: 'en-GB' });
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
  await page.goto(`${site.origin}/chat/`);
  await page.getByRole('button', { name: 'Agree' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'How do I return an order?' }).click();
  await page.getByText('Was this helpful?').waitFor();
  await page.getByLabel('Your question').fill('Do you sell submarines in Norway?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ask a person' }).click();
  await page.getByText('What is sent').click();
  await page.getByLabel('Also send this conversation').check();
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 360, height: 640 },
  ]) {
    await page.setViewportSize(viewport);
    const picture = process.env.PICTURES;
    if (picture) await writeFile(join(picture, `react-${viewport.width}.png`), await page.screenshot());
    await expectAccessible(page);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(viewport.width);
  }
  expect(pageErrors).toEqual([]);
});
