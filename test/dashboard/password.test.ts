import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, expectNoToken, openAppSite, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';

const NEW_PASSWORD = 'eleven green lamps at dusk';

describe('forgotten password', () => {
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

  it('is replaced with the link of a mail, by keyboard', async () => {
    const { page, pageErrors } = await site.open('guest', '//sign-in');
    await page.getByRole('link', { name: 'Forgot your password?' }).press('Enter');
    await waitForHeading(page, 'Forgot your password?');
    await expectAccessible(page);
    await page.getByLabel('Email').press('Enter');
    await page.getByText('Enter a valid email address.').waitFor();
    await page.getByLabel('Email').fill('owner@shop.example');
    await page.getByLabel('Email').press('Enter');
    await waitForHeading(page, 'Look into your mailbox');
    await expectAccessible(page);

    await expect.poll(() => server.mails.length, { timeout: 20_000 }).toBe(1);
    const link = /http\S+#token=[\w-]+/.exec(server.mails[0]!.text!)![0];
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

  it('is left to the operator where the server sends no mail', async () => {
    const silent = await openAppSite();
    const { page } = await silent.open('guest', '//password');
    await page.getByLabel('Email').fill('owner@shop.example');
    await page.getByLabel('Email').press('Enter');
    await waitForHeading(page, 'This server sends no mail');
    await expectAccessible(page);
    await silent.close();
  });
});
