import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { openReceiver, type Receiver } from '../support/webhook-receiver.ts';

let site: AppSite;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await openReceiver();
  site = await openAppSite({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } });
});
afterEach(() => site.leave());
afterAll(async () => {
  await site.close();
  await receiver.close();
});

it('the webhooks page creates a webhook, tests it, shows its log and sends an event again', async () => {
  const { page, pageErrors } = await site.open('owner', '/settings/webhooks');
  const { service } = site.team.harness;
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const form = page.getByRole('dialog', { name: 'Create webhook' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Help desk');
  await form.getByRole('textbox', { name: 'Address' }).fill('https://10.0.0.1/hooks');
  await form.getByRole('button', { name: 'Create webhook' }).click();
  await form.getByText('Enter an https address of a public server').waitFor();
  await form.getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await form.getByRole('checkbox', { name: 'Article published' }).check();
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Create webhook' }).click();
  const shown = page.getByRole('dialog', { name: 'Secret of “Help desk”' });
  const secret = await shown.getByRole('textbox', { name: 'Secret' }).inputValue();
  receiver.trust(secret);
  await shown.getByRole('checkbox', { name: 'I’ve stored this secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row', { name: /Help desk/ });
  await row.getByText('Question without an answer').waitFor();
  expect(await page.content()).not.toContain(secret);
  await expectAccessible(page);

  const act = async (name: string) => {
    await row.getByRole('button', { name: 'Actions for Help desk' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await act('Send a test event');
  const log = page.getByRole('dialog', { name: 'Log of Help desk' });
  await service.tick();
  await log.getByText('Delivered').waitFor();
  await log.getByText('Response: status 200').waitFor();
  await log.getByText('Payload and response').click();
  await log.getByText('"webhook.test"').waitFor();
  await log.getByText('thanks').waitFor();
  await expectAccessible(page);
  receiver.answerWith((response) => response.writeHead(410).end());
  await log.getByRole('button', { name: 'Send again: Test' }).click();
  await page.getByText('The event is sent again.').waitFor();
  await service.tick();
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id);
  await page.keyboard.press('Escape');
  await page.getByText('“Help desk” is paused').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await row.getByText('Active').waitFor();

  await act('Rotate secret');
  await page.getByRole('button', { name: 'Create new secret' }).click();
  const rotated = await shown.getByRole('textbox', { name: 'Secret' }).inputValue();
  expect(rotated).not.toBe(secret);
  await shown.getByRole('checkbox', { name: 'I’ve stored this secret' }).check();
  await shown.getByRole('button', { name: 'Done' }).click();
  await act('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhooks yet').waitFor();
  expect(pageErrors).toEqual([]);
});
