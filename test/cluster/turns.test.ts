import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import { migratedDatabase, type TestDatabase } from '../support/cluster/databases.ts';
import { type RedisServer, startRedis } from '../support/cluster/servers.ts';
import { eventsOf, type Harness, openHarness, question } from '../support/harness.ts';
import {
  addWorkspace,
  ask,
  boot,
  end,
  importArticles,
  post,
  type Server,
  serve,
} from '../support/service-process.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Answers that are read through a different node than the one that runs them. */

const SECRET = 'a secret that all nodes of this test share';

let database: TestDatabase;
let redis: RedisServer;
let env: Record<string, string>;
beforeAll(async () => {
  database = await migratedDatabase();
  redis = await startRedis();
  env = { DATABASE_URL: database.url, REDIS_URL: redis.url, GUIDEPOST_SECRET: SECRET };
});
afterAll(async () => {
  await redis.remove();
  await database.drop();
});

/** Returns a stream that the test reads on demand. */
function readOnDemand(response: Response) {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async until(wanted: string): Promise<void> {
      while (!text.includes(wanted)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the stream ended without ${wanted}: ${text}`);
        text += value;
      }
    },
    async rest() {
      for (;;) {
        const { done, value } = await reader.read().catch(() => ({ done: true, value: '' }));
        if (done) return eventsOf(text);
        text += value;
      }
    },
    events: () => eventsOf(text),
  };
}

const seqs = (events: readonly { seq: number }[]) => events.map(({ seq }) => seq);
const upTo = (count: number, from = 0) => Array.from({ length: count - from }, (_, at) => from + at);

describe('an answer at two nodes', () => {
  let continueAnswer = () => {};
  let runs = 0;
  const engine: Engine = {
    name: 'waiting',
    async *answer(_question, signal) {
      runs += 1;
      yield { type: 'text', delta: 'First part.' };
      await new Promise<void>((resolve) => {
        continueAnswer = resolve;
        signal.addEventListener('abort', () => resolve());
      });
      if (signal.aborted) return;
      yield { type: 'text', delta: ' Second part.' };
      yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };

  let a: Harness;
  let b: Harness;
  let jwt: string;
  let key: string;
  beforeAll(async () => {
    a = await openHarness({ env, engine });
    b = await openHarness({ env, engine });
  });
  afterAll(async () => {
    await a.close();
    await b.close();
  });
  beforeEach(async () => {
    runs = 0;
    key = crypto.randomUUID();
    ({ jwt } = await a.boot());
  });

  function open(node: Harness, lastEventId?: string) {
    const hangUp = new AbortController();
    const response = node.fetch('/chat', {
      json: question({ conversation_id: `c-${key}` }),
      headers: {
        authorization: `Bearer ${jwt}`,
        'idempotency-key': key,
        ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
      },
      signal: hangUp.signal,
    });
    return response.then((opened) => ({ ...readOnDemand(opened), hangUp: () => hangUp.abort() }));
  }

  const state = async () => {
    const { conversations } = b.service.store.in(b.workspace.id);
    return (await conversations.turns(`c-${key}`, 1))[0]?.state;
  };

  it('can be read through the other node from any frame, and runs once', async () => {
    const own = await open(a);
    await own.until('First part.');
    const [start] = own.events();
    const messageId = start?.type === 'message_start' ? start.message_id : '';
    const [whole, rest] = [await open(b), await open(b, `${messageId}:1`)];
    await Promise.all([whole.until('First part.'), rest.until('First part.')]);
    continueAnswer();
    const [one, two, three] = await Promise.all([own.rest(), whole.rest(), rest.rest()]);
    expect(one.at(-1)?.type).toBe('message_end');
    expect(two).toEqual(one);
    expect(three).toEqual(one.slice(2));
    expect(runs).toBe(1);
    expect(await state()).toBe('complete');
  });

  it('continues while it has a reader at the other node, and stops without any reader', async () => {
    const own = await open(a);
    await own.until('First part.');
    const other = await open(b);
    await other.until('First part.');
    own.hangUp();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await state()).toBe('running');
    other.hangUp();
    await expect.poll(state).toBe('interrupted');
  });

  it('restarts at the other node after its reader disconnected, and continues the numbering', async () => {
    const own = await open(a);
    await own.until('First part.');
    const seen = own.events();
    const [start] = seen;
    const messageId = start?.type === 'message_start' ? start.message_id : '';
    own.hangUp();
    await expect.poll(state).toBe('interrupted');
    const again = await open(b, `${messageId}:${seen.length - 1}`);
    await again.until('First part.');
    continueAnswer();
    const events = await again.rest();
    expect(events[0]).toMatchObject({ type: 'text_replace', seq: seen.length });
    expect(seqs(events)).toEqual(upTo(seen.length + events.length, seen.length));
    expect(events.at(-1)?.type).toBe('message_end');
  });
});

describe('a node that is killed', () => {
  let servers: readonly Server[] = [];
  const upstream = startModel();
  afterAll(async () => {
    for (const server of servers) await end(server, 'SIGKILL');
    upstream.close();
  });

  /** Starts a model that writes a line every 50 ms, 40 lines in total, the first one from an article. */
  function startModel() {
    return createServer(async (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const chunk = (delta: object, finish_reason: string | null = null) =>
        response.write(
          `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
        );
      for (let at = 0; at < 40 && !response.destroyed; at += 1) {
        chunk({
          role: 'assistant',
          content: at === 0 ? 'We send a link to your e-mail address.\n' : `word${at}\n`,
        });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      chunk({}, 'stop');
      response.end('data: [DONE]\n\n');
    }).listen(0, '127.0.0.1');
  }

  it('leaves an answer that another node completes once, without missing or repeated frames', async () => {
    if (!upstream.listening) await once(upstream, 'listening');
    const model = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
    const nodeEnv = { ...env, LLM_BASE_URL: model, LLM_API_KEY: 'none', LLM_MODEL: 'slow' };
    const folders = [tempDir(), tempDir()];
    const place = await addWorkspace(folders[0]!, 'killed@shop.example.com', nodeEnv);
    await importArticles(place, nodeEnv);
    servers = await Promise.all(folders.map((folder) => serve(folder, nodeEnv)));
    const [one, two] = servers as [Server, Server];
    const visitor = await boot(one, place.appId);
    const headers = { authorization: `Bearer ${visitor.jwt}`, 'idempotency-key': 'killed-1' };
    const body = question();
    const own = readOnDemand(await post(one, '/chat', body, headers));
    await own.until('word5');
    const follower = readOnDemand(await post(two, '/chat', body, headers));
    await follower.until('word5');
    await end(one, 'SIGKILL');
    // The reader at the other node is cut off when the lease expires; then both readers ask again.
    const cut = await follower.rest();
    const continueAfter = async (seen: readonly { seq: number }[]) => {
      const [start] = own.events();
      const messageId = start?.type === 'message_start' ? start.message_id : '';
      const lastEventId = `${messageId}:${seen.at(-1)!.seq}`;
      return readOnDemand(
        await post(two, '/chat', body, { ...headers, 'last-event-id': lastEventId }),
      ).rest();
    };
    const [first, second] = [await own.rest(), cut];
    const [firstRest, secondRest] = await Promise.all([continueAfter(first), continueAfter(second)]);
    for (const events of [
      [...first, ...firstRest],
      [...second, ...secondRest],
    ]) {
      expect(seqs(events)).toEqual(upTo(events.length));
      expect(events.filter(({ type }) => type === 'message_end' || type === 'error')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('message_end');
    }
    // The visitor can continue at the other node.
    expect(await ask(two, visitor, { conversation_id: 'next' })).toMatchObject({
      status: 200,
    });
  });
});
