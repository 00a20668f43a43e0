import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../fixtures/accessible.ts';
import { type AppSite, openAppSite } from './app-site.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('trying the guide in the dashboard', () => {
  it('shows what a visitor of another language reads, and what it stands on', async () => {
    const { page, complaints } = await site.open('member', '/try');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Enter a question.').waitFor();
    await page.getByRole('textbox', { name: 'Question' }).fill('How do I reset my password?');
    await page.getByRole('combobox', { name: 'Language of the visitor' }).fill('Japan');
    await page.getByRole('option', { name: 'Japanese' }).click();
    await page.getByRole('combobox', { name: 'Region of the visitor' }).fill('Germ');
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.getByRole('textbox', { name: 'Question' }).press('Enter');
    await page.getByRole('heading', { name: 'What the visitor reads' }).waitFor();
    await page.getByText('There is no live translation into Japanese').first().waitFor();
    await page.getByText('Asks first, because of the rule of the region.').waitFor();
    await expectAccessible(page);
    await page.getByRole('list').getByRole('link').first().click();
    await page.getByRole('heading', { level: 2, name: 'Translations' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('says why there is no answer, and leads to one', async () => {
    await site.office.as('owner').post('/knowledge/articles', {
      title: `Shipping submarines in winter`,
      answer: 'We ship submarines by sea.',
    });
    const { page, complaints } = await site.open('owner', '/try', {
      viewport: { width: 360, height: 740 },
    });
    const question = `Do you ship submarines in winter?`;
    await page.getByRole('textbox', { name: 'Question' }).fill(question);
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('The guide knows no answer').waitFor();
    await page.getByRole('link', { name: `Shipping submarines in winter` }).waitFor();
    await page.getByText('Never published').first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('link', { name: 'Write an article about it' }).click();
    await page.getByRole('heading', { level: 1, name: 'New article' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe(question);
    expect(complaints).toEqual([]);
  });
});
