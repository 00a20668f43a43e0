import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { addPerson } from '../support/signed-in-client.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

async function createArticle(slug: string): Promise<string> {
  const article = { slug, locale: 'en', title: `About ${slug}`, answer: 'Yes.' };
  return (await site.team.as('owner').post<{ id: string }>('/knowledge/articles', article)).json.id;
}
const statusOf = async (id: string) => (await site.team.as('owner').get(`/knowledge/articles/${id}`)).status;
const undo = (page: Page) => page.getByRole('button', { name: 'Undo' }).click();

async function deleteArticle(id: string): Promise<Page> {
  const { page } = await site.open('owner', `/articles/${id}`);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Article deleted.').waitFor();
  return page;
}

describe('undoing in a toast', () => {
  it('keeps a deleted article when the deletion is undone', async () => {
    const [id] = [await createArticle('returns'), await createArticle('shipping')];
    const page = await deleteArticle(id);
    await page.getByRole('link', { name: 'About shipping' }).waitFor();
    expect(await page.getByRole('link', { name: 'About returns' }).count()).toBe(0);
    await undo(page);
    await page.getByRole('link', { name: 'About returns' }).waitFor();
    await page.goto('about:blank');
    expect(await statusOf(id)).toBe(200);
  });

  it('deletes an article when its toast is closed', async () => {
    const id = await createArticle('closed');
    const page = await deleteArticle(id);
    expect(await statusOf(id)).toBe(200);
    await page.getByRole('alert').getByRole('button').last().click();
    await expect.poll(() => statusOf(id)).toBe(404);
  });

  it('deletes an article when the page is left', async () => {
    const id = await createArticle('left');
    const page = await deleteArticle(id);
    await page.goto('about:blank');
    await expect.poll(() => statusOf(id)).toBe(404);
  });

  it('deletes selected articles when the page is left, and none when the deletion is undone', async () => {
    const ids = [await createArticle('one'), await createArticle('two')];
    const { page, go } = await site.open('owner', '/articles');
    const deleteBoth = async () => {
      for (const slug of ['one', 'two'])
        await page
          .getByRole('row', { name: new RegExp(`About ${slug}`) })
          .getByRole('checkbox')
          .check();
      await page.getByRole('region', { name: 'Actions for selected articles' }).getByText('Delete').click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /Delete/ })
        .click();
      await page.getByText('2 articles deleted.').waitFor();
      await page.getByRole('link', { name: 'About one' }).waitFor({ state: 'detached' });
    };
    await deleteBoth();
    await undo(page);
    await page.getByRole('link', { name: 'About one' }).waitFor();
    await deleteBoth();
    await go('//account');
    for (const id of ids) await expect.poll(() => statusOf(id)).toBe(404);
  });

  it('keeps a removed member when the removal is undone, and removes them otherwise', async () => {
    const email = 'leaving@shop.example';
    await addPerson(site.team.harness, email, { role: 'member' });
    const { page } = await site.open('owner', '/settings/members');
    const remove = async () => {
      await page.getByRole('button', { name: `Remove ${email}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText(`${email} was removed.`).waitFor();
      await page.getByRole('row', { name: new RegExp(email) }).waitFor({ state: 'detached' });
    };
    const isMember = async () =>
      (await site.team.as('owner').get<{ data: { email: string }[] }>('/members')).json.data.some(
        (member) => member.email === email,
      );
    await remove();
    await undo(page);
    await page.getByRole('row', { name: new RegExp(email) }).waitFor();
    await remove();
    expect(await isMember()).toBe(true);
    await page.goto('about:blank');
    await expect.poll(isMember).toBe(false);
  });
});
