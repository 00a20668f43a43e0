import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { PASSWORD } from '../support/team.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('members page', () => {
  it('shows an invitation link once and protects the last owner', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings/members');
    const owner = page.getByRole('row', { name: /owner@shop\.example/ });
    await owner.getByText('A workspace needs at least one owner.').waitFor();
    expect(await owner.getByRole('button').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Email' }).fill('admin@shop.example');
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    await page.getByText('This person is already a member.').waitFor();
    await page.getByRole('textbox', { name: 'Email' }).fill('new@shop.example');
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invitation link for new@shop.example' });
    const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
    expect(link).toContain('/dashboard/invitation#token=');
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Withdraw the invitation for new@shop.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('No open invitations.').waitFor();

    await page.getByRole('combobox', { name: 'Role of member@shop.example' }).click();
    await page.getByRole('option', { name: 'Owner' }).click();
    // Making an owner requires a recently confirmed password.
    site.team.harness.clock.advance(11 * 60_000);
    await page.getByRole('dialog').getByRole('button', { name: 'Make owner' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    // As for a request that was sent with the token before the confirmation.
    const refused = {
      error: 'session/unauthorized',
      message: 'Sign in.',
      request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm',
    };
    await page.route(/\/members(\?|$)/, (route) => route.fulfill({ status: 401, json: refused }), {
      times: 1,
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('member@shop.example is now Owner.').waitFor();
    await owner.getByRole('button', { name: 'Leave' }).waitFor();
    await page.getByRole('combobox', { name: 'Role of member@shop.example' }).click();
    await page.getByRole('option', { name: 'Member' }).click();
    await page.getByText('member@shop.example is now Member.').waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('API key and export pages', () => {
  it('shows a key once and rotates it', async () => {
    const memberClient = await site.team.signIn(site.team.as('admin'));
    const { page, pageErrors } = await site.open(memberClient, '/settings/api-keys');
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter a name.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Nightly report');
    await page.getByLabel('Expires on').fill('2099-01-31');
    await page.getByRole('textbox', { name: 'Allowed networks' }).fill('shop.example');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter IP addresses or CIDR blocks').waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Allowed networks' }).fill('127.0.0.1\n2001:db8::/32');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'API key “Nightly report”' });
    const key = await dialog.getByRole('textbox', { name: 'Key' }).inputValue();
    expect(key).toMatch(/^pk_live_/);
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    const done = dialog.getByRole('button', { name: 'Done', disabled: true });
    await done.press('Enter');
    await dialog.getByRole('tooltip', { name: 'Tick the box first.' }).waitFor();
    await dialog.getByRole('checkbox', { name: 'I’ve stored this key' }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: /Nightly report/ })
      .getByText('Never')
      .waitFor();
    await page.getByText('127.0.0.1/32, 2001:db8::/32').waitFor();
    expect(await page.content()).not.toContain(key);

    await page.getByRole('button', { name: 'Actions for Nightly report' }).click();
    await page.getByRole('menuitem', { name: 'Rotate' }).click();
    const rotation = page.getByRole('dialog', { name: 'Rotate “Nightly report”?' });
    await rotation.getByRole('combobox', { name: 'Keep the old key working' }).click();
    await page.getByRole('option', { name: 'Not at all' }).click();
    await rotation.getByRole('button', { name: 'Create new key' }).click();
    await dialog.getByRole('checkbox', { name: 'I’ve stored this key' }).check();
    expect(await dialog.getByRole('textbox', { name: 'Key' }).inputValue()).not.toBe(key);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('switch', { name: 'Show revoked and expired keys' }).check();
    await page
      .getByRole('row', { name: /Nightly report/ })
      .getByText('Expired')
      .waitFor();
    await expectAccessible(page);
    const { json } = await memberClient.get<{ data: { lastFour: string; replacedBy?: string }[] }>(
      '/api-keys',
    );
    const still = json.data.filter(({ replacedBy }) => replacedBy === undefined);
    expect(still).toHaveLength(1);
    expect(still[0]!.lastFour).not.toBe(key.slice(-4));
    expect(pageErrors).toEqual([]);
  });

  it('exports a workspace, and deletes it only after its name was typed', async () => {
    const { team } = site;
    const { elsewhere } = team;
    const memberClient = await team.signIn(team.as('stranger'));
    const { page, pageErrors } = await site.open(memberClient, `//w/${elsewhere.id}/settings/transfer`);
    await page.evaluate('delete window.showSaveFilePicker');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export workspace' }).click();
    const file = await readFile(await (await download).path(), 'utf8');
    const lines = file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines[0]).toMatchObject({ type: 'workspace', id: elsewhere.id });
    expect(lines.at(-1)).toEqual({ type: 'end', lines: lines.length - 1 });
    await page.getByText(`Exported ${lines.length - 1} records to guidepost-`).waitFor();

    await page.getByRole('button', { name: 'Delete workspace' }).click();
    const name = page.getByRole('textbox', { name: 'Workspace name' });
    await name.fill('Some other name');
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByText('The name doesn’t match.').waitFor();
    await expectAccessible(page);
    await name.fill(elsewhere.name);
    team.harness.clock.advance(11 * 60_000);
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Confirm' }).click();
    // The deleted account has no session any more.
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.getByText(`“${elsewhere.name}” was deleted.`).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

describe('account page', () => {
  it('signs out other sessions and changes the password', async () => {
    const { team } = site;
    const memberClient = await team.signIn(team.as('member'));
    await team.signIn(team.as('member'));
    const { page, pageErrors } = await site.open(memberClient, '//account');
    await page.getByText('This device').waitFor();
    await expectAccessible(page);
    await page
      .getByRole('button', { name: /^Sign out on Firefox on Linux/ })
      .first()
      .click();
    await page.getByText('Signed out on that device.').waitFor();
    await page.getByLabel('Current password').fill('a wrong one');
    await page.getByLabel('New password').fill('short');
    const change = page.getByRole('button', { name: 'Change password' });
    await change.click();
    await page.getByText('Use at least 15 characters.').waitFor();
    await expectAccessible(page);
    await page.getByLabel('New password').fill('nine green umbrellas over the harbour');
    await change.click();
    await page.getByText('Incorrect password.').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await change.click();
    await page.getByText('Password changed.').waitFor();
    expect(await page.getByRole('button', { name: /^Sign out on/ }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});
