import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTeamOn, type Team } from '../accounts/team.ts';
import { expectAccessible, reportLocale } from '../fixtures/browser.ts';
import { addPerson, PASSWORD } from './browser.ts';
import { aServiceForEach, expectNoToken, focused, follow, harness, heading, tooSmall } from './pages-site.ts';

aServiceForEach();

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
    const { page, complaints } = await follow(link, { timezoneId: 'Asia/Tokyo' });
    await heading(page, 'Join A shop');
    await expectNoToken(page, link);
    await expectAccessible(page);
    expect(await tooSmall(page)).toEqual([]);
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

    await heading(page, 'Overview');
    expect(await focused(page)).toBe('H1');
    await expectAccessible(page);
    expect(await rolesOf()).toEqual(['admin']);
    expect((await page.context().cookies()).map(({ name }) => name).sort()).toEqual([
      'gp_device',
      'gp_session',
    ]);
    expect(complaints).toEqual([]);
  });

  it('shows its times in a browser with a POSIX locale', async () => {
    const { page, complaints } = await follow(await invite(), { before: reportLocale('de_DE@euro') });
    await heading(page, /A shop/);
    expect(await page.locator('time').textContent()).toMatch(/\d{4} um \d\d:\d\d/);
    expect(complaints).toEqual([]);
  });

  it('adds an account with a proved address by its password', async () => {
    await addPerson(harness, GRACE, { workspaceId: team.elsewhere.id });
    const { page, complaints } = await follow(await invite('member'));
    const password = page.getByLabel('Password', { exact: true });
    await password.fill('not long');
    await join(page).click();
    await page.locator('#password-error').getByText('Use at least 15 characters.').waitFor();
    expect(await focused(page)).toBe('password');
    await password.fill(PASSWORD);
    await join(page).click();
    await heading(page, 'Overview');
    expect(await rolesOf()).toEqual(['member']);
    expect(await harness.service.store.users.listByEmail(GRACE)).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  it('reports an expired invitation, before and after it was read', async () => {
    const link = await invite();
    const { page } = await follow(link);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await invite();
    await join(page).click();
    await heading(page, 'This invitation is no longer valid');
    const later = await follow(link);
    await heading(later.page, 'This invitation is no longer valid');
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
    await heading(page, 'Join A shop');
  });
});
