import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { countClicks, expectTree } from '../support/clicks.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ articles: [] });
});
afterEach(() => site.leave());
afterAll(() => site.close());

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

it('publishing an article in two languages, reviewed by a colleague, takes at most 12 clicks', async () => {
  const author = await site.open('admin', '');
  const { page } = author;
  const written = await countClicks(page);
  await page.getByRole('link', { name: 'New article' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Returning an order');
  await page.getByRole('textbox', { name: 'Answer' }).fill('You can return any order within 30 days.');
  await press(page, 'Create draft');
  await press(page, 'Publish');
  await page.getByText('Published').first().waitFor();

  await page.getByRole('combobox', { name: 'Language to add' }).click();
  await page.keyboard.type('German');
  await page.getByRole('option', { name: 'German', exact: true }).click();
  await press(page, 'Add translation');
  await page.getByRole('heading', { level: 1, name: 'Returning an order: German' }).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Eine Bestellung zurückgeben');
  await page.getByRole('textbox', { name: 'Answer' }).fill('Jede Bestellung geht binnen 30 Tagen zurück.');
  await press(page, 'Save as draft');
  await expectTree(page.getByRole('main'), [
    'heading "Returning an order: German" [level=1]',
    'button "Submit for review"',
    'button "Publish" [disabled]',
    'textbox "Title": Eine Bestellung zurückgeben',
  ]);
  await press(page, 'Submit for review');
  await page.getByText('Submitted for review.').waitFor();

  const { page: desk, pageErrors } = await site.open('owner', '');
  const reviewed = await countClicks(desk);
  await link(desk, 'My tasks');
  await expectTree(desk.getByRole('main'), [
    'heading "My tasks" [level=1]',
    'list "Tasks, oldest first"',
    'heading "Eine Bestellung zurückgeben" [level=2]',
    'button "Approve"',
    'button "More actions"',
  ]);
  await press(desk, 'Approve');
  await desk.getByText('Approved. You can publish it now.').waitFor();
  await press(desk, 'Publish');
  await desk.getByText('Published. Visitors now see this translation.').waitFor();

  const { harness } = site.team;
  const { jwt } = await harness.boot();
  for (const [language, message, quote] of [
    ['en', 'How do I return an order?', 'You can return any order within 30 days.'],
    ['de', 'Wie gebe ich eine Bestellung zurück?', 'Jede Bestellung geht binnen 30 Tagen zurück.'],
  ] as const) {
    const events = await harness.ask(jwt, { message }, { 'accept-language': language });
    expect(events.find(({ type }) => type === 'citation')).toMatchObject({ quote });
  }
  const pressed = [...written.pressed, ...reviewed.pressed];
  expect(pressed.length, pressed.join('\n')).toBeLessThanOrEqual(12);
  expect(written.pressed.length).toBeGreaterThan(5);
  expect([...author.pageErrors, ...pageErrors]).toEqual([]);
});
