import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { completedOrigin } from '../../client/dashboard/origin.ts';
import { newSetupUrl } from '../../server/accounts/setup.ts';
import { aServiceForEach, expectNoToken, follow, harness, heading, tokenOf } from '../accounts/following.ts';
import { expectAccessible } from '../fixtures/accessible.ts';
import { addPerson, browserAt, PASSWORD } from './browser.ts';
import { described, focused, tooSmall } from './pages-site.ts';

aServiceForEach();

describe('the page of the set-up link', () => {
  const printed = async () => (await newSetupUrl(harness.service, harness.baseUrl))!;

  async function fillIn(page: Page, { password = PASSWORD, origin = 'Shop.Example.com/cart?x=1' } = {}) {
    await heading(page, 'Set up Guidepost');
    await page.getByLabel('Email address').fill('Ada@Shop.example');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Name of the workspace').fill('The bicycle shop');
    await page.getByLabel('Website').fill(origin);
  }
  const submit = (page: Page) => page.getByRole('button', { name: 'Create the workspace' });

  it('makes a workspace that boots, by keyboard alone', async () => {
    const link = await printed();
    const { page, complaints } = await follow(link, { reducedMotion: 'reduce' });
    await fillIn(page);
    await expectNoToken(page, link);
    await expectAccessible(page);
    expect(await tooSmall(page)).toEqual([]);
    expect(await described(page, 'origin')).toContain('Allowed: https://shop.example.com');
    expect(await page.getByLabel('Language that you write in').inputValue()).toBe('en');
    await page.getByLabel('Language that you write in').selectOption({ label: 'German' });
    await page.getByLabel('Website').press('Enter');

    await heading(page, 'Your guide in three steps');
    await page.getByText('https://shop.example.com · Not seen yet').waitFor();
    await expectAccessible(page);
    const snippet = await page.getByLabel('The line to paste').textContent();
    const [, appId] = /data-gp-app="(gp_[^"]+)"/.exec(snippet!)!;
    expect(snippet).toBe(
      `<script src="${harness.baseUrl}/guide.js" data-gp-app="${appId}" data-gp-api="${harness.baseUrl}" async></script>`,
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the line' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(snippet);

    const origin = 'https://shop.example.com';
    expect(await harness.boot({ app_id: appId, origin }, { origin })).toHaveProperty('jwt');
    const workspace = await harness.service.store.workspaces.findByAppId(appId!);
    expect(workspace).toMatchObject({ settings: { sourceLocale: 'de', allowedOrigins: [origin] } });
    // The page notices by itself that the guide was seen.
    await page.getByText('Seen on https://shop.example.com').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says what is wrong with a field, at the field, and goes to the first', async () => {
    const { page, complaints } = await follow(await printed());
    await heading(page, 'Set up Guidepost');
    await submit(page).click();
    expect(await focused(page)).toBe('email');
    expect(await described(page, 'email')).toContain('Enter an email address');
    expect(await described(page, 'origin')).toContain('Enter the address of a website');
    await expectAccessible(page);

    await fillIn(page, { password: 'too few' });
    expect(await described(page, 'password')).toContain('Characters still missing: 8.');
    for (const [password, problem] of [
      ['too few', 'Too short: it needs at least 15 characters.'],
      ['the bicycle shop', 'Too easy to guess'],
      ['abcdefghijklmnopqrst', 'It runs along the alphabet'],
    ] as const) {
      await page.getByLabel('Password', { exact: true }).fill(password);
      expect(await described(page, 'password')).not.toContain(problem);
      await submit(page).click();
      await page.locator('#password-problem').getByText(problem).waitFor();
      expect(await focused(page)).toBe('password');
      expect(await described(page, 'password')).toContain(problem);
      expect(await page.locator('#password').getAttribute('aria-invalid')).toBe('true');
    }
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await page.locator('#password').getAttribute('type')).toBe('text');
    await page.getByLabel('Email address').fill('ada@shop');
    await submit(page).click();
    await page.locator('#email-problem').getByText('Enter an email address').waitFor();
    expect(await focused(page)).toBe('email');
    expect(await harness.service.store.users.any()).toBe(false);
    expect(complaints).toEqual([]);
  });

  it('tells at once that a link was used, and how to get another one', async () => {
    const link = await printed();
    const { status } = await browserAt(harness).post('/api/setup', {
      token: tokenOf(link),
      email: 'grace@shop.example',
      password: PASSWORD,
      workspaceName: 'Hats',
      allowedOrigins: ['https://hats.example'],
    });
    expect(status).toBe(201);
    const { page, complaints } = await follow(link);
    await heading(page, 'This set-up link does not work any more');
    expect(await page.locator('main').textContent()).toContain('Restart the server');
    await expectAccessible(page);
    await expectNoToken(page, link);
    expect(complaints).toEqual([]);
  });

  it('takes no link that is longer than any of its own', async () => {
    const { page } = await follow(`${await printed()}${'x'.repeat(200)}`);
    await heading(page, 'This set-up link does not work any more');
  });

  it('tells whoever was slower that the link was used meanwhile', async () => {
    const { page } = await follow(await printed());
    await fillIn(page);
    await addPerson(harness, 'grace@shop.example');
    await submit(page).click();
    await heading(page, 'This set-up link does not work any more');
  });

  it('asks for the whole link where its key is missing, and takes one that is pasted then', async () => {
    const link = await printed();
    const { page } = await follow(link.split('#')[0]!);
    await heading(page, 'The link is not complete');
    await page.goto(link);
    await heading(page, 'Set up Guidepost');
    await submit(page).waitFor();
    await expectNoToken(page, link);
  });

  it('keeps what was typed when the service cannot be reached', async () => {
    const { page } = await follow(await printed());
    await fillIn(page);
    await page.route('**/api/setup', (route) => route.abort());
    await submit(page).click();
    await page.getByRole('alert').getByText('The service cannot be reached.').waitFor({ timeout: 15_000 });
    expect(await page.getByLabel('Name of the workspace').inputValue()).toBe('The bicycle shop');
    await page.unroute('**/api/setup');
    await submit(page).click();
    await heading(page, 'Your guide in three steps');
  });

  it.each([
    ['de-AT', 'Guidepost einrichten', 'Deutsch'],
    ['es-MX', 'Configurar Guidepost', 'alemán'],
    ['fr-CA', 'Configurer Guidepost', 'allemand'],
    ['ja-JP', 'Set up Guidepost', 'German'],
  ])('speaks the language of a browser in %s', async (locale, title, german) => {
    const { page } = await follow(await printed(), { locale });
    await heading(page, title);
    const language = page.locator('#source-locale');
    expect(await language.locator('option[value=de]').textContent()).toBe(german);
    expect(await page.locator('html').getAttribute('lang')).toBe(locale === 'ja-JP' ? 'en' : locale);
    await expectAccessible(page);
  });
});

describe('what is typed as a website', () => {
  it.each([
    ['shop.example.com', 'https://shop.example.com'],
    [' HTTPS://Shop.Example.com:443/cart ', 'https://shop.example.com'],
    ['http://shop.example.com', 'http://shop.example.com'],
    ['*.shop.example.com', 'https://*.shop.example.com'],
    ['localhost:3000/x', 'http://localhost:3000'],
    ['bücher.example', 'https://xn--bcher-kva.example'],
    ['', undefined],
    ['*.com', undefined],
    ['my shop', undefined],
    ['ftp://shop.example.com', undefined],
    ['ada@example.com', undefined],
    ['javascript:alert(1)', undefined],
  ])('%j becomes %j', (typed, origin) => {
    expect(completedOrigin(typed)).toBe(origin);
  });
});
