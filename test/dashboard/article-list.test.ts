import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ArticleSummary } from '../../contract/articles.ts';
import { type AppSite, goBack, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { countClicks } from '../support/clicks.ts';

const ARTICLES = 500;

describe('the list of articles', () => {
  let site: AppSite;

  beforeAll(async () => {
    site = await openAppSite({ articles: [] });
    const memberClient = site.team.as('owner');
    const create = async (number: number) => {
      const title = `Question ${String(number).padStart(3, '0')}`;
      const { status } = await memberClient.post('/knowledge/articles', {
        title,
        answer: `Answer ${number}.`,
      });
      expect(status).toBe(201);
    };
    for (let first = 0; first < ARTICLES; first += 100) {
      site.team.harness.clock.advance(61_000);
      await Promise.all(Array.from({ length: 100 }, (_, at) => create(first + at)));
    }
    site.team.harness.clock.advance(61_000);
  });
  // Starts new rate limit windows, because all tests share the same members.
  beforeEach(() => site.team.harness.clock.advance(61_000));
  afterEach(() => site.leave());
  afterAll(() => site.close());
  const total = async (query: string) =>
    (
      await site.team
        .as('owner')
        .get<{ data: ArticleSummary[]; total: number }>(`/knowledge/articles?${query}`)
    ).json.total;

  it('tags and publishes 500 articles with a few clicks, and undoes that', async () => {
    const { page, pageErrors } = await site.open('owner', '/articles');
    await page.getByText('500 articles', { exact: true }).waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('checkbox', { name: 'Select all articles on this page' }).check();
    await page.getByRole('button', { name: 'Select all 500' }).click();
    await page.getByText('500 articles selected').waitFor();
    await page.getByRole('button', { name: 'Add tag …' }).click();
    await page.getByRole('textbox', { name: 'Tag' }).fill('Imported');
    await page.keyboard.press('Enter');
    await page.getByText('500 articles tagged.').waitFor();
    await page
      .getByRole('region', { name: 'Actions for selected articles' })
      .getByRole('button', { name: 'Publish', exact: true })
      .click();
    await page.getByText('500 articles published.').waitFor();
    clicks.expectAtMost(6);
    expect(await total('tag=imported&status=published')).toBe(ARTICLES);
    // The toast stays for a few seconds.
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Undone.').waitFor();
    expect(await total('status=published')).toBe(0);
    // Rows scroll behind toasts and the header of the table, which axe takes for small targets. A toast stays under the pointer.
    await page.mouse.move(0, 0);
    await expect.poll(() => page.locator('.mantine-Notification-root').count(), { timeout: 20_000 }).toBe(0);
    await page.evaluate('scrollTo(0, 0)');
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('keeps search, filters and order in the address', async () => {
    const { page } = await site.open('owner', '/articles');
    await page.getByRole('searchbox', { name: 'Search articles' }).fill('question 00');
    await page.getByText('14 articles', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Sort by' }).click();
    await page.getByRole('option', { name: 'Title, A to Z' }).click();
    await page.waitForURL(/sort=title_asc/);
    await page.reload();
    await page.getByText('14 articles', { exact: true }).waitFor();
    expect(await page.getByRole('searchbox', { name: 'Search articles' }).inputValue()).toBe('question 00');
    expect(await page.locator('tbody a').first().textContent()).toBe('Question 000');
  });

  it('sets filters in a menu, and removes them by their chips', async () => {
    const { page, pageErrors } = await site.open('owner', '/articles');
    await page.getByRole('button', { name: 'Filters' }).click();
    // The menu covers parts of the rows behind it.
    await expectAccessible(page, '[role="dialog"]');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Published', exact: true }).click();
    await page.waitForURL(/status=published/);
    await page.keyboard.press('Escape');
    await page.getByText('0 articles', { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Remove filter Status: Published' }).click();
    await page.getByText('500 articles', { exact: true }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Filters');
    expect(pageErrors).toEqual([]);
  });

  it('keeps the columns that a reader chose', async () => {
    const { page } = await site.open('owner', '/articles?q=question 007');
    const header = (name: string) => page.getByRole('columnheader', { name, exact: true });
    await header('Languages').waitFor();
    expect(await header('Slug').count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Slug' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Languages' }).click();
    await expectAccessible(page);
    await page.reload();
    await header('Slug').waitFor();
    expect(await header('Languages').count()).toBe(0);
  });

  it('opens a row by a click beside its title, or by J, K and Enter', async () => {
    const { page } = await site.open('owner', '/articles?sort=title_asc');
    const opened = (title: string) => page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.getByRole('row', { name: 'Question 003' }).getByRole('cell').last().click();
    await opened('Question 003');
    await goBack(page);
    await page.getByRole('link', { name: 'Question 000' }).waitFor();
    for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await opened('Question 001');
  });

  it('selects rows and moves between them by keyboard', async () => {
    const { page } = await site.open('owner', '/articles?sort=title_asc');
    await page.getByRole('checkbox', { name: 'Select “Question 000”' }).focus();
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 articles selected').waitFor();
    await page.getByRole('button', { name: 'Move to …' }).click();
    await page.getByRole('textbox', { name: 'New collection' }).fill('Basics');
    await page.keyboard.press('Enter');
    await page.getByText('2 articles moved.').waitFor();
    expect(await total('collection=none')).toBe(ARTICLES - 2);
    await expectAccessible(page);
  });

  it('renders only the rows near the viewport, and loads others while scrolling', async () => {
    const { page, pageErrors } = await site.open('owner', '/articles?sort=title_asc');
    const row = page.getByRole('row', { name: /Question/ });
    await row.first().waitFor();
    const table = page.getByRole('table', { name: 'Articles and their translations' });
    expect(await table.getAttribute('aria-rowcount')).toBe(String(ARTICLES + 1));
    await expect
      .poll(async () => {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        return row.last().innerText();
      })
      .toContain('Question 499');
    expect(await row.last().getAttribute('aria-rowindex')).toBe(String(ARTICLES + 1));
    expect(await row.count()).toBeLessThan(100);
    expect(pageErrors).toEqual([]);
  });

  it('extends a selection beyond the rendered rows', async () => {
    const { page } = await site.open('owner', '/articles?sort=title_asc');
    await page.getByRole('checkbox', { name: 'Select “Question 000”' }).focus();
    for (let row = 1; row <= 25; row += 1) {
      await page.keyboard.press('Shift+ArrowDown');
      const name = `Select “Question ${String(row).padStart(3, '0')}”`;
      await expect.poll(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe(name);
    }
    await page.getByText('26 articles selected').waitFor();
  });

  it('returns from an article to its place in the list', async () => {
    const { page } = await site.open('owner', '/articles?sort=title_asc');
    const link = page.getByRole('link', { name: 'Question 180' });
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 700);
        return link.isVisible();
      })
      .toBe(true);
    await link.scrollIntoViewIfNeeded();
    const getTop = async () => (await link.boundingBox())?.y ?? Number.NaN;
    const before = await getTop();
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Question 180' }).waitFor();
    await goBack(page);
    await expect.poll(getTop).toBeCloseTo(before, -1);
  });

  it('shows members no actions', async () => {
    const { page } = await site.open('member', '/articles');
    await page.getByText('500 articles', { exact: true }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });

  it('creates, renames and deletes a collection, and files an article on its page', async () => {
    const owner = site.team.as('owner');
    await owner.post('/knowledge/collections', { name: 'Orders' });
    const list = async () =>
      (await owner.get<{ data: { name: string; articles: number }[] }>('/knowledge/collections')).json.data
        .filter(({ name }) => name !== 'Basics')
        .map(({ name, articles }) => `${name} ${articles}`);
    const { page, pageErrors, go } = await site.open('owner', '/articles?q=Question 007');
    await page.getByRole('link', { name: 'Question 007' }).click();
    await page.getByRole('combobox', { name: 'Collection' }).click();
    await page.getByRole('option', { name: 'Orders' }).click();
    await page.getByText('Saved.').first().waitFor();
    await expect.poll(list).toEqual(['Orders 1']);
    const tag = page.getByRole('combobox', { name: 'Tag' });
    await tag.fill('refund');
    await tag.press('Enter');
    await expect.poll(() => total('tag=refund')).toBe(1);
    await expectAccessible(page);
    await go('/articles');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Manage collections' }).click();
    const dialog = page.getByRole('dialog', { name: 'Manage collections' });
    const name = dialog.getByRole('textbox', { name: 'New collection' });
    await name.press('Enter');
    await dialog.getByText('Enter a name.').waitFor();
    await name.fill('Billing');
    await name.press('Enter');
    await expect.poll(list).toEqual(['Billing 0', 'Orders 1']);
    await expect.poll(() => name.inputValue()).toBe('');
    const orders = dialog.getByRole('textbox', { name: 'Name of the collection' }).last();
    await orders.fill('Billing');
    await dialog.getByRole('button', { name: 'Rename Orders' }).click();
    await dialog.getByText('Another collection has this name.').waitFor();
    await expectAccessible(page);
    await orders.fill('Purchases');
    await dialog.getByRole('button', { name: 'Rename Orders' }).click();
    await expect.poll(list).toEqual(['Billing 0', 'Purchases 1']);
    await dialog.getByRole('button', { name: 'Delete Billing' }).click();
    await page.goto('about:blank');
    await expect.poll(list).toEqual(['Purchases 1']);
    expect(pageErrors).toEqual([]);
  });

  it('exports selected articles', async () => {
    const { page } = await site.open('owner', '/articles?q=Question 007');
    await page.getByText('1 article', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select all articles on this page' }).check();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ title: 'Question 007' });
  });
});
