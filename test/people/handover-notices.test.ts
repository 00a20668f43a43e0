import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgetWithoutWebhooks } from '../../server/storage/webhook-events.ts';
import type { Visitor } from '../support/decisions.ts';
import { openFakeModel } from '../support/fake-model/fake-model.ts';
import { ORIGIN } from '../support/harness.ts';
import { type MailServer, openMailServer } from '../support/mail-server.ts';
import { query } from '../support/other-program.ts';
import { readResponse } from '../support/response.ts';
import type { Team } from '../support/team.ts';
import { KNOWN, openShop, sendMessage, visit } from '../support/visitor-actions.ts';

/** The mails that tell the desk of a question, and the visitor of a reply. */

let server: MailServer;
let team: Team;
let visitor: Visitor;
beforeEach(async () => {
  server = await openMailServer();
  await open();
});
afterEach(async () => {
  await team.close();
  await server.close();
});

async function open(more: Record<string, string> = {}): Promise<void> {
  const env = { SMTP_URL: server.url, MAIL_FROM: 'Guidepost <guide@shop.example>', ...more };
  const handover = { mode: 'when_needed', email: 'desk@shop.example' } as const;
  team = await openShop({
    settings: { handover },
    env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare', ...env },
  });
  visitor = await visit(team);
}

async function ask(body: Record<string, unknown> = {}, key = 'once'): Promise<string> {
  const form = {
    message: 'Where is <b>it</b>?',
    name: 'Ada\r\nBcc: all@example.com',
    email: 'ada@example.com',
  };
  const json = { ...form, url: `${ORIGIN}/orders`, locale: 'de', shown_seconds: 20, ...body };
  const headers = { authorization: `Bearer ${visitor.jwt}`, 'idempotency-key': key };
  const answer = await readResponse<{ handover_id: string }>(
    team.harness.fetch('/handovers', { json, headers }),
  );
  expect(answer.status).toBe(201);
  return answer.json.handover_id;
}

async function sendMails(): Promise<void> {
  team.harness.clock.advance(1000);
  await team.harness.service.tick();
}

it('the desk gets a question once, with the transcript, and answers to the visitor', async () => {
  const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
  const body = { conversation_id: 'c1', transcript: [messageId] };
  const id = await ask(body);
  await ask(body);
  await sendMails();
  // On a Monday, members get their weekly mail, too.
  expect(server.recipients.filter(([to]) => to?.startsWith('desk@'))).toEqual([['desk@shop.example']]);
  const [mail] = server.mails;
  expect(mail!.replyTo!.value).toEqual([{ address: 'ada@example.com', name: 'Ada Bcc: all@example.com' }]);
  expect(mail!.headers.has('bcc')).toBe(false);
  for (const text of [
    'Where is <b>it</b>?',
    `${ORIGIN}/orders`,
    KNOWN,
    'Forgot password',
    `#${id}`,
    'Language: German',
  ])
    expect(mail!.text).toContain(text);
  expect(mail!.html).toContain('Where is &#60;b&#62;it&#60;/b&#62;?');
});

it('the desk gets a summary by the model of what the visitor agreed to send, and of nothing else', async () => {
  await team.close();
  const model = await openFakeModel();
  await open(model.env());
  const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
  const before = model.requests().length;
  model.says('The visitor cannot sign in.\nSee https://bad.example/x', {
    usage: { prompt_tokens: 300, completion_tokens: 20 },
  });
  const used = async () =>
    (await query<{ tokens: number }>(team.harness, 'SELECT tokens FROM token_months'))[0]!.tokens;
  const usedBefore = await used();
  const own = { conversation_id: 'c1', transcript: [messageId] };
  const id = await ask(own);
  await ask(own);
  expect(model.requests()).toHaveLength(before + 1);
  expect(await used()).toBe(usedBefore + 320);
  const [rules, conversation] = model
    .requests()
    .at(-1)!
    .messages.map(({ content }) => String(content));
  expect(rules).toContain('in English');
  expect(conversation).toMatch(/^<<DATA (\w{16})\nVisitor: [\s\S]+\nGuide: [\s\S]+\nDATA \1>>\n/);
  expect(conversation).not.toMatch(/Where is|Ada|ada@/);
  const readSummary = async (of: string) =>
    (await team.as('member').get<{ summary?: string }>(`/handovers/${of}`)).json.summary;
  expect(await readSummary(id)).toBe('The visitor cannot sign in. See https:…');

  model.errors(500);
  expect(await readSummary(await ask({ ...own, message: 'Again' }, 'failing'))).toBeUndefined();
  const asked = model.requests().length;
  expect(await readSummary(await ask({ conversation_id: 'c1' }, 'without-consent'))).toBeUndefined();
  expect(model.requests()).toHaveLength(asked);
  await sendMails();
  const toDesk = server.mailsTo('desk@shop.example');
  const of = (text: string) => toDesk.filter((mail) => mail.text?.includes(text)).length;
  expect([
    toDesk.length,
    of('which may be wrong: The visitor cannot sign in. See https:…'),
    of('which may'),
  ]).toEqual([3, 1, 1]);
  await model.close();
});

it('the visitor gets a reply in the language of the question, and answers to the desk', async () => {
  const id = await ask();
  await team.as('member').post(`/handovers/${id}/replies`, { text: 'Morgen.' });
  await sendMails();
  const mail = server.mails.find(({ subject }) => subject?.startsWith('Antwort von'));
  expect(mail!.text).toContain('Morgen.');
  expect(mail!.replyTo!.value).toMatchObject([{ address: 'desk@shop.example' }]);
  expect(server.recipients).toContainEqual(['ada@example.com']);
});

it('webhooks get a question and the reply to it', async () => {
  const types = JSON.stringify(['handover.created', 'handover.replied']);
  const database = new Database(team.harness.config.database.file);
  database
    .prepare(
      "INSERT INTO webhooks VALUES ('whk_1', ?, 'Desk', 'https://desk.example/', ?, 'active', NULL, 'sealed', 1, NULL, NULL, 1, 'operator')",
    )
    .run(team.workspace.id, types);
  database.close();
  forgetWithoutWebhooks(team.workspace.id);
  const { messageId } = await sendMessage(team, visitor, 'c1', KNOWN);
  const id = await ask({ conversation_id: 'c1', transcript: [messageId] });
  await team.as('member').post(`/handovers/${id}/replies`, { text: 'Tomorrow.' });
  const events = await query<{ type: string; payload: string }>(
    team.harness,
    'SELECT type, payload FROM webhook_events ORDER BY id',
  );
  const sent = events.map(({ type, payload }) => [type, JSON.parse(payload).data]);
  const question = { id, message: 'Where is <b>it</b>?', email: 'ada@example.com', conversation_id: 'c1' };
  expect(sent).toMatchObject([
    [
      'handover.created',
      { ...question, state: 'open', transcript: expect.stringContaining(KNOWN), summary: null },
    ],
    ['handover.replied', { ...question, state: 'answered', reply: 'Tomorrow.' }],
  ]);
});

it('a mail that waits is deleted with the visitor', async () => {
  await ask();
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  await team.harness.fetch('/visitor', { method: 'DELETE', headers });
  await sendMails();
  expect(server.mails).toEqual([]);
});
