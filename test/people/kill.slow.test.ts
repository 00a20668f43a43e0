import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ORIGIN } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import {
  boot,
  createPlace,
  dashboardHeaders,
  EMAIL,
  end,
  killAll,
  PASSWORD,
  type Place,
  post,
  type Server,
  serve,
  signIn,
} from '../support/service-process.ts';
import { openReceiver, type Receiver } from '../support/webhook-receiver.ts';

/**
 * `kill -9` ends the server while it takes questions to a person and replies to them, invites people and mails password
 * links, while it sends mails, the weekly ones too, and while it sends webhooks.
 */

const QUESTIONS = 24;
const SECRET = 'password-of-the-provider-in-a-test';
const TYPES = ['handover.created', 'handover.replied'];

let mails: MailServer;
let receiver: Receiver;
let place: Place;
/** Resolves once the server runs again. */
let server: Promise<Server>;
let kills = 0;
let cookie = '';
beforeAll(async () => {
  [mails, receiver, place] = await Promise.all([openMailServer(), openReceiver(), createPlace()]);
});
afterAll(async () => {
  killAll();
  await mails.close();
  await receiver.close();
});

/** Makes the process think that it is half an hour after the weekly mail is due. */
let clockOptions: { NODE_OPTIONS?: string } = {};
function moveToMonday(): void {
  const week = 7 * 24 * 3_600_000;
  const monday = Date.UTC(1970, 0, 5, 6, 30);
  const offset = week - ((Date.now() - monday) % week);
  const code = `const now=Date.now;Date.now=()=>now()+${offset};`;
  clockOptions = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

const open = () =>
  serve(place.dataDir, {
    ...clockOptions,
    LOG_LEVEL: 'silent',
    WEBHOOK_NETWORKS: '127.0.0.0/8',
    SMTP_URL: mails.url,
    MAIL_FROM: 'guide@shop.example',
    MAIL_INBOUND_DOMAIN: 'reply.shop.example',
    MAIL_INBOUND_SECRET: SECRET,
  });

/** Resolves once the process has ended; another one starts. */
function kill(): Promise<unknown> {
  kills += 1;
  const ended = server.then((running) => end(running, 'SIGKILL'));
  server = ended.then(open);
  return ended;
}

/** Sends a request until it gets an answer with a body. */
async function insist<T>(send: (running: Server) => Promise<Response>): Promise<T> {
  for (;;) {
    const running = await server;
    const response = await send(running).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response && text !== undefined) {
      expect(response.status, text).toBeLessThan(300);
      return JSON.parse(text) as T;
    }
    await pause(50);
  }
}

async function prepare(): Promise<void> {
  const running = await server;
  const headers = await signIn(running);
  cookie = headers.cookie!;
  const base = `/api/tenants/${place.tenantId}`;
  const handover = { mode: 'always', email: 'desk@shop.example' };
  expect((await post(running, base, { handover }, headers, 'PATCH')).status).toBe(200);
  const webhook = { name: 'Desk', url: receiver.url, events: TYPES };
  const created = await post(running, `${base}/webhooks`, webhook, headers);
  expect(created.status).toBe(201);
  receiver.trust(((await created.json()) as { secret: string }).secret);
}

/** Sends a question as a visitor and returns its id. */
async function ask(at: number): Promise<string> {
  const visitor = await boot(await server, place.appId).catch(async () => boot(await server, place.appId));
  const form = { message: `Question ${at}`, email: `visitor-${at}@example.com`, shown_seconds: 20 };
  const headers = { authorization: `Bearer ${visitor.jwt}`, 'idempotency-key': `question-${at}` };
  const body = { ...form, url: `${ORIGIN}/`, locale: 'en' };
  const sent = await insist<{ handover_id: string }>((running) => post(running, '/handovers', body, headers));
  return sent.handover_id;
}

/** Posts the answer of the desk to the mail about a question. */
function answer(id: string, at: number) {
  const mail = mails.mails.find(({ text }) => text?.includes(id))!;
  const headers = { authorization: `Basic ${btoa(`guidepost:${SECRET}`)}` };
  const body = {
    MessageID: `answer-${at}`,
    OriginalRecipient: mail.replyTo!.value[0]!.address,
    FromFull: { Email: 'ana@shop.example' },
    TextBody: `Answer ${at}`,
  };
  return insist<{ outcome: string }>((running) => post(running, '/mail/inbound', body, headers));
}

/** Reads something as the owner, who stays signed in; undefined while no server answers. */
async function readAsOwner<T>(path: string): Promise<T | undefined> {
  const running = await server;
  const headers = { ...dashboardHeaders(running), cookie };
  const response = await fetch(`${running.baseUrl}${path}`, { headers }).catch(() => undefined);
  return response?.ok ? ((await response.json().catch(() => undefined)) as T | undefined) : undefined;
}

/** Sends something as people do who got no response: looks first whether it has arrived. */
async function sendAsOwner<T>(seen: string, hasArrived: (found: T) => boolean, path: string, body: object) {
  for (;;) {
    const found = await readAsOwner<T>(seen);
    if (found && hasArrived(found)) return;
    const running = await server;
    const headers = { ...dashboardHeaders(running), cookie };
    if (found) await post(running, path, body, headers).catch(() => undefined);
    else await pause(50);
  }
}

/** Answers a question in the dashboard. */
async function reply(id: string, at: number): Promise<string> {
  const path = `/api/tenants/${place.tenantId}/handovers/${id}`;
  type Found = { replies: object[] };
  await sendAsOwner<Found>(path, ({ replies }) => replies.length > 0, `${path}/replies`, {
    text: `Answer ${at}`,
  });
  return 'stored';
}

async function invite(email: string): Promise<void> {
  const path = `/api/tenants/${place.tenantId}/invitations`;
  type Found = { data: { email: string }[] };
  const isOpen = ({ data }: Found) => data.some((invitation) => invitation.email === email);
  await sendAsOwner<Found>(path, isOpen, path, { email, role: 'member' });
}

/** Accepts an invitation with the link of its mail. */
async function accept(email: string): Promise<void> {
  const [, token] = /#token=([\w-]+)/.exec(mails.mailsTo(email)[0]!.text!)!;
  const running = await server;
  const path = '/api/invitations/accept';
  const joined = await post(running, path, { token, password: PASSWORD }, dashboardHeaders(running));
  expect(joined.status).toBe(200);
}

const areAllSent = () => countRows("SELECT count(*) FROM mails WHERE state <> 'sent'") === 0;

const eventsOf = (type: string, id: string) =>
  receiver.received.filter(({ event }) => event.type === type && (event.data as { id: string }).id === id);

it('kill -9 loses no question, reply, mail or event, and sends none twice without the same id', {
  timeout: 300_000,
}, async () => {
  server = open();
  await prepare();

  const asking = Array.from({ length: QUESTIONS }, async (_, at) => {
    await pause(20 * at);
    const id = await ask(at);
    if (at === 4 || at === 12) void kill();
    return id;
  });
  await pause(100);
  // The mail has arrived, and the service does not know.
  mails.onNext(kill);
  const ids = await Promise.all(asking);
  expect(new Set(ids).size).toBe(QUESTIONS);
  const isKnownToDesk = () =>
    ids.every((id) => mails.mailsTo('desk@shop.example').some(({ text }) => text?.includes(id)));
  await expect.poll(isKnownToDesk, WAIT).toBe(true);

  // The receiver has the event, and the service does not know.
  receiver.answerWith((response, { event }) => {
    response.destroy();
    if (event.type !== 'handover.replied') return;
    receiver.answerWith(undefined);
    void kill();
  });
  const answering = ids.map(async (id, at) => {
    await pause(20 * at);
    const outcome = at % 2 === 0 ? (await answer(id, at)).outcome : await reply(id, at);
    if (at === 6) void kill();
    if (at === 12) mails.onNext(kill);
    return outcome;
  });
  for (const outcome of await Promise.all(answering)) expect(outcome).toMatch(/^(?:stored|repeated)$/);
  const hasAll = () =>
    ids.every(
      (id, at) =>
        TYPES.every((type) => eventsOf(type, id).length > 0) &&
        mails.mailsTo(`visitor-${at}@example.com`).length > 0,
    );
  await expect.poll(hasAll, WAIT).toBe(true);

  mails.onNext(kill);
  const invited = ['ines@shop.example', 'noor@shop.example', 'omar@shop.example'];
  await Promise.all([
    ...invited.map(invite),
    insist((running) => post(running, '/api/password-resets', { email: EMAIL }, dashboardHeaders(running))),
  ]);
  const areMailed = () => [...invited, EMAIL].every((email) => mails.mailsTo(email).length > 0);
  await expect.poll(areMailed, WAIT).toBe(true);
  await expect.poll(areAllSent, WAIT).toBe(true);

  for (const email of invited) await accept(email);
  await expect.poll(areAllSent, WAIT).toBe(true);
  moveToMonday();
  const isWeekly = ({ subject }: { subject?: string | undefined }) => subject === 'The week in A shop';
  await kill();
  mails.onNext(kill);
  const members = [EMAIL, ...invited];
  const haveWeekly = () => members.every((email) => mails.mailsTo(email).some(isWeekly));
  await expect.poll(haveWeekly, WAIT).toBe(true);
  await expect.poll(areAllSent, WAIT).toBe(true);
  await end(await server, 'SIGKILL');

  expect(kills).toBe(9);
  // Each mail that was queued has arrived, under its own id alone.
  const sent = new Set(mails.mails.map(({ messageId }) => messageId));
  expect(sent.size).toBe(countRows('SELECT count(*) FROM mails'));
  // Those that had arrived when the service was killed came again.
  expect(mails.mails.length).toBeGreaterThan(2 * QUESTIONS);
  expect(receiver.received.length).toBeGreaterThan(2 * QUESTIONS);
  for (const email of members)
    expect(
      new Set(
        mails
          .mailsTo(email)
          .filter(isWeekly)
          .map(({ messageId }) => messageId),
      ).size,
    ).toBe(1);
  expect(mails.mails.filter(isWeekly).length).toBeGreaterThan(members.length);
  for (const [at, id] of ids.entries()) {
    const copies = [
      mails.mailsTo('desk@shop.example').filter(({ text }) => text?.includes(id)),
      mails.mailsTo(`visitor-${at}@example.com`),
    ];
    for (const of of copies) expect(new Set(of.map(({ messageId }) => messageId)).size).toBe(1);
    for (const type of TYPES) expect(new Set(eventsOf(type, id).map((one) => one.id)).size).toBe(1);
  }
  expect(receiver.refused).toEqual([]);
  const database = new Database(join(place.dataDir, 'guidepost.db'), { readonly: true });
  const count = (table: string) => countRows(`SELECT count(*) FROM ${table}`);
  expect([count('handovers'), count('handover_replies'), count('webhook_events')]).toEqual([
    QUESTIONS,
    QUESTIONS,
    2 * QUESTIONS,
  ]);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});

function countRows(sql: string): unknown {
  const database = new Database(join(place.dataDir, 'guidepost.db'), { readonly: true });
  try {
    return database.prepare(sql).pluck().get();
  } finally {
    database.close();
  }
}

const WAIT = { timeout: 120_000, interval: 100 };
