import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { completeOrigin } from '../../client/dashboard/origin.ts';
import { newSetupUrl } from '../../server/accounts/setup.ts';
import {
  expectNoToken,
  follow,
  getDescription,
  getFocusedId,
  harness,
  listSmallControls,
  openServiceBeforeEach,
  tokenOf,
  waitForHeading,
} from '../support/app-site.ts';
import { expectAccessible, reportLocale } from '../support/browser.ts';
import { addPerson, browserAt, PASSWORD } from '../support/signed-in-client.ts';
import { openTeamOn, type Team } from '../support/team.ts';

openServiceBeforeEach();

describe('setup page', () => {
  const printed = async () => (await newSetupUrl(harness.service, harness.baseUrl))!;

  async function fillIn(page: Page, { password = PASSWORD, origin = 'Shop.Example.com/cart?x=1' } = {}) {
    await waitForHeading(page, 'Set up Guidepost');
    await page.getByLabel('Email').fill('Ada@Shop.example');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Workspace name').fill('The bicycle shop');
    await page.getByLabel('Website').fill(origin);
  }
  const submit = (page: Page) => page.getByRole('button', { name: 'Create workspace' });

  it('creates a workspace that boots, by keyboard', async () => {
    const link = await printed();
    const { page, pageErrors } = await follow(link, { reducedMotion: 'reduce' });
    await fillIn(page);
    await expectNoToken(page, link);
    await expectAccessible(page);
    expect(await listSmallControls(page)).toEqual([]);
    expect(await getDescription(page, 'origin')).toContain('Allowed: https://shop.example.com');
    expect(await page.getByLabel('Article language').inputValue()).toBe('en');
    await page.getByLabel('Article language').selectOption({ label: 'German' });
    await page.getByLabel('Website').press('Enter');

    await waitForHeading(page, 'Start with your website');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Install the guide first' }).click();
    await waitForHeading(page, 'Set up your guide');
    await page.getByText('https://shop.example.com · Not seen yet').waitFor();
    await expectAccessible(page);
    const snippet = await page.getByLabel('Installation snippet').textContent();
    const [, appId] = /data-gp-app="(gp_[^"]+)"/.exec(snippet!)!;
    expect(snippet).toBe(
      `<script src="${harness.baseUrl}/guide.js" data-gp-app="${appId}" data-gp-api="${harness.baseUrl}" async></script>`,
    );
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy snippet' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(snippet);

    const origin = 'https://shop.example.com';
    expect(await harness.boot({ app_id: appId, origin }, { origin })).toHaveProperty('jwt');
    const workspace = await harness.service.store.workspaces.findByAppId(appId!);
    expect(workspace).toMatchObject({ settings: { sourceLocale: 'de', allowedOrigins: [origin] } });
    // The page polls for the first boot.
    await page.getByText('Seen on https://shop.example.com').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('works in browsers that report no valid locale', async () => {
    const link = await printed();
    for (const tag of ['en-US@posix', 'C', '', 'no locale']) {
      const { page, pageErrors } = await follow(link, { before: reportLocale(tag) });
      await fillIn(page);
      await page.getByLabel('Article language').selectOption({ label: 'German' });
      if (tag === 'no locale') {
        await submit(page).click();
        await waitForHeading(page, 'Start with your website');
      }
      expect(pageErrors, tag).toEqual([]);
    }
  });

  it('shows errors at their fields and focuses the first', async () => {
    const { page, pageErrors } = await follow(await printed());
    await waitForHeading(page, 'Set up Guidepost');
    await submit(page).click();
    expect(await getFocusedId(page)).toBe('email');
    expect(await getDescription(page, 'email')).toContain('Enter a valid email address');
    expect(await getDescription(page, 'origin')).toContain('Enter a website address');
    await expectAccessible(page);
    await page.getByLabel('Password', { exact: true }).fill('short');
    await submit(page).click();
    expect(await getDescription(page, 'password')).toContain('Use at least 15 characters.');
    expect(await getDescription(page, 'origin')).toContain('Enter a website address');

    await fillIn(page, { password: 'too few' });
    expect(await getDescription(page, 'password')).toContain('8 more characters needed.');
    for (const [password, problem] of [
      ['too few', 'Use at least 15 characters.'],
      ['the bicycle shop', 'Too easy to guess'],
      ['abcdefghijklmnopqrst', 'Avoid sequences of letters'],
    ] as const) {
      await page.getByLabel('Password', { exact: true }).fill(password);
      expect(await getDescription(page, 'password')).not.toContain(problem);
      await submit(page).click();
      await page.locator('#password-error').getByText(problem).waitFor();
      expect(await getFocusedId(page)).toBe('password');
      expect(await getDescription(page, 'password')).toContain(problem);
      expect(await page.locator('#password').getAttribute('aria-invalid')).toBe('true');
    }
    await page.getByRole('button', { name: 'Show or hide password' }).click();
    expect(await page.locator('#password').getAttribute('type')).toBe('text');
    await page.getByLabel('Email').fill('ada@shop');
    await submit(page).click();
    await page.locator('#email-error').getByText('Enter a valid email address').waitFor();
    expect(await getFocusedId(page)).toBe('email');
    expect(await harness.service.store.users.hasAny()).toBe(false);
    expect(pageErrors).toEqual([]);
  });

  it('reports a used link at once and how to get another', async () => {
    const link = await printed();
    const { status } = await browserAt(harness).post('/api/setup', {
      token: tokenOf(link),
      email: 'grace@shop.example',
      password: PASSWORD,
      workspaceName: 'Hats',
      allowedOrigins: ['https://hats.example'],
    });
    expect(status).toBe(201);
    const { page, pageErrors } = await follow(link);
    await waitForHeading(page, 'This setup link is no longer valid');
    expect(await page.locator('main').textContent()).toContain('restart the server');
    await expectAccessible(page);
    await expectNoToken(page, link);
    expect(pageErrors).toEqual([]);
  });

  it('rejects a link that is too long, or that was used while the form was open', async () => {
    const link = await printed();
    const { page: rejected } = await follow(`${link}${'x'.repeat(200)}`);
    await waitForHeading(rejected, 'This setup link is no longer valid');
    const { page } = await follow(link);
    await fillIn(page);
    await addPerson(harness, 'grace@shop.example');
    await submit(page).click();
    await waitForHeading(page, 'This setup link is no longer valid');
  });

  it('asks for the full link without a token, then accepts a pasted one', async () => {
    const link = await printed();
    const { page } = await follow(link.split('#')[0]!);
    await waitForHeading(page, 'Incomplete link');
    await page.goto(link);
    await waitForHeading(page, 'Set up Guidepost');
    await submit(page).waitFor();
    await expectNoToken(page, link);
  });

  it('keeps the input when the server is unreachable', async () => {
    const { page } = await follow(await printed());
    await fillIn(page);
    await page.route('**/api/setup', (route) => route.abort());
    await submit(page).click();
    await page.getByRole('alert').getByText('Can’t reach the server.').waitFor();
    expect(await page.getByLabel('Workspace name').inputValue()).toBe('The bicycle shop');
    await page.unroute('**/api/setup');
    await submit(page).click();
    await waitForHeading(page, 'Start with your website');
  });

  it('uses the language of the browser, or English', async () => {
    const link = await printed();
    for (const [locale, title, lang, german] of [
      ['nl-NL', 'Set up Guidepost', 'en', 'German'],
      ['de-AT', 'Guidepost einrichten', 'de', 'Deutsch'],
    ] as const) {
      const { page } = await follow(link, { locale });
      await waitForHeading(page, title);
      const language = page.locator('#source-locale');
      expect(await language.inputValue()).toBe(lang);
      expect(await language.locator('option[value=de]').textContent()).toBe(german);
      expect(await page.locator('html').getAttribute('lang')).toBe(lang);
      if (lang === 'de') await expectAccessible(page);
    }
  });
});

describe('completeOrigin', () => {
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
  ])('turns %j into %j', (typed, origin) => {
    expect(completeOrigin(typed)).toBe(origin);
  });
});

describe('invitation page', () => {
  const GRACE = 'grace@shop.example';
  let team: Team;
  beforeEach(async () => {
    team = await openTeamOn(harness);
  });

  async function invite(role = 'admin'): Promise<string> {
    const { json } = await team.as('owner').post<{ link: string }>('/invitations', { email: GRACE, role });
    return json.link;
  }
  const join = (page: Page) => page.getByRole('button', { name: 'Join workspace' });
  const rolesOf = async () =>
    (await harness.service.store.in(team.workspace.id).members.list())
      .filter(({ email }) => email === GRACE)
      .map(({ role }) => role);

  it('lets a new member choose a password and join', async () => {
    const link = await invite();
    const { page, pageErrors } = await follow(link, { timezoneId: 'Asia/Tokyo' });
    await waitForHeading(page, 'Join A shop');
    await expectNoToken(page, link);
    await expectAccessible(page);
    expect(await listSmallControls(page)).toEqual([]);
    expect(await page.locator('dl').textContent()).toMatch(/A shop.*Admin.*\d{4} at \d\d:\d\d:\d\d/);
    expect(await page.locator('time').textContent()).toMatch(/GMT\+9|JST/);
    expect(await page.getByLabel('Email').inputValue()).toBe(GRACE);
    const password = page.getByLabel('Password', { exact: true });
    expect(await password.getAttribute('autocomplete')).toBe('new-password');
    await password.fill('a'.repeat(20));
    await password.press('Enter');
    await page.locator('#password-error').getByText('Avoid repeating the same characters.').waitFor();
    await password.fill(PASSWORD);
    await password.press('Enter');

    await waitForHeading(page, 'Overview');
    expect(await getFocusedId(page)).toBe('H1');
    await expectAccessible(page);
    expect(await rolesOf()).toEqual(['admin']);
    expect((await page.context().cookies()).map(({ name }) => name).sort()).toEqual([
      'gp_device',
      'gp_session',
    ]);
    expect(pageErrors).toEqual([]);
  });

  it('shows its times in a browser with a POSIX locale', async () => {
    const { page, pageErrors } = await follow(await invite(), { before: reportLocale('de_DE@euro') });
    await waitForHeading(page, /A shop/);
    expect(await page.locator('time').textContent()).toMatch(/\d{4} um \d\d:\d\d/);
    expect(pageErrors).toEqual([]);
  });

  it('adds an account with a proved address by its password', async () => {
    await addPerson(harness, GRACE, { workspaceId: team.elsewhere.id });
    const { page, pageErrors } = await follow(await invite('member'));
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('not long');
    await join(page).click();
    await page.locator('#password-error').getByText('Use at least 15 characters.').waitFor();
    expect(await getFocusedId(page)).toBe('password');
    await password.fill(PASSWORD);
    await join(page).click();
    await waitForHeading(page, 'Overview');
    expect(await rolesOf()).toEqual(['member']);
    expect(await harness.service.store.users.listByEmail(GRACE)).toHaveLength(1);
    expect(pageErrors).toEqual([]);
  });

  it('reports an expired invitation, before and after it was read', async () => {
    const link = await invite();
    const { page } = await follow(link);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await invite();
    await join(page).click();
    await waitForHeading(page, 'This invitation is no longer valid');
    const later = await follow(link);
    await waitForHeading(later.page, 'This invitation is no longer valid');
    await expectAccessible(later.page);
  });

  it('offers a retry when the server is unreachable', async () => {
    const link = await invite();
    const { page } = await follow(`${harness.baseUrl}/dashboard/invitation`);
    await page.route('**/api/invitations/read', (route) => route.abort());
    await page.goto(link);
    await page.getByText('Can’t reach the server.').waitFor();
    await page.unroute('**/api/invitations/read');
    await page.getByRole('button', { name: 'Try again' }).click();
    await waitForHeading(page, 'Join A shop');
  });
});
