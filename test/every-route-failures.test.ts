import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHAT_LIMITS } from '../contract/limits/chat.ts';
import { BUCKETS } from '../contract/limits/rate-limits.ts';
import type { Route } from '../contract/route.ts';
import { newId } from '../server/base/ids.ts';
import type { Engine } from '../server/engine/engine.ts';
import { openForAllRoutes } from './support/all-routes.ts';
import { onSqlite } from './support/cluster/harness-cluster.ts';
import { damageTable } from './support/database-file.ts';
import { type Harness, openHarness, question } from './support/harness.ts';
import { dropTables, lockWrites, query } from './support/other-program.ts';
import {
  createFixtures,
  named,
  type Prepared,
  requestOf,
  sendPrepared,
  visitorOf,
} from './support/requests.ts';
import { expectError, textWithoutId } from './support/response.ts';
import { bearer, type Visitor } from './support/samples.ts';

/**
 * Sends every request of the contract under failure: exhausted buckets, a full disk, a locked or broken database, a
 * shutdown.
 */

async function expectProblem(harness: Harness, problem: string): Promise<void> {
  const ready = await harness.fetch('/readyz');
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ database: false, problems: [problem] });
  const metrics = await harness.fetch('/metrics', {
    headers: { authorization: 'Bearer token-of-the-metrics' },
  });
  expect(await metrics.text()).toContain(`guidepost_storage_problem{problem="${problem}"} 1`);
  const reason = problem === 'corrupt' ? 'is damaged' : 'was removed or replaced';
  expect(harness.logged.filter(({ msg }) => String(msg).includes(reason))).toHaveLength(1);
}

/** Dropping these tables breaks every route. */
const BROKEN_TABLES = [
  'events',
  'turns',
  'feedback',
  'consent_records',
  'conversations',
  'handovers',
  'sessions',
  'invitations',
  'setup_links',
  'password_resets',
  'users',
  'voice_reservations',
  'passages',
  'sign_in_domains',
  'factor_challenges',
  'passkeys',
];

const AT_ONCE = 30;

const LIMITED = named.filter(([, route]) => route.metadata.limits.length > 0);
const BY_BUCKET = [...Map.groupBy(LIMITED, ([, route]) => route.metadata.limits[0]!)];

describe('every rate-limited route', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openForAllRoutes();
  });
  afterAll(() => harness.close());

  it.each(BY_BUCKET)(
    'returns 429 with Retry-After on every route of the bucket %s when it is empty',
    async (bucket, drawing) => {
      // Ends the windows of earlier tests.
      harness.clock.advance(61_000);
      const requests: Prepared[] = [];
      for (const [id, route] of drawing) {
        // An unknown query field consumes a point but changes nothing.
        requests.push(await requestOf(await createFixtures(harness), id, route, { query: 'surprise=1' }));
      }
      const busy = requests[0]!;
      for (let left: number = BUCKETS[bucket].points; left > 0; left -= AT_ONCE) {
        await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, () => sendPrepared(busy)));
      }
      for (const request of requests) {
        const response = await sendPrepared({
          ...request,
          headers: { ...request.headers, ...credentialIn(busy) },
        });
        expectError(response, 'rate_limit/exceeded');
        expect(response.json).toMatchObject({ bucket, retryAfterSec: BUCKETS[bucket].windowSeconds });
        expect(response.headers.get('retry-after')).toBe(String(BUCKETS[bucket].windowSeconds));
      }
    },
  );
});

/** Makes the other requests count for the same caller. */
function credentialIn({ headers }: Prepared): Record<string, string> {
  const names = ['cookie', 'authorization', 'x-api-key'].filter((name) => headers[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, headers[name]!]));
}

/** A valid request for each route with its own fixtures, prepared before the failure starts. */
type Ready = { route: Route; request: Prepared; writes: boolean };

async function everyRequest(harness: Harness): Promise<Ready[]> {
  const ready: Ready[] = [];
  // Each request takes a second of the test's clock to prepare, and the code of an app is right for a minute.
  const isShortLived = ([id]: (typeof named)[number]) => id === 'addAuthenticatorApp';
  const ordered = [...named.filter((each) => !isShortLived(each)), ...named.filter(isShortLived)];
  for (const [id, route] of ordered) {
    const request = await requestOf(await createFixtures(harness), id, route);
    // These two operations end before they write: an owner exists, and the name is wrong.
    const isStopped = id === 'setUp' || id === 'deleteTenant';
    const writes = route.metadata.errorCodes.includes('storage/unavailable') && !isStopped;
    ready.push({ route, request, writes });
  }
  return ready;
}

describe('every route, one failure after the other', () => {
  let harness: Harness;
  let ready: Ready[];
  beforeAll(async () => {
    harness = await openForAllRoutes();
    ready = await everyRequest(harness);
  });

  it('returns 503 while another process locks the database, and recovers after it', async () => {
    const unlock = await lockWrites(harness);
    const answers = await Promise.all(ready.map(({ request }) => sendPrepared(request)));
    for (const [index, { route, request, writes }] of ready.entries()) {
      const response = answers[index]!;
      if (route.method === 'GET' && !writes)
        expect(response.status, `${request.path}: ${response.text}`).toBe(
          request.path === '/api/setup' ? 404 : 200,
        );
      else if (writes) expectError(response, 'storage/unavailable');
    }
    await unlock();
    await harness.boot();
  });

  it('returns 500 with a request id and without the cause', async () => {
    await dropTables(harness, BROKEN_TABLES);
    const looksForApp = ({ route }: Ready) => route.metadata.operationId === 'bootGuide';
    const readsNothing = ({ route }: Ready) => route.metadata.operationId === 'readSignInOptions';
    for (const each of ready) {
      if (!looksForApp(each) && !readsNothing(each)) await expectInternal(each.request);
    }
    // A boot looks up the app, which is cached by now, so it asks for another one.
    await dropTables(harness, ['workspaces']);
    const elsewhere = (text: string) => text.replace(harness.appId, 'gp_another');
    for (const { request } of ready.filter(looksForApp)) {
      const { url, body } = request;
      await expectInternal({ ...request, url: elsewhere(url), body: body && elsewhere(body) });
    }
  });

  it('returns 503 to a request that arrives during shutdown', async () => {
    const port = Number(new URL(harness.baseUrl).port);
    const accepted: Socket[] = [];
    harness.service.server.on('connection', (socket: Socket) => accepted.push(socket));
    const arriving = ready.map(({ request }) => {
      const { method, path, headers, body } = request;
      const socket = connect(port, '127.0.0.1');
      const answered = new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.on('close', () => resolve(text));
      });
      const bytes = body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`];
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      socket.write(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\n`);
      return {
        answered,
        finish: () => socket.write(`${[...lines, ...bytes].join('\r\n')}\r\n\r\n${body ?? ''}`),
      };
    });
    const listStarted = () => accepted.filter(({ bytesRead }) => bytesRead > 0);
    await expect.poll(listStarted, { timeout: 30_000 }).toHaveLength(ready.length);
    const closing = harness.close();
    for (const { finish } of arriving) finish();
    for (const { answered } of arriving) expect(await answered).toContain('"server/shutting_down"');
    await closing;
  });
});

describe('every route under failure', () => {
  // On PostgreSQL, the service cannot measure the disk.
  it.runIf(onSqlite)(
    'returns 503 for writes while the disk is full, and recovers when space is free',
    async () => {
      const harness = await openHarness({ env: { DATABASE_BYTES_MAX: String(2 * 1024 * 1024) } });
      await fillStorage(harness);
      // Visitors can still load the guide; only requests that must store something fail.
      const { jwt } = await harness.boot();
      const response = await harness.fetch('/chat', {
        json: question({ message: 'x'.repeat(CHAT_LIMITS.messageCharsMax) }),
        headers: { authorization: `Bearer ${jwt}` },
      });
      expect(await response.json()).toMatchObject({ error: 'storage/unavailable', retryAfterSec: 5 });
      expect((await harness.fetch('/healthz')).status).toBe(200);
      // A background job may free a page in between.
      const readFull = async () => {
        await fillStorage(harness);
        return (await harness.fetch('/readyz')).status;
      };
      await expect.poll(readFull).toBe(503);
      await query(harness, "DELETE FROM events WHERE type = 'boot'");
      await harness.boot();
      expect((await harness.fetch('/readyz')).status).toBe(200);
      await harness.close();
    },
  );

  // On PostgreSQL, the folder contains no database.
  it.runIf(onSqlite)(
    'returns 503 for writes when the data folder is removed, and says so to operators',
    async () => {
      const harness = await openHarness({ env: { METRICS_TOKEN: 'token-of-the-metrics' } });
      const { jwt } = await harness.boot();
      await harness.ask(jwt);
      rmSync(harness.dataDir, { recursive: true });
      await pause(50);
      const response = await harness.fetch('/chat', {
        json: question({ turn_idx: 1 }),
        headers: { authorization: `Bearer ${jwt}` },
      });
      expect(await response.json()).toMatchObject({ error: 'storage/unavailable' });
      await expectProblem(harness, 'file_replaced');
      await harness.close();
    },
  );

  // Only files can be damaged from outside the service.
  it.runIf(onSqlite)(
    'returns 503 once the database is damaged, and does not start again with it',
    async () => {
      const harness = await openHarness({ env: { METRICS_TOKEN: 'token-of-the-metrics' } });
      const { jwt } = await harness.boot();
      await harness.ask(jwt);
      await harness.service.close();
      damageTable(harness.config.database.file, 'turns');
      const again = await openHarness({
        dataDir: harness.dataDir,
        env: { METRICS_TOKEN: 'token-of-the-metrics' },
      });
      const response = await again.fetch('/chat', {
        json: question({ turn_idx: 1 }),
        headers: { authorization: `Bearer ${jwt}` },
      });
      expect(await response.json()).toMatchObject({ error: 'storage/unavailable' });
      await expectProblem(again, 'corrupt');
      await again.service.close();
      await expect(openHarness({ dataDir: harness.dataDir })).rejects.toThrow(
        /is damaged.*guidepost restore/,
      );
    },
  );

  it('returns an error when the server has too many open streams', async () => {
    const harness = await openHarness({ engine: endlessEngine, env: { STREAMS_MAX: '6' } });
    const [a, b] = [await visitorOf(harness), await visitorOf(harness)];
    const hangUp = new AbortController();
    const open = (visitor: Visitor, conversation: string) =>
      harness.fetch('/chat', {
        json: question({ conversation_id: conversation }),
        ...bearer(visitor),
        signal: hangUp.signal,
      });
    for (const turn of ['a1', 'a2']) expect((await open(a, turn)).status).toBe(200);
    expect((await open(b, 'b1')).status).toBe(200);
    expect(await (await open(b, 'b2')).json()).toMatchObject({
      error: 'server/overloaded',
      retryAfterSec: 1,
    });
    hangUp.abort();
    await harness.close();
  });
});

const endlessEngine: Engine = {
  name: 'endless',
  async *answer(_question, signal) {
    yield { type: 'text', delta: 'Well, ' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
};

/** Writes ever shorter rows until not even the shortest fits. */
async function fillStorage(harness: Harness): Promise<void> {
  const { events } = harness.service.store.in(harness.workspace.id);
  for (const chars of [50_000, 2000, 1]) {
    for (let full = false; !full; ) {
      const data = { path: 'x'.repeat(chars) };
      const row = { id: newId('evt'), atMillis: harness.clock.now(), type: 'boot' as const, data };
      full = await events.append([row]).then(
        () => false,
        () => true,
      );
    }
  }
}

async function expectInternal(request: Prepared): Promise<void> {
  const response = await sendPrepared(request);
  const error = expectError(response, 'internal');
  expect(textWithoutId(response, error)).not.toMatch(/table|relation|sqlite|postgres|\.ts/i);
}
