import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PreviewQuestion } from '../../contract/preview.ts';
import { expectAccessible } from '../fixtures/browser.ts';
import { type AppSite, openAppSite } from './app-site.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('playground page', () => {
  it('shows the answer for another language with its sources', async () => {
    const { page, complaints } = await site.open('member', '/preview');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Enter a question.').waitFor();
    await page.getByRole('textbox', { name: 'Question' }).fill('How do I reset my password?');
    await page.getByRole('combobox', { name: 'Visitor language' }).fill('Japan');
    await page.getByRole('option', { name: 'Japanese' }).click();
    await page.getByRole('combobox', { name: 'Visitor region' }).fill('Germ');
    await page.getByRole('option', { name: 'Germany' }).click();
    await page.getByRole('textbox', { name: 'Question' }).press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Answer' }).waitFor();
    await page.getByText('No live Japanese translation').first().waitFor();
    await page.getByText('Opt-in, required in this region.').waitFor();
    await expectAccessible(page);
    await page.getByRole('list').getByRole('link').first().click();
    await page.getByRole('heading', { level: 2, name: 'Translations' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps a conversation until a new one begins', async () => {
    const { page, complaints } = await site.open('member', '/preview');
    const question = page.getByRole('textbox', { name: 'Question' });
    const ask = async (message: string) => {
      const sent = page.waitForRequest((request) => request.url().endsWith('/preview'));
      await question.fill(message);
      await question.press('Enter');
      const { conversation = [] } = (await sent).postDataJSON() as PreviewQuestion;
      await page.getByRole('button', { name: message, pressed: true }).waitFor();
      return conversation.map((turn) => turn.question);
    };
    const password = 'How do I reset my password?';
    expect(await ask(password)).toEqual([]);
    expect(await ask('How long does the link work?')).toEqual([password]);
    const turns = page.getByRole('region', { name: 'Conversation' });
    await turns.getByRole('listitem').first().getByText('The link works for one hour').waitFor();
    await expectAccessible(page);
    await turns.getByRole('button', { name: password }).click();
    await page.getByRole('button', { name: password, pressed: true }).waitFor();
    await turns.getByRole('button', { name: 'New conversation' }).click();
    await turns.waitFor({ state: 'detached' });
    expect(await ask(password)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('explains a missing answer and links to a new article', async () => {
    await site.team.as('owner').post('/knowledge/articles', {
      title: `Shipping submarines in winter`,
      answer: 'We ship submarines by sea.',
    });
    const { page, complaints } = await site.open('owner', '/preview', {
      viewport: { width: 360, height: 740 },
    });
    const question = `Do you ship submarines in winter?`;
    await page.getByRole('textbox', { name: 'Question' }).fill(question);
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('The guide has no answer').waitFor();
    await page.getByRole('link', { name: `Shipping submarines in winter` }).waitFor();
    await page.getByText('Never published').first().waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('link', { name: 'Write an article' }).click();
    await page.getByRole('heading', { level: 1, name: 'New article' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe(question);
    expect(complaints).toEqual([]);
  });
});
