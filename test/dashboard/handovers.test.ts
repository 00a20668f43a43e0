import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { type FakeModel, openFakeModel } from '../support/fake-model/fake-model.ts';
import { ORIGIN } from '../support/harness.ts';
import { KNOWN, sendMessage, visit } from '../support/visitor-actions.ts';

let site: AppSite;
let model: FakeModel;
beforeAll(async () => {
  model = await openFakeModel();
  model.says('The visitor cannot reset a password.');
  site = await openAppSite({
    env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare', ...model.env() },
    settings: { handover: { mode: 'when_needed' } },
  });
});
afterEach(() => site.leave());
afterAll(async () => {
  await site.close();
  await model.close();
});

/** Sends two messages, the newer one with a part of the conversation. */
beforeAll(async () => {
  const { team } = site;
  const visitor = await visit(team);
  const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
  const form = { email: 'ada@example.com', url: `${ORIGIN}/orders`, locale: 'en', shown_seconds: 20 };
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  const shared = { conversation_id: 'c1', transcript: [messageId], name: 'Ada' };
  for (const json of [
    { ...form, message: 'Where is my parcel?' },
    { ...form, ...shared, message: 'I get <b>no</b> link.' },
  ]) {
    team.harness.clock.advance(1000);
    expect((await team.harness.fetch('/handovers', { json, headers })).status).toBe(201);
  }
});

it('handovers are assigned, answered and noted beside their list, with keys', async () => {
  const { page, pageErrors } = await site.open('member', '/handovers');
  const rows = page.getByRole('list', { name: 'Handovers' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(2);
  const detail = page.locator('.detail-pane');
  await detail.getByText('I get <b>no</b> link.').waitFor();
  await detail.getByText(KNOWN).waitFor();
  await detail.getByText('The visitor cannot reset a password.').first().waitFor();
  await expectAccessible(page);
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('a');
  await detail.getByRole('button', { name: /^Assign: You/ }).waitFor();
  await detail.getByRole('textbox', { name: 'New note' }).fill('Check the mail server.');
  await detail.getByRole('button', { name: 'Add note' }).click();
  await detail.getByRole('list', { name: 'Notes' }).getByText('Check the mail server.').waitFor();
  await detail.getByRole('textbox', { name: 'Your reply' }).fill('We have sent it again.');
  await detail.getByRole('button', { name: 'Send reply' }).click();
  await expect.poll(() => rows.count()).toBe(1);
  await detail.getByText('We have sent it again.').waitFor();
  await rows.first().getByRole('button').click();
  await detail.getByText('Where is my parcel?').waitFor();
  await page.keyboard.press('e');
  await page.getByText('Nobody is waiting for an answer.').waitFor();
  await page.getByText('Answered', { exact: true }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await detail
    .getByText('We have sent it again.')
    .or(detail.getByText('Where is my parcel?'))
    .first()
    .waitFor();
  await expectAccessible(page);
  expect(pageErrors).toEqual([]);
});
