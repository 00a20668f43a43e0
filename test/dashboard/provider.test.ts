import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, openAppSite, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { txtRecords } from '../support/harness.ts';
import { CLIENT, type IdentityProvider, openIdentityProvider } from '../support/identity-provider.ts';

describe('an identity provider', () => {
  let site: AppSite;
  let provider: IdentityProvider;
  beforeAll(async () => {
    site = await openAppSite();
    provider = await openIdentityProvider(`${site.team.harness.baseUrl}/dashboard/sign-in/callback`);
    provider.people.set('grace', { email: 'grace@corp.example', email_verified: true });
    provider.people.set('eve', { email: 'eve@rival.example', email_verified: true });
  });
  afterEach(() => site.leave());
  afterAll(async () => {
    await site.close();
    await provider.close();
  });

  it('is set up by an owner, and signs a member of its domain in', async () => {
    const { page: settings, pageErrors } = await site.open('owner', '/settings/sign-in');
    await settings.getByText(`${site.team.harness.baseUrl}/dashboard/sign-in/callback`).waitFor();
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.getByText('This is required.').first().waitFor();
    await expectAccessible(settings);
    await settings.getByLabel('Issuer').fill(`${provider.issuer}/nowhere`);
    await settings.getByRole('button', { name: 'Try' }).click();
    await settings.getByText('There is no discovery document at this address (status 404).').waitFor();
    await settings.getByLabel('Issuer').fill(provider.issuer);
    await settings.getByRole('button', { name: 'Try' }).click();
    await settings.getByText(`People sign in at ${provider.issuer}/auth.`).waitFor();
    await settings.getByLabel('Client ID').fill(CLIENT.clientId);
    await settings.getByLabel('Client secret').fill(CLIENT.clientSecret);
    await settings.getByLabel('Email domains').fill('corp.example');
    await settings.getByRole('button', { name: 'Save' }).click();
    await settings.getByText('Not proved yet').waitFor();
    await settings.getByRole('button', { name: 'Check corp.example' }).click();
    await settings.getByText('The record was not found.').waitFor();
    const { json } = await site.team.as('owner').get<{
      domains: { record: { name: string; value: string } }[];
    }>('/identity-provider');
    const { record } = json.domains[0]!;
    await settings.getByText(record.value).waitFor();
    txtRecords.set(record.name, record.value);
    await settings.getByRole('button', { name: 'Check corp.example' }).click();
    await settings.getByText('Proved', { exact: true }).waitFor();
    await expectAccessible(settings);

    const { page } = await site.open('guest', '//sign-in');
    const button = page.getByRole('button', { name: 'Sign in with single sign-on' });
    await button.click();
    await page.getByText('Enter a valid email address.').waitFor();
    await page.getByLabel('Email').fill('grace@nowhere.example');
    await button.click();
    await page.getByText('No single sign-on is set up for this address.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Email').fill('grace@corp.example');
    await button.press('Enter');
    await page.getByRole('link', { name: 'eve' }).click();
    await waitForHeading(page, 'Sign-in didn’t work');
    await page.getByText('The identity provider doesn’t confirm an address').waitFor();
    expect(page.url()).not.toContain('code=');
    await expectAccessible(page);
    await page.context().clearCookies();
    await page.getByRole('link', { name: 'Back to sign-in' }).press('Enter');
    await page.getByLabel('Email').fill('grace@corp.example');
    await button.click();
    await page.getByRole('link', { name: 'grace' }).click();
    await waitForHeading(page, 'Overview');
    expect(page.url()).not.toContain('code=');
    expect(pageErrors).toEqual([]);
  });
});
