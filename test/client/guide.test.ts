import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type ChatTurn,
  createGuide,
  type Guide,
  type GuideOptions,
  type GuideStorage,
  isGuideError,
} from '../../client/sdk/index.ts';
import { chatEvent } from '../../contract/chat-event.ts';
import { newId } from '../../server/base/ids.ts';
import { type Harness, ORIGIN, openHarness } from '../support/harness.ts';
import {
  answerFrames,
  aScriptedServerForEach,
  bootReply,
  errorResponse,
  framesText,
  json,
  openGuide,
  type Responder,
  server,
  stream,
} from './scripted-server.ts';

aScriptedServerForEach();

const bootWithPersistence = (token: string) => json(bootReply(token, Date.now(), true));
const recorded = json({ ok: true, recorded: true });

/** Returns a response that waits until it is released. */
function holdResponse(answer: Responder) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const holding: Responder = async (response, received) => {
    arrived.resolve();
    await promise;
    await answer(response, received);
  };
  return { answer: holding, arrived: arrived.promise, letGo: resolve };
}

/** Returns a storage that records everything that was ever written. */
function openStorage() {
  const map = new Map<string, string>();
  const written: string[] = [];
  const storage: GuideStorage = {
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => {
      written.push(value);
      map.set(key, value);
    },
    removeItem: (key) => void map.delete(key),
  };
  return { storage, map, written };
}

test('a boot that started before a denial stores nothing on the device, however late its reply arrives', async () => {
  const renewal = holdResponse(bootWithPersistence('renewed'));
  server.answer('/boot', bootWithPersistence('first'), renewal.answer, json(bootReply('after')));
  server.answer('/consent', recorded);
  const { storage, map, written } = openStorage();
  const guide = openGuide({ storage });
  await guide.boot();
  expect(map.size).toBe(1);
  const before = written.length;

  const renewing = guide.boot();
  await renewal.arrived;
  await guide.consent('denied');
  expect(guide.state?.jwt).toBe('after');
  renewal.letGo();
  expect((await renewing).jwt).toBe('after');
  expect(guide.state?.jwt).toBe('after');
  expect(server.at('/boot')).toHaveLength(3);
  expect(map.size).toBe(0);
  expect(written).toHaveLength(before);
});

test('a boot that is answered while a denial is being sent stores nothing on the device', async () => {
  const renewal = holdResponse(bootWithPersistence('renewed'));
  const refusing = holdResponse(recorded);
  server.answer('/boot', bootWithPersistence('first'), renewal.answer, json(bootReply('after')));
  server.answer('/consent', refusing.answer);
  const { storage, map, written } = openStorage();
  const guide = openGuide({ storage });
  await guide.boot();
  const before = written.length;

  const renewing = guide.boot();
  await renewal.arrived;
  const decided = guide.consent('denied');
  await refusing.arrived;
  renewal.letGo();
  await renewing;
  refusing.letGo();
  await decided;
  expect(guide.state?.features.persist_visitor).toBe(false);
  expect(map.size).toBe(0);
  expect(written).toHaveLength(before);
});

test('a denial that never reaches the service still keeps the visitor off the device until consent', async () => {
  server.answer('/boot', bootWithPersistence('first'));
  server.answer('/consent', errorResponse(500, 'internal'), recorded);
  server.answer('/chat', stream(framesText(answerFrames)));
  const { storage, map } = openStorage();
  const guide = openGuide({ storage });
  await guide.boot();
  await expect(guide.consent('denied')).rejects.toMatchObject({ status: 500 });
  await guide.boot();
  for await (const _ of guide.chat({ message: 'a', domDigest: 'b', url: 'https://shop.example/' }));
  expect(map.size).toBe(0);

  await guide.consent('accepted');
  expect(map.size).toBe(1);
});

test('a boot that started before erase() stores nothing afterwards', async () => {
  const renewal = holdResponse(bootWithPersistence('renewed'));
  server.answer('/boot', bootWithPersistence('first'), renewal.answer, json(bootReply('another')));
  server.answer('/visitor', json({ ok: true, conversations: 1, events: 2, feedback: 0 }));
  const { storage, map } = openStorage();
  const guide = openGuide({ storage });
  await guide.boot();
  const renewing = guide.boot();
  await renewal.arrived;
  await guide.erase();
  renewal.letGo();
  expect((await renewing).jwt).toBe('another');
  expect(server.at('/boot').at(-1)?.body).not.toHaveProperty('visitor_id');
  expect(map.size).toBe(0);
});

const shopTurn = { message: 'How?', domDigest: 'h1 Shop', url: 'https://shop.example/' };

/** Stores the sent conversation, and ends each answer when `until` resolves. */
const keepsConversations =
  (until: (asked: { conversation_id: string; turn_idx: number }) => unknown): Responder =>
  async (response, { body }) => {
    const { conversation_id, turn_idx } = body;
    const [start, ...rest] = framesText([
      { ...answerFrames[0]!, conversation_id, conversation_rotated: false, turn_idx },
      answerFrames[1]!,
      { ...answerFrames[3]!, next_turn_idx: turn_idx + 1 },
    ]);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(start);
    await until(body);
    response.end(rest.join(''));
  };

async function ask(guide: Guide, more: Partial<ChatTurn> = {}): Promise<void> {
  for await (const _ of guide.chat({ ...shopTurn, ...more }));
}

const sent = () => server.at('/chat').map(({ body }) => [body.conversation_id, body.turn_idx]);

test('a conversation named by the page starts at its own first turn', async () => {
  server.answer(
    '/chat',
    keepsConversations(() => {}),
  );
  const guide = openGuide();
  await ask(guide, { conversationId: 'conv_a' });
  await ask(guide);
  await ask(guide, { conversationId: 'conv_b' });
  await ask(guide);
  expect(sent()).toEqual([
    ['conv_a', 0],
    ['conv_a', 1],
    ['conv_b', 0],
    ['conv_b', 1],
  ]);
});

test('two parallel answers stay in their conversations, and the guide continues the newer one', async () => {
  const newerEnded = Promise.withResolvers<void>();
  server.answer(
    '/chat',
    keepsConversations(({ conversation_id }) => conversation_id === 'conv_a' && newerEnded.promise),
  );
  const guide = openGuide();
  const older = guide.chat({ ...shopTurn, conversationId: 'conv_a', turnIdx: 7 });
  await older.next();
  await ask(guide, { conversationId: 'conv_b' });
  newerEnded.resolve();
  for await (const _ of older);
  expect(guide.conversationId).toBe('conv_b');
  await ask(guide);
  expect(sent().at(-1)).toEqual(['conv_b', 1]);
});

test('an earlier answer that ends late does not move the conversation back to its turn', async () => {
  const laterEnded = Promise.withResolvers<void>();
  server.answer(
    '/chat',
    keepsConversations(({ turn_idx }) => turn_idx === 0 && laterEnded.promise),
  );
  const guide = openGuide();
  const first = guide.chat(shopTurn);
  await first.next();
  await ask(guide);
  laterEnded.resolve();
  for await (const _ of first);
  await ask(guide);
  expect(sent().map(([, index]) => index)).toEqual([0, 1, 2]);
  expect(new Set(sent().map(([id]) => id)).size).toBe(1);
});

const accountTurn = { domDigest: 'main > h1 Konto', url: `${ORIGIN}/account` };

test.each([
  ['arrays', Array.prototype],
  ['objects', Object.prototype],
])('a toJSON that a library of the page adds to %s does not change what is sent', async (_, prototype) => {
  server.answer('/chat', stream(framesText(answerFrames)));
  const guide = openGuide();
  await guide.boot();
  const targets = [
    { key: 't1', role: 'button', name: 'Buy', bounding_box: { x: 1, y: 2, width: 3, height: 4 } },
  ] as const;
  const viewport = { width: 800, height: 600, dpr: 1 };
  Object.defineProperty(prototype, 'toJSON', { value: () => '[]', configurable: true });
  onTestFinished(() => {
    delete (prototype as { toJSON?: unknown }).toJSON;
  });
  const captureContext = { targets } as never;
  for await (const _ of guide.chat({
    message: 'How?',
    domDigest: 'h1 Shop',
    url: 'https://shop.example/',
    captureContext,
    viewport,
  }));
  expect(server.at('/chat')[0]?.body).toMatchObject({
    message: 'How?',
    viewport,
    capture_context: { targets },
  });
});

describe('the guide with the service', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  function openRealGuide(options: Partial<GuideOptions> = {}) {
    return createGuide({
      baseUrl: harness.baseUrl,
      appId: harness.appId,
      origin: ORIGIN,
      path: '/account',
      acceptLanguage: 'de',
      ...options,
    });
  }

  async function askInGerman(
    guide: ReturnType<typeof openRealGuide>,
    message = 'Ich habe mein Passwort vergessen.',
  ) {
    const events = [];
    for await (const event of guide.chat({ ...accountTurn, message })) events.push(event);
    return events;
  }

  const boots = () => harness.logged.filter((line) => line.operation === 'bootGuide').length;

  test("the guide boots, asks, and gets a cited answer in the visitor's language", async () => {
    const guide = openRealGuide();
    const events = await askInGerman(guide);
    for (const event of events) expect(chatEvent.safeParse(event).error).toBeUndefined();
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index));
    expect(events.find((event) => event.type === 'citation')).toMatchObject({ content_locale: 'de' });
    expect(events.at(-1)).toMatchObject({ type: 'message_end', finish_reason: 'stop', next_turn_idx: 1 });
    expect(guide.state?.config.content_locale).toBe('de');
    guide.close();
  });

  test('the guide continues its conversation and reads it again', async () => {
    const guide = openRealGuide();
    await askInGerman(guide);
    await askInGerman(guide, 'Wie gebe ich eine Bestellung zurück?');
    const read = await guide.conversation();
    expect(read.turns.map((each) => each.turn_idx)).toEqual([0, 1]);
    expect(read.next_turn_idx).toBe(2);
    await expect(openRealGuide().conversation(guide.conversationId)).rejects.toMatchObject({
      code: 'conversation/not_found',
    });
  });

  test("the guide follows the service when it replaces another visitor's conversation", async () => {
    const otherGuide = openRealGuide();
    await askInGerman(otherGuide);
    const guide = openRealGuide();
    const otherConversationId = otherGuide.conversationId!;
    const [start] = await (async () => {
      const events = [];
      for await (const event of guide.chat({
        ...accountTurn,
        message: 'Hallo?',
        conversationId: otherConversationId,
      }))
        events.push(event);
      return events;
    })();
    expect(start).toMatchObject({
      conversation_rotated: true,
      previous_conversation_id: otherConversationId,
    });
    expect(guide.conversationId).not.toBe(otherConversationId);
  });

  test('the guide records consent and updates its state', async () => {
    const guide = openRealGuide();
    await guide.boot();
    expect(guide.state).toMatchObject({
      consent_directive: { ask: true },
      features: { persist_visitor: false },
    });
    expect(await guide.consent('accepted')).toEqual({ ok: true, recorded: true });
    expect(guide.state).toMatchObject({
      consent_directive: { ask: false },
      features: { persist_visitor: true },
    });
  });

  test('parallel calls renew an expired token once', async () => {
    const guide = openRealGuide({ clock: { now: () => 0 } });
    const first = await guide.boot();
    const start = (await askInGerman(guide))[0];
    const messageId = start?.type === 'message_start' ? start.message_id : '';
    const before = boots();
    harness.clock.advance(16 * 60_000);
    await Promise.all(Array.from({ length: 8 }, () => guide.rate(messageId, 'up', { comment: 'Danke' })));
    expect(boots() - before).toBe(1);
    expect(guide.state?.visitor_id).toBe(first.visitor_id);
    expect(guide.state?.jwt).not.toBe(first.jwt);
  });

  test('articles(), searchArticles() and article() return published articles', async () => {
    const guide = openRealGuide();
    const [hit] = (await guide.searchArticles('return an order')).data;
    expect(hit).toMatchObject({ title: 'Eine Bestellung zurückgeben', content_locale: 'de' });
    expect(await guide.article(hit!.article_id)).toMatchObject({
      answer: expect.stringContaining('Postfiliale'),
    });
    const ids = (await guide.articles()).data.map(({ article_id }) => article_id);
    expect(ids).toContain(hit!.article_id);
    expect((await guide.articles({ collection: newId('col') })).data).toEqual([]);
    await expect(guide.article(newId('art'))).rejects.toMatchObject({ code: 'article/not_found' });
  });

  test('erase() deletes the visitor', async () => {
    const guide = openRealGuide();
    await askInGerman(guide);
    const { conversationId, state } = guide;
    expect(await guide.erase()).toMatchObject({ ok: true, conversations: 1 });
    const same = openRealGuide({ visitorId: state!.visitor_id });
    await expect(same.conversation(conversationId)).rejects.toMatchObject({ code: 'conversation/not_found' });
  });

  test('errors of the service have their codes', async () => {
    const elsewhere = openRealGuide({ origin: 'https://elsewhere.example' });
    const error = await elsewhere.boot().catch((cause: unknown) => cause);
    if (!isGuideError(error, 'boot/origin_not_allowed')) throw error;
    expect(error).toMatchObject({ status: 403, requestId: expect.stringMatching(/^req_/) });

    const wrongPage = openRealGuide().chat({
      ...accountTurn,
      message: 'Hallo?',
      url: 'https://elsewhere.example/',
    });
    await expect(wrongPage.next()).rejects.toMatchObject({ code: 'chat/url_mismatch', status: 403 });

    const empty = openRealGuide().chat({ ...accountTurn, message: '' });
    await expect(empty.next()).rejects.toMatchObject({
      code: 'request/invalid',
      issues: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining('message') })]),
    });
  });

  test('leaving the loop early stores the answer as interrupted', async () => {
    const guide = openRealGuide();
    for await (const event of guide.chat({ ...accountTurn, message: 'Wie lange dauert die Lieferung?' }))
      if (event.type === 'message_start') break;
    await expect
      .poll(async () => (await guide.conversation()).turns[0]?.state)
      .toMatch(/^(interrupted|complete)$/);
  });
});
