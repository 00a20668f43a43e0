import { SignJWT } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { expectAccessible } from '../support/browser.ts';
import { ask, type DemoSite, openDemoSite, openPanel, panel, type Visit } from '../support/demo-site.ts';
import { joinAs } from '../support/team.ts';

/** Asking a person through the guide. */

let site: DemoSite;
const visits: Visit[] = [];
beforeAll(async () => {
  site = await openDemoSite({
    settings: { handover: { mode: 'when_needed', answerTime: 'within one working day' } },
  });
});
afterEach(async () => {
  for (const visit of visits.splice(0)) await visit.close();
});
afterAll(() => site.close());

const UNKNOWN = 'Do you sell submarines in Norway?';
const guide = (page: Page) => page.locator('guidepost-guide');
const askPerson = (page: Page) => panel(page).getByRole('button', { name: 'Ask a person' });

test('a visitor without an answer asks a person, and reads the reply when returning', async () => {
  const opened = await site.open({ reducedMotion: 'reduce' });
  visits.push(opened);
  const { page, sent, pageErrors } = opened;
  await openPanel(page);
  await panel(page).getByRole('button', { name: 'Agree' }).click();
  await ask(page, 'How do I take a screenshot?');
  expect(await askPerson(page).count()).toBe(0);
  await ask(page, UNKNOWN);
  await askPerson(page).focus();
  await page.keyboard.press('Enter');

  const form = panel(page).getByRole('region', { name: 'Ask a person' });
  await form.getByText('Expected answer: within one working day').waitFor();
  expect(await form.getByRole('textbox', { name: 'Your message' }).inputValue()).toBe(UNKNOWN);
  await expectAccessible(page, 'guidepost-guide');
  await form.getByRole('textbox', { name: 'Your name (optional)' }).fill('Ada');
  await form.getByRole('textbox', { name: 'Your email address' }).fill('ada@example.com');
  await form.getByText('What is sent').click();
  const conversation = form.locator('.sent').last();
  expect(await conversation.isVisible()).toBe(false);
  await form.getByRole('checkbox', { name: 'Also send this conversation' }).check();
  expect(await conversation.innerText()).toContain('How do I take a screenshot?');
  await expectAccessible(page, 'guidepost-guide');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('Your message has been sent.').waitFor();
  const { handovers } = site.harness.service.store.in(site.workspaceId);
  const [stored] = await handovers.list(1, { state: 'open' });
  const { transcript } = (await handovers.find(stored!.id))!;
  expect(JSON.parse(transcript!).map(({ question }: { question: string }) => question)).toEqual([
    'How do I take a screenshot?',
    UNKNOWN,
  ]);
  expect(sent('/handovers')).toHaveLength(1);

  const reply = {
    ...{ id: newId('hor'), handoverId: stored!.id, text: 'Only <b>yellow</b> ones.' },
    ...{ createdAt: Date.now(), createdBy: newId('mem') },
  };
  const audit = { action: 'handover.replied', subject: stored!.id, details: {} };
  const by = { id: newId('aud'), atMillis: Date.now(), actor: reply.createdBy };
  const nobody = { mail: undefined, payload: undefined as never };
  await handovers.reply(reply, 10, { ...by, ...audit }, nobody);
  await page.reload();
  await openPanel(page);
  await guide(page).getByText('The team answered').waitFor();
  expect(await guide(page).locator('.reply').innerText()).toBe('Only <b>yellow</b> ones.');
  await expectAccessible(page, 'guidepost-guide');
  expect(pageErrors).toEqual([]);
});

test('the guide offers a person after a bad rating and when a visitor asks for one', async () => {
  const opened = await site.open({ reducedMotion: 'reduce' });
  visits.push(opened);
  const { page } = opened;
  await openPanel(page);
  await ask(page, 'How do I take a screenshot?');
  await panel(page).getByRole('button', { name: 'No', exact: true }).click();
  await askPerson(page).waitFor();
  await panel(page).getByRole('button', { name: 'New chat' }).click();
  await ask(page, 'I want to talk to a person');
  await askPerson(page).waitFor();
  expect(await guide(page).locator('.answer .text').innerText()).toContain('people are there for you');
});

test('the form asks a known customer for neither name nor address', async () => {
  const workspace = (await site.harness.service.store.workspaces.find(site.workspaceId))!;
  const owner = await joinAs(site.harness, workspace, 'owner');
  const keys = `/api/tenants/${site.workspaceId}/customer-keys`;
  const { json } = await owner.post<{ secret: string }>(keys, { kind: 'secret' });
  const token = await new SignJWT({ name: 'Ada Lovelace', email: 'ada@example.com' })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject('customer-1')
    .setAudience(workspace.appId)
    .setExpirationTime(Math.floor(site.harness.clock.now() / 1000) + 600)
    .sign(new TextEncoder().encode(json.secret));
  const before = `window.GuidepostSettings = { user: ${JSON.stringify(token)} }`;
  const opened = await site.open({ reducedMotion: 'reduce', before });
  visits.push(opened);
  const { page } = opened;
  await openPanel(page);
  await ask(page, 'I want to talk to a person');
  await askPerson(page).click();
  const form = panel(page).getByRole('region', { name: 'Ask a person' });
  await form.getByRole('textbox', { name: 'Your message' }).fill('My parcel is lost.');
  expect(await form.getByRole('textbox').count()).toBe(1);
  await form.getByText('What is sent').click();
  await form.getByText('ada@example.com').waitFor();
  await expectAccessible(page, 'guidepost-guide');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('Your message has been sent.').waitFor();
  const { handovers } = site.harness.service.store.in(site.workspaceId);
  const [stored] = await handovers.list(1, { state: 'open' });
  expect(stored).toMatchObject({ name: 'Ada Lovelace', email: 'ada@example.com' });
});

test('where the owner always offers a person, a visitor asks one first, and finds the message when returning', async () => {
  const { store } = site.harness.service;
  const { settings } = (await store.workspaces.find(site.workspaceId))!;
  const handover = { ...settings.handover, mode: 'always' as const };
  await store.workspaces.change(site.workspaceId, { settings: { handover } }, site.harness.clock.now());
  site.harness.clock.advance(60_000);
  const opened = await site.open({ reducedMotion: 'reduce' });
  visits.push(opened);
  const { page } = opened;
  await openPanel(page);
  await panel(page).getByRole('button', { name: 'Agree' }).click();
  await askPerson(page).click();
  const form = panel(page).getByRole('region', { name: 'Ask a person' });
  await form.getByRole('textbox', { name: 'Your message' }).fill('Call me.');
  await form.getByRole('textbox', { name: 'Your email address' }).fill('ada@example.com');
  await form.getByRole('button', { name: 'Send' }).click();
  await form.getByText('Your message has been sent.').waitFor();
  await page.keyboard.press('Escape');
  await expect
    .poll(() => page.evaluate('Guidepost.shadowRoot.activeElement.textContent'))
    .toBe('Ask a person');
  await page.reload();
  await openPanel(page);
  await guide(page).getByText('Call me.').waitFor();
  await askPerson(page).waitFor();
});
