import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { SourceRecord } from '../../contract/sources.ts';
import { buildZip } from '../sources/files/zip-file.ts';
import { type AppSite, goBack, openAppSite, tickUntil, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { article, serveWebsite } from '../support/website.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [], env: { SOURCE_NETWORKS: '127.0.0.0/8' } });
});
afterEach(async () => {
  await site.leave();
  // Rate limits count by this clock, which stands still while pages of a slow machine ask again and again.
  site.team.harness.clock.advance(60_000);
});
afterAll(() => site.close());

type File = { name: string; text: string | Buffer };

/** Chooses files with the button, as keyboard users do. */
async function choose(page: Page, files: readonly File[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(
    files.map(({ name, text }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text as Buffer) })),
  );
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function selectSchedule(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Schedule' }).click();
  await page.getByRole('option', { name }).click();
}

const RETURNS = { name: 'returns.md', text: '# Returning an order\n\nWithin 30 days.' };

/** Imports a file, and applies what it changes. */
async function importFile(page: Page, file: File): Promise<void> {
  await choose(page, [file]);
  await tickUntil(site, page, 'Ready to apply');
  await press(page, 'Apply changes');
  await tickUntil(site, page, 'Done');
}

it('the sources page previews an import with rejected articles and reasons, and changes nothing until it is applied', async () => {
  const { page, pageErrors } = await site.open('admin', '/articles');
  await page.getByRole('link', { name: 'Import files' }).click();
  await waitForHeading(page, 'Import files');
  await expectAccessible(page);
  await choose(page, [
    RETURNS,
    { name: 'paying.csv', text: 'title,answer\nPaying,By card.' },
    { name: 'logo.png', text: 'PNG' },
  ]);
  await page.getByRole('heading', { level: 1, name: /^Run of/ }).waitFor();
  await tickUntil(site, page, 'Ready to apply');
  const added = page.getByRole('region', { name: 'Added' });
  await added.getByText('Returning an order').waitFor();
  await added.getByText('Paying', { exact: true }).waitFor();
  await expectAccessible(page);
  await added.getByRole('link', { name: 'Returning an order' }).click();
  await waitForHeading(page, 'Returning an order');
  await page.getByRole('region', { name: 'As visitors see it' }).getByText('Within 30 days.').waitFor();
  await expectAccessible(page);
  await goBack(page);
  await page.getByText('Refused (1)', { exact: true }).click();
  await page
    .getByRole('region', { name: 'Refused' })
    .getByText('This type of file cannot be read.')
    .waitFor();
  const articles = async () =>
    (await site.team.as('owner').get<{ total: number }>('/knowledge/articles')).json.total;
  expect(await articles()).toBe(0);
  await press(page, 'Apply changes');
  await tickUntil(site, page, 'Done');
  await page.getByText('2 articles selected').waitFor();
  await expectAccessible(page);
  expect(await articles()).toBe(2);

  await page.getByRole('link', { name: 'Show all articles of this source' }).click();
  await page.getByText('2 articles', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Returning an order' }).click();
  await page.getByText(/Comes from/).waitFor();
  await page.getByText('returns.md').waitFor();
  await expectAccessible(page);
  expect(pageErrors).toEqual([]);
});

it('the sources page explains why nothing could be imported, and keeps no empty source', async () => {
  const { page } = await site.open('admin', '/sources/import');
  const before = await countSources();
  await choose(page, [{ name: 'setup.exe', text: 'MZ' }]);
  const alert = page.getByRole('alert');
  await alert.getByText('setup.exe').waitFor();
  await alert.getByText('This type of file cannot be read.').waitFor();
  await expectAccessible(page);
  expect(await countSources()).toBe(before);
});

const countSources = async () =>
  (await site.team.as('owner').get<{ data: SourceRecord[] }>('/knowledge/sources')).json.data.length;

it('the sources page accepts dropped files', async () => {
  const { page } = await site.open('owner', '/sources/import');
  const area = page.locator('.drop-area');
  const zip = buildZip([{ name: 'a.md', content: '# Dropped\n\nIt fell here.' }]).toString('base64');
  const transfer = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob('${zip}'), (each) => each.charCodeAt(0));
      transfer.items.add(new File([bytes], 'dropped.zip'));
      return transfer;
    })()`,
  );
  await area.dispatchEvent('dragover', { dataTransfer: transfer });
  await area.dispatchEvent('drop', { dataTransfer: transfer });
  await waitForHeading(page, 'Run of dropped');
  await tickUntil(site, page, 'Ready to apply');
  await page.getByText('dropped.zip/a.md').waitFor();
  await press(page, 'Discard');
  await page.getByText('Canceled', { exact: true }).waitFor();
});

it('the sources page takes the web address of imported files, and lets it be changed', async () => {
  const { page } = await site.open('admin', '/sources/import');
  const address = page.getByRole('textbox', { name: 'Web address of the files' });
  await address.fill('http://shop.example/manuals?a');
  await page.getByText('Enter an address that starts with https://, without ? and #.').waitFor();
  await expectAccessible(page);
  expect(await page.getByRole('button', { name: 'Choose files' }).isDisabled()).toBe(true);
  await address.fill('https://shop.example/manuals');
  await choose(page, [{ name: 'warranty.md', text: '# Warranty\n\nSeven years.' }]);
  await waitForHeading(page, 'Run of Warranty');
  await page.getByRole('link', { name: 'Warranty', exact: true }).first().click();
  await press(page, 'Edit');
  expect(await address.inputValue()).toBe('https://shop.example/manuals/');
  await address.fill('https://files.shop.example/');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  const { data } = (await site.team.as('owner').get<{ data: SourceRecord[] }>('/knowledge/sources')).json;
  expect(data.find(({ name }) => name === 'Warranty')).toMatchObject({
    files: { baseUrl: 'https://files.shop.example/' },
  });
});

it("the sources page shows both texts of a conflict side by side, and keeps or replaces the workspace's text", async () => {
  const { page, pageErrors } = await site.open('admin', '/sources/import');
  const file = { name: 'shipping.md', text: '# Shipping\n\nTwo days.' };
  await importFile(page, file);
  const admin = site.team.as('admin');
  const { data } = (
    await admin.get<{ data: { id: string; revision: number; slug: string }[] }>('/knowledge/articles')
  ).json;
  const article = data.find(({ slug }) => slug === 'shipping')!;
  await admin.put(`/knowledge/articles/${article.id}`, {
    title: 'Shipping',
    answer: 'Three days, says somebody here.',
    aliases: [],
    baseRevision: article.revision,
  });
  await page.getByRole('link', { name: 'Shipping', exact: true }).first().click();
  await page.getByRole('link', { name: 'Import files' }).click();
  await importFile(page, { ...file, text: '# Shipping\n\nFive days, says the source.' });
  await page.getByText('Conflicts (1)', { exact: true }).click();
  await page.getByRole('link', { name: 'Compare and choose' }).click();
  await waitForHeading(page, 'Conflicts of Shipping');
  const card = page.getByRole('listitem').filter({ hasText: 'shipping.md' });
  await card.getByRole('region', { name: 'Here' }).getByText('Three days, says somebody here.').waitFor();
  await card.getByRole('region', { name: 'At the source' }).waitFor();
  await expectAccessible(page);
  await press(page, 'Replace with the source’s');
  await page.getByText('No conflicts').waitFor();
  const resolved = await admin.get<{ answer: string }>(`/knowledge/articles/${article.id}`);
  expect(resolved.json.answer).toBe('Five days, says the source.');
  expect(pageErrors).toEqual([]);
});

it('the sources page adds a website by keyboard, explains the token file, and pauses, edits and deletes the website', async () => {
  const tokenAt = (path: string) => /guidepost-(.+)\.txt$/.exec(path)?.[1];
  const returns = article('Returns', 'Within 30 days.');
  const { origin } = await serveWebsite((path) => (path === '/help' ? returns : tokenAt(path)));
  const { page, pageErrors } = await site.open('admin', '/sources');
  await page.getByRole('link', { name: 'Add website' }).focus();
  await page.keyboard.press('Enter');
  await waitForHeading(page, 'Add website');
  await expectAccessible(page);
  await press(page, 'Add website');
  await page.getByText('Enter addresses that start with http:// or https://.').waitFor();
  await page.getByRole('textbox', { name: 'Addresses' }).fill(`${origin}/help`);
  await page.getByRole('textbox', { name: 'Not these pages' }).fill('/archive/*');
  await page.keyboard.press('Tab');
  // A scheduled run would start now.
  await selectSchedule(page, 'By hand');
  await press(page, 'Add website');
  await waitForHeading(page, '127.0.0.1');
  await page.getByRole('heading', { name: 'Prove that this website is yours' }).waitFor();
  await page.getByText(`${origin}/help · Create drafts for review · By hand`).waitFor();
  await page.getByText(new RegExp(`^${origin}/.well-known/guidepost-.*\\.txt$`)).waitFor();
  await expectAccessible(page);
  await press(page, 'Preview changes');
  await waitForHeading(page, /^Run of/);
  await tickUntil(site, page, 'Ready to apply');
  await goBack(page);
  await page.getByRole('button', { name: 'Run now', disabled: true }).focus();
  await page
    .getByRole('tooltip', { name: 'The last run is still open. Apply or cancel it first.' })
    .waitFor();
  await press(page, 'Edit');
  await page.getByRole('textbox', { name: 'Name' }).fill('Help center');
  await selectSchedule(page, 'Every day');
  await press(page, 'Save');
  await waitForHeading(page, 'Help center');
  await press(page, 'Pause');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const { data } = (await site.team.as('owner').get<{ data: SourceRecord[] }>('/knowledge/sources')).json;
  const source = data.find(({ name }) => name === 'Help center');
  expect(source).toMatchObject({
    website: { startUrls: [`${origin}/help`], exclude: ['/archive/*'] },
    schedule: 'daily',
  });
  expect(source).not.toHaveProperty('nextRunAt');
  await press(page, 'Delete source');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete source' }).click();
  await waitForHeading(page, 'Sources');
  await page.getByText('Source deleted. Its articles stay.').waitFor();
  expect(pageErrors).toEqual([]);
});

it('the sources page shows members sources and runs without actions, and fits on a phone', async () => {
  const { page } = await site.open('member', '/sources', { viewport: { width: 360, height: 740 } });
  await page.getByRole('link', { name: 'Shipping' }).waitFor();
  expect(await page.getByRole('link', { name: 'Import files' }).count()).toBe(0);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Shipping' }).click();
  await waitForHeading(page, 'Shipping');
  expect(await page.getByRole('button', { name: 'Delete source' }).count()).toBe(0);
  await expectAccessible(page);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
});

it('the sources page connects a help center of Zendesk, keeps its token to itself, and names the setting for a private address', async () => {
  const { page, pageErrors } = await site.open('admin', '/sources');
  await page.getByRole('link', { name: 'Zendesk' }).click();
  await waitForHeading(page, 'Connect Zendesk');
  await expectAccessible(page);
  await page.getByRole('textbox', { name: 'Address of the help center' }).fill('https://10.0.0.7');
  await page.getByLabel('Token', { exact: true }).fill('secret-of-the-help-center');
  await press(page, 'Connect Zendesk');
  await page
    .getByText(
      /^10\.0\.0\.7 is not a public address\. Start the server with SOURCE_NETWORKS=…,10\.0\.0\.7 to read it\.$/,
    )
    .waitFor();
  await page
    .getByRole('textbox', { name: 'Address of the help center' })
    .fill('https://shop.zendesk.com/hc/en-us');
  await press(page, 'Connect Zendesk');
  await waitForHeading(page, 'shop.zendesk.com');
  await page.getByText(/^https:\/\/shop\.zendesk\.com · Create drafts for review · Every day/).waitFor();
  await press(page, 'Edit');
  await page.getByText('A token is stored. Leave the field empty to keep it.').waitFor();
  expect(await page.content()).not.toContain('secret-of-the-help-center');
  await press(page, 'Save');
  await page.getByText('Saved.').waitFor();
  const { data } = (await site.team.as('owner').get<{ data: SourceRecord[] }>('/knowledge/sources')).json;
  expect(data.find(({ type }) => type === 'zendesk')).toMatchObject({ hasApiToken: true, schedule: 'daily' });
  expect(pageErrors).toEqual([]);
});

it('the sources page asks for the token of Notion', async () => {
  const { page } = await site.open('admin', '/sources/notion');
  await press(page, 'Connect Notion');
  await page.getByText('Enter the token.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Token', { exact: true }).fill('ntn_secret');
  await press(page, 'Connect Notion');
  await waitForHeading(page, 'Notion');
});
