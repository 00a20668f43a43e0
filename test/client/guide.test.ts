import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuide, type GuideOptions, isGuideError } from '../../client/sdk/index.ts';
import { chatEvent } from '../../contract/chat-event.ts';
import { type Harness, ORIGIN, openHarness, USER_AGENT } from '../harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness.close());

function openGuide(options: Partial<GuideOptions> = {}) {
  return createGuide({
    baseUrl: harness.baseUrl,
    appId: harness.appId,
    origin: ORIGIN,
    path: '/account',
    acceptLanguage: 'de',
    headers: { 'user-agent': USER_AGENT },
    ...options,
  });
}

const turn = { domDigest: 'main > h1 Konto', url: `${ORIGIN}/account` };

async function ask(guide: ReturnType<typeof openGuide>, message = 'Ich habe mein Passwort vergessen.') {
  const events = [];
  for await (const event of guide.chat({ ...turn, message })) events.push(event);
  return events;
}

const boots = () => harness.logged.filter((line) => line.operation === 'bootGuide').length;

test("the guide boots, asks, and gets a cited answer in the visitor's language", async () => {
  const guide = openGuide();
  const events = await ask(guide);
  for (const event of events) expect(chatEvent.safeParse(event).error).toBeUndefined();
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index));
  expect(events.find((event) => event.type === 'citation')).toMatchObject({ content_locale: 'de' });
  expect(events.at(-1)).toMatchObject({ type: 'message_end', finish_reason: 'stop', next_turn_idx: 1 });
  expect(guide.state?.config.content_locale).toBe('de');
  guide.close();
});

test('the guide continues its conversation and reads it again', async () => {
  const guide = openGuide();
  await ask(guide);
  await ask(guide, 'Wie gebe ich eine Bestellung zurück?');
  const read = await guide.conversation();
  expect(read.turns.map((each) => each.turn_idx)).toEqual([0, 1]);
  expect(read.next_turn_idx).toBe(2);
  await expect(openGuide().conversation(guide.conversationId)).rejects.toMatchObject({
    code: 'conversation/not_found',
  });
});

test("the guide follows the service when it replaces another visitor's conversation", async () => {
  const mine = openGuide();
  await ask(mine);
  const guide = openGuide();
  const foreign = mine.conversationId!;
  const [start] = await (async () => {
    const events = [];
    for await (const event of guide.chat({ ...turn, message: 'Hallo?', conversationId: foreign }))
      events.push(event);
    return events;
  })();
  expect(start).toMatchObject({ conversation_rotated: true, previous_conversation_id: foreign });
  expect(guide.conversationId).not.toBe(foreign);
});

test('the guide records consent and updates its state', async () => {
  const guide = openGuide();
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
  const guide = openGuide({ clock: { now: () => 0 } });
  const first = await guide.boot();
  const start = (await ask(guide))[0];
  const messageId = start?.type === 'message_start' ? start.message_id : '';
  const before = boots();
  harness.clock.advance(16 * 60_000);
  await Promise.all(Array.from({ length: 8 }, () => guide.rate(messageId, 'up', { comment: 'Danke' })));
  expect(boots() - before).toBe(1);
  expect(guide.state?.visitor_id).toBe(first.visitor_id);
  expect(guide.state?.jwt).not.toBe(first.jwt);
});

test('erase() deletes the visitor', async () => {
  const guide = openGuide();
  await ask(guide);
  const { conversationId, state } = guide;
  expect(await guide.erase()).toMatchObject({ ok: true, conversations: 1 });
  const same = openGuide({ visitorId: state!.visitor_id });
  await expect(same.conversation(conversationId)).rejects.toMatchObject({ code: 'conversation/not_found' });
});

test('errors of the service have their codes', async () => {
  const elsewhere = openGuide({ origin: 'https://elsewhere.example' });
  const error = await elsewhere.boot().catch((cause: unknown) => cause);
  if (!isGuideError(error, 'boot/origin_not_allowed')) throw error;
  expect(error).toMatchObject({ status: 403, requestId: expect.stringMatching(/^req_/) });

  const wrongPage = openGuide().chat({ ...turn, message: 'Hallo?', url: 'https://elsewhere.example/' });
  await expect(wrongPage.next()).rejects.toMatchObject({ code: 'chat/url_mismatch', status: 403 });

  const empty = openGuide().chat({ ...turn, message: '' });
  await expect(empty.next()).rejects.toMatchObject({
    code: 'request/invalid',
    issues: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining('message') })]),
  });
});

test('leaving the loop early stores the answer as interrupted', async () => {
  const guide = openGuide();
  for await (const event of guide.chat({ ...turn, message: 'Wie lange dauert die Lieferung?' }))
    if (event.type === 'message_start') break;
  await expect
    .poll(async () => (await guide.conversation()).turns[0]?.state)
    .toMatch(/^(interrupted|complete)$/);
});
