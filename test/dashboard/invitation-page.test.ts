import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { aServiceForEach, expectNoToken, follow, harness, heading } from '../accounts/following.ts';
import { type Office, officeIn } from '../accounts/office.ts';
import { expectAccessible } from '../fixtures/accessible.ts';
import { addPerson, PASSWORD } from './browser.ts';
import { focused, tooSmall } from './pages-site.ts';

aServiceForEach();

describe('the page of an invitation', () => {
  const GRACE = 'grace@shop.example';
  let office: Office;
  beforeEach(async () => {
    office = await officeIn(harness);
  });

  async function invite(role = 'admin'): Promise<string> {
    const { json } = await office.as('owner').post<{ link: string }>('/invitations', { email: GRACE, role });
    return json.link;
  }
  const join = (page: Page) => page.getByRole('button', { name: 'Join the workspace' });
  const rolesOf = async () =>
    (await harness.service.store.in(office.workspace.id).members.list())
      .filter(({ email }) => email === GRACE)
      .map(({ role }) => role);

  it('lets a new person choose a password and join', async () => {
    const link = await invite();
    const { page, complaints } = await follow(link, { timezoneId: 'Asia/Tokyo' });
    await heading(page, 'Join A shop');
    await expectNoToken(page, link);
    await expectAccessible(page);
    expect(await tooSmall(page)).toEqual([]);
    expect(await page.locator('dl').textContent()).toMatch(/A shop.*Admin.*\d{4} at \d\d:\d\d:\d\d/);
    expect(await page.locator('time').textContent()).toMatch(/GMT\+9|JST/);
    expect(await page.getByLabel('Email address').inputValue()).toBe(GRACE);
    const password = page.getByLabel('New password');
    expect(await password.getAttribute('autocomplete')).toBe('new-password');
    await password.fill('a'.repeat(20));
    await password.press('Enter');
    await page.locator('#password-problem').getByText('It repeats one short piece.').waitFor();
    await password.fill(PASSWORD);
    await password.press('Enter');

    await heading(page, 'Overview');
    expect(await focused(page)).toBe('H1');
    await expectAccessible(page);
    expect(await rolesOf()).toEqual(['admin']);
    expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['gp_session']);
    expect(complaints).toEqual([]);
  });

  it('asks who has an account for its password', async () => {
    await addPerson(harness, GRACE, { workspaceId: office.elsewhere.id });
    const { page, complaints } = await follow(await invite('member'));
    const password = page.getByLabel('Password', { exact: true });
    expect(await password.getAttribute('autocomplete')).toBe('current-password');
    await password.fill('not the one that was chosen');
    await join(page).click();
    await page.locator('#password-problem').getByText('This is not the password of the account.').waitFor();
    expect(await focused(page)).toBe('password');
    await password.fill(PASSWORD);
    await join(page).click();
    await heading(page, 'Overview');
    expect(await rolesOf()).toEqual(['member']);
    expect(complaints).toEqual([]);
  });

  it('asks for the password of an account that was made meanwhile', async () => {
    const { page } = await follow(await invite());
    await page.getByLabel('New password').fill('seven green bicycles sing');
    await addPerson(harness, GRACE, { workspaceId: office.elsewhere.id });
    await join(page).click();
    await page.getByText('This address has an account by now.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await join(page).click();
    await heading(page, 'Overview');
  });

  it('says so when the invitation is void, before and after it was read', async () => {
    const link = await invite();
    const { page } = await follow(link);
    await page.getByLabel('New password').fill(PASSWORD);
    await invite();
    await join(page).click();
    await heading(page, 'This invitation does not work any more');
    const later = await follow(link);
    await heading(later.page, 'This invitation does not work any more');
    await expectAccessible(later.page);
  });

  it('offers another try when the service is out of reach', async () => {
    const link = await invite();
    const { page } = await follow(`${harness.baseUrl}/dashboard/invitation`);
    await page.route('**/api/invitations/read', (route) => route.abort());
    await page.goto(link);
    await page.getByText('The service cannot be reached.').waitFor({ timeout: 15_000 });
    await page.unroute('**/api/invitations/read');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Join A shop');
  });
});
