import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../contract/limits/rate-limits.ts';
import { toAddress, toNetwork } from '../../server/base/network.ts';
import { clock, type Harness, ORIGIN, openHarness, question } from '../support/harness.ts';

describe('rate limits over HTTP', () => {
  let harness: Harness;
  beforeAll(async () => {
    clock.stop();
    harness = await openHarness();
  });
  afterAll(async () => {
    await harness.close();
    clock.resume();
  });

  const send = async (path: string, init: Parameters<Harness['fetch']>[1]) => {
    const { status, headers, body } = await harness.fetch(path, init);
    await body?.cancel();
    return { status, policy: headers.get('ratelimit-policy'), limit: headers.get('ratelimit') };
  };
  const boot = () => send('/boot', { json: { app_id: harness.appId, origin: ORIGIN, path: '/' } });

  describe('RateLimit headers', () => {
    it('report the remaining requests and seconds with every boot, down to zero', async () => {
      expect(await boot()).toEqual({
        status: 200,
        policy: '"boot/rate-limited";q=120;w=60',
        limit: '"boot/rate-limited";r=119;t=60',
      });
      clock.advance(20_000);
      // Redis has its own clock, which advances during the test.
      expect((await boot()).limit).toMatch(/^"boot\/rate-limited";r=118;t=(40|[23]\d)$/);
      for (let drawn = 0; drawn < 118; drawn += 1) await send('/boot', { json: {} });
      const empty = await boot();
      expect(empty.status).toBe(429);
      expect(empty.limit).toMatch(/^"boot\/rate-limited";r=0;t=(40|[23]\d)$/);
      clock.advance(60_000);
    });

    it('report no more than the window after the clock was set back', async () => {
      await boot();
      clock.advance(-7_200_000);
      expect((await boot()).limit).toMatch(/;t=60$/);
      clock.advance(60_000);
      expect((await boot()).limit).toMatch(/;r=119;t=60$/);
      clock.advance(7_200_000);
    });

    it('are sent with errors that count, and not with errors before rate limiting', async () => {
      const invalid = await send('/boot', { json: { surprise: 1 } });
      expect(invalid).toMatchObject({
        status: 400,
        limit: expect.stringContaining('"boot/rate-limited";r='),
      });
      const stranger = await send('/chat', { json: question() });
      expect(stranger.limit).toMatch(/^"chat\/ip-rate-limited";r=119;t=60$/);
      expect(await send('/api/session', { json: {}, headers: { origin: 'https://other.example' } })).toEqual({
        status: 403,
        policy: null,
        limit: null,
      });
    });

    it('report every bucket of a turn except those of the whole workspace', async () => {
      const { jwt } = await harness.boot();
      const turn = await send('/chat', { json: question(), headers: { authorization: `Bearer ${jwt}` } });
      expect(turn).toEqual({
        status: 200,
        policy: '"chat/visitor-burst";q=30;w=60, "chat/visitor-hour";q=100;w=3600',
        limit: '"chat/visitor-burst";r=29;t=60, "chat/visitor-hour";r=99;t=3600',
      });
      expect(BUCKETS['chat/tenant-burst'].per).toBe('workspace');
    });

    it('are exposed to the requesting page', async () => {
      const { headers } = await harness.fetch('/boot', { json: {} });
      const exposed = headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
    });
  });

  describe('one address', () => {
    it.each([
      ['203.0.113.7', '203.0.113.7'],
      ['::ffff:203.0.113.7', '203.0.113.7'],
      ['::FFFF:203.0.113.7', '203.0.113.7'],
      ['::ffff:cb00:7107', '203.0.113.7'],
      ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ])('%s counts as the IPv4 address %s', (address, plain) => {
      expect(toAddress(address)).toBe(plain);
    });

    it.each([
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
      ['2001:0DB8:0001:0002::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
      ['2001:db8::1', '2001:db8:0:0:1::'],
      ['fe80::1%eth0', 'fe80::2%eth1'],
      ['::1', '::2'],
    ])('is the same for %s and %s', (one, other) => {
      expect(toAddress(one)).toBe(toAddress(other));
    });

    it.each([
      ['2001:db8:1:2::', '2001:db8:1:3::'],
      ['2001:db8::', '2001:db8:0:1::'],
      ['203.0.113.7', '203.0.113.8'],
      ['::ffff:203.0.113.7', '::ffff:203.0.113.8'],
      ['::ffff:cb00:7107', '::1'],
      ['', 'garbage'],
    ])('differs for %s and %s', (one, other) => {
      expect(toAddress(one)).not.toBe(toAddress(other));
    });
  });

  describe('one network', () => {
    it('is an IPv6 /48, or one IPv4 address', () => {
      expect(toNetwork('2001:db8:1:2::1')).toBe(toNetwork('2001:db8:1:ffff::1'));
      expect(toNetwork('2001:db8:1::')).not.toBe(toNetwork('2001:db8:2::'));
      expect(toNetwork('203.0.113.7')).not.toBe(toNetwork('203.0.113.8'));
      expect(toNetwork('::ffff:203.0.113.7')).toBe('203.0.113.7');
    });
  });
});
