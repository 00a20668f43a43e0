import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookBody, WebhookDeliveryBody } from '../../contract/webhooks.ts';
import { createWebhookSender } from '../../server/people/webhook-sender.ts';
import { HELP_CENTRE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { openForwardProxy, PROXY_USER } from '../support/forward-proxy.ts';
import { type Harness, type HarnessOptions, ORIGIN } from '../support/harness.ts';
import { openMailServer } from '../support/mail-server.ts';
import { expectError } from '../support/response.ts';
import { type MemberClient, openTeam, type Team } from '../support/team.ts';
import { openReceiver, type Receiver } from '../support/webhook-receiver.ts';

/** Webhooks against a server that verifies them. */

type Created = WebhookBody & { secret: string };
type Deliveries = { data: WebhookDeliveryBody[]; nextCursor?: string };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let team: Team;
let receiver: Receiver;
beforeEach(async () => {
  signedIn = undefined;
  receiver = await openReceiver();
});
afterEach(async () => {
  await team.close();
  await receiver.close();
});

async function open(options: HarnessOptions = {}): Promise<void> {
  team = await openTeam({ ...options, env: { WEBHOOK_NETWORKS: '127.0.0.0/8', ...options.env } });
}

let signedIn: MemberClient | undefined;
const owner = () => signedIn ?? team.as('owner');
/** Signs in again, after the session or the confirmation of the password has ended. */
const signInAgain = async () => {
  signedIn = await team.signIn(owner());
};
const create = (more: object = {}) =>
  owner().post<Created>('/webhooks', {
    ...{ name: 'Help desk', url: receiver.url, events: ['article.published', 'article.unpublished'] },
    ...more,
  });

async function connect(...events: string[]): Promise<Created> {
  const { status, json } = await create(events.length > 0 ? { events } : {});
  expect(status).toBe(201);
  receiver.trust(json.secret);
  return json;
}

const tick = () => team.harness.service.tick();
const typesReceived = () => receiver.received.map(({ event }) => event.type);
const list = async ({ id }: { id: string }, query = '') =>
  (await owner().get<Deliveries>(`/webhooks/${id}/deliveries${query}`)).json;
const read = async ({ id }: { id: string }) =>
  (await owner().get<{ data: WebhookBody[] }>('/webhooks')).json.data.find((each) => each.id === id)!;

type Made = { id: string; revision: number };
async function makeArticle(title = 'Gift wrapping'): Promise<Made> {
  const { json } = await owner().post<Made>('/knowledge/articles', { title, answer: `${title} is free.` });
  return json;
}
async function publish({ id, revision }: Made): Promise<Made> {
  const path = `/knowledge/articles/${id}/publish`;
  const { status, json } = await owner().post<Made>(path, { baseRevision: revision });
  expect(status).toBe(200);
  return json;
}
const publishNew = async (title?: string) => publish(await makeArticle(title));

async function accept(visitor: Awaited<ReturnType<Team['harness']['boot']>>, decision = 'accepted') {
  const { harness } = team;
  const json = {
    ...{ visitor_id: visitor.visitor_id, url: `${ORIGIN}/`, decision, at: harness.clock.now() },
    copy_version: visitor.config.consent.copy.version,
  };
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  expect((await harness.fetch('/consent', { json, headers })).status).toBe(200);
}

const UNKNOWN = {
  message: 'Which zeppelin flies to the moon on Tuesdays?',
  conversation_id: 'conv-zeppelin',
};

describe('a webhook', () => {
  it('gets signed events of its types, and shows them with the responses', async () => {
    await open();
    const webhook = await connect();
    expect(webhook).toMatchObject({ state: 'active', waiting: 0, events: expect.any(Array) });
    const { id, revision } = await publishNew();
    await owner().post(`/knowledge/articles/${id}/unpublish`, { baseRevision: revision });
    await tick();

    expect(receiver.received).toMatchObject([
      {
        id: expect.stringMatching(/^whe_/),
        signatures: 1,
        event: {
          type: 'article.published',
          tenant_id: team.workspace.id,
          data: { article_id: id, title: 'Gift wrapping', revision, url: null },
        },
      },
      { event: { type: 'article.unpublished', data: { article_id: id, slug: 'gift-wrapping' } } },
    ]);
    const { data } = await list(webhook);
    expect(data.map(({ state, attempts, eventId }) => ({ state, attempts, eventId }))).toEqual(
      receiver.received.toReversed().map((each) => ({ state: 'delivered', attempts: 1, eventId: each.id })),
    );
    expect(JSON.parse(data[1]!.payload)).toEqual(receiver.received[0]!.event);
    expect(data[0]!.lastAttempt).toMatchObject({ status: 200, response: 'thanks' });
    const first = await list(webhook, '?limit=1');
    expect(await list(webhook, `?limit=1&cursor=${first.nextCursor}`)).toEqual({ data: [data[1]] });
    expect(await list(webhook, '?state=waiting')).toEqual({ data: [] });
  });

  it('gets the public address of an article in the help centre, also of one that is no longer there', async () => {
    await open({ settings: { helpCentre: { ...HELP_CENTRE_DEFAULTS, enabled: true } } });
    await connect();
    const { id, revision } = await publishNew('Gift wrapping');
    const url = `${team.harness.baseUrl}/help/${team.harness.appId}/en/gift-wrapping`;
    await owner().post(`/knowledge/articles/${id}/unpublish`, { baseRevision: revision });
    await tick();
    expect(receiver.received).toMatchObject([{ event: { data: { url } } }, { event: { data: { url } } }]);
  });

  it('gets the events of translations, imports and runs of sources in the order of the changes', async () => {
    await open();
    await connect('article.published', 'translation.published', 'translation.stale', 'source.run_finished');
    const { json: files } = await owner().post<{ id: string }>('/knowledge/sources', {
      ...{ name: 'Files', mode: 'publish', type: 'files' },
    });
    const form = new FormData();
    form.append('file', new Blob(['# Gift cards\n\nGift cards are valid for three years.\n']));
    await owner().upload(`/knowledge/sources/${files.id}/files?name=cards.md`, form);
    await owner().post(`/knowledge/sources/${files.id}/runs`, {});
    const tickAndList = async () => {
      await tick();
      return typesReceived();
    };
    await expect.poll(tickAndList).toContain('source.run_finished');
    expect(receiver.received).toMatchObject([
      { event: { type: 'article.published', data: { title: 'Gift cards' } } },
      { event: { type: 'source.run_finished', data: { source_id: files.id, state: 'done', added: 1 } } },
    ]);

    const article = await publishNew();
    const path = `/knowledge/articles/${article.id}/translations`;
    const german = { locale: 'de', title: 'Geschenke', answer: 'Verpacken ist kostenlos.' };
    let { json: translation } = await owner().post<Made>(path, german);
    for (const [step, body] of [
      ['submit-review', {}],
      ['review', { decision: 'approve' }],
      ['publish', {}],
    ] as const) {
      const baseRevision = translation.revision;
      const who = step === 'review' ? team.as('admin') : owner();
      const { status, json } = await who.post<Made>(`${path}/${translation.id}/${step}`, {
        baseRevision,
        ...body,
      });
      expect([step, status]).toEqual([step, 200]);
      translation = json;
    }
    const change = {
      baseRevision: article.revision,
      title: 'Gift wrapping',
      answer: 'Wrapping costs two euros.',
    };
    const { json: changed } = await owner().put<Made>(`/knowledge/articles/${article.id}`, change);
    await publish(changed);
    await tick();
    const about = { article_id: article.id, translation_id: translation.id, locale: 'de' };
    expect(receiver.received.slice(2)).toMatchObject([
      { event: { type: 'article.published' } },
      { event: { type: 'translation.published', data: { ...about, title: 'Geschenke' } } },
      { event: { type: 'article.published' } },
      { event: { type: 'translation.stale', data: about } },
    ]);
  });

  it('tells of visitors only what they allow, and that they were erased', async () => {
    await open();
    const webhook = await connect('question.unanswered', 'answer.rated', 'consent.erased');
    const { harness } = team;
    const rate = async (jwt: string, messageId: string) => {
      const json = { message_id: messageId, rating: 'down', comment: 'No zeppelin!', reasons: ['off_topic'] };
      const headers = { authorization: `Bearer ${jwt}` };
      expect((await harness.fetch('/feedback', { json, headers })).status).toBe(200);
    };
    const ask = async (visitor: { jwt: string }, conversation_id: string) => {
      const [start] = await harness.ask(visitor.jwt, { ...UNKNOWN, conversation_id });
      const messageId = (start as { message_id: string }).message_id;
      await rate(visitor.jwt, messageId);
      return messageId;
    };
    const denied = await harness.boot();
    await accept(denied, 'denied');
    await ask(denied, 'conv-denied');
    await tick();
    expect(receiver.received).toEqual([]);

    await ask(await harness.boot(), 'conv-undecided');
    await tick();
    // Only events of one subject keep their order.
    const events = receiver.received.map(({ event }) => event).toSorted((a, b) => (a.type < b.type ? 1 : -1));
    expect(events).toMatchObject([
      { type: 'question.unanswered', data: { locale: 'en', page_path: expect.any(String) } },
      { type: 'answer.rated', data: { rating: 'down', reasons: ['off_topic'] } },
    ]);
    const anonymous = JSON.stringify(receiver.received);
    expect(anonymous).not.toMatch(/zeppelin|visitor_id|message_id|conversation_id/i);

    receiver.received.length = 0;
    const willing = await harness.boot();
    await accept(willing);
    const messageId = await ask(willing, 'conv-willing');
    await tick();
    const named = { visitor_id: harness.pseudonym(willing), message_id: messageId };
    expect(receiver.received.map(({ event }) => event)).toMatchObject([
      {
        type: 'question.unanswered',
        data: { ...named, conversation_id: 'conv-willing', question: UNKNOWN.message },
      },
      { type: 'answer.rated', data: { ...named, rating: 'down', comment: 'No zeppelin!' } },
    ]);
    expect(JSON.stringify(receiver.received)).not.toContain(willing.visitor_id);

    const headers = { authorization: `Bearer ${willing.jwt}` };
    expect((await harness.fetch('/visitor', { method: 'DELETE', headers })).status).toBe(200);
    await tick();
    expect(receiver.received.at(-1)!.event).toMatchObject({
      type: 'consent.erased',
      data: { visitor_id: named.visitor_id },
    });
    const kept = JSON.stringify(await list(webhook));
    expect(kept).not.toMatch(/zeppelin/i);
    expect(kept.split(named.visitor_id)).toHaveLength(2);
  });

  it('forgets what a visitor wrote when the visitor refuses later', async () => {
    await open();
    const webhook = await connect('question.unanswered');
    const visitor = await team.harness.boot();
    await accept(visitor);
    await team.harness.ask(visitor.jwt, UNKNOWN);
    expect((await list(webhook)).data).toHaveLength(1);
    await accept(visitor, 'denied');
    expect(await list(webhook)).toEqual({ data: [] });
  });

  it('gets a test, and any event again with the same id', async () => {
    await open();
    const webhook = await connect();
    const { status, json } = await owner().post<WebhookDeliveryBody>(`/webhooks/${webhook.id}/test`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ type: 'webhook.test', state: 'waiting', attempts: 0 });
    await tick();
    await owner().post(`/webhooks/${webhook.id}/deliveries/${json.id}/resend`);
    await tick();
    expect(receiver.received).toMatchObject([
      { id: json.eventId, event: { type: 'webhook.test', data: { webhook_id: webhook.id } } },
      { id: json.eventId },
    ]);
    expect(receiver.received[1]!.event).toEqual(receiver.received[0]!.event);
  });

  it('signs with both secrets while they overlap, and shows none of them again', async () => {
    await open();
    const webhook = await connect();
    const rotate = (overlapSeconds: number) =>
      owner().post<Created>(`/webhooks/${webhook.id}/rotate`, { overlapSeconds });
    const { status, json: rotated } = await rotate(3600);
    expect(status).toBe(201);
    expect(rotated.oldSecretUntil).toBeDefined();
    const sendTest = async () => {
      await owner().post(`/webhooks/${webhook.id}/test`);
      await tick();
      return receiver.received.length;
    };
    expect(await sendTest()).toBe(1);
    expect(receiver.received[0]!.signatures).toBe(2);
    receiver.trust(rotated.secret);
    expect(await sendTest()).toBe(2);

    team.harness.clock.advance(HOUR + 1000);
    await signInAgain();
    receiver.trust(webhook.secret);
    expect(await sendTest()).toBe(2);
    expect(receiver.refused).toEqual(['No matching signature found']);
    expect((await read(webhook)).oldSecretUntil).toBeUndefined();
    const { json: again } = await rotate(0);
    receiver.trust(again.secret);
    expect(await sendTest()).toBe(3);

    const shown = JSON.stringify([
      await read(webhook),
      await list(webhook),
      (await owner().get('/audit')).json,
    ]);
    const stored = readFileSync(team.harness.config.database.file).toString('latin1');
    for (const { secret } of [webhook, rotated, again]) {
      expect(shown).not.toContain(secret);
      expect(stored).not.toContain(secret);
      expect(JSON.stringify(team.harness.logged)).not.toContain(secret);
    }
  });
});

describe('delivery', () => {
  it('waits longer after each failure, keeps the order of each subject, and pauses after three days', async () => {
    await open();
    const webhook = await connect();
    let isDown = true;
    receiver.answerWith((response, { event }) => {
      const fails = isDown && JSON.stringify(event).includes('gift-wrapping');
      response.writeHead(fails ? 500 : 204).end(fails ? 'down' : undefined);
    });
    const wrapping = await publishNew();
    await owner().post(`/knowledge/articles/${wrapping.id}/unpublish`, { baseRevision: wrapping.revision });
    await publishNew('Lanterns');
    await tick();
    const slugs = () => receiver.received.map(({ event }) => (event.data as { slug: string }).slug);
    expect(slugs().sort()).toEqual(['gift-wrapping', 'lanterns']);
    const [, , failed] = (await list(webhook)).data;
    expect(failed).toMatchObject({
      ...{ state: 'waiting', attempts: 1 },
      lastAttempt: { status: 500, response: 'down' },
    });
    await tick();
    expect(slugs()).toHaveLength(2);

    const { clock } = team.harness;
    const startedAt = clock.now();
    for (let attempts = 1; attempts < 10; attempts += 1) {
      await signInAgain();
      expect(await read(webhook)).toMatchObject({ state: 'active', waiting: 2 });
      const next = (await list(webhook, '?state=waiting')).data.at(-1)!;
      expect(next).toMatchObject({ attempts });
      clock.advance(Date.parse(next.nextAttemptAt!) - clock.now());
      await tick();
    }
    expect((clock.now() - startedAt) / HOUR).toBeCloseTo(71.6, 0);
    await signInAgain();
    const paused = await read(webhook);
    expect(paused).toMatchObject({ state: 'paused', waiting: 2, pausedAt: expect.any(String) });
    expect(typesReceived()).not.toContain('article.unpublished');
    expect(receiver.received.filter(({ id }) => id === failed!.eventId)).toHaveLength(10);

    await publishNew('Not told');
    isDown = false;
    receiver.received.length = 0;
    await owner().patch(`/webhooks/${webhook.id}`, { state: 'active' });
    await tick();
    expect(typesReceived()).toEqual(['article.published', 'article.unpublished']);
    expect(await read(webhook)).toMatchObject({ state: 'active', waiting: 0 });
    expect((await read(webhook)).pausedAt).toBeUndefined();
  });

  it.each([
    [
      'a redirect',
      (response: import('node:http').ServerResponse) =>
        response.writeHead(302, { location: '/elsewhere' }).end(),
      { status: 302, error: 'redirect' },
    ],
    [
      'a connection that ends',
      (response: import('node:http').ServerResponse) => void response.socket!.destroy(),
      { error: 'UND_ERR_SOCKET' },
    ],
  ])('does not count %s', async (_, answer, lastAttempt) => {
    await open();
    const webhook = await connect();
    receiver.answerWith(answer);
    await owner().post(`/webhooks/${webhook.id}/test`);
    await tick();
    expect((await list(webhook)).data).toMatchObject([{ state: 'waiting', lastAttempt }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('keeps 2 KB of a huge response, and gives a silent server ten seconds', async () => {
    await open();
    const webhook = await connect();
    receiver.answerWith((response) => {
      response.writeHead(200);
      const more = () => response.write('ü\0'.repeat(20_000)) && setImmediate(more);
      response.on('drain', more);
      more();
    });
    await owner().post(`/webhooks/${webhook.id}/test`);
    await tick();
    const [huge] = (await list(webhook)).data;
    expect(huge).toMatchObject({ state: 'delivered' });
    expect(Buffer.byteLength(huge!.lastAttempt!.response!)).toBeLessThan(5000);

    receiver.answerWith(() => undefined);
    await owner().post(`/webhooks/${webhook.id}/test`);
    await tick();
    const [silent] = (await list(webhook)).data;
    expect(silent).toMatchObject({ state: 'waiting', lastAttempt: { error: 'timeout' } });
    expect(silent!.lastAttempt!.millis).toBeGreaterThanOrEqual(9900);
  }, 30_000);

  it('sends again with the same id what a crash cut off', async () => {
    await open();
    await connect();
    await publishNew();
    let crashed: Harness | undefined;
    receiver.answerWith(async (response) => {
      // Sent, and not stored as delivered.
      crashed ??= await team.harness.afterCrash();
      response.writeHead(200).end();
    });
    await tick();
    receiver.answerWith(undefined);
    await crashed!.service.tick();
    await crashed!.service.tick();
    await crashed!.close();
    const [first, again, ...more] = receiver.received;
    expect(again).toEqual(first);
    expect(more).toEqual([]);
  });

  it('pauses at once when the receiver is gone, of which owners and admins are told', async () => {
    const mail = await openMailServer();
    await open({ env: { SMTP_URL: mail.url, MAIL_FROM: 'guide@shop.example' } });
    const webhook = await connect();
    receiver.answerWith((response) => response.writeHead(410).end());
    await owner().post(`/webhooks/${webhook.id}/test`);
    await tick();
    expect(await read(webhook)).toMatchObject({ state: 'paused' });
    team.harness.clock.advance(1_000);
    await tick();
    const told = mail.mails.filter(({ subject }) => subject === 'Webhook paused: Help desk');
    expect(told.map(({ text }) => text?.includes(receiver.url))).toEqual([true, true]);
    await mail.close();
    const { id } = (await list(webhook)).data[0]!;
    for (const path of ['test', `deliveries/${id}/resend`])
      expectError(await owner().post(`/webhooks/${webhook.id}/${path}`), 'webhook/inactive');
  });

  it('reaches no private network by a name that had a public address before', async () => {
    await open();
    let address = '93.184.215.14';
    const sender = createWebhookSender({
      networks: [],
      proxy: undefined,
      resolve: async () => [{ address, family: 4 }],
    });
    const url = `https://desk.example.com:${new URL(receiver.url).port}/`;
    expect(await sender.parse(url)).toBe(url);
    for (address of ['127.0.0.1', '10.0.0.1', '169.254.169.254']) {
      expect(await sender.parse(url)).toBeUndefined();
      const sent = await sender.send(url, {}, '{}', new AbortController().signal);
      expect(sent).toEqual({ error: 'private_address', millis: expect.any(Number) });
    }
    sender.close();
  });

  it('goes through the proxy of the network, which resolves names, but not to private ones', async () => {
    await open();
    const proxy = await openForwardProxy();
    const address = `http://${PROXY_USER}${proxy.host}`;
    const sender = createWebhookSender({
      networks: [],
      proxy: { httpProxy: address, httpsProxy: address, noProxy: '' },
      resolve: async (name) => (name === 'inside.example' ? [{ address: '10.0.0.1', family: 4 }] : []),
    });
    const send = (url: string) => sender.send(url, {}, '{}', new AbortController().signal);
    expect(await send('https://inside.example/')).toMatchObject({ error: 'private_address' });
    expect(proxy.passed).toEqual([]);
    proxy.refuses(502);
    expect(await send('https://desk.example/')).toMatchObject({ error: expect.any(String) });
    expect(proxy.passed).toEqual(['CONNECT desk.example:443']);
    sender.close();
    await proxy.close();
  });

  it('deletes its log after thirty days, and words as early as conversations', async () => {
    await open({
      settings: { retention: { conversationDays: 2, eventDays: 30, anonymousQuestions: false } },
    });
    const webhook = await connect('question.unanswered', 'article.published');
    const visitor = await team.harness.boot();
    await accept(visitor);
    await team.harness.ask(visitor.jwt, UNKNOWN);
    await publishNew();
    await tick();
    const logged = async () => (await list(webhook)).data.map(({ type }) => type);
    expect(await logged()).toEqual(['article.published', 'question.unanswered']);
    team.harness.clock.advance(2 * DAY + HOUR);
    await signInAgain();
    await tick();
    expect(await logged()).toEqual(['article.published']);
    team.harness.clock.advance(28 * DAY);
    await signInAgain();
    await tick();
    expect(await logged()).toEqual([]);
  });
});

describe('setting up webhooks', () => {
  it.each([
    'http://desk.example.com/',
    'https://127.0.0.2/',
    'https://10.0.0.1/hooks',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433/',
    'https://user:secret@desk.example.com/',
    'https://desk.example.com/#part',
  ])('refuses %s', async (url) => {
    await open({ env: { WEBHOOK_NETWORKS: '' } });
    const answer = await create({ url });
    expectError(answer, 'request/invalid');
    expect(answer.json).toMatchObject({ issues: [{ path: 'body.url', code: 'address_not_allowed' }] });
  });

  it('is for owners and admins with a fresh password', async () => {
    await open({ env: { WEBHOOK_NETWORKS: '' } });
    receiver.trust('whsec_AAAA');
    const webhook = { name: 'Desk', url: 'https://desk.example.com/hooks?key=1', events: ['answer.rated'] };
    expectError(await team.as('member').get('/webhooks'), 'tenant/role_required');
    const { json } = await team.as('admin').post<Created>('/webhooks', webhook);
    expect(json).toMatchObject(webhook);
    expect((await team.as('admin').get('/webhooks')).json).toEqual({
      data: [expect.not.objectContaining({ secret: expect.anything() })],
    });
    for (let made = 1; made < 10; made += 1) expect((await create({ url: webhook.url })).status).toBe(201);
    expectError(await create({ url: webhook.url }), 'webhook/too_many');
    team.harness.clock.advance(11 * 60_000);
    expectError(await create({ url: webhook.url }), 'session/password_needed');

    expect((await owner().delete(`/webhooks/${json.id}`)).status).toBe(200);
    expectError(await owner().delete(`/webhooks/${json.id}`), 'webhook/not_found');
    const actions = (await owner().get<{ data: { action: string }[] }>('/audit')).json.data;
    expect(actions[0]).toMatchObject({ action: 'webhook.deleted', subject: json.id });
  });

  it('ends with the webhook: nothing is sent to a disabled or deleted one', async () => {
    await open();
    const webhook = await connect();
    await owner().patch(`/webhooks/${webhook.id}`, { state: 'disabled', name: '  Old   desk ' });
    await publishNew();
    await tick();
    expect(await read(webhook)).toMatchObject({ name: 'Old desk', state: 'disabled', waiting: 0 });
    await owner().patch(`/webhooks/${webhook.id}`, { state: 'active', events: ['article.published'] });
    await publishNew('Lanterns');
    await owner().delete(`/webhooks/${webhook.id}`);
    await tick();
    expect(receiver.received).toEqual([]);
    const path = `/webhooks/${webhook.id}`;
    for (const answer of [
      owner().get(`${path}/deliveries`),
      owner().patch(path, { name: 'Desk' }),
      owner().post(`${path}/rotate`, { overlapSeconds: 0 }),
      owner().post(`${path}/test`),
      owner().post(`${path}/deliveries/${webhook.id.replace('whk', 'whd')}/resend`),
    ])
      expectError(await answer, 'webhook/not_found');
    expectError(
      await owner().post(
        `/webhooks/${(await connect()).id}/deliveries/${webhook.id.replace('whk', 'whd')}/resend`,
      ),
      'webhook/delivery_not_found',
    );
  });
});
