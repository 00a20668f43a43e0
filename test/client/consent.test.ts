import { expect, test } from 'vitest';
import type { GuideStorage } from '../../client/sdk/index.ts';
import {
  type Answer,
  answerFrames,
  aScriptedServerForEach,
  bootReply,
  errorResponse,
  framesText,
  json,
  openGuide,
  server,
  stream,
} from './scripted-server.ts';

aScriptedServerForEach();

const kept = (token: string) => json(bootReply(token, Date.now(), true));
const recorded = json({ ok: true, recorded: true });

/** A response that waits until it is released. */
function held(answer: Answer) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const holding: Answer = async (response, received) => {
    arrived.resolve();
    await promise;
    await answer(response, received);
  };
  return { answer: holding, arrived: arrived.promise, letGo: resolve };
}

/** Records everything that was ever written. */
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

test('a boot that started before a refusal stores nothing on the device, however late its reply', async () => {
  const renewal = held(kept('renewed'));
  server.answer('/boot', kept('first'), renewal.answer, json(bootReply('after')));
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

test('a boot that is answered while a refusal is being sent stores nothing on the device', async () => {
  const renewal = held(kept('renewed'));
  const refusing = held(recorded);
  server.answer('/boot', kept('first'), renewal.answer, json(bootReply('after')));
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

test('a refusal that never reaches the service still keeps the visitor off the device until consent', async () => {
  server.answer('/boot', kept('first'));
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
  const renewal = held(kept('renewed'));
  server.answer('/boot', kept('first'), renewal.answer, json(bootReply('another')));
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
