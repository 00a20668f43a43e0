import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import { MIB } from '../../contract/limits/units.ts';
import type { Visitor } from '../support/decisions.ts';
import { ORIGIN, openHarness } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { readResponse } from '../support/response.ts';
import type { Team } from '../support/team.ts';
import { openShop, visit } from '../support/visitor-actions.ts';

/** Replies by mail, as Postmark posts them. */

const SECRET = 'password-of-the-provider-in-a-test';
const DOMAIN = 'reply.shop.example';

let server: MailServer;
let team: Team;
let visitor: Visitor;
/** The signed address of the handover, from the mail to the desk. */
let address: string;
let id: string;

beforeEach(async () => {
  server = await openMailServer();
  team = await openShop({
    settings: { handover: { mode: 'when_needed', email: 'desk@shop.example' } },
    env: {
      ...{ TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare' },
      ...{ SMTP_URL: server.url, MAIL_FROM: 'Guidepost <guide@shop.example>' },
      ...{ MAIL_INBOUND_DOMAIN: DOMAIN, MAIL_INBOUND_SECRET: SECRET },
    },
  });
  visitor = await visit(team);
  const form = { message: 'Where is it?', name: 'Ada', email: 'ada@example.com' };
  const json = { ...form, url: `${ORIGIN}/orders`, locale: 'de', shown_seconds: 20 };
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  const asked = await readResponse<{ handover_id: string }>(
    team.harness.fetch('/handovers', { json, headers }),
  );
  id = asked.json.handover_id;
  await sendMails();
  address = server.mails[0]!.replyTo!.value[0]!.address!;
});
afterEach(async () => {
  await team.close();
  await server.close();
});

async function sendMails(): Promise<void> {
  team.harness.clock.advance(1000);
  await team.harness.service.tick();
}

type Headers = { Name: string; Value: string }[];
type Mail = { TextBody?: string; HtmlBody?: string; Headers?: Headers } & Record<string, unknown>;

/** What Postmark posts, with the fields that nobody reads. */
const toPosted = (mail: Mail) => ({
  FromName: 'Ana',
  MessageStream: 'inbound',
  From: 'ana@shop.example',
  FromFull: { Email: 'ana@shop.example', Name: 'Ana', MailboxHash: '' },
  To: address,
  ToFull: [{ Email: address, Name: '', MailboxHash: '' }],
  Cc: '',
  CcFull: [],
  Bcc: '',
  BccFull: [],
  OriginalRecipient: address,
  Subject: 'Re: Ada fragt: A shop',
  MessageID: '22c74902-a0c1-4511-804f-341342852c90',
  ReplyTo: '',
  MailboxHash: '',
  Date: 'Sat, 28 Nov 2026 16:59:01 +0200',
  TextBody: '',
  HtmlBody: '',
  StrippedTextReply: '',
  Tag: '',
  Headers: [],
  Attachments: [],
  ...mail,
});

const post = (mail: Mail, password = SECRET) =>
  readResponse<{ outcome: string; error?: string }>(
    team.harness.fetch('/mail/inbound', {
      json: toPosted(mail),
      headers: { authorization: `Basic ${btoa(`guidepost:${password}`)}` },
    }),
  );
async function readReplies(): Promise<{ text: string }[]> {
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  const { json } = await readResponse<{ data: { replies: { text: string }[] }[] }>(
    team.harness.fetch('/handovers', { headers }),
  );
  return json.data[0]!.replies;
}
const written = async () => (await readReplies()).map(({ text }) => text);

describe('the mail to the desk', () => {
  it('asks for replies to the signed address of the handover', () => {
    const [mail] = server.mails;
    expect(address).toMatch(new RegExp(`^${id}\\.[0-9a-z]{26}@${DOMAIN}$`));
    expect(mail!.text).toMatch(/^##--##/);
    expect(mail!.text).toContain('is sent to Ada and appears in the guide');
    expect(mail!.text).not.toContain('(ada@example.com)');
  });
});

describe('a reply by mail', () => {
  it('is shown to the visitor, mailed to them, and marks the handover as answered', async () => {
    const TextBody = `Tomorrow.\r\n\r\nAm 28.11.26 um 10:42 schrieb Guidepost:\r\n> ${server.mails[0]!.text!.replaceAll('\n', '\n> ')}`;
    expect((await post({ TextBody })).json).toEqual({ outcome: 'stored' });
    expect(await written()).toEqual(['Tomorrow.']);
    const { json } = await team.as('owner').get<{ state: string; replies: object[] }>(`/handovers/${id}`);
    expect(json).toMatchObject({ state: 'answered', replies: [{ text: 'Tomorrow.', createdBy: 'mail' }] });
    expect((await team.as('owner').get(`/audit?subject=${id}`)).text).toContain('handover.replied');
    await sendMails();
    const mail = server.mails.find(({ subject }) => subject?.startsWith('Antwort von'))!;
    expect(mail.text).toContain('Tomorrow.');
    expect(mail.recipients).toEqual(['ada@example.com']);
  });

  it('is stored and mailed once, however often the provider posts it', async () => {
    expect((await post({ TextBody: 'Tomorrow.' })).json.outcome).toBe('stored');
    expect((await post({ TextBody: 'Tomorrow.' })).json.outcome).toBe('repeated');
    const Headers = [{ Name: 'Message-ID', Value: '<one@shop.example>' }];
    expect((await post({ TextBody: 'And more.', Headers, MessageID: 'a' })).json.outcome).toBe('stored');
    expect((await post({ TextBody: 'And more.', Headers, MessageID: 'b' })).json.outcome).toBe('repeated');
    await sendMails();
    expect(await written()).toHaveLength(2);
    expect(server.recipients.flat().filter((to) => to === 'ada@example.com')).toHaveLength(2);
  });

  it('is read from HTML as text where the mail has nothing else', async () => {
    const HtmlBody =
      '<html><head><style>p{}</style></head><body><p>On <b>Monday</b>.</p><script>alert(1)</script><div>&lt;img src=x&gt;</div>' +
      '<hr><p><b>From:</b> Guidepost &lt;guide@shop.example&gt;<br>Sent: today</p><p>##--## Write above ##--##</p></body></html>';
    expect((await post({ HtmlBody })).json.outcome).toBe('stored');
    expect(await written()).toEqual(['On Monday.\n\n<img src=x>']);
  });

  it('loses its attachments, and is cut where it is longer than a reply may be', async () => {
    const Attachments = [{ Name: 'a.png', Content: 'A'.repeat(10 * MIB), ContentType: 'image/png' }];
    expect((await post({ TextBody: 'ß'.repeat(10_000), Attachments })).json.outcome).toBe('stored');
    expect((await readReplies())[0]!.text).toBe(`${'ß'.repeat(HANDOVER_LIMITS.replyCharsMax - 1)}…`);
  });

  it('is refused beyond the documented size', async () => {
    expect((await post({ TextBody: 'a'.repeat(10 * MIB) })).json.error).toBe('request/too_large');
    expect(await written()).toEqual([]);
  });

  it('is not read without the password', async () => {
    expect((await post({ TextBody: 'Tomorrow.' }, 'another-password-of-the-same-length')).json.error).toBe(
      'request/not_found',
    );
    const json = toPosted({ TextBody: 'a'.repeat(10 * MIB) });
    const unsigned = await readResponse(team.harness.fetch('/mail/inbound', { json }));
    expect(unsigned.status).toBe(404);
    expect(await written()).toEqual([]);
  });

  it('is ignored at an address that is not signed, or signed for another handover', async () => {
    const send = async (OriginalRecipient: string) =>
      (await post({ TextBody: 'Gotcha', OriginalRecipient, ToFull: [] })).json.outcome;
    const [local, mac] = address.split('@')[0]!.split('.') as [string, string];
    expect(await send(`${local}@${DOMAIN}`)).toBe('unknown_address');
    expect(
      await send(`${local}.${mac.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))}@${DOMAIN}`),
    ).toBe('unknown_address');
    expect(await send(`${local}.${mac}@elsewhere.example`)).toBe('unknown_address');
    expect(await send(`ho_01kakv2fxse7wtg6x5r0h8rjbm.${mac}@${DOMAIN}`)).toBe('unknown_address');
    expect(await send(`' OR 1=1 --@${DOMAIN}`)).toBe('unknown_address');
    expect(await written()).toEqual([]);
    expect(await send(`${local}.${mac}@${DOMAIN}`.toUpperCase())).toBe('stored');
  });

  it('is ignored at an address of a handover that another workspace has now', async () => {
    const { store } = team.harness.service;
    const { replies: _, notes: __, ...handover } = (await store.in(team.workspace.id).handovers.find(id))!;
    await team.harness.fetch('/visitor', {
      method: 'DELETE',
      headers: { authorization: `Bearer ${visitor.jwt}` },
    });
    const nobody = { mail: undefined, payload: undefined as never };
    await store.in(team.elsewhere.id).handovers.create(handover, nobody);
    expect((await post({ TextBody: 'Gotcha' })).json.outcome).toBe('unknown_address');
  });

  it.each([
    ['Auto-Submitted', 'auto-replied'],
    ['Precedence', 'bulk'],
    ['Return-Path', '<>'],
    ['X-Autoreply', 'yes'],
    ['X-Failed-Recipients', 'ada@example.com'],
  ])('is ignored where %s says that a program wrote it', async (Name, Value) => {
    expect((await post({ TextBody: 'I am away.', Headers: [{ Name, Value }] })).json.outcome).toBe(
      'automatic',
    );
    expect(await written()).toEqual([]);
  });

  it('is ignored if it comes from the visitor, or says nothing', async () => {
    const FromFull = { Email: 'Ada@Example.com', Name: 'Ada' };
    expect((await post({ TextBody: 'It is mine.', FromFull })).json.outcome).toBe('from_visitor');
    expect((await post({ TextBody: '> Where is it?\n\n-- \nAna' })).json.outcome).toBe('empty');
    expect((await post({ HtmlBody: '<div>'.repeat(20_000) })).json.outcome).toBe('empty');
    expect(await written()).toEqual([]);
  });

  it('is ignored once the handover has as many replies as it may have', async () => {
    for (let at = 0; at < HANDOVER_LIMITS.repliesMax; at += 1)
      await post({ TextBody: 'Again', MessageID: `${at}` });
    expect((await post({ TextBody: 'Again' })).json.outcome).toBe('too_many_replies');
  });

  it('is refused in another format', async () => {
    const headers = { authorization: `Basic ${btoa(`guidepost:${SECRET}`)}` };
    const answer = await readResponse<{ error: string }>(
      team.harness.fetch('/mail/inbound', { json: { subject: 'Hi' }, headers }),
    );
    expect(answer.json.error).toBe('request/invalid');
  });

  it('leaves nothing of the mail in the log', async () => {
    await post({ TextBody: 'Tomorrow.' });
    expect(team.harness.logged).toContainEqual(
      expect.objectContaining({ msg: 'received a mail', outcome: 'stored' }),
    );
    expect(JSON.stringify(team.harness.logged)).not.toMatch(/Tomorrow|ana@shop|reply\.shop/);
  });
});

it('the path of inbound mail is unknown where no domain is set', async () => {
  const harness = await openHarness();
  const headers = { authorization: `Basic ${btoa('guidepost:undefined')}` };
  const answer = await readResponse(harness.fetch('/mail/inbound', { json: {}, headers }));
  expect(answer.status).toBe(404);
  await harness.close();
});
