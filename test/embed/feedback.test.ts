import { expect, test } from 'vitest';
import { ask, field, open, openDemoSiteBeforeAll, openPanel, panel, site } from '../support/demo-site.ts';
import { importSeeds, type Seed } from '../support/seeds.ts';

/** Ratings with reasons, and the cards of sources. */

openDemoSiteBeforeAll();

const choice = (name: string) => ({ name, exact: true });

test('a bad rating asks for reasons and a comment, and is remembered for visitors who agreed', async () => {
  const { page, sent, pageErrors } = await open();
  await page.getByRole('button', choice('Agree')).click();
  await ask(page, 'How do I take a screenshot?');
  const no = page.getByRole('button', choice('No'));
  await no.focus();
  await page.keyboard.press('Enter');
  const reasons = page.getByRole('group', { name: 'What was wrong?' });
  await reasons.waitFor();
  expect(await no.getAttribute('aria-pressed')).toBe('true');
  await reasons.getByRole('button', choice('Outdated')).click();
  expect(await reasons.getByRole('button', choice('Outdated')).getAttribute('aria-pressed')).toBe('true');
  await reasons.getByRole('textbox', { name: 'Comment (optional)' }).fill('The key has moved.');
  await reasons.getByRole('button', choice('Send')).click();
  await reasons.waitFor({ state: 'detached' });
  expect(sent('/feedback').map(({ rating, reasons, comment }) => [rating, reasons, comment])).toEqual([
    ['down', undefined, undefined],
    ['down', ['outdated'], 'The key has moved.'],
  ]);
  await field(page).waitFor();

  await page.reload();
  await openPanel(page);
  await no.waitFor();
  expect(await no.getAttribute('aria-pressed')).toBe('true');
  expect(await page.getByRole('button', choice('Yes')).getAttribute('aria-pressed')).toBe('false');
  await page.getByRole('button', choice('Yes')).click();
  await panel(page).getByText('Thank you!').first().waitFor();
  expect(await reasons.count()).toBe(0);
  expect(pageErrors).toEqual([]);
});

test('a source in another language is a card with its title and language', async () => {
  const { page } = await open({ locale: 'is-IS' });
  await ask(page, 'How do I take a screenshot?');
  const card = page.locator('guidepost-guide .sources li').first();
  expect(await card.getByRole('link').textContent()).toBe('Screenshots and screencasts');
  expect(await card.locator('.note').first().textContent()).toContain('English');
});

test('a source in the language of the visitor has no note about its language', async () => {
  const { page } = await open({ locale: 'en-GB' });
  await ask(page, 'How do I take a screenshot?');
  const card = page.locator('guidepost-guide .sources li').first();
  expect(await card.getByRole('link').textContent()).toBe('Screenshots and screencasts');
  expect(await card.locator('.note').count()).toBe(0);
});

test('a source warns that its translation may be outdated once the original has changed', async () => {
  const original: Seed = {
    slug: 'night-light',
    locale: 'en',
    title: 'Night light',
    answer: 'The night light makes the colors of the screen warmer.',
  };
  const translation = { locale: 'is', title: 'Næturljós', answer: 'Næturljósið gerir liti skjásins hlýrri.' };
  const { store } = site.harness.service;
  await importSeeds(store, site.workspaceId, [{ ...original, translations: [translation] }]);
  await importSeeds(store, site.workspaceId, [{ ...original, answer: 'The night light dims the screen.' }]);

  const { page } = await open({ locale: 'is-IS' });
  await ask(page, 'Hvað gerir næturljósið?');
  const card = page.locator('guidepost-guide .sources li').first();
  expect(await card.locator('.note').allTextContents()).toEqual([
    'May be outdated: the original has changed since this translation.',
  ]);
});
