import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  InvalidArchive,
  isArchive,
  readArchive,
} from '../../client/dashboard/routes/transfer/read-archive.ts';
import { type AppSite, openAppSite, tickUntil } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import type { MemberClient } from '../support/team.ts';

let site: AppSite;
let archive = '';
beforeAll(async () => {
  site = await openAppSite();
  const { text } = await site.team.as('owner').get('/export');
  archive = text;
});
afterEach(() => site.leave());
afterAll(() => site.close());

const toFile = (text: string, name = 'shop.ndjson') => new File([text], name);

describe('readArchive', () => {
  it('reads live texts with their translations, as lines that can be imported', async () => {
    expect(await isArchive(toFile(archive))).toBe(true);
    const { articles, translations, files } = await readArchive(toFile(archive));
    const lines = (await files[0]!.text()).trim().split('\n');
    expect(lines).toHaveLength(articles);
    expect(translations).toBeGreaterThan(0);
    const first = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect(first).toMatchObject({ slug: expect.any(String), title: expect.any(String), locale: 'en' });
  });

  it('names the line that is damaged or missing', async () => {
    const lines = archive.trim().split('\n');
    const broken = lines.with(2, '{"type":').join('\n');
    await expect(readArchive(toFile(broken))).rejects.toMatchObject({ line: 3 });
    const cut = lines.slice(0, -1).join('\n');
    await expect(readArchive(toFile(cut))).rejects.toBeInstanceOf(InvalidArchive);
  });

  it('tells other files from archives', async () => {
    expect(await isArchive(toFile('{"slug":"returns"}\n'))).toBe(false);
    expect(await isArchive(toFile('# Returns'))).toBe(false);
  });
});

describe('the page for export and import', () => {
  const choose = (page: Page, name: string, text: string) =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'application/x-ndjson', buffer: Buffer.from(text) });

  it('previews the articles of an archive, and takes them once that is confirmed', async () => {
    const { team } = site;
    const { elsewhere } = team;
    const stranger: MemberClient = await team.signIn(team.as('stranger'));
    const total = async () =>
      (await stranger.get<{ total: number }>(`/api/tenants/${elsewhere.id}/knowledge/articles`)).json.total;
    const before = await total();
    const { page, pageErrors } = await site.open(stranger, `//w/${elsewhere.id}/settings/transfer`);
    const lines = archive.trim().split('\n');
    await choose(page, 'cut.ndjson', lines.slice(0, -1).join('\n'));
    await page.getByText(`Line ${lines.length} is damaged or missing.`, { exact: false }).waitFor();
    await choose(page, 'shop.ndjson', archive);
    await page.getByText('guidepost workspace import shop.ndjson').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByRole('heading', { level: 1, name: /^Run of/ }).waitFor();
    await tickUntil(site, page, 'Ready to apply');
    expect(await total()).toBe(before);
    await page.getByRole('button', { name: 'Apply changes', exact: true }).click();
    await tickUntil(site, page, 'Done');
    expect(await total()).toBeGreaterThan(before);
    expect(pageErrors).toEqual([]);
  });

  it('names line and field of refused articles', async () => {
    const { page } = await site.open('admin', '/settings/transfer');
    await choose(page, 'articles.jsonl', '{"slug":"a","locale":"en","title":"","answer":"Yes."}\n');
    await page.getByRole('button', { name: 'Preview import' }).click();
    await page.getByText('articles.jsonl#line-1').waitFor();
    await page.getByText(/title: expected/).waitFor();
  });
});
