import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, openAppSite, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { addAuthenticator, appOf, originOf } from '../support/second-factors.ts';
import { PASSWORD } from '../support/team.ts';

const EMAIL = 'owner@shop.example';
const MINUTE = 60_000;

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

async function enterPassword(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.keyboard.press('Enter');
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Sets up an app in the dialog, as somebody does who types its key. Returns the app. */
async function setUpApp(page: Page) {
  await page.getByRole('button', { name: 'Set up an app' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Set up an app' });
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await expectAccessible(page);
  const secret = await dialog.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).textContent();
  const app = appOf(site.team.harness, secret!.replaceAll(' ', ''));
  await dialog.getByRole('textbox', { name: 'Code' }).fill('000000');
  await page.keyboard.press('Enter');
  await dialog.getByText('This code or passkey isn’t right').waitFor();
  await dialog.getByRole('textbox', { name: 'Code' }).fill(app.code());
  await page.keyboard.press('Enter');
  await page.getByText('Authenticator app turned on.').waitFor();
  return app;
}

/** Stores the recovery codes that a first factor comes with. */
async function storeCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Keep your recovery codes' });
  const codes = (await dialog.getByLabel('Recovery codes').inputValue()).split('\n');
  expect(codes).toHaveLength(10);
  await expectAccessible(page);
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Done' }).press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  return codes;
}

describe('second factors', () => {
  it('are set up by keyboard, sign in, confirm, and can be required of a workspace', async () => {
    const { harness } = site.team;
    const origin = originOf(harness);
    const { page, pageErrors } = await site.open('guest', '//sign-in');
    await page.goto(`${origin}/dashboard/sign-in`);
    const authenticator = await addAuthenticator(page);
    await enterPassword(page);
    await waitForHeading(page, 'Overview');

    await page.goto(`${origin}/dashboard/account`);
    await page.getByRole('button', { name: 'Add a passkey' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Laptop');
    await page.keyboard.press('Enter');
    const codes = await storeCodes(page);
    const passkeys = page.getByRole('table', { name: 'Passkeys' });
    await passkeys.getByText('Laptop').waitFor();
    await setUpApp(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Rename Laptop' }).press('Enter');
    await page.getByRole('textbox', { name: 'Name' }).fill('Work laptop');
    await page.keyboard.press('Enter');
    await passkeys.getByText('Work laptop').waitFor();

    await page.goto(`${origin}/dashboard/w/${site.team.workspace.id}/settings/members`);
    await page.getByLabel('Require a second factor of all members').click();
    await page.getByText('A second factor is now required.').waitFor();
    await expectAccessible(page);

    await signOut(page);
    // The browser fills it in.
    await waitForHeading(page, 'Overview');
    await authenticator.touch(false);
    await signOut(page);
    const button = page.getByRole('button', { name: 'Sign in with a passkey' });
    await button.waitFor();
    await authenticator.touch(true);
    await button.press('Enter');
    await waitForHeading(page, 'Overview');
    await page.goto(`${origin}/dashboard/account`);
    await page
      .getByRole('table', { name: 'Active sessions' })
      .getByText('Passkey', { exact: true })
      .first()
      .waitFor();

    harness.clock.advance(11 * MINUTE);
    await page.getByRole('button', { name: 'Remove Work laptop' }).press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).last().press('Enter');
    const confirm = page.getByRole('dialog', { name: 'Confirm your password' });
    await confirm.getByRole('button', { name: 'Use a passkey' }).waitFor();
    await expectAccessible(page);
    await confirm.getByRole('button', { name: 'Use a passkey' }).press('Enter');
    await page.getByText('Second factor removed.').waitFor();
    // The app is the last one, and the workspace requires one.
    await page.getByRole('button', { name: 'Remove Authenticator app' }).press('Enter');
    await page.getByRole('button', { name: 'Remove', exact: true }).last().press('Enter');
    await page.getByText('Set up another one first.').waitFor();

    await authenticator.touch(false);
    await signOut(page);
    await enterPassword(page);
    await waitForHeading(page, 'Confirm it’s you');
    await expectAccessible(page);
    expect(await page.evaluate('document.activeElement.autocomplete')).toBe('one-time-code');
    await page.getByRole('textbox', { name: 'Code' }).fill('123456');
    await page.keyboard.press('Enter');
    await page.getByText('This code or passkey isn’t right').waitFor();
    await page.getByRole('textbox', { name: 'Code' }).fill(codes[0]!);
    await page.keyboard.press('Enter');
    await waitForHeading(page, 'Overview');
    expect(pageErrors).toEqual([]);

    // A member without a second factor sees nothing else.
    const member = await site.open(await site.team.signIn(site.team.as('member')), '/articles');
    await waitForHeading(member.page, 'Set up a second factor');
    await expectAccessible(member.page);
    await setUpApp(member.page);
    await storeCodes(member.page);
    await waitForHeading(member.page, 'Articles');
    expect(member.pageErrors).toEqual([]);
  });
});
