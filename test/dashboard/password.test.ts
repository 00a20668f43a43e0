import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, expectNoToken, openAppSite, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';

const NEW_PASSWORD = 'eleven green lamps at dusk';

describe('mail of an account', () => {
  let server: MailServer;
  let site: AppSite;
  beforeAll(async () => {
    server = await openMailServer();
    site = await openAppSite({ env: { SMTP_URL: server.url, MAIL_FROM: 'guide@shop.example' } });
  });
  afterEach(() => site.leave());
  afterAll(async () => {
    await site.close();
    await server.close();
  });

  /** Returns the text of the last mail to the address, once one has arrived. */
  async function readMailTo(address: string): Promise<string> {
    await expect.poll(() => server.mailsTo(address).length, { timeout: 20_000 }).toBeGreaterThan(0);
    return server.mailsTo(address).at(-1)!.text!;
  }

  it('replaces a forgotten password, by keyboard', async () => {
    const { page, pageErrors } = await site.open('guest', '//sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).press('Enter');
    await waitForHeading(page, 'Forgot your password?');
    await expectAccessible(page);
    await page.getByLabel('Email').press('Enter');
    await page.getByText('Enter a valid email address.').waitFor();
    await page.getByLabel('Email').fill('owner@shop.example');
    await page.getByLabel('Email').press('Enter');
    await waitForHeading(page, 'Check your email');
    await expectAccessible(page);

    const link = /http\S+#token=[\w-]+/.exec(await readMailTo('owner@shop.example'))![0];
    await page.goto(link);
    await waitForHeading(page, 'Choose a new password');
    await page.getByLabel('Email').waitFor();
    await expectNoToken(page, link);
    expect(await page.getByLabel('Email').inputValue()).toBe('owner@shop.example');
    await expectAccessible(page);
    await page.getByLabel('New password').fill('password');
    await page.getByLabel('New password').press('Enter');
    await page.getByText('Use at least 15 characters').first().waitFor();
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByLabel('New password').press('Enter');
    await waitForHeading(page, 'Your password is set');
    await page.getByRole('link', { name: 'Back to sign-in' }).press('Enter');
    await page.getByLabel('Email').fill('owner@shop.example');
    await page.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD);
    await page.keyboard.press('Enter');
    await waitForHeading(page, 'Overview');
    expect(pageErrors).toEqual([]);

    await page.goto(link);
    await waitForHeading(page, 'This link no longer works');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Request a new link' }).press('Enter');
    await waitForHeading(page, 'Forgot your password?');
  });

  it('carries the link of an invitation', async () => {
    const { page } = await site.open('admin', '/settings/members');
    await page.getByLabel('Email').fill('new@shop.example');
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invitation link for new@shop.example' });
    await dialog.getByText('The link is on its way to new@shop.example by mail.').waitFor();
    await expectAccessible(page);
    const link = await dialog.getByLabel('Link', { exact: true }).inputValue();
    expect(await readMailTo('new@shop.example')).toContain(link);
  });

  it('about the week is turned off and on by its reader', async () => {
    const { page, pageErrors } = await site.open('member', '//account');
    const weekly = page.getByRole('switch', { name: /^Weekly mail about open tasks in / });
    expect(await weekly.isChecked()).toBe(true);
    await weekly.press('Space');
    await page.getByText('Weekly mail is off.').waitFor();
    await page.reload();
    await expect.poll(() => weekly.isChecked()).toBe(false);
    await expectAccessible(page);
    await weekly.press('Space');
    await page.getByText('Weekly mail is on.').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('confirms another address, by keyboard', async () => {
    const { page, pageErrors } = await site.open('admin', '//account');
    const field = page.getByLabel('New email address');
    await field.fill('admin@shop.example');
    await field.press('Enter');
    await page.getByText('Enter another valid email address.').waitFor();
    await field.fill('Boss@shop.example');
    await field.press('Enter');
    await page.getByText('A link is on its way to Boss@shop.example.').first().waitFor();
    const link = /http\S+#token=[\w.-]+/.exec(await readMailTo('boss@shop.example'))![0];
    await page.goto(link);
    await page.getByText('Confirm your new email address').waitFor();
    await expectNoToken(page, link);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Use this address' }).press('Enter');
    await page.getByText('Signed in as boss@shop.example').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('is replaced by a notice where the server sends none', async () => {
    const silent = await openAppSite();
    const { page } = await silent.open('guest', '//password');
    await page.getByLabel('Email').fill('owner@shop.example');
    await page.getByLabel('Email').press('Enter');
    await waitForHeading(page, 'This server sends no mail');
    await expectAccessible(page);
    await silent.close();
  });
});
