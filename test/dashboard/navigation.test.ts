import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { decide } from '../support/decisions.ts';
import { joinAs } from '../support/team.ts';

let site: AppSite;
let articleId: string;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
  const owner = site.team.as('owner');
  const { json } = await owner.post<{ id: string }>('/knowledge/articles', {
    title: 'Returning an order',
    answer: 'Within 30 days.',
    aliases: ['refund'],
  });
  articleId = json.id;
  await owner.post(`/knowledge/articles/${articleId}/publish`, { baseRevision: 1 });
});
afterEach(() => site.leave());
afterAll(() => site.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const waitForFocus = (page: Page) => palette(page).locator('input:focus').waitFor();

/** Presses Enter once the field has the focus and refers to the option. */
async function openSelected(page: Page, name: string): Promise<void> {
  const option = palette(page).getByRole('option', { name, selected: true });
  const id = await option.getAttribute('id');
  const field = palette(page).getByRole('combobox');
  await waitForFocus(page);
  await expect.poll(() => field.getAttribute('aria-activedescendant')).toBe(id);
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'detached' });
}

describe('command palette', () => {
  it('opens collections and other workspaces of the user', async () => {
    const { harness, elsewhere } = site.team;
    const stocked = await joinAs(harness, harness.workspace, 'admin');
    await stocked.post('/knowledge/collections', { name: 'Winter sale' });
    await joinAs(harness, elsewhere, 'member', stocked.email);
    const { page, pageErrors } = await site.open(stocked, '');
    await heading(page, 'Overview');
    await page.keyboard.press('Control+k');
    await waitForFocus(page);
    await page.keyboard.type('winter');
    await openSelected(page, 'Collection › Winter sale');
    await heading(page, 'Articles');
    await page.getByText('0 articles').or(page.getByText('No matching articles')).first().waitFor();
    expect(new URL(page.url()).searchParams.get('collection')).toMatch(/^col_/);
    await page.keyboard.press('Control+k');
    await waitForFocus(page);
    await page.keyboard.type('workspace');
    await palette(page)
      .getByRole('option', { name: `Workspace › ${elsewhere.name}` })
      .click();
    await page.waitForURL(new RegExp(elsewhere.id));
    await heading(page, 'Overview');
    expect(pageErrors).toEqual([]);
  });

  it('opens pages, articles and actions by keyboard', async () => {
    const { page, pageErrors } = await site.open('owner', '');
    await heading(page, 'Overview');
    await page.keyboard.press('Control+k');
    const field = palette(page).getByRole('combobox');
    await waitForFocus(page);
    await palette(page).getByRole('option', { name: 'Audit log' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.type('api k');
    await openSelected(page, 'Settings › API keys');
    await heading(page, 'API keys');

    await page.keyboard.press('Control+k');
    await waitForFocus(page);
    await page.keyboard.type('refund');
    await palette(page).getByRole('option', { name: 'Returning an order' }).waitFor();
    await expectAccessible(page);
    await openSelected(page, 'Returning an order');
    await heading(page, 'Returning an order');

    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await field.fill('new art');
    await palette(page).getByRole('option', { name: 'New article' }).click();
    await heading(page, 'New article');

    await page.keyboard.press('Control+k');
    await field.fill('no such thing');
    await palette(page).getByText('No results').waitFor();
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });
    expect(pageErrors).toEqual([]);
  });

  it.each([
    ['en-GB', 'domain', 'General › Allowed sites', 'origins.0'],
    ['en-GB', 'logo', 'Appearance › Logo', 'logo'],
    ['de-DE', 'einwilligung ohne', 'Speicher › ', 'anonymousQuestions'],
    ['ja-JP', 'アイコン', '外観 › ', 'icon'],
  ])('finds a setting in %s by “%s” and opens its page at the field', async (locale, words, name, field) => {
    const { page, pageErrors } = await site.open('owner', '', { locale });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').locator('input:focus').waitFor();
    await page.keyboard.type(words);
    await page.getByRole('dialog').getByRole('option', { name }).first().click();
    const readFocused = `document.activeElement.closest('[data-path]')?.dataset.path`;
    await expect.poll(() => page.evaluate(readFocused)).toBe(field);
    expect(pageErrors).toEqual([]);
  });

  it('switches to dark colours', async () => {
    const { page } = await site.open('owner', '');
    await heading(page, 'Overview');
    await page.keyboard.press('Control+k');
    await waitForFocus(page);
    await page.keyboard.type('dark');
    await openSelected(page, 'Theme › Dark');
    await expect.poll(() => page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark');
    await expectAccessible(page);
  });

  it('shows members only the pages and actions that they may use', async () => {
    const { page } = await site.open('member', '', { viewport: { width: 390, height: 844 } });
    await heading(page, 'Overview');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await palette(page).getByRole('option', { name: 'Articles', exact: true }).waitFor();
    for (const name of ['Audit log', 'Settings › API keys', 'New article', 'Create API key']) {
      expect(await palette(page).getByRole('option', { name }).count(), name).toBe(0);
    }
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});

describe('keyboard shortcuts', () => {
  const sheet = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });

  it('are listed, open pages, and can be switched off', async () => {
    const { page, pageErrors } = await site.open('owner', '');
    await heading(page, 'Overview');
    await page.keyboard.press('?');
    await sheet(page).getByRole('table', { name: 'Go to a page' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await sheet(page).waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await heading(page, 'Articles');
    await page.getByRole('searchbox').fill('gc?');
    expect(await sheet(page).count()).toBe(0);
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('c');
    await heading(page, 'New article');

    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    await sheet(page).getByRole('switch', { name: 'Single-key shortcuts' }).uncheck();
    await page.keyboard.press('Escape');
    await sheet(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await palette(page).waitFor();
    expect(await sheet(page).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});

describe('navigation', () => {
  it('returns along the breadcrumbs', async () => {
    const { page } = await site.open('owner', `/articles/${articleId}/translations/de`);
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
    await crumbs.getByRole('link', { name: 'Returning an order' }).click();
    await heading(page, 'Returning an order');
    await crumbs.getByRole('link', { name: 'Articles' }).click();
    await heading(page, 'Articles');
    expect(await crumbs.count()).toBe(0);
  });

  it('counts open tasks', async () => {
    const { harness } = site.team;
    const visitor = await harness.boot();
    await decide(harness, visitor, { decision: 'accepted' });
    await harness.ask(visitor.jwt, { message: 'Do you ship to the moon?' });
    harness.clock.advance(61_000);
    await harness.service.tick();
    const path = `/knowledge/articles/${articleId}/translations`;
    const german = { locale: 'de', title: 'Rückgabe', answer: 'Binnen 30 Tagen.', searchAliases: [] };
    const { json } = await site.team.as('admin').post<{ id: string }>(path, german);
    await site.team.as('admin').post(`${path}/${json.id}/submit-review`, { baseRevision: 1 });
    const { page } = await site.open('owner', '');
    const described = (name: string) =>
      page.getByRole('link', { name, exact: true }).getAttribute('aria-description');
    await expect.poll(() => described('My tasks')).toBe('1 task waits for you');
    await expect.poll(() => described('Inbox')).toBe('1 question to answer');
    expect(await described('Articles')).toBeNull();
    await expectAccessible(page);
  });
});
