import { afterEach, describe, expect, it } from 'vitest';
import { OverloadGuard } from '../../server/http/overload.ts';
import { createResourceLimits, type Owners, type ResourceLimit } from '../../server/http/resource-limits.ts';
import { type Harness, ORIGIN, openHarness } from '../support/harness.ts';
import { connectTo, head, jsonHeaders } from '../support/raw-connection.ts';
import { expectError, readResponse } from '../support/response.ts';

/** So many open requests that a late loop means guard. */
const BUSY = 20;

/** A guard on clocks that the test moves. */
function openGuard(random = () => 0.5) {
  let [now, workMillis] = [0, 0];
  const guard = new OverloadGuard({
    delayMillisMax: 50,
    now: () => now,
    workMillis: () => workMillis,
    random,
  });
  /** Returns Retry-After of a request that is refused. */
  const refuse = (openRequests = BUSY) => {
    if (!guard.accepts(openRequests)) return guard.refuse();
    guard.countAccepted();
    return undefined;
  };
  return {
    guard,
    refuse,
    /** Simulates one turn of the event loop; `requests` arrive at its start. */
    turn(millis: number, requests = 0): number {
      let rejected = 0;
      for (let at = 0; at < requests; at += 1) if (refuse() !== undefined) rejected += 1;
      now += millis;
      workMillis += millis;
      guard.tick();
      return rejected;
    },
    pass(millis: number, ownWorkMillis = millis) {
      now += millis;
      workMillis += ownWorkMillis;
    },
  };
}

describe('the guard against overload', () => {
  it('accepts everything while the event loop is on time', () => {
    const { turn } = openGuard(() => 0.999);
    for (let at = 0; at < 1000; at += 1) expect(turn(60, 10)).toBe(0);
  });

  it('rejects a part of the requests after the first long turn of the event loop', () => {
    const { turn } = openGuard(() => 0.8);
    turn(120);
    expect(turn(20, 100)).toBe(100);
    for (let at = 0; at < 100; at += 1) turn(20);
    expect(turn(20, 100)).toBe(0);
  });

  it('rejects nothing while other processes keep the event loop late', () => {
    const { guard, refuse, pass } = openGuard(() => 0.999);
    for (let at = 0; at < 10; at += 1) {
      pass(500, 60);
      expect(refuse()).toBeUndefined();
      guard.tick();
    }
    expect(refuse()).toBeUndefined();
  });

  it('rejects requests that arrive after a turn of the event loop has lasted too long', () => {
    const { refuse, pass } = openGuard(() => 0);
    pass(60);
    expect(refuse()).toBeUndefined();
    pass(20);
    expect(refuse()).toBeGreaterThanOrEqual(1);
  });

  it('rejects nothing while few requests are open, however late the event loop is', () => {
    const { refuse, turn, pass } = openGuard(() => 0.999);
    for (let at = 0; at < 40; at += 1) turn(200, 100);
    pass(5000);
    expect(refuse(BUSY - 1)).toBeUndefined();
    expect(refuse()).toBeGreaterThanOrEqual(1);
  });

  it('accepts the part that keeps the loop on time, and everything when the load is over', () => {
    const { refuse, turn } = openGuard(Math.random);
    // Each accepted request takes a millisecond; ten times as many arrive.
    let [accepted, elapsed] = [0, 0];
    for (let turns = 0; turns < 400; turns += 1) {
      const millis = 20;
      let work = 0;
      for (let at = 0; at < millis * 10; at += 1) if (refuse() === undefined) work += 1;
      const turnMillis = Math.max(millis, work);
      turn(turnMillis);
      if (turns < 100) continue;
      accepted += work;
      elapsed += turnMillis;
    }
    expect(accepted / elapsed).toBeGreaterThan(0.8);
    for (let at = 0; at < 200; at += 1) turn(20);
    for (let at = 0; at < 1000; at += 1) expect(refuse()).toBeUndefined();
  });

  it('estimates the time that the server needs for the rejected requests', () => {
    const { refuse, turn } = openGuard(() => 0.95);
    for (let at = 0; at < 40; at += 1) turn(200, 100);
    expect(refuse()).toBeGreaterThan(1);
    expect(refuse()).toBeLessThanOrEqual(60);
  });

  it('spreads Retry-After, so that not all clients come back at once', () => {
    const { refuse, turn } = openGuard(Math.random);
    for (let at = 0; at < 40; at += 1) turn(200, 100);
    const values = Array.from({ length: 2_000 }, () => refuse()).filter((value) => value !== undefined);
    const counts = [...Map.groupBy(values, (value) => value).values()].map(({ length }) => length);
    expect(values.length).toBeGreaterThan(1_000);
    expect(Math.max(...counts) / values.length).toBeLessThan(0.2);
  });
});

describe('a server that is late', () => {
  let harness: Harness;
  afterEach(() => harness.close());

  /** The server holds unfinished requests for long enough. */
  const LATE = { LOOP_DELAY_MILLIS_MAX: '10', BODY_SILENCE_MILLIS: '60000', BODY_MILLIS_MAX: '120000' };

  const getThreadMillis = () => process.threadCpuUsage().user / 1000;

  /** Blocks the event loop for this much processor time. */
  function block(millis: number): void {
    const until = getThreadMillis() + millis;
    while (getThreadMillis() < until);
  }

  /** Keeps the loop late until the returned function is called. */
  function keepLate(): () => void {
    let timer = setTimeout(function blockAgain() {
      block(150);
      timer = setTimeout(blockAgain, 5);
    }, 0);
    return () => clearTimeout(timer);
  }

  /** Opens requests whose bodies never end, and waits until the server counts them. */
  async function openRequests(count: number): Promise<() => void> {
    let arrived = 0;
    harness.service.server.on('request', () => {
      arrived += 1;
    });
    const unfinished = head('POST /boot HTTP/1.1', { ...jsonHeaders, 'content-length': '10' });
    const connections = Array.from({ length: count }, () => connectTo(harness.baseUrl));
    for (const { socket } of connections) socket.write(unfinished);
    await expect.poll(() => arrived, { timeout: 30_000 }).toBeGreaterThanOrEqual(count);
    return () => {
      for (const { socket } of connections) socket.destroy();
    };
  }

  it('accepts every request while few are open', async () => {
    harness = await openHarness({ env: LATE });
    const [close, stop] = [await openRequests(BUSY - 2), keepLate()];
    for (let tries = 0; tries < 12; tries += 1) {
      const response = await harness.fetch('/boot', { json: {} });
      expect((await readResponse(response)).status).toBe(400);
    }
    stop();
    close();
  });

  it('rejects new requests with a 503 that pages can read, and consumes no rate limit', async () => {
    harness = await openHarness({ env: LATE });
    const [close, stop] = [await openRequests(BUSY), keepLate()];
    const json = { app_id: harness.appId, origin: ORIGIN, path: '/' };
    let rejected: Response | undefined;
    for (let tries = 0; tries < 200 && rejected === undefined; tries += 1) {
      const response = await harness.fetch('/boot', { json });
      if (response.status === 503) rejected = response;
      else await response.body?.cancel();
    }
    let page = '';
    for (let tries = 0; tries < 200 && page === ''; tries += 1) {
      const response = await harness.fetch('/help/gp_none', { headers: { accept: 'text/html,*/*;q=0.8' } });
      if (response.status === 503) page = await response.text();
      else await response.body?.cancel();
    }
    stop();
    close();
    expect(page).toContain('<h1>The server is at capacity. Please try again shortly.</h1>');
    expect(rejected?.headers.get('access-control-allow-origin')).toBe('*');
    expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(rejected?.headers.get('ratelimit')).toBeNull();
    expect(rejected?.headers.get('x-content-type-options')).toBe('nosniff');
    const text = await rejected!.text();
    const answer = { status: 503, json: JSON.parse(text), text, headers: rejected!.headers };
    const { retryAfterSec, request_id } = expectError(answer as never, 'server/overloaded');
    expect(String(retryAfterSec)).toBe(rejected?.headers.get('retry-after'));
    expect(request_id).toBe(rejected?.headers.get('x-request-id'));
  });

  it('still serves health checks, consent, erasure, sign-out and preflights', async () => {
    harness = await openHarness({ env: LATE });
    const { jwt } = await harness.boot();
    const [close, stop] = [await openRequests(BUSY), keepLate()];
    const headers = { authorization: `Bearer ${jwt}` };
    const sameOrigin = { 'sec-fetch-site': 'same-origin' };
    for (let round = 0; round < 5; round += 1) {
      const statuses = [
        (await harness.fetch('/healthz')).status,
        (await harness.fetch('/readyz')).status,
        (await harness.fetch('/consent', { json: {}, headers })).status,
        (await harness.fetch('/visitor', { method: 'DELETE' })).status,
        (await harness.fetch('/api/session', { method: 'DELETE', headers: sameOrigin })).status,
        (await harness.fetch('/chat', { method: 'OPTIONS' })).status,
      ];
      expect(statuses).toEqual([200, 200, 400, 401, 401, 204]);
    }
    stop();
    close();
  });

  it('closes the connection of a rejected request without reading its large body', async () => {
    harness = await openHarness({ env: LATE });
    const [close, stop] = [await openRequests(BUSY), keepLate()];
    await expect
      .poll(
        async () => {
          const { socket, closed } = connectTo(harness.baseUrl);
          const headers = { ...jsonHeaders, 'content-length': '2000000' };
          socket.write(head('POST /boot HTTP/1.1', headers));
          socket.write('x'.repeat(1_000_000));
          return closed(5000);
        },
        { timeout: 60_000, interval: 10 },
      )
      .toMatch(/^HTTP\/1\.1 503 .*\r\nconnection: close\r\n/is);
    stop();
    close();
  });
});

const open = (limit: ResourceLimit) =>
  createResourceLimits({ connections: limit, body_bytes: limit, streams: limit }, () => {});

/** Adds reservations until one is rejected; returns how many were granted, and the limit that rejected the last one. */
function fill(resourceLimits: ReturnType<typeof open>, owners: Owners) {
  for (let taken = 0; ; taken += 1) {
    const exceeded = resourceLimits.open('streams', owners).add(1);
    if (exceeded) return { taken, exceeded };
  }
}

describe('limits of resources', () => {
  it('grants one owner its part of an idle server, and leaves room for another', () => {
    const resourceLimits = open({ total: 1000, ownerFactors: { workspace: 4 } });
    expect(fill(resourceLimits, { workspace: 'a' })).toEqual({ taken: 800, exceeded: 'workspace' });
    expect(fill(resourceLimits, { workspace: 'b' })).toEqual({ taken: 160, exceeded: 'workspace' });
  });

  it('keeps room for a newcomer while fifty networks reservation as much as they can', () => {
    const resourceLimits = open({ total: 1000, ownerFactors: { network: 1 } });
    for (let network = 0; network < 8; network += 1) fill(resourceLimits, { network: `n${network}` });
    for (let round = 0; round < 50; round += 1) fill(resourceLimits, { network: `n${round % 8}` });
    expect(resourceLimits.open('streams', { network: 'new' }).add(1)).toBeUndefined();
  });

  it('gives owners that reserve in turns as much as each other', () => {
    const resourceLimits = open({ total: 1000, ownerFactors: { workspace: 1 } });
    const taken = [0, 0, 0, 0];
    for (let round = 0; round < 1000; round += 1) {
      const at = round % 4;
      if (!resourceLimits.open('streams', { workspace: `w${at}` }).add(1)) taken[at]! += 1;
    }
    for (const count of taken) expect(count).toBe(200);
  });

  it('returns how much an owner may reserve, at least its minimum while there is room', () => {
    const resourceLimits = open({
      total: 1000,
      ownerFactors: { visitor: 0.01 },
      ownerMinimums: { visitor: 50 },
    });
    expect(resourceLimits.room('streams', { visitor: 'a' })).toBe(50);
    expect(resourceLimits.room('streams', {})).toBe(1000);
    const reservation = resourceLimits.open('streams', { visitor: 'a' });
    expect(reservation.add(50)).toBeUndefined();
    expect(resourceLimits.room('streams', { visitor: 'a' })).toBe(0);
    expect(resourceLimits.room('streams', { visitor: 'b' })).toBe(50);
  });

  it('counts the amount that was actually used, even beyond the limit', () => {
    const resourceLimits = open({ total: 100, ownerFactors: { visitor: 0.5 } });
    const reservation = resourceLimits.open('streams', { visitor: 'a' });
    reservation.add(10);
    reservation.settle(4);
    expect(resourceLimits.held('streams')).toBe(4);
    reservation.settle(120);
    expect(resourceLimits.room('streams', { visitor: 'b' })).toBe(0);
    reservation.release();
    expect(resourceLimits.held('streams')).toBe(0);
  });

  it('rejects every reservation once the total is used up', () => {
    const resourceLimits = open({ total: 2, ownerFactors: {} });
    expect(fill(resourceLimits, {})).toEqual({ taken: 2, exceeded: 'total' });
    expect(resourceLimits.findExceeded('streams', { workspace: 'a' }, 1)).toBe('total');
    expect(resourceLimits.findExceeded('body_bytes', { workspace: 'a' }, 2)).toBeUndefined();
  });

  it('releases a reservation that cannot grow, once', () => {
    const resourceLimits = open({ total: 10, ownerFactors: {} });
    const [first, second] = [resourceLimits.open('body_bytes', {}), resourceLimits.open('body_bytes', {})];
    expect(first.add(6)).toBeUndefined();
    expect(second.add(4)).toBeUndefined();
    expect(second.add(1)).toBe('total');
    expect(resourceLimits.held('body_bytes')).toBe(6);
    expect(first.add(4)).toBeUndefined();
    second.release();
    expect(second.add(0)).toBe('total');
    first.release();
    first.release();
    expect(resourceLimits.held('body_bytes')).toBe(0);
  });

  it('makes released amounts available again', () => {
    const resourceLimits = open({ total: 4, ownerFactors: { network: 1 } });
    const reservation = resourceLimits.open('streams', { network: 'n' });
    expect(reservation.add(2)).toBeUndefined();
    expect(resourceLimits.findExceeded('streams', { network: 'n' }, 1)).toBe('network');
    reservation.release();
    expect(resourceLimits.findExceeded('streams', { network: 'n' }, 2)).toBeUndefined();
  });
});
