import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { askGuide } from '../support/guide-frame.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

it('the customers page creates and deletes a key, declares attributes, finds a customer and erases one', async () => {
  const { page, pageErrors } = await site.open('owner', '/settings/customers');
  await page.getByText('No keys yet').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Create key' }).click();
  const form = page.getByRole('dialog', { name: 'Create key' });
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: 'Secret for user tokens' });
  const secret = await shown.getByRole('textbox', { name: 'Secret' }).inputValue();
  expect(secret).toMatch(/^cks_/);
  await shown.getByRole('checkbox', { name: 'I’ve stored this secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /Shared secret/ }).waitFor();
  expect(await page.content()).not.toContain(secret);

  await page.getByRole('button', { name: 'Add attribute' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add attribute' });
  const name = dialog.getByRole('textbox', { name: 'Name of the claim' });
  await name.fill('email');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter a name that is not used yet').waitFor();
  await name.fill('plan');
  await dialog.getByRole('combobox', { name: 'Type' }).click();
  await page.getByRole('option', { name: 'One of several values' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Enter at least one value.').waitFor();
  await dialog.getByRole('combobox', { name: 'Values' }).fill('pro');
  await page.keyboard.press('Enter');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row', { name: /plan/ }).waitFor();

  await page.getByRole('textbox', { name: 'User token' }).fill('no.token.atall');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('This is not a signed JWT').waitFor();
  const { appId, clock } = site.team.harness;
  const exp = Math.floor(clock.now() / 1000) + 600;
  const claims = { sub: 'customer-1', plan: 'pro', role: 'buyer', aud: appId, exp };
  const token = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' });
  const signed = await token.sign(new TextEncoder().encode(secret));
  await page.getByRole('textbox', { name: 'User token' }).fill(signed);
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('Known of the customer: customer-1, plan: pro').waitFor();
  await page.getByText('declared: role').waitFor();

  await page.getByRole('textbox', { name: 'Id of the customer' }).fill('customer-1');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('link', { name: 'Show conversations' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Erase' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
  await page.getByText('Data erased.').waitFor();
  await page.getByRole('button', { name: 'Delete key: Shared secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No keys yet').waitFor();

  const owner = site.team.as('owner');
  const article = { title: 'Rebates', answer: 'Ten percent for all.' };
  const { json } = await owner.post<{ id: string }>('/knowledge/articles', article);
  await site.leave();
  const editor = await site.open('owner', `/articles/${json.id}`);
  const field = editor.page.getByRole('combobox', { name: 'Who sees it' });
  await field.click();
  await editor.page.getByRole('option', { name: 'plan: pro' }).click();
  await editor.page.getByText('Saved.').waitFor();
  await expect
    .poll(async () => (await owner.get(`/knowledge/articles/${json.id}`)).json)
    .toMatchObject({ audience: ['plan=pro'] });
  await expectAccessible(editor.page);

  await owner.post(`/knowledge/articles/${json.id}/publish`, { baseRevision: 1 });
  await editor.go('/preview');
  await askGuide(editor.page, 'Rebates');
  await editor.page.getByText('The guide has no answer').waitFor();
  await editor.page.getByRole('combobox', { name: 'Signed in as' }).click();
  await editor.page.getByRole('option', { name: 'plan: pro' }).click();
  await askGuide(editor.page, 'Rebates?');
  await editor.page.getByRole('listitem').getByText('Ten percent for all.').waitFor();
  await expectAccessible(editor.page);

  await editor.go('/conversations?rating=up');
  await editor.page.getByRole('button', { name: /^Filters/ }).click();
  await editor.page.getByRole('textbox', { name: 'Id of a known customer' }).fill('customer-1');
  await editor.page.keyboard.press('Enter');
  await editor.page.getByText('Conversations of one visitor').waitFor();
  await expectAccessible(editor.page);
  expect([...pageErrors, ...editor.pageErrors]).toEqual([]);
});
