import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HelpAddress } from '../../contract/help-domains.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { txtRecords } from '../support/harness.ts';
import { event } from '../support/stored-samples.ts';
import { PASSWORD } from '../support/team.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite({ env: { WORKSPACE_BYTES_MAX: '1048576' } });
});
afterEach(() => site.leave());
afterAll(() => site.close());

type Settings = {
  name: string;
  allowedOrigins: readonly string[];
  suggestions: readonly string[];
  consentStrictnessByRegion: readonly unknown[];
  pathRules: readonly unknown[];
  branding: object;
  contact?: object;
  helpCentre: object;
  voice: { monthlySecondsMax: number };
  guide: object;
  retention: object;
};

const settings = async () => (await site.team.as('owner').get<Settings>('')).json;
const saved = (page: Page) =>
  page.getByText('Saved. Live for visitors within five seconds.').first().waitFor();
const form = (page: Page, name: string) => page.getByRole('form', { name });

describe('settings pages', () => {
  it('completes typed sites, shows errors in place and sends only changed fields', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings');
    const sites = form(page, 'Allowed sites');
    await sites.getByText('Not seen yet').first().waitFor();
    const before = await settings();
    const number = before.allowedOrigins.length + 1;
    await sites.getByRole('button', { name: 'Add site' }).click();
    const typed = sites.getByRole('textbox', { name: `Site ${number}` });
    await typed.fill('what is this');
    await sites.getByRole('button', { name: 'Save' }).click();
    await sites.getByText('Enter an address such as shop.example').waitFor();
    await expectAccessible(page);
    await typed.fill('https://*.github.io');
    await sites.getByRole('button', { name: 'Save' }).click();
    await sites.getByText('below a domain of your own').waitFor();
    await typed.fill('New.Shop.example/cart');
    await sites.getByText('Saved as https://new.shop.example').waitFor();

    // Leaving asks for confirmation and keeps the input.
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Voice' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    expect(await typed.inputValue()).toBe('New.Shop.example/cart');

    // Another admin changes a different setting meanwhile.
    await site.team.as('admin').patch('', { suggestions: ['Where is my order?'] });
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await sites.getByRole('button', { name: 'Save' }).click();
    await saved(page);
    const allowedOrigins = [...before.allowedOrigins, 'https://new.shop.example'];
    expect((await sent).postDataJSON()).toEqual({ allowedOrigins });
    expect(await settings()).toMatchObject({ allowedOrigins, suggestions: ['Where is my order?'] });
    expect(await typed.inputValue()).toBe('https://new.shop.example');

    const basics = form(page, 'Workspace');
    await basics.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(201));
    await basics.getByRole('button', { name: 'Save' }).click();
    await basics.getByText('At most 200.').waitFor();
    await basics.getByRole('textbox', { name: 'Name' }).fill('  Bicycles  and more ');
    await page.keyboard.press('Enter');
    await page.getByRole('banner').getByText('Bicycles and more').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('turns the help center on, with links, and lets the guide appear on it', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings/help-centre');
    const basics = form(page, 'Help center');
    await basics.getByRole('switch', { name: 'Public help center' }).check({ force: true });
    await basics.getByRole('textbox', { name: 'Tagline' }).fill(' How can we help? ');
    await basics.getByRole('button', { name: 'Save' }).click();
    await saved(page);
    const address = await basics.getByRole('link').getAttribute('href');
    const footer = form(page, 'Links in the footer');
    await footer.getByRole('button', { name: 'Add link' }).click();
    await footer.getByRole('textbox', { name: 'Address of link 1' }).fill('shop.example/imprint');
    await footer.getByRole('button', { name: 'Save' }).click();
    await footer.getByText('Enter a text.').waitFor();
    await footer.getByRole('textbox', { name: 'Text of link 1' }).fill('Imprint');
    await footer.getByRole('button', { name: 'Save' }).click();
    await expect
      .poll(async () => (await settings()).helpCentre)
      .toMatchObject({
        ...{ enabled: true, tagline: 'How can we help?' },
        footerLinks: [{ label: 'Imprint', url: 'https://shop.example/imprint' }],
      });
    const { origin } = new URL(address!);
    if (!(await settings()).allowedOrigins.includes(origin)) {
      await page.getByRole('button', { name: `Allow ${origin}` }).click();
      await expect.poll(async () => (await settings()).allowedOrigins).toContain(origin);
    }
    const domain = page.getByRole('region', { name: 'Domain' });
    await domain.getByRole('textbox').fill('https://Help.shop.example/');
    await domain.getByRole('button', { name: 'Save' }).click();
    await domain.getByText('Not proved yet').waitFor();
    await domain.getByRole('button', { name: 'Check now' }).click();
    await domain.getByText('Neither the record nor the file was found.').waitFor();
    await expectAccessible(page);
    const { json } = await site.team.as('owner').get<HelpAddress>('/help-domain');
    txtRecords.set(json.domain!.record.name, json.domain!.record.value);
    await domain.getByRole('button', { name: 'Check now' }).click();
    await domain.getByText('Proved', { exact: true }).waitFor();
    await basics.getByRole('link', { name: 'https://help.shop.example' }).waitFor();
    await page.getByRole('button', { name: 'Allow https://help.shop.example' }).waitFor();
    await domain.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await basics.getByRole('link', { name: address! }).waitFor();
    await page.goto(address!);
    await page.getByText('How can we help?').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('saves the contact, and removes emptied fields', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings');
    const contact = form(page, 'Contact');
    await contact.getByLabel('Email address').fill('help@shop');
    await contact.getByLabel('Contact page').fill('javascript:alert(1)');
    await contact.getByLabel('Phone number').fill('call us');
    await contact.getByRole('button', { name: 'Save' }).click();
    await contact.getByText('Enter an address such as help@shop.example.').waitFor();
    await contact.getByText('Enter a full link such as').waitFor();
    await contact.getByText('Enter 3 to 15 digits.').waitFor();
    await expectAccessible(page);
    await contact.getByLabel('Email address').fill(' help@shop.example ');
    await contact.getByLabel('Contact page').fill('https://Shop.example/contact');
    await contact.getByLabel('Phone number').fill('+43 1/234-56');
    await contact.getByRole('button', { name: 'Save' }).click();
    await saved(page);
    const stored = { email: 'help@shop.example', url: 'https://shop.example/contact', phone: '+43 1 234 56' };
    expect((await settings()).contact).toEqual(stored);
    expect(await contact.getByLabel('Contact page').inputValue()).toBe(stored.url);
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await contact.getByLabel('Phone number').fill('');
    await contact.getByRole('button', { name: 'Save' }).click();
    expect((await sent).postDataJSON()).toEqual({ contact: { phone: null } });
    await expect.poll(async () => (await settings()).contact).not.toHaveProperty('phone');
    expect(pageErrors).toEqual([]);
  });

  it('edits path rules by keyboard and tries a path on them', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings');
    const pages = form(page, 'Pages');
    await pages.getByText('No rules').waitFor();
    const addRule = async (number: number) => {
      await pages.getByRole('button', { name: 'Add rule' }).press('Enter');
      await pages
        .locator('input:focus')
        .and(pages.getByLabel(`Path of rule ${number}`))
        .waitFor();
    };
    await addRule(1);
    await page.keyboard.type('/(a+)+');
    await page.keyboard.press('Enter');
    await pages.getByText('Enter a path such as /pricing, /shop/* or /docs{/*}?.').waitFor();
    await pages.getByLabel('Path of rule 1').fill('https://shop.example.com/checkout/*');
    await addRule(2);
    await page.keyboard.type('checkout/help');
    await pages.getByRole('combobox', { name: 'Guide in rule 2' }).click();
    await page.getByRole('option', { name: 'Opened' }).click();
    await pages.getByLabel('Suggested questions of rule 2, one per line').fill('How do I pay?\n\n');
    await pages.getByLabel('Try a path').fill('/checkout/help');
    await pages.getByRole('status').getByText('Rule 1: Hidden').waitFor();
    await pages.getByRole('button', { name: 'Move rule 2 up' }).press('Enter');
    await pages.getByRole('status').getByText('Rule 1: Opened').waitFor();
    expect(await pages.getByLabel('Path of rule 1').evaluate((node) => node.matches(':focus'))).toBe(true);
    await pages.getByLabel('Try a path').fill('/about');
    await pages.getByRole('status').getByText('No rule matches: Shown').waitFor();
    await expectAccessible(page);
    await pages.getByRole('button', { name: 'Save' }).click();
    await saved(page);
    const stored = [
      { pattern: '/checkout/help', mode: 'opened', suggestions: ['How do I pay?'] },
      { pattern: '/checkout/*', mode: 'hidden' },
    ];
    expect((await settings()).pathRules).toEqual(stored);
    const moves = pages.getByRole('button', { name: /^Move rule/ });
    expect(await moves.count()).toBe(2);
    await pages.getByRole('button', { name: 'Move rule 2 up' }).waitFor();
    await pages.getByRole('button', { name: 'Move rule 1 down' }).click();
    await pages.getByRole('button', { name: 'Remove rule 2' }).click();
    await pages.getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await settings()).pathRules).toEqual([stored[1]]);
    expect(pageErrors).toEqual([]);
  });

  it('previews consent by region before saving', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings/consent');
    await page.getByText('Changing this creates a new policy').waitFor();
    const strictness = form(page, 'Consent level');
    await strictness.getByRole('button', { name: 'Add region' }).click();
    await strictness.getByRole('combobox', { name: 'Region 1', exact: true }).fill('us-ca');
    await page.getByRole('status').getByText('2 changes').waitFor();
    await page.getByRole('switch', { name: 'Changes only' }).check();
    const row = page.getByRole('row', { name: /US-CA/ });
    await row.getByText('Opt-in', { exact: true }).waitFor();
    await row.getByText('Was: Opt-out').waitFor();
    await row.getByText('Visitors are asked.').waitFor();
    await expectAccessible(page);
    expect((await settings()).consentStrictnessByRegion).toEqual([]);
    await strictness.getByRole('button', { name: 'Save' }).click();
    await saved(page);
    expect((await settings()).consentStrictnessByRegion).toEqual([{ region: 'US-CA', strictness: 'opt_in' }]);
    await page.getByRole('status').getByText('no changes').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('previews branding and shows monthly usage', async () => {
    const { page, pageErrors, go } = await site.open('owner', '/settings/appearance');
    const branding = form(page, 'Branding');
    await branding.getByLabel('Panel title').fill('Ask the shop');
    await branding.getByLabel('Color', { exact: true }).fill('#FFD43B');
    await branding.getByRole('button', { name: 'Pick a color' }).click();
    await page.getByRole('dialog', { name: 'Pick a color' }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await branding.getByText('Black text, contrast').waitFor();
    await branding.getByText('Low contrast on white pages').waitFor();
    const guide = page.frameLocator('iframe[title^="Preview of the guide"][data-shown]');
    await guide.getByRole('heading', { name: 'Ask the shop' }).waitFor();
    await branding.getByRole('radio', { name: 'Left' }).check();
    await branding.getByText('Launcher', { exact: true }).click();
    await guide.locator('[data-side=start] .launcher').waitFor();
    await branding.getByText('Dark', { exact: true }).click();
    await guide.locator('guidepost-guide[theme=dark] .launcher').waitFor();
    await branding.getByRole('button', { name: 'Save' }).click();
    await saved(page);
    expect((await settings()).branding).toEqual({
      title: 'Ask the shop',
      color: '#ffd43b',
      launcher: 'start',
    });

    await go('/settings/voice');
    const voice = form(page, 'Voice');
    await voice.getByText(/^0 of \d+ minutes in/).waitFor();
    await voice.getByLabel('Monthly limit (minutes)').fill('90');
    await voice.getByRole('button', { name: 'Save' }).click();
    await voice.getByText(/^0 of 90 minutes in/).waitFor();
    expect((await settings()).voice.monthlySecondsMax).toBe(5400);

    await go('/settings/guide');
    await page.getByText('No language model configured').waitFor();
    const budget = form(page, 'Token limits');
    await budget.getByLabel('Token limit per answer').fill('20');
    await budget.getByLabel('Monthly token limit').fill('1000000');
    await budget.getByRole('button', { name: 'Save' }).click();
    await budget.getByText('At least 500.').waitFor();
    await budget.getByLabel('Token limit per answer').fill('2000');
    await budget.getByRole('button', { name: 'Save' }).click();
    await budget.getByText(/^0 of 1,000,000 tokens in/).waitFor();
    expect((await settings()).guide).toMatchObject({ monthlyTokensMax: 1_000_000, turnTokensMax: 2000 });
    expect(pageErrors).toEqual([]);
  });

  it('saves how long data is kept', async () => {
    await site.team.harness.service.tick();
    const { page, pageErrors } = await site.open('owner', '/settings/storage');
    const retention = form(page, 'Retention');
    const stored = page.getByRole('region', { name: 'Stored data by kind' });
    await stored.getByRole('row', { name: /Articles and translations/ }).waitFor();
    expect(await retention.getByLabel('Keep events (days)').inputValue()).toBe('395');
    await retention.getByLabel('Keep conversations (days)').fill('0');
    await retention.getByRole('button', { name: 'Save' }).click();
    await retention.getByText('Enter a whole number of days').waitFor();
    await retention.getByLabel('Keep conversations (days)').fill('5000');
    await retention.getByRole('button', { name: 'Save' }).click();
    await retention.getByText('At most 1,826.').waitFor();
    await expectAccessible(page);
    await retention.getByLabel('Keep conversations (days)').fill('90');
    await retention.getByRole('button', { name: 'Save' }).click();
    await saved(page);
    expect((await settings()).retention).toEqual({ conversationDays: 90, eventDays: 395 });
    expect(pageErrors).toEqual([]);
  });
});

describe('storage', () => {
  it('warns owners on the overview and in the settings when it is nearly full', async () => {
    const { service, clock } = site.team.harness;
    const rows = Array.from({ length: 3000 }, () => event({ atMillis: clock.now() }));
    await service.store.in(site.team.workspace.id).events.append(rows);
    // A measurement may already be running; only the second one is sure to see the rows.
    for (let time = 0; time < 2; time += 1) {
      clock.advance(600_000);
      await service.tick();
    }
    const { page, pageErrors, go } = await site.open('owner');
    await page.getByText('Storage is almost full').waitFor();
    await go('/settings/storage');
    await page.getByText('Storage is almost full').waitFor();
    // Earlier tests may have left a few.
    await page.getByRole('row', { name: /Events 3,0\d\d/ }).waitFor();
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });
});

describe('an expired session', () => {
  it('asks to sign in again in place and then saves', async () => {
    const memberClient = await site.team.signIn(site.team.as('owner'));
    const { page, pageErrors } = await site.open(memberClient, '/settings/guide');
    await page.getByLabel('Token limit per answer').fill('3000');
    await memberClient.delete('/api/session');
    await form(page, 'Token limits').getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    expect(await dialog.getByRole('textbox', { name: 'Email' }).inputValue()).toBe(memberClient.email);
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Saved. Live for visitors').waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Token limit per answer').inputValue()).toBe('3,000');
    expect(pageErrors).toEqual([]);
  });
});

const TABS = [
  'Allgemein',
  'Aussehen',
  'Einwilligung',
  'Sprachfunktion',
  'Antworten',
  'Vorgaben',
  'Mitglieder',
  'API-Schlüssel',
  'Export & Import',
] as const;

describe('settings by role and language', () => {
  it('are accessible in German on a phone', async () => {
    const memberClient = await site.team.signIn(site.team.as('admin'));
    const { page, pageErrors, go } = await site.open(memberClient, '/settings', {
      locale: 'de-DE',
      viewport: { width: 360, height: 740 },
    });
    const looksRight = async (title: string) => {
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await expect.poll(() => page.getByText('Wird geladen …').count()).toBe(0);
      await expectAccessible(page);
      expect([title, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([title, 360]);
    };
    for (const tab of TABS) {
      await page.getByRole('navigation', { name: 'Einstellungen' }).getByRole('link', { name: tab }).click();
      await looksRight(tab);
    }
    await go('//account');
    await looksRight('Konto');
    expect(pageErrors).toEqual([]);
  });

  it('are read-only for members and hidden from non-members', async () => {
    const member = await site.team.signIn(site.team.as('member'));
    const { page, pageErrors, go } = await site.open(member, '/settings');
    await page.getByText('Only owners and admins can change these settings.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Name' }).getAttribute('readonly')).not.toBeNull();
    const tabs = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
    expect(await tabs.allTextContents()).toEqual([
      'General',
      'Appearance',
      'Consent',
      'Voice',
      'Answers',
      'Guidance',
      'Help center',
      'Members',
      'Storage',
    ]);
    for (const path of ['/api-keys', '/transfer']) {
      await go(`/settings${path}`);
      await page.getByText('Only owners and admins can view this page.').waitFor();
    }

    const other = await site.team.harness.addWorkspace({ suggestions: [] });
    await go(`/../${other.id}/settings`);
    await page.getByText('Page not found').waitFor();
    expect(await page.getByRole('navigation', { name: 'Settings' }).count()).toBe(0);

    await go('/settings/members');
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: 'No workspace' }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});
