import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { query } from '../support/other-program.ts';

const FROM = 'Guidepost <guide@shop.example>';

let server: MailServer;
let harness: Harness;

/** Queues an invitation as the members' page does. */
async function queue(values: Record<string, string> = {}, to = 'ana@shop.example'): Promise<string> {
  const { composeMail, store } = harness.service;
  const mail = await composeMail({
    workspaceId: harness.workspace.id,
    to,
    template: 'invitation',
    locales: ['en'],
    values: {
      workspace: 'A shop',
      inviter: 'owner@shop.example',
      link: 'https://guide.example/dashboard/invitation#token=secret-of-a-test',
      days: '7',
      ...values,
    },
  });
  await store.mails.queue(mail);
  return mail!.id;
}

async function tickAfter(millis: number): Promise<void> {
  harness.clock.advance(millis);
  await harness.service.tick();
}

const sentLines = () => harness.logged.filter(({ msg }) => String(msg).includes('a mail'));
const readQueue = () =>
  query<{ state: string; error: string | null }>(harness, 'SELECT state, last_error AS error FROM mails');
const databaseText = () =>
  [harness.config.database.file, `${harness.config.database.file}-wal`]
    .map((file) => readFileSync(file, 'latin1'))
    .join('');

describe('the queue of mails', () => {
  beforeEach(async () => {
    server = await openMailServer();
    harness = await openHarness({ env: { SMTP_URL: server.url, MAIL_FROM: FROM } });
  });
  afterEach(async () => {
    await harness.close();
    await server.close();
  });

  it('sends a mail as text and as HTML, and keeps nothing of its content', async () => {
    const id = await queue();
    expect(databaseText()).not.toContain('ana@shop.example');
    await tickAfter(1_000);
    const [mail] = server.mails;
    expect(server.recipients).toEqual([['ana@shop.example']]);
    expect(mail).toMatchObject({
      subject: 'Join A shop on Guidepost',
      messageId: `<${id}@shop.example>`,
      from: { text: '"Guidepost" <guide@shop.example>' },
    });
    expect(mail!.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail!.text).toContain('#token=secret-of-a-test');
    expect(mail!.html).toContain('href="https://guide.example/dashboard/invitation#token=secret-of-a-test"');
    expect(await readQueue()).toEqual([{ state: 'sent', error: null }]);
    expect(JSON.stringify(harness.logged)).not.toMatch(/ana@|secret-of-a-test/);
    expect(sentLines()).toMatchObject([{ msg: 'sent a mail', mail: id, template: 'invitation' }]);
    await tickAfter(1_000);
    expect(server.mails).toHaveLength(1);
  });

  it('tries again after a refusal that may pass', async () => {
    server.refuse({ code: 451, text: 'ana@shop.example is greylisted' });
    await queue();
    await tickAfter(1_000);
    expect(server.mails).toHaveLength(0);
    expect(await readQueue()).toMatchObject([
      { state: 'waiting', error: expect.stringContaining('451 … is greylisted') },
    ]);
    await tickAfter(3_000);
    expect(server.mails).toHaveLength(0);
    await tickAfter(3_000);
    expect(server.mails).toHaveLength(1);
    expect(sentLines().map(({ msg, attempts }) => [msg, attempts])).toEqual([
      ['could not send a mail, and will try again', 1],
      ['sent a mail', 2],
    ]);
  });

  it('gives up after a refusal for good, and says why', async () => {
    server.refuse({ code: 550, text: 'no such user', at: 'recipient' });
    await queue();
    await tickAfter(1_000);
    await tickAfter(3_600_000);
    expect(server.mails).toHaveLength(0);
    expect(await readQueue()).toMatchObject([
      { state: 'failed', error: expect.stringContaining('550 no such user') },
    ]);
    expect(sentLines()).toMatchObject([{ level: 50, msg: 'could not send a mail and gave up' }]);
  });

  it('gives up when the mail is no longer worth sending', async () => {
    await server.close();
    await queue();
    await tickAfter(1_000);
    for (let hours = 0; hours < 80; hours += 1) await tickAfter(3_600_000);
    expect(sentLines().at(-1)).toMatchObject({ msg: 'could not send a mail and gave up' });
    expect(await readQueue()).toMatchObject([{ state: 'failed' }]);
    server = await openMailServer();
  });

  it('sends a mail again with the same Message-ID when a crash came before it was marked', async () => {
    const id = await queue();
    // The folder as a killed process leaves it: the mail is sent and still waits.
    const copy = await harness.afterCrash();
    await tickAfter(1_000);
    harness.clock.advance(1_000);
    await copy.service.tick();
    await copy.close();
    expect(server.mails.map(({ messageId }) => messageId)).toEqual([
      `<${id}@shop.example>`,
      `<${id}@shop.example>`,
    ]);
  });

  it('lets no value start a header, name another recipient or become HTML', async () => {
    const evil = 'Shop\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>\u202e{link}';
    await queue({ workspace: evil }, 'ana@shop.example');
    await queue({}, 'ana@shop.example,eve@evil.example');
    await tickAfter(1_000);
    expect(server.recipients.flat()).not.toContain('eve@evil.example');
    const mail = server.mails.find(({ subject }) => subject?.includes('script'))!;
    expect(mail.headers.has('bcc')).toBe(false);
    expect(mail.subject).toBe('Join Shop Bcc: eve@evil.example <script>alert(1)</script>{link} on Guidepost');
    expect(mail.html).not.toContain('<script');
    expect(mail.html).toContain('&#60;script&#62;');
  });

  it('queues nothing where mail is off', async () => {
    const silent = await openHarness();
    expect(
      await silent.service.composeMail({
        to: 'a@b.example',
        template: 'password_reset',
        locales: [],
        values: {},
      }),
    ).toBeUndefined();
    await silent.close();
  });
});

describe('a mail server beyond this machine', () => {
  it('gets no mail and no password without TLS', async () => {
    const heard: string[] = [];
    const plain = createServer((socket) => {
      socket.write('220 mail.example ESMTP\r\n');
      socket.on('data', (data) => {
        heard.push(data.toString());
        socket.write(/^EHLO/.test(data.toString()) ? '250 mail.example\r\n' : '500 no\r\n');
      });
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => plain.listen(0, '0.0.0.0', resolve));
    const { port } = plain.address() as { port: number };
    const { openSmtp } = await import('../../server/people/smtp.ts');
    const smtp = openSmtp({
      host: '127.0.0.1',
      port,
      isImplicitTls: false,
      isLoopback: false,
      credentials: { user: 'guide', pass: 'password-of-a-test' },
      from: { name: '', address: 'guide@shop.example' },
      inbound: undefined,
    });
    await expect(smtp.verify()).rejects.toMatchObject({ code: 'ETLS' });
    smtp.close();
    plain.close();
    expect(heard.join('')).not.toMatch(/AUTH|MAIL FROM/);
  });
});
