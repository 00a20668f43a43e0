import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { ArticleRecord } from '../../contract/articles.ts';
import { addArticle, translate } from '../knowledge/translating.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';

/** Articles › Find and replace. */

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

const read = async (id: string) =>
  (await site.team.as('owner').get<ArticleRecord>(`/knowledge/articles/${id}`)).json;

it('replaces the ticked places, publishes them if asked to, and undoes it', async () => {
  const shipping = await addArticle(site.team, {
    title: 'Shipping by Acme',
    answer: 'Acme ships. ACME is fast.',
  });
  const draft = await addArticle(site.team, { title: 'Draft', answer: 'About Acme.' }, false);
  const { page, pageErrors, go } = await site.open('owner', '/articles');
  await page.getByRole('link', { name: 'Find and replace' }).click();
  await page.getByRole('heading', { level: 1, name: 'Find and replace' }).waitFor();
  await page.getByRole('textbox', { name: 'Find' }).fill('acme');
  await page.getByRole('textbox', { name: 'Replace with' }).fill('Bolt');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Replace 4 places' }).waitFor();
  await page.getByRole('checkbox', { name: /^Acme ships\. ACME/ }).uncheck();
  await page.getByRole('checkbox', { name: 'Publish articles' }).check();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Replace 3 places' }).click();
  await page.getByText('2 texts changed.').waitFor();
  expect(await read(shipping.id)).toMatchObject({
    title: 'Shipping by Bolt',
    answer: 'Bolt ships. ACME is fast.',
    status: 'published',
    live: { changed: false },
  });
  expect(await read(draft.id)).toMatchObject({ answer: 'About Bolt.', status: 'draft' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone.').waitFor();
  expect(await read(shipping.id)).toMatchObject({ title: 'Shipping by Acme', live: { changed: false } });
  expect(await read(draft.id)).toMatchObject({ answer: 'About Acme.', status: 'draft' });

  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('textbox', { name: 'Find' }).fill('submarine');
  await page.keyboard.press('Enter');
  await page.getByText('No text contains these words.').waitFor();
  await go('/articles');
  await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('replace');
  await page.getByRole('option', { name: 'Find and replace' }).waitFor();
  expect(pageErrors).toEqual([]);
});

it('replaces words in translations of a language, and skips texts that were edited after the search', async () => {
  const article = await addArticle(site.team, { title: 'Wrapping', answer: 'We wrap gifts.' });
  const owner = site.team.as('owner');
  const { title } = await translate(owner, article.id);
  const { page, pageErrors } = await site.open('owner', '/articles/replace');
  await page.getByRole('textbox', { name: 'Find' }).fill(title);
  await page.getByRole('combobox', { name: 'In' }).click();
  await page.getByRole('option', { name: 'Translations: German' }).click();
  await page.getByRole('textbox', { name: 'Replace with' }).fill('Neu');
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByText('have to be reviewed before they are published').waitFor();
  await page.getByRole('button', { name: /^Replace \d/ }).click();
  await page.getByText('1 text changed.').waitFor();

  await page.getByRole('combobox', { name: 'In' }).click();
  await page.getByRole('option', { name: 'Articles' }).click();
  await page.getByRole('textbox', { name: 'Find' }).fill('gifts');
  await page.getByRole('textbox', { name: 'Find' }).press('Enter');
  await page.getByRole('checkbox', { name: /We wrap/ }).waitFor();
  const { revision: baseRevision } = await read(article.id);
  const path = `/knowledge/articles/${article.id}`;
  await owner.put(path, { baseRevision, title: 'Wrapping', answer: 'We wrap all gifts.' });
  await page.getByRole('button', { name: 'Replace 1 place' }).click();
  await page.getByText('1 text was left as it is.').waitFor();
  expect((await read(article.id)).answer).toBe('We wrap all gifts.');
  expect(pageErrors).toEqual([]);
});

it('is not offered to members', async () => {
  const { page } = await site.open('member', '/articles');
  await page.getByRole('heading', { level: 1, name: 'Articles' }).waitFor();
  expect(await page.getByRole('link', { name: 'Find and replace' }).count()).toBe(0);
});
