import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { BootReply } from '../../contract/boot.ts';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { newId } from '../../server/base/ids.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { eventsOf, ORIGIN, question, USER_AGENT } from '../support/harness.ts';
import { connectTo } from '../support/raw-connection.ts';
import { SETTINGS } from '../support/seeds.ts';

const STREAMS = 500;
/** Twice the promised fifteen seconds, for a busy machine. */
const EXIT_MILLIS_MAX = 30_000;

const workspaceId = newId('ws');
let dataDir: string;
let server: ChildProcess;
let baseUrl: string;
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'guidepost-shutdown-'));
  const store = openSqlite({ file: join(dataDir, 'guidepost.db') });
  await store.workspaces.create({
    id: workspaceId,
    appId: 'gp_patient',
    name: 'A patient shop',
    settings: { ...SETTINGS, allowedOrigins: [ORIGIN] },
    createdAt: Date.now(),
  });
  await store.close();
});

afterEach(() => {
  server.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}): Promise<void> {
  server = fork(new URL('patient-server.ts', import.meta.url), {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      PORT: '0',
      GUIDEPOST_DEMO: 'off',
      EMBEDDINGS: 'off',
      LOOP_DELAY_MILLIS_MAX: '60000',
      TRUSTED_PROXIES: 'loopback',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  [baseUrl] = (await once(server, 'message')) as [string];
}

async function stop(): Promise<{ code: number | null; millis: number }> {
  const startedAt = performance.now();
  server.kill('SIGTERM');
  const [code] = (await once(server, 'exit')) as [number | null];
  return { code, millis: performance.now() - startedAt };
}

let visitors = 0;

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  visitors += 1;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${baseUrl}${path}`,
      {
        method: 'POST',
        agent,
        headers: {
          origin: ORIGIN,
          'user-agent': USER_AGENT,
          'content-type': 'application/json',
          'x-forwarded-for': `198.51.${visitors >> 8}.${visitors & 255}`,
          ...headers,
        },
      },
      resolve,
    );
    sent.on('error', reject).end(JSON.stringify(body));
  });
}

/** Returns everything received until the other side ends the connection. */
async function read(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) text += piece;
  return text;
}

async function boot(): Promise<string> {
  const response = await post('/boot', { app_id: 'gp_patient', origin: ORIGIN, path: '/' });
  return (JSON.parse(await read(response)) as BootReply).jwt!;
}

/** Resolves once an answer has begun; `events` resolves with all its events when it has ended. */
async function ask(
  jwt: string,
  message: string,
): Promise<{ events: Promise<ChatEvent[]>; conversation: string }> {
  const conversation = newId('conv');
  const response = await post('/chat', question({ message, conversation_id: conversation }), {
    authorization: `Bearer ${jwt}`,
  });
  if (response.statusCode !== 200) throw new Error(await read(response));
  const ended = Promise.withResolvers<ChatEvent[]>();
  const started = Promise.withResolvers<void>();
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (piece: string) => {
    text += piece;
    if (text.includes('event: text_delta')) started.resolve();
  });
  response.on('close', () => ended.resolve(eventsOf(text)));
  await started.promise;
  return { events: ended.promise, conversation };
}

it(`shutdown ends ${STREAMS} open answers with an error event, stores their text, and completes in time`, async () => {
  await start();
  const jwts = await Promise.all(Array.from({ length: STREAMS / 2 }, boot));
  // More at once would be refused.
  const limit = pLimit(10);
  const answers = await Promise.all([...jwts, ...jwts].map((jwt) => limit(() => ask(jwt, 'patient'))));
  // Idle connections: one after a request, and one without any.
  const idle = [connectTo(baseUrl), connectTo(baseUrl)];
  idle[0]!.socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await idle[0]!.until(/"ok"/);

  const { code, millis } = await stop();
  expect(code).toBe(0);
  expect(millis).toBeLessThan(EXIT_MILLIS_MAX);
  for (const { events } of answers) {
    const received = await events;
    const terminal = received.filter(({ type }) => type === 'message_end' || type === 'error');
    expect(terminal).toEqual([received.at(-1)]);
    expect(terminal[0]).toMatchObject({
      type: 'error',
      code: 'server/shutting_down',
      retryable: true,
      partial: true,
      retry_after_sec: expect.any(Number),
    });
  }
  for (const connection of idle) {
    await connection.closed();
    expect(connection.isClosed()).toBe(true);
  }
  await expect(fetch(`${baseUrl}/healthz`)).rejects.toThrow();

  const store = openSqlite({ file: join(dataDir, 'guidepost.db') });
  const { conversations } = store.in(workspaceId);
  const turnLists = await Promise.all(
    answers.map(({ conversation }) => conversations.turns(conversation, 10)),
  );
  const states = new Set(turnLists.flat().map(({ state, answer }) => `${state}: ${answer}`));
  expect(turnLists.flat()).toHaveLength(STREAMS);
  expect([...states]).toEqual(['interrupted: Let me think. ']);
  await store.close();
});

/** Sends a request whose body stays incomplete. */
async function sendHalfABody() {
  const upload = connectTo(baseUrl);
  upload.socket.write(
    'POST /boot HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{',
  );
  await pause(300);
  return upload;
}

it('shutdown is not delayed by an engine that ignores its signal, a reader that does not read or an endless upload', async () => {
  await start({ SHUTDOWN_SECONDS: '1' });
  await ask(await boot(), 'deaf');
  const stuck = await post('/chat', question({ message: 'talkative', conversation_id: 'stuck' }), {
    authorization: `Bearer ${await boot()}`,
  });
  stuck.pause();
  await sendHalfABody();
  const { code, millis } = await stop();
  expect(code).toBe(0);
  expect(millis).toBeLessThan(20_000);
});

it('requests whose bodies do not arrive are rejected a second after the signal', async () => {
  await start();
  const upload = await sendHalfABody();
  const { code, millis } = await stop();
  expect(code).toBe(0);
  expect(millis).toBeLessThan(5_000);
  await upload.until(/^HTTP\/1\.1 503 .*"server\/shutting_down"/s);
});

it('the server exits at once on a second signal', async () => {
  await start();
  await ask(await boot(), 'deaf');
  const exited = once(server, 'exit');
  server.kill('SIGTERM');
  await expect.poll(() => fetch(`${baseUrl}/healthz`).catch(() => 'refused')).toBe('refused');
  expect(server.exitCode).toBeNull();
  server.kill('SIGTERM');
  expect(await exited).toEqual([1, null]);
});
