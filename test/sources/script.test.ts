import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openHarness } from '../support/harness.ts';
import { joinAs } from '../support/team.ts';
import { tempDir } from '../support/temp-dir.ts';
import { article, type Pages, serveWebsite, sitemapOf } from '../support/website.ts';
import { runProgram } from './run-program.ts';

/** The script of docs/sources.md, with a website on this machine. */

const ROOT = join(import.meta.dirname, '../..');
const LINES_MAX = 40;
const QUESTION = 'How do I clean the brass lamp?';

function writeScript(): string {
  const page = readFileSync(join(ROOT, 'docs/sources.md'), 'utf8');
  const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(page) ?? [];
  expect(code.trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX);
  const file = join(tempDir(), 'import.ts');
  const client = JSON.stringify(join(ROOT, 'client/sdk/index.ts'));
  writeFileSync(file, code.replace(`'@guidepost/client'`, client));
  return file;
}

it('the script of docs/sources.md imports a website with an automation session, publishes it and asks a question', async () => {
  const pages: Pages = {
    '/lamp': article('Cleaning the brass lamp', 'Wipe the brass lamp with a dry cloth.'),
    '/desk': article('Moving the desk', 'Two people can carry the desk.'),
  };
  const site = await serveWebsite((path) => {
    const urls = Object.keys(pages).map((page) => `${site.origin}${page}`);
    return path === '/sitemap.xml' ? { body: sitemapOf(urls) } : pages[path];
  });
  const harness = await openHarness({ articles: [], env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
  const owner = await joinAs(harness, harness.workspace, 'owner');
  await owner.patch('', { allowedOrigins: [site.origin] });
  const created = await owner.post<{ token: string }>('/automation-sessions', {
    name: 'Importer',
    role: 'admin',
    areas: ['articles'],
  });
  expect(created.status, created.text).toBe(201);
  const script = writeScript();
  const run = () =>
    runProgram(script, [`${site.origin}/sitemap.xml`, QUESTION], {
      GUIDEPOST_URL: harness.baseUrl,
      GUIDEPOST_TENANT: harness.workspace.id,
      GUIDEPOST_SESSION: created.json.token,
    });

  expect(await run()).toBe(`2 added, 0 changed, 0 removed\nCleaning the brass lamp ${site.origin}/lamp\n`);
  pages['/lamp'] = article('Cleaning the brass lamp', 'Polish the brass lamp with lemon juice.');
  delete pages['/desk'];
  expect(await run()).toBe(`0 added, 1 changed, 1 removed\nCleaning the brass lamp ${site.origin}/lamp\n`);
  const { json } = await owner.get<{ data: { snippet: string; title: string }[] }>(
    `/knowledge/search?q=${encodeURIComponent(QUESTION)}`,
  );
  expect(json.data[0]!.snippet).toContain('lemon juice');
  expect(json.data.map(({ title }) => title)).not.toContain('Moving the desk');
  await harness.close();
});
