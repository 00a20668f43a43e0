import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Harness, openHarness } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { expectError } from '../support/response.ts';
import { addPerson, browserAt } from '../support/signed-in-client.ts';
import { joinUnproved } from '../support/team.ts';

const MINUTE = 60_000;

let server: MailServer;
let harness: Harness;
let address: string;
let count = 0;

beforeAll(async () => {
  server = await openMailServer();
  harness = await openHarness({
    env: { SMTP_URL: server.url, MAIL_FROM: 'guide@shop.example', PUBLIC_URL: 'http://guide.example' },
  });
});
afterAll(async () => {
  await harness.close();
  await server.close();
});
beforeEach(async () => {
  // Requests are rate-limited by network.
  harness.clock.advance(61 * MINUTE);
  server.mails.length = 0;
  count += 1;
  address = `ada${count}@shop.example`;
  await addPerson(harness, address);
});

type Browser = ReturnType<typeof browserAt>;

async function signIn(email = address): Promise<Browser> {
  const browser = browserAt(harness);
  expect((await browser.signIn(email)).status).toBe(200);
  return browser;
}

async function sendAll(): Promise<void> {
  harness.clock.advance(1_000);
  await harness.service.tick();
}

const request = (browser: Browser, email: string) => browser.post('/api/email-changes', { email });
const confirm = (browser: Browser, token: string) => browser.put('/api/email-changes', { token });

/** Requests a change and returns the token of the mail to the new address. */
async function receiveToken(browser: Browser, email: string): Promise<string> {
  expect((await request(browser, email)).status).toBe(202);
  await sendAll();
  const mail = server.mailsTo(email).at(-1)!;
  return /guide\.example\/dashboard\/account#token=([\w.-]+)/.exec(mail.text!)![1]!;
}

it('changes the address once its link is opened, ends other sessions, and tells the earlier address', async () => {
  const [browser, other] = [await signIn(), await signIn()];
  const renamed = `lovelace${count}@shop.example`;
  const token = await receiveToken(browser, renamed);
  expect((await browser.get('/api/session')).json).toMatchObject({ email: address });
  expect((await confirm(browser, token)).json).toEqual({ email: renamed });
  expect((await browser.get('/api/session')).json).toMatchObject({ email: renamed });
  expectError(await other.get('/api/session'), 'session/unauthorized');
  expectError(await browserAt(harness).signIn(address), 'session/wrong_credentials');
  await signIn(renamed);
  await sendAll();
  expect(server.mails.map(({ subject }) => subject)).toContain(
    'The email address of your Guidepost account was changed',
  );
  expect(server.recipients).toContainEqual([address]);
  const [row] = (await harness.service.store.in(harness.workspace.id).audit.list(20)).filter(
    ({ action }) => action === 'email.changed',
  );
  expect(row).toMatchObject({ device: 'Firefox on Linux' });
  expectError(await confirm(browser, token), 'email_change/not_found');
});

it('rejects a link after thirty minutes, a changed one and that of another account', async () => {
  const browser = await signIn();
  const token = await receiveToken(browser, `new${count}@shop.example`);
  const stranger = `eve${count}@shop.example`;
  await addPerson(harness, stranger);
  expectError(await confirm(await signIn(stranger), token), 'email_change/not_found');
  expectError(await confirm(browser, `${token}x`), 'email_change/not_found');
  harness.clock.advance(30 * MINUTE);
  expectError(await confirm(browser, token), 'email_change/not_found');
  expect((await browser.get('/api/session')).json).toMatchObject({ email: address });
});

it('rejects an address that has a proved account, which the request does not tell', async () => {
  const browser = await signIn();
  const taken = `taken${count}@shop.example`;
  await addPerson(harness, taken);
  const token = await receiveToken(browser, taken);
  expectError(await confirm(browser, token), 'email_change/not_available');
  expect((await browser.get('/api/session')).json).toMatchObject({ email: address });
});

it('accepts an address that has only an unproved account of an invitation', async () => {
  const invited = `invited${count}@shop.example`;
  await joinUnproved(harness, harness.workspace, invited);
  const browser = await signIn();
  expect((await confirm(browser, await receiveToken(browser, invited))).status).toBe(200);
  const [first, second] = await harness.service.store.users.listByEmail(invited);
  expect(first?.addressProvedAt).toBeDefined();
  expect(second?.workspaceId).toBe(harness.workspace.id);
});

it('asks for the password before the mail if it was not confirmed lately', async () => {
  const browser = await signIn();
  harness.clock.advance(11 * MINUTE);
  expectError(await request(browser, `late${count}@shop.example`), 'session/password_needed');
});

it('says so where the service sends no mail', async () => {
  const silent = await openHarness();
  await addPerson(silent, address);
  const browser = browserAt(silent);
  await browser.signIn(address);
  expectError(await request(browser, 'new@shop.example'), 'mail/not_configured');
  await silent.close();
});
