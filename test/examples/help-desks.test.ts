import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createChatwoot } from '../../examples/help-desks/chatwoot.ts';
import { createFreshdesk } from '../../examples/help-desks/freshdesk.ts';
import { createIntercom } from '../../examples/help-desks/intercom.ts';
import { receive, type SendToDesk } from '../../examples/help-desks/receive.ts';
import { createSlack } from '../../examples/help-desks/slack.ts';
import { createZendesk } from '../../examples/help-desks/zendesk.ts';
import * as fakes from '../support/fake-desks.ts';
import { ORIGIN } from '../support/harness.ts';
import type { Team } from '../support/team.ts';
import { openShop, visit } from '../support/visitor-actions.ts';

/** The examples hand questions of visitors to servers that speak the protocols of help desks. */

const MESSAGE = 'Where is it?\n<!channel> <b>&</b>';
const DESK_SECRET = 'secret-of-the-desk';

let team: Team;
let close: (() => Promise<unknown>)[] = [];
let asked = 0;
beforeAll(async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  team = await openShop({
    settings: { handover: { mode: 'always' } },
    env: { TRUSTED_PROXIES: 'loopback', EDGE_PROVIDER: 'cloudflare', WEBHOOK_NETWORKS: '127.0.0.0/8' },
  });
});
afterEach(async () => {
  await Promise.all(close.map((end) => end()));
  close = [];
});
afterAll(() => team.close());

async function openDesk(desk: Parameters<typeof fakes.openDesk>[0]): Promise<fakes.FakeDesk> {
  const opened = await fakes.openDesk(desk);
  close.push(() => opened.close());
  return opened;
}

/** Sets up a webhook that sends to the example. */
async function connect(send: SendToDesk): Promise<void> {
  const owner = team.as('owner');
  const url = 'http://127.0.0.1:9/';
  const webhook = { name: 'Desk', url, events: ['handover.created', 'handover.replied'] };
  const { json, text } = await owner.post<{ id: string; secret: string }>('/webhooks', webhook);
  expect(json.secret, text).toMatch(/^whsec_/);
  const server = receive(json.secret, send).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await owner.patch(`/webhooks/${json.id}`, { url: `http://127.0.0.1:${port}/` });
  close.push(async () => {
    await owner.delete(`/webhooks/${json.id}`);
    server.closeAllConnections();
    server.close();
  });
}

async function askPerson(): Promise<string> {
  const visitor = await visit(team);
  asked += 1;
  const form = { message: MESSAGE, name: 'Ada', email: `ada-${asked}@example.com`, shown_seconds: 20 };
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  const json = { ...form, url: `${ORIGIN}/orders`, locale: 'el' };
  const response = await team.harness.fetch('/handovers', { json, headers });
  expect(response.status).toBe(201);
  await team.harness.service.tick();
  return form.email;
}
const toLater = () => {
  team.harness.clock.advance(60_000);
  return team.harness.service.tick();
};

describe('a question to a person', () => {
  it('becomes a message in Slack that mentions nobody', async () => {
    const messages: { text: string }[] = [];
    const desk = await openDesk(fakes.speakSlack(messages));
    await connect(createSlack(desk.url + fakes.SLACK_PATH));
    const email = await askPerson();
    expect(messages).toHaveLength(1);
    expect(messages[0]!.text).toContain(
      `*Ada &lt;${email}&gt;*\nWhere is it?\n&lt;!channel&gt; &lt;b&gt;&amp;`,
    );
    expect(messages[0]!.text).toContain(`Page: ${ORIGIN}/orders\nLanguage: el`);
  });

  it('becomes one ticket in Zendesk, however often the event is sent', async () => {
    const tickets: { ticket: { requester: object } }[] = [];
    const desk = await openDesk(fakes.speakZendesk(tickets, `agent@shop.example/token:${DESK_SECRET}`));
    const send = createZendesk({ url: desk.url, email: 'agent@shop.example', apiToken: DESK_SECRET });
    let isLost = true;
    await connect(async (question, id) => {
      await send(question, id);
      if (isLost) throw new Error('the answer got lost');
    });
    const email = await askPerson();
    isLost = false;
    await toLater();
    expect(tickets).toMatchObject([{ ticket: { requester: { name: 'Ada', email } } }]);
  });

  it('becomes a ticket in Freshdesk once it is reached, with its words as text', async () => {
    const tickets: { email: string; description: string }[] = [];
    const desk = await openDesk(fakes.speakFreshdesk(tickets, DESK_SECRET));
    await connect(createFreshdesk({ url: desk.url, apiKey: DESK_SECRET }));
    desk.failWith(429);
    const email = await askPerson();
    expect(tickets).toEqual([]);
    await toLater();
    expect(tickets).toMatchObject([{ email }]);
    expect(tickets[0]!.description).toContain('Where is it?<br>&#60;!channel&#62;');
  });

  it('becomes a conversation in Intercom, of the contact that has the address', async () => {
    const conversations: { from: object; body: string }[] = [];
    const contacts: { role: 'user' | 'lead'; email: string }[] = [];
    const desk = await openDesk(fakes.speakIntercom(conversations, contacts, DESK_SECRET));
    await connect(createIntercom({ url: desk.url, accessToken: DESK_SECRET }));
    contacts.push({ role: 'user', email: `ada-${asked + 1}@example.com` });
    await askPerson();
    const email = await askPerson();
    expect(contacts).toMatchObject([{ role: 'user' }, { role: 'lead', email, name: 'Ada' }]);
    expect(conversations.map(({ from }) => from)).toEqual([
      { type: 'user', id: 'contact-0' },
      { type: 'lead', id: 'contact-1' },
    ]);
  });

  it('becomes a conversation in Chatwoot', async () => {
    const messages: { content: string }[] = [];
    const desk = await openDesk(fakes.speakChatwoot(messages, 'inbox-of-a-test'));
    await connect(createChatwoot({ url: desk.url, inboxIdentifier: 'inbox-of-a-test' }));
    await askPerson();
    expect(messages).toHaveLength(1);
    expect(messages[0]!.content).toContain(MESSAGE);
  });

  it('is refused by the example if it is not signed', async () => {
    const sent: unknown[] = [];
    const server = receive('whsec_c2VjcmV0', async (question) => void sent.push(question)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' });
    expect([response.status, sent]).toEqual([401, []]);
    server.close();
  });
});
