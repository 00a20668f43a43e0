import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUCKETS, LIMITS } from '../contract/limits.ts';
import type { Route } from '../contract/route.ts';
import type { Engine } from '../server/engine/engine.ts';
import { newId } from '../server/ids.ts';
import { expectRefusal, textWithoutId } from './fixtures/answer.ts';
import {
  bearer,
  createFixtures,
  named,
  type Prepared,
  requestOf,
  sendPrepared,
  type Visitor,
  visitorOf,
} from './fixtures/requests.ts';
import { type Harness, openHarness, question } from './harness.ts';
import { defaultSpeech } from './voice/scripted-speech.ts';

/** Walks the contract once more: empty buckets, full disks, locked and broken databases, a server that is going down. */

/** Without these no route can do its work. */
const BROKEN_TABLES = [
  'events',
  'turns',
  'feedback',
  'consent_records',
  'conversations',
  'sessions',
  'invitations',
  'setup_links',
  'users',
  'voice_reservations',
];

const AT_ONCE = 30;

const LIMITED = named.filter(([, route]) => route.metadata.limits.length > 0);
const BY_BUCKET = [...Map.groupBy(LIMITED, ([, route]) => route.metadata.limits[0]!)];

describe('every route that counts requests', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await openHarness({ speech: defaultSpeech() });
  });
  afterAll(() => harness.close());

  it.each(BY_BUCKET)(
    'says that %s is empty and how long to wait, wherever it is drawn from',
    async (bucket, drawing) => {
      // What others have drawn from the same bucket has run out.
      harness.clock.advance(61_000);
      const requests: Prepared[] = [];
      for (const [id, route] of drawing) {
        // Counted, and refused before anything changes.
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
        expectRefusal(response, 'rate_limit/exceeded');
        expect(response.json).toMatchObject({ bucket, retryAfterSec: BUCKETS[bucket].windowSeconds });
        expect(response.headers.get('retry-after')).toBe(String(BUCKETS[bucket].windowSeconds));
      }
    },
  );
});

/** Whoever sent it. */
function credentialIn({ headers }: Prepared): Record<string, string> {
  const names = ['cookie', 'authorization', 'x-api-key'].filter((name) => headers[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, headers[name]!]));
}

/** A good request for every route, each in a world of its own, ready to be sent when things have gone wrong. */
type Ready = { readonly route: Route; readonly request: Prepared; readonly writes: boolean };

async function everyRequest(harness: Harness): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const [id, route] of named) {
    const request = await requestOf(await createFixtures(harness), id, route);
    // Setting up an installation that has people in it, and deleting under another name, end before anything is written.
    const isStopped = id === 'setUp' || id === 'deleteTenant';
    const writes = route.metadata.errorCodes.includes('storage/unavailable') && !isStopped;
    ready.push({ route, request, writes });
  }
  return ready;
}

describe('every route in trouble', () => {
  it('answers 503 while another process holds the database, and goes on when it lets go', async () => {
    const harness = await openHarness({ speech: defaultSpeech() });
    const ready = await everyRequest(harness);
    const holder = new Database(harness.config.database.file);
    holder.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all(ready.map(({ request }) => sendPrepared(request)));
    for (const [index, { route, request, writes }] of ready.entries()) {
      const answer = answers[index]!;
      if (route.method === 'GET' && !writes)
        expect(answer.status, `${request.path}: ${answer.text}`).toBe(
          request.path === '/api/setup' ? 404 : 200,
        );
      else if (writes) expectRefusal(answer, 'storage/unavailable');
    }
    holder.exec('ROLLBACK');
    holder.close();
    await harness.boot();
    await harness.close();
  });

  it('answers 503 while the disk is full, and goes on when there is room again', async () => {
    const harness = await openHarness({ env: { DATABASE_BYTES_MAX: String(2 * 1024 * 1024) } });
    await fillStorage(harness);
    // Who comes to the page sees the guide all the same; what asks for a promise is told.
    const { jwt } = await harness.boot();
    const answer = await harness.fetch('/chat', {
      json: question({ message: 'x'.repeat(LIMITS.messageCharsMax) }),
      headers: { authorization: `Bearer ${jwt}` },
    });
    expect(await answer.json()).toMatchObject({ error: 'storage/unavailable', retryAfterSec: 5 });
    expect((await harness.fetch('/healthz')).status).toBe(200);
    expect((await harness.fetch('/readyz')).status).toBe(503);
    const owner = new Database(harness.config.database.file);
    owner.exec("DELETE FROM events WHERE type = 'boot'");
    owner.close();
    await harness.boot();
    expect((await harness.fetch('/readyz')).status).toBe(200);
    await harness.close();
  });

  it('answers 500 with a request id and nothing about the cause', async () => {
    const harness = await openHarness({ speech: defaultSpeech() });
    const ready = await everyRequest(harness);
    const database = new Database(harness.config.database.file);
    database.pragma('foreign_keys = OFF');
    for (const table of BROKEN_TABLES) database.exec(`DROP TABLE ${table}`);
    const looksForApp = ({ route }: Ready) =>
      ['reportBlockedPage', 'bootGuide'].includes(route.metadata.operationId);
    for (const each of ready) if (!looksForApp(each)) await expectInternal(each.request);
    // They only look for the app, and know those of the others by heart.
    database.exec('DROP TABLE workspaces');
    database.close();
    const elsewhere = (text: string) => text.replace(harness.appId, 'gp_another');
    for (const { request } of ready.filter(looksForApp)) {
      const { url, body } = request;
      await expectInternal({ ...request, url: elsewhere(url), body: body && elsewhere(body) });
    }
    await harness.close();
  });

  it('answers 503 to a request that arrives while the server is going down', async () => {
    const harness = await openHarness({ speech: defaultSpeech() });
    const port = Number(new URL(harness.baseUrl).port);
    const arriving = (await everyRequest(harness)).map(({ request }) => {
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
    await pause(50);
    const closing = harness.close();
    for (const { finish } of arriving) finish();
    for (const { answered } of arriving) expect(await answered).toContain('"server/shutting_down"');
    await closing;
  });

  it('tells a visitor with too many open answers, and a server with too many, apart', async () => {
    const harness = await openHarness({ engine: endlessEngine, env: { STREAMS_MAX: '3' } });
    const [a, b] = [await visitorOf(harness), await visitorOf(harness)];
    const hangUp = new AbortController();
    const open = (visitor: Visitor, conversation: string) =>
      harness.fetch('/chat', {
        json: question({ conversation_id: conversation }),
        ...bearer(visitor),
        signal: hangUp.signal,
      });
    for (const turn of ['a1', 'a2']) expect((await open(a, turn)).status).toBe(200);
    expect(await (await open(a, 'a3')).json()).toMatchObject({ error: 'chat/too_many_streams' });
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

/** Until not even a short row finds room. */
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
  const refusal = expectRefusal(response, 'internal');
  expect(textWithoutId(response, refusal)).not.toMatch(/table|sqlite|\.ts/i);
}
