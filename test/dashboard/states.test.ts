import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, goBack, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { decide } from '../support/decisions.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('loading', () => {
  it('shows a placeholder of the list until it arrives', async () => {
    const { page, pageErrors } = await site.open('owner', '');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(/\/knowledge\/articles(\?|$)/, async (route) => {
      await promise;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Articles', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor();
    await page.locator('.mantine-Skeleton-root').first().waitFor();
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    await expectAccessible(page);
    resolve();
    await page.getByText('No articles yet').waitFor();
    expect(await page.locator('.mantine-Skeleton-root').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});

describe('empty states', () => {
  it('lead from the overview to the playground and to the articles', async () => {
    const { page, pageErrors } = await site.open('owner', '');
    await page.getByText('No questions yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Open the playground' }).click();
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    await goBack(page);
    await page.getByRole('link', { name: 'Go to articles' }).click();
    await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('lead from own tasks to those of everyone', async () => {
    const { page } = await site.open('owner', '/review-queue');
    await page.getByRole('button', { name: 'Show everyone’s tasks' }).click();
    await page.getByText('Nothing needs action.').waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Go to articles' }).click();
    await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor();
  });

  it('offer members only actions that they may perform', async () => {
    const { page } = await site.open('member', '');
    await page.getByText('Nothing is published yet').waitFor();
    expect(await page.getByRole('link', { name: 'Go to articles' }).count()).toBe(0);
  });
});

const ARTICLE = { title: 'Returning an order', answer: 'Within 30 days.' };

describe('figures', () => {
  it('are counts instead of percentages when the counts are low', async () => {
    const { harness } = site.team;
    const visitor = await harness.boot();
    await decide(harness, visitor, { decision: 'accepted' });
    await harness.ask(visitor.jwt, { message: 'Do you ship to the moon?' });
    const { page, go } = await site.open('owner', '');
    await page.getByText('0 of 1', { exact: true }).waitFor();
    await go('/analytics');
    await page.getByText('0 of 1', { exact: true }).first().waitFor();
    expect(await page.getByText(/\d %|\d%/).count()).toBe(0);
    const owner = site.team.as('owner');
    const { json } = await owner.post<{ id: string }>('/knowledge/articles', ARTICLE);
    await owner.post(`/knowledge/articles/${json.id}/publish`, { baseRevision: 1 });
    await owner.post(`/knowledge/articles/${json.id}/translations`, { ...ARTICLE, locale: 'de' });
    await go('/review-queue');
    await page.getByRole('row', { name: /^German 0/ }).waitFor();
    expect(await page.getByText(/\d %|\d%/).count()).toBe(0);
  });

  it('show no time in the future when the clock of the server is ahead', async () => {
    const owner = site.team.as('owner');
    const { json } = await owner.post<{ updatedAt: string }>('/knowledge/articles', ARTICLE);
    const { page, go } = await site.open('owner', '');
    await page.clock.setFixedTime(Date.parse(json.updatedAt) - 30_000);
    await go('/articles');
    const row = page.getByRole('row', { name: ARTICLE.title }).first();
    await row.getByText('now', { exact: true }).waitFor();
  });
});
