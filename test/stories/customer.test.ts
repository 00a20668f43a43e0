import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SignJWT } from 'jose';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SignInSettings } from '../../contract/identity-providers.ts';
import { waitForHeading } from '../support/app-site.ts';
import { type DemoSite, openDemoSite, type Visit } from '../support/demo-site.ts';
import { txtRecords } from '../support/harness.ts';
import { CLIENT, type IdentityProvider, openIdentityProvider } from '../support/identity-provider.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { addAuthenticator } from '../support/second-factors.ts';
import { joinAs, type MemberClient, openSessionOf } from '../support/team.ts';
import { openReceiver, type Receiver } from '../support/webhook-receiver.ts';

/**
 * A customer whom the guide cannot help, from the question to the erasure. Mail, webhooks and sign-in end at real servers of
 * packages.
 */

const SUB = 'customer-4711';
const EMAIL = 'eleni@kunde.example';
const NAME = 'Eleni Papadaki';
const QUESTION = 'Πουλάτε υποβρύχια στη Νορβηγία;';
const NEXT_QUESTION = 'Και ελικόπτερα;';
const REPLY = 'Μόνο κίτρινα.';
const OWNER = 'owner@corp.example';
const INBOUND = { domain: 'reply.corp.example', secret: 'password-of-the-provider-in-a-test' };

let site: DemoSite;
let owner: MemberClient;
let mail: MailServer;
let desk: Receiver;
let provider: IdentityProvider;
let publicUrl: string;
let dashboardUrl: string;
const visits: Visit[] = [];

beforeAll(async () => {
  [mail, desk] = await Promise.all([openMailServer(), openReceiver()]);
  // Passkeys take no IP address, so the service has a name, which must be known before the service starts.
  const port = await findFreePort();
  publicUrl = `http://localhost:${port}`;
  dashboardUrl = `${publicUrl}/dashboard`;
  provider = await openIdentityProvider(`${dashboardUrl}/sign-in/callback`);
  provider.people.set('owner', { email: OWNER, email_verified: true });
  site = await openDemoSite({
    settings: {
      allowedOrigins: [publicUrl],
      handover: { mode: 'when_needed', email: 'desk@corp.example' },
    },
    env: {
      ...{ PORT: `${port}`, PUBLIC_URL: publicUrl },
      ...{ SOURCE_NETWORKS: '127.0.0.0/8', WEBHOOK_NETWORKS: '127.0.0.0/8' },
      ...{ SMTP_URL: mail.url, MAIL_FROM: 'Guidepost <guide@corp.example>' },
      ...{ MAIL_INBOUND_DOMAIN: INBOUND.domain, MAIL_INBOUND_SECRET: INBOUND.secret },
    },
  });
  const workspace = (await site.harness.service.store.workspaces.find(site.workspaceId))!;
  owner = await joinAs(site.harness, workspace, 'owner', OWNER);
});
afterAll(async () => {
  for (const visit of visits) await visit.close();
  await Promise.all([site.close(), mail.close(), desk.close(), provider.close()]);
});

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function open(options: Parameters<DemoSite['open']>[0]): Promise<Page> {
  const visit = await site.open({ reducedMotion: 'reduce', ...options });
  visits.push(visit);
  return visit.page;
}

/** Opens the site as its signed-in customer, on a device of their own. */
async function visitAsCustomer(secret: string): Promise<Page> {
  const token = await new SignJWT({ sub: SUB, name: NAME, email: EMAIL, aud: 'gp_demo' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime(Math.floor(site.harness.clock.now() / 1000) + 600)
    .sign(new TextEncoder().encode(secret));
  const html = (text: string) => text.replace('data-gp-app=', `data-gp-user="${token}" data-gp-app=`);
  const page = await open({ address: `${publicUrl}/demo`, locale: 'el-GR', html });
  await page.getByRole('button', { name: 'Άνοιγμα του οδηγού' }).click();
  await page.locator('guidepost-guide .log:not([aria-busy])').waitFor();
  return page;
}

/** Sends what waits: mails and webhooks. */
async function deliver(): Promise<void> {
  site.harness.clock.advance(1_000);
  await site.harness.service.tick();
}

async function answerByMail(): Promise<void> {
  const { replyTo, text } = mail.mails.find(({ to }) => JSON.stringify(to).includes('desk@corp.example'))!;
  const [{ address } = {}] = replyTo!.value;
  expect(text).toContain(QUESTION);
  const posted = await site.harness.fetch('/mail/inbound', {
    headers: { authorization: `Basic ${btoa(`guidepost:${INBOUND.secret}`)}` },
    json: {
      FromFull: { Email: 'ana@corp.example', Name: 'Ana', MailboxHash: '' },
      ToFull: [{ Email: address, Name: '', MailboxHash: '' }],
      OriginalRecipient: address,
      MessageID: '22c74902-a0c1-4511-804f-341342852c90',
      TextBody: `${REPLY}\r\n\r\n> ${text!.replaceAll('\n', '\n> ')}`,
      Headers: [],
      Attachments: [],
    },
  });
  expect(await posted.json()).toEqual({ outcome: 'stored' });
}

async function setProvider(): Promise<void> {
  const fresh = await openSessionOf(site.harness, owner);
  const path = `/api/tenants/${site.workspaceId}/identity-provider`;
  const settings = {
    ...{ ...CLIENT, issuer: provider.issuer, mode: 'optional', defaultRole: 'member' },
    ...{ groupsClaim: 'groups', groupRoles: [], domains: ['corp.example'] },
  };
  const { json } = await fresh.put<SignInSettings>(path, settings);
  const { domain, record } = json.domains[0]!;
  txtRecords.set(record.name, record.value);
  expect((await fresh.post(`${path}/domains/proofs`, { domain })).status).toBe(200);
}

/** Signs the owner in at the identity provider, who then adds a passkey and signs in with it. */
async function signInAsOwner(): Promise<Page> {
  await setProvider();
  const page = await open({ address: `${dashboardUrl}/sign-in` });
  await addAuthenticator(page);
  await page.getByLabel('Email').fill(OWNER);
  await page.getByRole('button', { name: 'Sign in with single sign-on' }).click();
  await page.getByRole('link', { name: 'owner' }).click();
  await waitForHeading(page, 'Overview');
  await page.goto(`${dashboardUrl}/account`);
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Laptop');
  await page.keyboard.press('Enter');
  const codes = page.getByRole('dialog', { name: 'Keep your recovery codes' });
  await codes.getByRole('checkbox').check();
  await codes.getByRole('button', { name: 'Done' }).click();
  await codes.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  // The browser fills the passkey in.
  await waitForHeading(page, 'Overview');
  return page;
}

async function eraseCustomer(page: Page): Promise<void> {
  await page.goto(`${dashboardUrl}/w/${site.workspaceId}/settings/customers`);
  await page.getByRole('textbox', { name: 'Id of the customer' }).fill(SUB);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('button', { name: 'Erase' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
  await page.getByText('Data erased.').waitFor();
}

/** Returns the tables in which a text occurs. */
function findInDatabase(...texts: string[]): string[] {
  const database = new Database(join(site.harness.dataDir, 'guidepost.db'), { readonly: true });
  try {
    const tables = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
      .pluck()
      .all() as string[];
    return tables.filter((table) => {
      const rows = database.prepare(`SELECT * FROM "${table}"`).raw().all() as unknown[][];
      const content = rows.map((row) => row.map(String).join('\n')).join('\n');
      return texts.some((text) => content.includes(text));
    });
  } finally {
    database.close();
  }
}

test('a known customer whom the guide cannot help is answered by mail, and erased without a trace', async () => {
  const admin = await openSessionOf(site.harness, owner);
  const base = `/api/tenants/${site.workspaceId}`;
  const { json: key } = await admin.post<{ secret: string }>(`${base}/customer-keys`, {
    kind: 'secret',
  });
  const events = ['handover.created', 'handover.replied', 'consent.erased'];
  const webhook = { name: 'Help desk', url: desk.url, events };
  desk.trust((await admin.post<{ secret: string }>(`${base}/webhooks`, webhook)).json.secret);

  const phone = await visitAsCustomer(key.secret);
  // What is not kept does not follow the customer, nor what was asked before.
  const agree = phone.getByRole('button', { name: 'Συμφωνώ' });
  await agree.click();
  await agree.waitFor({ state: 'detached' });
  await phone.getByLabel('Η ερώτησή σας', { exact: true }).fill(QUESTION);
  await phone.keyboard.press('Enter');
  await phone.getByRole('button', { name: 'Ρωτήστε έναν άνθρωπο' }).click();
  const form = phone.getByRole('region', { name: 'Ρωτήστε έναν άνθρωπο' });
  await form.getByRole('textbox', { name: 'Το μήνυμά σας' }).waitFor();
  // The token has the name and the address.
  expect(await form.getByRole('textbox').count()).toBe(1);
  await form.getByRole('button', { name: 'Αποστολή' }).click();
  await form.getByText('Το μήνυμά σας στάλθηκε.').waitFor();
  await deliver();
  await expect
    .poll(() => desk.received.map(({ event }) => event))
    .toMatchObject([{ type: 'handover.created', data: { name: NAME, email: EMAIL, message: QUESTION } }]);

  await answerByMail();
  await deliver();
  expect(mail.recipients.at(-1)).toEqual([EMAIL]);
  const laptop = await visitAsCustomer(key.secret);
  await laptop.getByText('Η ομάδα απάντησε').waitFor();
  expect(await laptop.locator('guidepost-guide .reply').innerText()).toBe(REPLY);
  const turns = laptop.locator('.turn:not(.thread)');
  await turns.getByText(QUESTION).waitFor();
  await laptop.getByLabel('Η ερώτησή σας', { exact: true }).fill(NEXT_QUESTION);
  await laptop.keyboard.press('Enter');
  await turns.nth(1).getByRole('button', { name: 'Ρωτήστε έναν άνθρωπο' }).waitFor();
  const asked = await admin.get<{ data: object[] }>(`${base}/conversations`);
  expect(asked.json.data).toMatchObject([{ turns: 2, firstMessage: QUESTION }]);

  const dashboard = await signInAsOwner();
  await dashboard.goto(`${dashboardUrl}/w/${site.workspaceId}/handovers`);
  await dashboard.getByText('Answered', { exact: true }).first().click();
  await dashboard.locator('.detail-pane').getByText(REPLY).waitFor();
  await dashboard.locator('.detail-pane').getByText(NAME).first().waitFor();
  await dashboard.getByRole('link', { name: 'All conversations of this visitor' }).click();
  await dashboard.getByRole('link', { name: QUESTION }).waitFor();
  expect(findInDatabase(QUESTION, REPLY, NAME, EMAIL)).toContain('handovers');
  await eraseCustomer(dashboard);
  await deliver();
  await expect.poll(() => desk.received.at(-1)!.event.type).toBe('consent.erased');
  expect(findInDatabase(SUB, QUESTION, NEXT_QUESTION, REPLY, NAME, EMAIL)).toEqual([]);
  expect(desk.refused).toEqual([]);
});
