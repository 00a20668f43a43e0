import { connect } from 'node:net';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { BUCKETS } from '../contract/limits.ts';
import type { Engine } from '../server/engine/engine.ts';
import { newId } from '../server/ids.ts';
import { expectRefusal } from './answer.ts';
import { type Harness, ORIGIN, openHarness, question } from './harness.ts';
import { bearer, named, requestOf, send, type Visitor, visitorOf, worldOf } from './requests.ts';

/** Walks the contract once more: empty buckets, full disks, locked and broken databases, a server that is going down. */

describe('every route that counts requests', () => {
  const limited = named.filter(
    ([, route]) => route.metadata.limits.length + route.metadata.limitsWithoutCredential.length > 0,
  );
  it.each(limited)('%s says which bucket is empty and how long to wait', async (id, route) => {
    const harness = await openHarness();
    try {
      const world = await worldOf(harness);
      const bucket = route.metadata.limits[0]!;
      let response = await send(harness, world, id, route);
      for (let sent = 1; response.status !== 429 && sent <= BUCKETS[bucket].points + 1; sent++) {
        response = await send(harness, world, id, route);
      }
      expectRefusal(response, 'rate_limit/exceeded');
      expect(response.json).toMatchObject({ bucket, retryAfterSec: BUCKETS[bucket].windowSeconds });
      expect(response.headers.get('retry-after')).toBe(String(BUCKETS[bucket].windowSeconds));
    } finally {
      await harness.close();
    }
  });
});

describe('every route in trouble', () => {
  it('answers 503 while another process holds the database, and goes on when it lets go', async () => {
    const harness = await openHarness();
    const worlds = await Promise.all(named.map(() => worldOf(harness)));
    const holder = new Database(harness.config.databaseFile);
    holder.exec('BEGIN IMMEDIATE');
    const answers = await Promise.all(
      named.map(([id, route], index) => send(harness, worlds[index]!, id, route)),
    );
    for (const [index, [, route]] of named.entries()) {
      if (route.method === 'GET') expect(answers[index]!.status).toBe(200);
      else expectRefusal(answers[index]!, 'storage/unavailable');
    }
    holder.exec('ROLLBACK');
    holder.close();
    await harness.boot();
    await harness.close();
  });

  it('answers 503 while the disk is full, and goes on when there is room again', async () => {
    const harness = await openHarness({ env: { DATABASE_BYTES_MAX: String(2 * 1024 * 1024) } });
    await fillStorage(harness);
    const answer = await harness.fetch('/boot', {
      json: { app_id: harness.appId, origin: ORIGIN, path: '/' },
    });
    expect(await answer.json()).toMatchObject({ error: 'storage/unavailable', retryAfterSec: 5 });
    expect((await harness.fetch('/healthz')).status).toBe(200);
    expect((await harness.fetch('/readyz')).status).toBe(503);
    const owner = new Database(harness.config.databaseFile);
    owner.exec("DELETE FROM events WHERE type = 'boot'");
    owner.close();
    await harness.boot();
    expect((await harness.fetch('/readyz')).status).toBe(200);
    await harness.close();
  });

  it('answers 500 with a request id and nothing about the cause', async () => {
    for (const [id, route] of named) {
      const harness = await openHarness();
      const world = await worldOf(harness);
      const database = new Database(harness.config.databaseFile);
      database.pragma('foreign_keys = OFF');
      for (const table of ['events', 'turns', 'feedback', 'consent_records', 'conversations'])
        database.exec(`DROP TABLE ${table}`);
      database.close();
      const response = await send(harness, world, id, route);
      expectRefusal(response, 'internal');
      expect(JSON.stringify(response.json)).not.toMatch(/table|sqlite|\.ts/i);
      await harness.close();
    }
  });

  it('answers 503 to a request that arrives while the server is going down', async () => {
    for (const [id, route] of named) {
      const harness = await openHarness();
      const { path, method, headers, body } = await requestOf(harness, await worldOf(harness), id, route);
      const socket = connect(Number(new URL(harness.baseUrl).port), '127.0.0.1');
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
      await new Promise((resolve) => setTimeout(resolve, 30));
      const closing = harness.close();
      socket.write(`${[...lines, ...bytes].join('\r\n')}\r\n\r\n${body ?? ''}`);
      expect(await answered).toContain('"server/shutting_down"');
      await closing;
    }
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
