import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../fixtures/browser.ts';
import { type AppSite, openAppSite } from './app-site.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

const content = { title: 'Returning an order', answer: 'You can return any order within 30 days.' };

async function newArticle(slug: string) {
  const { json } = await site.team
    .as('owner')
    .post<{ id: string; revision: number }>('/knowledge/articles', { ...content, slug });
  return json;
}

describe('article pages', () => {
  it('creates, autosaves, publishes and finds an article', async () => {
    const { page, complaints } = await site.open('owner', '/articles');
    await page.getByText('No articles yet').waitFor();
    await expectAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'New article' }).last().click();
    await page.getByRole('button', { name: 'Create draft' }).click();
    await page.getByText('Enter a title.').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Shipping to Norway');
    await page.getByRole('textbox', { name: 'Answer' }).fill('We ship to **Norway** within five days.');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create draft' }).click();

    await page.getByRole('heading', { level: 1, name: 'Shipping to Norway' }).waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Shipping to Norway and Sweden');
    await page.getByText('Unsaved changes').waitFor();
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.locator('strong', { hasText: 'Norway' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Published. Visitors now see this version.').waitFor();
    await expectAccessible(page);

    await page.getByRole('link', { name: 'All articles' }).click();
    await page.getByRole('link', { name: 'Shipping to Norway and Sweden' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search articles' }).fill('zebra');
    await page.getByText('No matching articles').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Shipping to Norway and Sweden' }).click();
    await page.getByRole('link', { name: 'Revisions' }).click();
    await page.getByRole('heading', { level: 1, name: /Revisions of/ }).waitFor();
    await page.getByRole('radio', { name: 'Older: Revision 1' }).check();
    await page.locator('ins', { hasText: 'and Sweden' }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('keeps both texts when two people edit at once', async () => {
    const article = await newArticle('two-at-once');
    const { page, complaints } = await site.open('owner', `/articles/${article.id}`);
    const answer = page.getByRole('textbox', { name: 'Answer' });
    await answer.fill('You can return any order within 60 days.');
    const theirs = { ...content, answer: 'Orders go back within 14 days.', baseRevision: article.revision };
    await site.team.as('admin').put(`/knowledge/articles/${article.id}`, theirs);
    await page.keyboard.press('Control+s');
    await page.getByText('Someone else changed this text', { exact: true }).waitFor();
    await page.getByText('admin@shop.example').waitFor();
    await expectAccessible(page);
    expect(await answer.inputValue()).toContain('60 days');
    await page.getByRole('button', { name: 'Keep my version' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { json } = await site.team
      .as('owner')
      .get<{ data: { answer: string }[] }>(`/knowledge/articles/${article.id}/revisions`);
    expect(json.data.map((each) => each.answer)).toEqual([
      'You can return any order within 60 days.',
      'Orders go back within 14 days.',
      content.answer,
    ]);
    expect(complaints).toEqual([]);
  });

  it('restores unsaved text after the browser was closed', async () => {
    const article = await newArticle('closed-lid');
    const { page, go } = await site.open('owner', `/articles/${article.id}`);
    await page.route('**/api/**', (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    );
    await page.getByRole('textbox', { name: 'Answer' }).fill('Written on a train.');
    await page.keyboard.press('Control+s');
    await page.getByRole('alert').getByText('Not saved.', { exact: false }).waitFor();
    await page.unrouteAll();
    await go(`/articles/${article.id}`);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Answer' }).inputValue()).toBe('Written on a train.');
  });

  it('shows the status of every language on a phone', async () => {
    const article = await newArticle(`seen-in-two-languages`);
    const translation = await site.team.as('owner').post(`/knowledge/articles/${article.id}/translations`, {
      locale: 'de',
      baseRevision: article.revision,
      title: 'Eine Bestellung zurückgeben',
      answer: 'Innerhalb von 30 Tagen.',
      searchAliases: [],
    });
    expect(translation.status).toBe(201);
    const { page, complaints, go } = await site.open('member', '/articles', {
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('link', { name: 'German: Draft' }).first().waitFor();
    await expectAccessible(page);
    // The scroll container must be focusable by keyboard.
    expect(
      await page.evaluate(`(() => {
        let outer = document.querySelector('table');
        while (outer.scrollWidth <= outer.clientWidth) outer = outer.parentElement;
        return [getComputedStyle(outer).overflowX, outer.tabIndex];
      })()`),
    ).toEqual(['auto', 0]);
    await go(`/articles/${article.id}`);
    await page.getByRole('link', { name: 'German' }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
