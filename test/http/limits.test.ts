import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { BUCKETS, type BucketName } from '../../contract/limits/rate-limits.ts';
import { onSqlite } from '../support/cluster/harness-cluster.ts';
import { clock, type Harness, openHarness, question } from '../support/harness.ts';
import { expectError, readResponse, type TestResponse } from '../support/response.ts';

const MINUTE = 60_000;

beforeAll(() => clock.stop());
afterAll(() => clock.resume());

/** Sends a body that is rejected only after rate limiting, which is enough for most of these tests. */
const send = (harness: Harness, path: string, headers: Record<string, string> = {}): Promise<TestResponse> =>
  readResponse(harness.fetch(path, { json: {}, headers }));

const boot = (harness: Harness, address?: string) =>
  send(harness, '/boot', address === undefined ? {} : { 'x-forwarded-for': address });
const chat = (harness: Harness, jwt: string, address?: string) =>
  send(harness, '/chat', {
    authorization: `Bearer ${jwt}`,
    ...(address === undefined ? {} : { 'x-forwarded-for': address }),
  });

/** Sends the requests concurrently and returns how many were within the limit. */
async function sendMany(times: number, sendOne: () => Promise<TestResponse>): Promise<number> {
  // More turns at once would be refused as overload.
  const limit = pLimit(16);
  const responses = await Promise.all(Array.from({ length: times }, () => limit(sendOne)));
  return responses.filter(({ status }) => status !== 429).length;
}

/** Expects an exceeded limit with exactly this Retry-After. */
function expectEmpty(response: TestResponse, bucket: BucketName, seconds: number): void {
  const body = expectError(response, 'rate_limit/exceeded');
  expect(body).toEqual({
    error: 'rate_limit/exceeded',
    bucket,
    retryAfterSec: seconds,
    message: expect.any(String),
    request_id: expect.any(String),
  });
  expect(response.headers.get('retry-after')).toBe(String(seconds));
}

const expectBucket = (response: TestResponse, bucket: BucketName) =>
  expect(expectError(response, 'rate_limit/exceeded').bucket).toBe(bucket);

describe('boots of one address', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness();
  });
  afterAll(() => harness.close());

  it('accepts 120 concurrent boots a minute, and returns Retry-After of 60 s to the others', async () => {
    expect(await sendMany(200, () => boot(harness))).toBe(120);
    expectEmpty(await boot(harness), 'boot/rate-limited', 60);
    // Burst windows report a fixed wait, whatever remains of the window.
    clock.advance(45_000);
    expectEmpty(await boot(harness), 'boot/rate-limited', 60);
    clock.advance(15_000);
    expect(await sendMany(130, () => boot(harness))).toBe(120);
  });

  it('are counted by the address of the peer, ignoring forwarded addresses', async () => {
    clock.advance(MINUTE);
    let sent = 0;
    const spoofed = () => {
      sent += 1;
      return send(harness, '/boot', {
        'x-forwarded-for': `198.51.100.${sent}`,
        'x-real-ip': `198.51.100.${sent}`,
        forwarded: `for=198.51.100.${sent}`,
        'cf-connecting-ip': `198.51.100.${sent}`,
        'true-client-ip': `198.51.100.${sent}`,
      });
    };
    expect(await sendMany(150, spoofed)).toBe(120);
  });

  it('do not limit other operations from the same address', async () => {
    clock.advance(MINUTE);
    const { jwt } = await harness.boot();
    await sendMany(130, () => boot(harness));
    expect((await chat(harness, jwt)).status).toBe(400);
    expect((await harness.fetch('/healthz')).status).toBe(200);
  });
});

describe('boots behind a trusted proxy', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' } });
  });
  afterAll(() => harness.close());

  it('are counted separately for each client', async () => {
    expect(await sendMany(130, () => boot(harness, '203.0.113.1'))).toBe(120);
    expect((await boot(harness, '203.0.113.2')).status).toBe(400);
    expect((await boot(harness, '203.0.113.2, 10.1.2.3')).status).toBe(400);
    expectEmpty(await boot(harness, '203.0.113.1, 10.1.2.3, 10.9.9.9'), 'boot/rate-limited', 60);
  });

  it('are counted by the last untrusted address of X-Forwarded-For', async () => {
    let sent = 0;
    const spoofed = () => {
      sent += 1;
      return boot(harness, `198.51.100.${sent}, garbage ${sent}, 203.0.113.9`);
    };
    expect(await sendMany(150, spoofed)).toBe(120);
  });

  it('are counted by address, without the ports that a proxy adds', async () => {
    let sent = 0;
    const elsewhere = () => {
      sent += 1;
      return boot(harness, `203.0.113.44:${40_000 + sent}, 10.1.2.3:${sent}`);
    };
    expect(await sendMany(130, elsewhere)).toBe(120);
    expectEmpty(await boot(harness, '203.0.113.44'), 'boot/rate-limited', 60);
    expect((await boot(harness, '[2001:db8:8::1]:443')).status).toBe(400);
  });

  it('are counted by IPv6 /64 network', async () => {
    let sent = 0;
    const neighbour = () => {
      sent += 1;
      return boot(harness, `2001:db8:7:1:${sent.toString(16)}::${(sent * 7).toString(16)}`);
    };
    expect(await sendMany(150, neighbour)).toBe(120);
    expectEmpty(await boot(harness, '2001:DB8:7:1::1'), 'boot/rate-limited', 60);
    expect((await boot(harness, '2001:db8:7:2::1')).status).toBe(400);
  });
});

describe('chat turns', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
  });
  afterAll(() => harness.close());

  it('are limited to 30 a minute for each visitor', async () => {
    const [one, other] = [await harness.boot(), await harness.boot()];
    expect(await sendMany(40, () => chat(harness, one.jwt))).toBe(30);
    expectEmpty(await chat(harness, one.jwt), 'chat/visitor-burst', 60);
    expect((await chat(harness, other.jwt)).status).toBe(400);
    // A new token does not give a visitor a new limit.
    const again = await harness.boot({ visitor_id: one.visitor_id });
    clock.advance(30_000);
    expectEmpty(await chat(harness, again.jwt), 'chat/visitor-burst', 60);
    clock.advance(30_000);
    expect((await chat(harness, one.jwt)).status).toBe(400);
  });

  it('are limited to 100 an hour for each visitor, with the rest of the hour as Retry-After', async () => {
    let { jwt, visitor_id } = await harness.boot();
    const startedBetween = [clock.now()];
    for (let minute = 0; minute < 4; minute++) {
      expect(await sendMany(25, () => chat(harness, jwt))).toBe(25);
      if (minute === 0) startedBetween.push(clock.now());
      clock.advance(MINUTE);
    }
    for (const later of [0, 20 * MINUTE, 30 * MINUTE]) {
      clock.advance(later);
      ({ jwt } = await harness.boot({ visitor_id }));
      const latest = Math.ceil((startedBetween[1]! + 60 * MINUTE - clock.now()) / 1000);
      const rejected = await chat(harness, jwt);
      const earliest = Math.ceil((startedBetween[0]! + 60 * MINUTE - clock.now()) / 1000);
      const { retryAfterSec } = expectError(rejected, 'rate_limit/exceeded');
      // Redis has its own clock.
      expect(retryAfterSec).toBeGreaterThanOrEqual(onSqlite ? earliest : earliest - 1);
      expect(retryAfterSec).toBeLessThanOrEqual(latest);
      expectEmpty(rejected, 'chat/visitor-hour', retryAfterSec!);
      clock.advance(MINUTE);
    }
    // A client that waits for Retry-After succeeds.
    const { retryAfterSec } = expectError(await chat(harness, jwt), 'rate_limit/exceeded');
    clock.advance(retryAfterSec! * 1000);
    ({ jwt } = await harness.boot({ visitor_id }));
    expect((await chat(harness, jwt)).status).toBe(400);
  });

  it('are limited to 1000 a minute for each workspace, after the visitor’s minute and before the visitor’s hour', async () => {
    clock.advance(61 * MINUTE);
    const patient = await harness.boot();
    // The hour of one visitor is spent over four minutes.
    for (let minute = 0; minute < 4; minute++) {
      await sendMany(25, () => chat(harness, patient.jwt));
      clock.advance(MINUTE);
    }
    expectBucket(await chat(harness, patient.jwt), 'chat/visitor-hour');
    const visitors: { jwt: string; address: string }[] = [];
    for (let i = 0; i < 41; i++) {
      const address = `192.0.2.${i}`;
      const { jwt } = await harness.boot({}, { 'x-forwarded-for': address });
      visitors.push({ jwt, address });
    }
    const { appId } = await harness.addWorkspace();
    const elsewhere = await harness.boot({ app_id: appId }, { 'x-forwarded-for': '192.0.2.200' });
    let accepted = 0;
    for (const [i, { jwt, address }] of visitors.slice(0, 40).entries())
      accepted += await sendMany(i === 0 ? 30 : 25, () => chat(harness, jwt, address));
    expect(accepted).toBe(1000);
    const last = visitors[40]!;
    expectEmpty(await chat(harness, last.jwt, last.address), 'chat/tenant-burst', 60);
    expectEmpty(await chat(harness, patient.jwt), 'chat/tenant-burst', 60);
    const [eager] = visitors;
    expectEmpty(await chat(harness, eager!.jwt, eager!.address), 'chat/visitor-burst', 60);
    expect((await chat(harness, elsewhere.jwt)).status).toBe(400);
    clock.advance(MINUTE);
    expect((await chat(harness, last.jwt, last.address)).status).toBe(400);
  });

  /** Boots visitors in one IPv6 /48, and returns how many of their turns were within the limits: 28 of each. */
  async function sendFromNetwork(visitors: number): Promise<number> {
    let accepted = 0;
    for (let i = 0; i < visitors; i++) {
      const address = `2001:db8:9:${i}::1`;
      const { jwt } = await harness.boot({}, { 'x-forwarded-for': address });
      accepted += await sendMany(28, () => chat(harness, jwt, address));
    }
    return accepted;
  }

  it('of one network may use the whole minute of a workspace without other visitors', async () => {
    clock.advance(61 * MINUTE);
    const { jwt } = await harness.boot();
    expect(await sendFromNetwork(40)).toBe(1000);
    expectEmpty(await chat(harness, jwt, '2001:db8:a::1'), 'chat/tenant-burst', 60);
  });

  it('of a network over its share wait once 70 % of the minute is used, while others are answered', async () => {
    clock.advance(MINUTE);
    const [jwt, later] = [(await harness.boot()).jwt, (await harness.boot()).jwt];
    expect(await sendFromNetwork(25)).toBe(700);
    expect((await chat(harness, jwt, '2001:db8:a::1')).status).toBe(400);
    expectEmpty(await chat(harness, later, '2001:db8:9::1'), 'chat/tenant-burst', 60);
    expect((await chat(harness, later, '2001:db8:b::1')).status).toBe(400);
    clock.advance(MINUTE);
    expect((await chat(harness, later, '2001:db8:9::1')).status).toBe(400);
  });

  it('consume no other limit when one is exceeded', async () => {
    const ownHarness = await openHarness();
    const { jwt } = await ownHarness.boot();
    const other = await ownHarness.boot();
    // More than the hour of the visitor.
    expect(await sendMany(130, () => chat(ownHarness, jwt))).toBe(30);
    expect((await chat(ownHarness, other.jwt)).status).toBe(400);
    for (let minute = 0; minute < 3; minute++) {
      clock.advance(MINUTE);
      await sendMany(30, () => chat(ownHarness, jwt));
    }
    // 100 an hour; rejected requests do not count.
    expectBucket(await chat(ownHarness, jwt), 'chat/visitor-hour');
    await ownHarness.close();
  });

  it('are limited to 120 a minute for each address without a valid token, apart from valid ones', async () => {
    clock.advance(MINUTE);
    const { jwt } = await harness.boot();
    const sendFrom = (address: string, authorization?: string) => () =>
      send(harness, '/chat', {
        'x-forwarded-for': address,
        ...(authorization === undefined ? {} : { authorization }),
      });
    const anonymous = await sendMany(70, sendFrom('203.0.113.50'));
    const forged = await sendMany(70, sendFrom('203.0.113.50', `Bearer ${jwt.slice(0, -2)}`));
    expect(anonymous + forged).toBe(120);
    expectEmpty(await sendFrom('203.0.113.50')(), 'chat/ip-rate-limited', 60);
    expect((await sendFrom('203.0.113.51')()).status).toBe(401);
    expect((await sendFrom('203.0.113.50', `Bearer ${jwt}`)()).status).toBe(400);
    clock.advance(16 * MINUTE);
    expectError(await sendFrom('203.0.113.50', `Bearer ${jwt}`)(), 'jwt_expired');
    expect(await sendMany(130, sendFrom('203.0.113.50', `Bearer ${jwt}`))).toBe(119);
    expectEmpty(await sendFrom('203.0.113.50', `Bearer ${jwt}`)(), 'chat/ip-rate-limited', 60);
  });
});

describe('rate limits after a restart', () => {
  it('continue every window until its original end', async () => {
    let harness = await openHarness();
    let { jwt, visitor_id } = await harness.boot();
    for (let minute = 0; minute < 4; minute++) {
      await sendMany(25, () => chat(harness, jwt));
      clock.advance(MINUTE);
    }
    await sendMany(60, () => send(harness, '/chat'));
    await sendMany(100, () => boot(harness));
    harness = await harness.restart();
    expect(await sendMany(30, () => boot(harness))).toBe(20);
    expect(await sendMany(100, () => send(harness, '/chat'))).toBe(60);
    const error = expectError(await chat(harness, jwt), 'rate_limit/exceeded');
    expect(error.bucket).toBe('chat/visitor-hour');
    expect(error.retryAfterSec).toBeLessThanOrEqual(56 * 60);
    expect(error.retryAfterSec).toBeGreaterThan(55 * 60);
    harness = await harness.restart();
    expectEmpty(await boot(harness), 'boot/rate-limited', 60);
    clock.advance(MINUTE);
    ({ jwt } = await harness.boot({ visitor_id }));
    harness = await harness.restart();
    expect(expectError(await chat(harness, jwt), 'rate_limit/exceeded').bucket).toBe('chat/visitor-hour');
    clock.advance(56 * MINUTE);
    ({ jwt } = await harness.boot({ visitor_id }));
    expect((await chat(harness, jwt)).status).toBe(400);
    await harness.close();
  });

  it('are restored after a crash, up to the last second', async () => {
    const crashed = await openHarness();
    await sendMany(120, () => boot(crashed));
    await crashed.service.tick();
    const restored = await crashed.afterCrash();
    expectEmpty(await boot(restored), 'boot/rate-limited', 60);
    await crashed.close();
    await restored.close();
  });

  // With Redis, the test would find no file; test/coordination/redis.cluster.test.ts reads its keys.
  it.runIf(onSqlite)('are stored without addresses and visitor ids', async () => {
    const harness = await openHarness({ env: { TRUSTED_PROXIES: 'loopback' } });
    const { jwt, visitor_id } = await harness.boot();
    await sendMany(5, () => boot(harness, '203.0.113.99'));
    await sendMany(5, () => chat(harness, jwt));
    await harness.ask(jwt, question());
    await harness.service.tick();
    const windows = await harness.service.store.rateWindows.load(clock.now());
    expect(windows.map(({ key }) => key.split(' ')[0])).toEqual(
      expect.arrayContaining([
        'boot/rate-limited',
        'chat/visitor-burst',
        'chat/tenant-burst',
        'chat/visitor-hour',
      ]),
    );
    for (const { key } of windows) {
      for (const name of ['203.0.113', visitor_id, harness.workspace.id]) expect(key).not.toContain(name);
    }
    await harness.close();
  });
});

it('the buckets have the published rate limits', () => {
  const published = [
    'boot/rate-limited',
    'chat/visitor-burst',
    'chat/tenant-burst',
    'chat/visitor-hour',
    'chat/ip-rate-limited',
  ] as const;
  const chatLimits = contract.chat.sendMessage.metadata;
  expect([...chatLimits.limits, ...chatLimits.limitsWithoutCredential]).toEqual(published.slice(1));
  expect(published.map((name) => [name, BUCKETS[name].points, BUCKETS[name].windowSeconds])).toEqual([
    ['boot/rate-limited', 120, 60],
    ['chat/visitor-burst', 30, 60],
    ['chat/tenant-burst', 1000, 60],
    ['chat/visitor-hour', 100, 3600],
    ['chat/ip-rate-limited', 120, 60],
  ]);
});
