import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  type AnyGuideError,
  type BucketName,
  createAccount,
  createExporter,
  createTenant,
  type FeedbackReply,
  GuideError,
  type GuideErrorCode,
  isGuideError,
} from '../../client/sdk/index.ts';
import { ERROR_CODES } from '../../contract/errors.ts';
import {
  answerFrames,
  aScriptedServerForEach,
  bootReply,
  errorResponse,
  framesText,
  hangUp,
  json,
  openGuide,
  server,
  stream,
} from './scripted-server.ts';

aScriptedServerForEach();

const rating = json({ ok: true });
const MESSAGE = 'msg_01kakv2fxse7wtg6x5r0h8rjbm';

test('createGuide() sends nothing before the first call, and shares one boot between parallel calls', async () => {
  server.answer('/feedback', rating);
  const guide = openGuide({ path: '/cart', gpc: true, acceptLanguage: 'de' });
  expect(server.received).toHaveLength(0);
  await Promise.all([guide.boot(), guide.rate(MESSAGE, 'up'), guide.rate(MESSAGE, 'down')]);
  expect(server.at('/boot')).toHaveLength(1);
  expect(server.at('/boot')[0]).toMatchObject({
    headers: { origin: 'https://shop.example', 'accept-language': 'de' },
    body: { app_id: 'gp_demo', origin: 'https://shop.example', path: '/cart', gpc: true },
  });
  expect(server.at('/feedback')[0]?.headers.authorization).toBe('Bearer token');
  expect(guide.state?.visitor_id).toBe('vis_01kakv2fxse7wtg6x5r0h8rjbm');
});

test('parallel calls with an expired token share one renewal and are repeated once each', async () => {
  server.answer('/boot', json(bootReply('old')), json(bootReply('new')));
  server.answer('/feedback', (response, received) => {
    const isNew = received.headers.authorization === 'Bearer new';
    return (isNew ? rating : errorResponse(401, 'jwt_expired'))(response, received);
  });
  const guide = openGuide();
  await guide.boot();
  await Promise.all(Array.from({ length: 20 }, () => guide.rate(MESSAGE, 'up')));
  expect(server.at('/boot')).toHaveLength(2);
  expect(server.at('/boot')[1]?.body.visitor_id).toBe('vis_01kakv2fxse7wtg6x5r0h8rjbm');
});

test('a token that is rejected after its renewal causes an error, not a loop', async () => {
  server.answer('/feedback', errorResponse(401, 'jwt_expired'));
  await expect(openGuide().rate(MESSAGE, 'up')).rejects.toMatchObject({ code: 'jwt_expired', status: 401 });
  expect(server.at('/boot')).toHaveLength(2);
  expect(server.at('/feedback')).toHaveLength(2);
});

test('a call renews the token a minute before it expires, and uses the old one when that fails', async () => {
  let now = Date.now();
  server.answer(
    '/boot',
    json(bootReply('old', now)),
    errorResponse(503, 'boot/unavailable'),
    json(bootReply('new')),
  );
  server.answer('/feedback', rating);
  const guide = openGuide({ clock: { now: () => now } });
  await guide.boot();
  now += 835_000;
  await guide.rate(MESSAGE, 'up');
  expect(server.at('/boot')).toHaveLength(1);
  now += 10_000;
  await guide.rate(MESSAGE, 'up');
  await guide.rate(MESSAGE, 'up');
  const tokens = server.at('/feedback').map((request) => request.headers.authorization);
  expect(tokens).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
});

test('a device whose clock is an hour ahead does not boot before every call', async () => {
  server.answer('/feedback', rating);
  const guide = openGuide({ clock: { now: () => Date.now() + 3_600_000 } });
  await guide.rate(MESSAGE, 'up');
  await guide.rate(MESSAGE, 'up');
  expect(server.at('/boot')).toHaveLength(1);
});

test('the token is renewed in the background only while the guide is in use', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.now() });
  try {
    server.answer('/boot', (response, received) => json(bootReply('token'))(response, received));
    server.answer('/feedback', rating);
    const guide = openGuide();
    await guide.rate(MESSAGE, 'up');
    await vi.advanceTimersByTimeAsync(841_000);
    await vi.waitUntil(() => server.at('/boot').length === 2);
    await guide.boot();
    expect(server.at('/boot').length).toBeLessThanOrEqual(3);
    const before = server.at('/boot').length;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(server.at('/boot')).toHaveLength(before);
    guide.close();
  } finally {
    vi.useRealTimers();
  }
});

test('calls are retried after broken connections and short rejections', async () => {
  server.answer(
    '/boot',
    hangUp,
    errorResponse(503, 'server/overloaded', {}, { 'retry-after': '0' }),
    json(bootReply('x')),
  );
  expect((await openGuide().boot()).jwt).toBe('x');
  expect(server.at('/boot')).toHaveLength(3);
});

test('calls are not retried when the service is switched off', async () => {
  server.answer('/boot', errorResponse(503, 'boot/unavailable'));
  await expect(openGuide().boot()).rejects.toMatchObject({ code: 'boot/unavailable', status: 503 });
  expect(server.at('/boot')).toHaveLength(1);
});

test('a long Retry-After is thrown with all details of the error instead of being waited for', async () => {
  const body = { bucket: 'boot/rate-limited', retryAfterSec: 60 };
  server.answer('/boot', errorResponse(429, 'rate_limit/exceeded', body, { 'retry-after': '60' }));
  const error = await openGuide()
    .boot()
    .catch((cause) => cause);
  expect(error).toBeInstanceOf(GuideError);
  expect(error).toMatchObject({
    code: 'rate_limit/exceeded',
    status: 429,
    bucket: 'boot/rate-limited',
    retryAfterSeconds: 60,
    requestId: 'req_1',
  });
  expect(server.at('/boot')).toHaveLength(1);
});

test('a short Retry-After is waited for, as seconds, as a date, or as a field of the body', async () => {
  const soon = new Date(Date.now() + 2000).toUTCString();
  const retryAfters = [
    [{ 'retry-after': '1' }, {}],
    [{ 'retry-after': soon }, {}],
    [{}, { retryAfterSec: 1 }],
  ] as const;
  const waits = retryAfters.map(async ([headers, field], index) => {
    server.answer(
      `/${index}/boot`,
      errorResponse(429, 'rate_limit/exceeded', field, headers),
      json(bootReply('x')),
    );
    const started = Date.now();
    await openGuide({ baseUrl: `${server.baseUrl}/${index}/` }).boot();
    return Date.now() - started;
  });
  for (const waited of await Promise.all(waits)) expect(waited).toBeGreaterThanOrEqual(900);
});

test('all attempts of a call share one deadline', async () => {
  server.answer('/boot', () => {});
  const started = Date.now();
  const guide = openGuide({ retry: { deadlineSeconds: 0.2 } });
  await expect(guide.boot()).rejects.toMatchObject({ code: 'timeout' });
  expect(Date.now() - started).toBeLessThan(20_000);
});

test('a response that does not follow the API is a protocol error, and a missing connection a network error', async () => {
  server.answer('/boot', (response) => response.writeHead(200).end('<html>'));
  await expect(openGuide().boot()).rejects.toMatchObject({ code: 'protocol', status: 200 });
  server.answer('/boot', (response) => response.writeHead(403).end('<html>'));
  await expect(openGuide().boot()).rejects.toMatchObject({ code: 'protocol', status: 403 });
  const nowhere = openGuide({ baseUrl: 'http://127.0.0.1:1', retry: { attemptsMax: 0 } });
  await expect(nowhere.boot()).rejects.toMatchObject({ code: 'network' });
});

test('a reply that is not a boot is rejected and leaves the state unchanged', async () => {
  server.answer('/boot', json(bootReply('token')));
  const guide = openGuide();
  const before = await guide.boot();
  for (const nonsense of [null, {}, [], 'x', { jwt: 'a' }]) {
    server.answer('/boot', json(nonsense));
    await expect(openGuide().boot()).rejects.toMatchObject({ code: 'protocol', status: 200 });
    await expect(guide.boot()).rejects.toMatchObject({ code: 'protocol' });
    expect(guide.state).toBe(before);
  }
});

test('consent() records the decision with the copy that was shown, and boots again', async () => {
  server.answer('/consent', json({ ok: true, recorded: true }));
  const guide = openGuide({ path: '/cart', gpc: false });
  expect(await guide.consent('accepted')).toEqual({ ok: true, recorded: true });
  expect(server.at('/consent')[0]?.body).toEqual({
    visitor_id: 'vis_01kakv2fxse7wtg6x5r0h8rjbm',
    url: 'https://shop.example/cart',
    copy_version: '1',
    at: expect.any(Number),
    decision: 'accepted',
    mode: 'opt_in',
    policy_version: 'p1',
    gpc: false,
  });
  expect(server.at('/boot')).toHaveLength(2);
});

test('consent() renews an expired token and sends the decision again', async () => {
  server.answer('/boot', json(bootReply('old')), json(bootReply('new')));
  server.answer('/consent', (response, received) => {
    const recorded = received.headers.authorization === 'Bearer new';
    return json({ ok: true, recorded })(response, received);
  });
  expect(await openGuide().consent('denied')).toEqual({ ok: true, recorded: true });
  const [first, second] = server.at('/consent');
  expect(second?.body).toEqual(first?.body);
});

function openStorage(items: Record<string, string> = {}) {
  const map = new Map(Object.entries(items));
  return {
    map,
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => void map.set(key, value),
    removeItem: (key: string) => void map.delete(key),
  };
}

test('visitor and conversation are stored on the device only while the service allows it', async () => {
  const storage = openStorage();
  server.answer('/boot', json(bootReply('a')), json(bootReply('b', Date.now(), true)));
  server.answer('/consent', json({ ok: true, recorded: true }));
  server.answer('/chat', stream(framesText(answerFrames)));
  const guide = openGuide({ storage, clock: { now: () => 1_764_000_000_000 } });
  await guide.boot();
  expect(storage.map.size).toBe(0);

  await guide.consent('accepted');
  for await (const _ of guide.chat({ message: 'a', domDigest: 'b', url: 'https://shop.example/' }));
  expect(JSON.parse(storage.map.get('guidepost:gp_demo') ?? '')).toEqual({
    visitorId: 'vis_01kakv2fxse7wtg6x5r0h8rjbm',
    conversationId: 'conv_of_the_service',
    nextTurnIdx: expect.any(Number),
    conversations: [{ conversationId: 'conv_of_the_service', title: 'a', activeAt: 1_764_000_000_000 }],
  });

  const next = openGuide({ storage });
  expect(next.conversationId).toBe('conv_of_the_service');
  await next.boot();
  expect(server.at('/boot').at(-1)?.body.visitor_id).toBe('vis_01kakv2fxse7wtg6x5r0h8rjbm');

  server.answer('/boot', json(bootReply('c')));
  await next.consent('denied');
  expect(storage.map.size).toBe(0);
});

test.each(['"text"', 'null', '{', '{"visitorId":1,"conversationId":"conv_a"}'])(
  'a stored visitor of another form is ignored: %s',
  async (text) => {
    server.answer('/boot', json(bootReply('a', Date.now(), true)));
    const guide = openGuide({ storage: openStorage({ 'guidepost:gp_demo': text }) });
    expect(guide.conversationId).toBeUndefined();
    await guide.boot();
    expect(server.at('/boot').at(-1)?.body).not.toHaveProperty('visitor_id');
  },
);

test('a visitor who may not be stored leaves alone what another tab has stored', async () => {
  const storage = openStorage();
  server.answer('/boot', json(bootReply('a')), json(bootReply('b')));
  server.answer('/chat', stream(framesText(answerFrames)));
  const guide = openGuide({ storage });
  await guide.boot();
  const stored = JSON.stringify({ visitorId: 'vis_of_the_other_tab', conversations: [] });
  storage.map.set('guidepost:gp_demo', stored);

  for await (const _ of guide.chat({ message: 'a', domDigest: 'b', url: 'https://shop.example/' }));
  expect(storage.map.get('guidepost:gp_demo')).toBe(stored);
  await guide.boot();
  expect(server.at('/boot')).toHaveLength(2);
  expect(storage.map.get('guidepost:gp_demo')).toBe(stored);
});

test('conversations are listed by when they were last active, and reading a conversation changes nothing', async () => {
  const conversations = [
    { conversationId: 'conv_new', title: 'New?', activeAt: 2_000_000 },
    { conversationId: 'conv_old', title: 'Old?', activeAt: 1_000_000 },
  ];
  const visitorId = 'vis_01kakv2fxse7wtg6x5r0h8rjbm';
  const storage = openStorage({ 'guidepost:gp_demo': JSON.stringify({ visitorId, conversations }) });
  server.answer('/boot', json(bootReply('a', Date.now(), true)));
  const found = { conversation_id: 'conv_old', started_at: 900, next_turn_idx: 1 };
  server.answer('/conversations/conv_old', json({ ...found, turns: [{ message: 'Old?', asked_at: 1000 }] }));
  server.answer('/chat', stream(framesText(answerFrames)));
  const guide = openGuide({ storage });
  await guide.conversation('conv_old');
  expect(guide.conversations).toEqual(conversations);
  for await (const _ of guide.chat({ message: 'Now?', domDigest: 'b', url: 'https://shop.example/' }));
  expect(guide.conversations.map(({ title }) => title)).toEqual(['Now?', 'New?', 'Old?']);
});

test('the conversation that the service says was last active is continued', async () => {
  server.answer('/boot', json(bootReply('a')));
  const data = [
    { conversation_id: 'conv_new', title: 'New?', last_at: 1000 },
    { conversation_id: 'conv_old', title: 'Old?', last_at: 2000 },
  ];
  server.answer('/conversations', json({ data }));
  const guide = openGuide();
  await guide.readConversations();
  expect(guide.conversationId).toBe('conv_old');
  expect(guide.conversations).toEqual([
    { conversationId: 'conv_old', title: 'Old?', activeAt: 2_000_000 },
    { conversationId: 'conv_new', title: 'New?', activeAt: 1_000_000 },
  ]);
});

test('a storage that throws stores nothing and breaks nothing', async () => {
  const deny = () => {
    throw new Error('denied by the browser');
  };
  server.answer('/boot', json(bootReply('a', Date.now(), true)));
  const guide = openGuide({
    storage: { getItem: deny, setItem: deny, removeItem: deny },
  });
  expect((await guide.boot()).jwt).toBe('a');
});

test('erase() makes the next call start as a new visitor', async () => {
  server.answer('/visitor', json({ ok: true, conversations: 1, events: 2, feedback: 0 }));
  const guide = openGuide();
  await guide.erase();
  expect(guide.state).toBeUndefined();
  await guide.boot();
  expect(server.at('/boot').at(-1)?.body).not.toHaveProperty('visitor_id');
});

test('close() aborts running calls and rejects later ones', async () => {
  server.answer('/boot', () => {});
  const guide = openGuide();
  const booting = guide.boot();
  setTimeout(guide.close, 20);
  await expect(booting).rejects.toMatchObject({ code: 'aborted' });
  await expect(guide.rate(MESSAGE, 'up')).rejects.toMatchObject({ code: 'aborted' });
  await expect(
    guide.chat({ message: 'a', domDigest: 'b', url: 'https://shop.example/' }).next(),
  ).rejects.toMatchObject({ code: 'aborted' });
});

test('every call of a crawler rejects with bot, says why, and reaches no other endpoint', async () => {
  const reply = bootReply(null);
  server.answer('/boot', json(reply));
  for (const guide of [openGuide(), openGuide({ booted: reply })]) {
    for (const call of [() => guide.boot(), () => guide.consent('accepted'), () => guide.rate(MESSAGE, 'up')])
      await expect(call()).rejects.toMatchObject({
        code: 'bot',
        message: expect.stringContaining('by its user agent'),
      });
    expect(guide.state).toBeUndefined();
  }
  expect(server.received.every(({ path }) => path === '/boot')).toBe(true);
});

test('a boot is sent as text, which needs no CORS preflight', async () => {
  server.answer('/boot', json(bootReply('a')));
  await openGuide().boot();
  expect(server.at('/boot')[0]?.headers['content-type']).toBe('text/plain');
});

test('a header that the caller sets replaces that of the client, in any case', async () => {
  server.answer('/boot', json(bootReply('a')));
  await openGuide({
    acceptLanguage: 'de',
    headers: { 'User-Agent': 'Shop/2', 'Accept-Language': 'fr' },
  }).boot();
  expect(server.at('/boot')[0]?.headers).toMatchObject({
    'user-agent': 'Shop/2',
    'accept-language': 'fr',
  });
});

test('isGuideError() narrows to the given code', () => {
  const error: unknown = new GuideError('jwt_expired', 'Old.');
  expect(isGuideError(error)).toBe(true);
  expect(isGuideError(error, 'network')).toBe(false);
  expect(isGuideError(new Error('jwt_expired'))).toBe(false);
  if (!isGuideError(error, 'jwt_expired')) throw new Error('must be one');
  expectTypeOf(error.code).toEqualTypeOf<'jwt_expired'>();
});
const headers = { 'x-request-id': 'req_7' };

test('withResponse() also returns the response, without a second request', async () => {
  server.answer('/feedback', json({ ok: true }, 200, headers));
  const answer = openGuide().rate(MESSAGE, 'up');
  const { data, response } = await answer.withResponse();
  expectTypeOf(data).toEqualTypeOf<FeedbackReply>();
  expect(data).toEqual({ ok: true });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toBe('req_7');
  expect(await answer).toEqual({ ok: true });
  expect(server.at('/feedback')).toHaveLength(1);
});

test('withResponse() returns the response of the attempt that succeeded', async () => {
  server.answer(
    '/feedback',
    errorResponse(503, 'server/overloaded', {}, { 'retry-after': '0' }),
    json({ ok: true }, 200, headers),
  );
  const { response } = await openGuide().rate(MESSAGE, 'up').withResponse();
  expect(response.headers.get('x-request-id')).toBe('req_7');
});

test('withResponse() rejects like the call', async () => {
  server.answer('/feedback', errorResponse(404, 'message/not_found'));
  await expect(openGuide().rate(MESSAGE, 'up').withResponse()).rejects.toMatchObject({
    code: 'message/not_found',
    requestId: 'req_1',
  });
});

test('withResponse() returns the same response to calls that share a boot', async () => {
  const guide = openGuide();
  const [first, second] = await Promise.all([guide.boot().withResponse(), guide.boot().withResponse()]);
  expect(first.response).toBe(second.response);
  expect(first.data).toBe(second.data);
  expect(server.at('/boot')).toHaveLength(1);
});

test('withResponse() works for tenants and exporters', async () => {
  const { baseUrl } = server;
  const articles = '/api/tenants/ws_1/knowledge/articles';
  server.answer('/api/session/confirm', json({ person: 'Ada' }, 200, headers));
  server.answer(`${articles}/art_1`, json({ ok: true }, 200, headers));
  server.answer(`${articles}?limit=2`, json({ data: [] }, 200, headers));
  server.answer('/api/export/analytics', json({ periods: [] }, 200, headers));
  const tenant = createTenant({ baseUrl, tenantId: 'ws_1' });
  const answers = [
    createAccount({ baseUrl }).confirmPassword('a long password'),
    tenant.articles.delete('art_1'),
    tenant.articles.list({ limit: 2 }).page(),
    createExporter({ baseUrl, apiKey: 'pk_live_key' }).analytics(),
  ];
  for (const answer of answers) {
    const { response } = await answer.withResponse();
    expect(response.headers.get('x-request-id')).toBe('req_7');
  }
  expect(await tenant.articles.delete('art_1')).toBeUndefined();
});

/** Tested by the compiler: each `@ts-expect-error` must be an error. */

/** Does not compile when a code is missing. */
function sentence(error: AnyGuideError): string {
  switch (error.code) {
    case 'rate_limit/exceeded':
      return `${error.bucket} for ${error.retryAfterSeconds.toFixed()} s`;
    case 'article/conflict':
      return `revision ${error.currentRevision.toFixed()} of ${error.changedBy.trim()}`;
    case 'translation/stale':
      return `revision ${error.currentSourceRevision.toFixed()}`;
    case 'network':
    case 'timeout':
    case 'aborted':
    case 'protocol':
    case 'bot':
    case 'microphone':
    case 'unsupported':
      return 'no answer';
    default:
      return statusOf(error.code);
  }
}

/** Accepts only codes of the service: the client's own codes must have been handled before. */
function statusOf(code: keyof typeof ERROR_CODES): string {
  return `status ${ERROR_CODES[code].status}`;
}

describe('GuideError types', () => {
  test('narrow to the details of a code', () => {
    const limit = { bucket: 'boot/rate-limited', retryAfterSeconds: 7 } as const;
    const errors: unknown[] = [
      new GuideError('rate_limit/exceeded', 'Wait.', limit),
      new GuideError('network', 'Gone.'),
      new GuideError('message/not_found', 'No.'),
    ];
    const sentences = errors.map((error) => (isGuideError(error) ? sentence(error) : 'foreign'));
    expect(sentences).toEqual(['boot/rate-limited for 7 s', 'no answer', 'status 404']);
  });

  test('have the details of their code and no others', () => {
    const error: unknown = new GuideError('rate_limit/exceeded', 'Wait.');
    if (isGuideError(error, 'rate_limit/exceeded')) {
      expectTypeOf(error.code).toEqualTypeOf<'rate_limit/exceeded'>();
      expectTypeOf(error.bucket).toEqualTypeOf<BucketName>();
      expectTypeOf(error.currentRevision).toEqualTypeOf<number | undefined>();
    }
    if (isGuideError(error, 'article/not_allowed')) expectTypeOf(error.currentStatus).toEqualTypeOf<string>();
  });

  test('have every code of the contract and no others', () => {
    type OfTheClient = 'network' | 'timeout' | 'aborted' | 'protocol' | 'bot' | 'microphone' | 'unsupported';
    expectTypeOf<Exclude<GuideErrorCode, OfTheClient>>().toEqualTypeOf<keyof typeof ERROR_CODES>();
    expectTypeOf<AnyGuideError['code']>().toEqualTypeOf<GuideErrorCode>();
  });

  test('reject a code that does not exist', () => {
    // @ts-expect-error There is no such code.
    expect(isGuideError(new GuideError('network', 'Gone.'), 'chat/nonsense')).toBe(false);
    // @ts-expect-error There is no such code.
    expect(new GuideError('chat/nonsense', 'No.').code).toBe('chat/nonsense');
  });

  test('reject a switch that misses a code', () => {
    const forgetful = (error: AnyGuideError): 'limit' => {
      if (error.code === 'rate_limit/exceeded') return 'limit';
      // @ts-expect-error All the other codes are still possible.
      const nothingLeft: never = error;
      return nothingLeft;
    };
    expect(forgetful(new GuideError('rate_limit/exceeded', 'Wait.') as AnyGuideError)).toBe('limit');
  });
});
