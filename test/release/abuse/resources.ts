import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { CHAT_LIMITS } from '../../../contract/limits/chat.ts';
import { BUCKETS } from '../../../contract/limits/rate-limits.ts';
import { chunk, openFakeModel, STREAM } from '../../support/fake-model/fake-model.ts';
import { question } from '../../support/harness.ts';
import { connectTo, head, jsonHeaders, type RawConnection } from '../../support/raw-connection.ts';
import {
  addWorkspace,
  ask,
  boot,
  createPlace,
  type Place,
  post,
  type Server,
  serve,
  type Visitor,
} from '../../support/service-process.ts';
import { expectThat, Skipped, type Trial } from '../campaign/campaign.ts';

/** Attacks that use up memory, connections, time, streams or other callers' rate limits. */

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`;
const isQuick = process.env.QUICK === 'on';

/** Added to time limits, because a busy machine closes connections later. */
const SLACK_MILLIS = 5_000;

/** Returns the memory of the process in MiB: resident now, and at most since its start. */
function memoryOf({ child }: Server): { now: number; peak: number } {
  if (process.platform !== 'linux') throw new Skipped('reading memory and processor time needs Linux');
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

const TICKS_PER_SECOND = 100;
const UTIME = 11;

/** Returns the milliseconds of processor time that the process has used. */
function cpuOf({ child }: Server): number {
  if (process.platform !== 'linux') throw new Skipped('reading memory and processor time needs Linux');
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[UTIME]) + Number(fields[UTIME + 1])) * 1000) / TICKS_PER_SECOND;
}

/** Resolves with the milliseconds until all connections are closed; rejects at the limit. */
async function untilClosed(connections: readonly RawConnection[], limitMillis: number, since: number) {
  while (connections.some(({ isClosed }) => !isClosed())) {
    const open = connections.filter(({ isClosed }) => !isClosed()).length;
    expectThat(performance.now() - since < limitMillis, `${open} are open after ${seconds(limitMillis)}`);
    await wait(50);
  }
  return performance.now() - since;
}

const STALLED = 56;
const SILENCE_MILLIS = isQuick ? 3_000 : 10_000;
const BUDGET_MIB = 128;
/** Memory in MiB for uncollected garbage and data in the sockets' buffers. */
const MARGIN_MIB = 150;

const stalledBodies: Trial = {
  name: `${STALLED} stalled bodies of 12 MB`,
  expected: `at most ${BUDGET_MIB} + ${MARGIN_MIB} MB more memory; cut after ${SILENCE_MILLIS / 1000} s of silence`,
  async run() {
    const { dataDir, appId } = await createPlace();
    const server = await serve(dataDir, { BODY_SILENCE_MILLIS: String(SILENCE_MILLIS) });
    const bytes = Buffer.alloc(CHAT_LIMITS.chatArrivingBytesMax - 1, ' ');
    const visitors = await Promise.all(Array.from({ length: STALLED }, () => boot(server, appId)));
    const before = memoryOf(server).now;
    const since = performance.now();
    const connections = visitors.map(({ jwt }, at) => {
      const connection = connectTo(server.baseUrl);
      const headers = {
        ...jsonHeaders,
        authorization: `Bearer ${jwt}`,
        'x-forwarded-for': `192.0.2.${at}`,
        'content-length': String(CHAT_LIMITS.chatArrivingBytesMax),
      };
      connection.socket.write(head('POST /chat HTTP/1.1', headers));
      connection.socket.write(bytes);
      return connection;
    });
    const closedAfter = await untilClosed(connections, SILENCE_MILLIS + 2 * SLACK_MILLIS, since);
    const addedMib = memoryOf(server).peak - before;
    expectThat(addedMib <= BUDGET_MIB + MARGIN_MIB, `${Math.round(addedMib)} MB more memory`);
    const rejected = connections.filter(({ received }) => received().startsWith('HTTP/1.1 503')).length;
    expectThat((await ask(server, visitors[0]!)).status === 200, 'no answer afterwards');
    return `${Math.round(addedMib)} MB more, ${rejected} rejected with 503, all closed after ${seconds(closedAfter)}`;
  },
};

const HALF_HEADS = 200;
const HEAD_MILLIS = isQuick ? 4_000 : 15_000;

const halfHeads: Trial = {
  name: `${HALF_HEADS} half heads`,
  expected: `closed within ${HEAD_MILLIS / 1000} s`,
  async run() {
    const { dataDir } = await createPlace();
    const server = await serve(dataDir, isQuick ? { BODY_MILLIS_MAX: '2000' } : {});
    const since = performance.now();
    const connections = Array.from({ length: HALF_HEADS }, () => connectTo(server.baseUrl));
    for (const { socket } of connections) socket.write('POST /boot HTTP/1.1\r\nhost: localhost\r\nx-');
    const closedAfter = await untilClosed(connections, HEAD_MILLIS + SLACK_MILLIS, since);
    return `closed after ${seconds(closedAfter)}`;
  },
};

const idleConnections: Trial = {
  name: '200 idle connections',
  expected: 'closed within a minute',
  async run() {
    if (isQuick) throw new Skipped('takes a minute: run `make test-abuse`');
    const { dataDir } = await createPlace();
    const server = await serve(dataDir);
    const connections = Array.from({ length: 200 }, () => connectTo(server.baseUrl));
    for (const { socket } of connections) socket.write(head('GET /healthz HTTP/1.1', {}));
    await Promise.all(connections.map(({ until }) => until(/"ok"/, 10_000)));
    return `closed after ${seconds(await untilClosed(connections, 60_000 + SLACK_MILLIS, performance.now()))}`;
  },
};

const CONNECTIONS_MAX = 60;

/** Requests /healthz from another local address and resolves with the status. */
function healthFrom(localAddress: string, { baseUrl }: Server): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(`${baseUrl}/healthz`, { localAddress, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', () => resolve(undefined));
  });
}

const connectionFlood: Trial = {
  name: `100 connections of one address, maximum ${CONNECTIONS_MAX}`,
  expected: 'at most half of the maximum stay; another address gets in',
  async run() {
    const { dataDir } = await createPlace();
    const env = { TRUSTED_PROXIES: '', CONNECTIONS_MAX: String(CONNECTIONS_MAX) };
    const server = await serve(dataDir, env);
    const connections = Array.from({ length: 100 }, () => connectTo(server.baseUrl));
    const since = performance.now();
    const countOpen = () => connections.filter(({ isClosed }) => !isClosed()).length;
    while (countOpen() > CONNECTIONS_MAX / 2 && performance.now() - since < SLACK_MILLIS) await wait(20);
    const open = countOpen();
    expectThat(open <= CONNECTIONS_MAX / 2, `${open} are open`);
    const status = await healthFrom('127.0.0.2', server);
    for (const { socket } of connections) socket.destroy();
    expectThat(status === 200, `another address gets ${status}`);
    return `${open} stay, another address gets ${status}`;
  },
};

async function withFlood<T>(server: Server, place: Place, connections: number, during: () => Promise<T>) {
  const script = new URL('./flood.ts', import.meta.url).pathname;
  const args = [script, server.baseUrl, place.appId, String(connections)];
  const flood: ChildProcess = spawn(process.execPath, args, { stdio: 'ignore' });
  try {
    await wait(2_000);
    return await during();
  } finally {
    flood.kill('SIGKILL');
  }
}

const percentile = (millis: readonly number[], share: number) =>
  [...millis].sort((a, b) => a - b)[Math.min(millis.length - 1, Math.floor(millis.length * share))]!;

/** The target is 100 ms; other work on the machine delays single responses, and CI delays many. */
const HEALTH_MEDIAN_MILLIS = isQuick ? 500 : 100;
const HEALTH_MILLIS_MAX = isQuick ? 3_000 : 1_000;

const healthUnderLoad: Trial = {
  name: '/healthz and /readyz under load',
  expected: `200, median within ${HEALTH_MEDIAN_MILLIS} ms`,
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir, { LOOP_DELAY_MILLIS_MAX: '50' });
    const millisByPath: Record<string, number[]> = { '/healthz': [], '/readyz': [] };
    await withFlood(server, place, 64, async () => {
      for (let probe = 0; probe < (isQuick ? 20 : 100); probe += 1) {
        for (const [path, millis] of Object.entries(millisByPath)) {
          const since = performance.now();
          const { status } = await fetch(`${server.baseUrl}${path}`);
          expectThat(status === 200, `${path}: ${status}`);
          millis.push(performance.now() - since);
        }
        await wait(50);
      }
    });
    const latencies = Object.entries(millisByPath).map(([path, millis]) => {
      const [median, most] = [percentile(millis, 0.5), Math.max(...millis)];
      const line = `${path} median ${median.toFixed(1)} ms, p99 ${percentile(millis, 0.99).toFixed(0)} ms`;
      expectThat(median <= HEALTH_MEDIAN_MILLIS && most <= HEALTH_MILLIS_MAX, `${line}, most ${most} ms`);
      return line;
    });
    return latencies.join('; ');
  },
};

const FARMED = 45;
const TURNS_OF_EACH = 25;
const QUESTION_MILLIS = 3_000;

const farmedVisitors: Trial = {
  name: `${FARMED} farmed visitors of one address`,
  expected: `not all of ${FARMED * TURNS_OF_EACH} turns a minute; a visitor of another address is always answered`,
  async run() {
    const { dataDir, appId } = await createPlace();
    const server = await serve(dataDir);
    const networkHeaders = { 'x-forwarded-for': '203.0.113.5' };
    const farm = await Promise.all(Array.from({ length: FARMED }, () => boot(server, appId)));
    const other = await boot(server, appId);
    const since = performance.now();
    let answeredTurns = 0;
    let isFarming = true;
    const farming = Promise.all(
      farm.map(async ({ jwt }, at) => {
        for (let turn = 0; turn < TURNS_OF_EACH; turn += 1) {
          const body = question({ conversation_id: `conv-${at}`, turn_idx: turn });
          const headers = { ...networkHeaders, authorization: `Bearer ${jwt}` };
          const response = await post(server, '/chat', body, headers);
          await response.text();
          if (response.status === 200) answeredTurns += 1;
        }
      }),
    ).finally(() => {
      isFarming = false;
    });
    const askMeanwhile = async () => {
      let questions = 0;
      for (let isLast = false; !isLast; questions += 1) {
        isLast = !isFarming;
        const { status } = await ask(server, other, { conversation_id: `conv-other-${questions}` });
        expectThat(status === 200, `another visitor gets ${status}`);
        if (!isLast) await wait(QUESTION_MILLIS);
      }
      return questions;
    };
    const [questions] = await Promise.all([askMeanwhile(), farming]);
    const minutes = 1 + Math.floor((performance.now() - since) / 60_000);
    const { points, sharing } = BUCKETS['chat/tenant-burst'];
    expectThat(answeredTurns <= minutes * points * sharing.beyond, `${answeredTurns} turns were answered`);
    return `${answeredTurns} of ${FARMED * TURNS_OF_EACH} answered, and ${questions} of another visitor`;
  },
};

const STREAMS_MAX = 20;

const streamHoarding: Trial = {
  name: 'holding all streams',
  expected: `of ${STREAMS_MAX}, a network holds at most 10, a workspace 16; another workspace gets one`,
  async run() {
    const place = await createPlace();
    const other = await addWorkspace(place.dataDir, 'ada@another.example');
    const fake = await openFakeModel();
    fake.onRaw((response) => {
      response.writeHead(200, STREAM);
      response.write(chunk('Let me think. '));
    });
    const env = { ...fake.env({ LLM_TIMEOUT_SECONDS: '60' }, 'raw') };
    const server = await serve(place.dataDir, { ...env, STREAMS_MAX: String(STREAMS_MAX) });
    const endStreams = new AbortController();
    const open = async (appId: string, address: string) => {
      const { jwt } = await boot(server, appId);
      const response = await fetch(`${server.baseUrl}/chat`, {
        method: 'POST',
        headers: { ...jsonHeaders, authorization: `Bearer ${jwt}`, 'x-forwarded-for': address },
        body: JSON.stringify(question({ conversation_id: `conv-${address}` })),
        signal: endStreams.signal,
      });
      if (response.status !== 200) return 0;
      await response.body!.getReader().read();
      return 1;
    };
    const attempt = async (count: number, address: (at: number) => string) => {
      let openStreams = 0;
      for (let at = 0; at < count; at += 1) openStreams += await open(place.appId, address(at));
      return openStreams;
    };
    try {
      const ofNetwork = await attempt(15, () => '203.0.113.5');
      expectThat(ofNetwork <= STREAMS_MAX / 2, `one network holds ${ofNetwork}`);
      const ofWorkspace = ofNetwork + (await attempt(15, (at) => `203.0.113.${100 + at}`));
      expectThat(ofWorkspace <= (STREAMS_MAX * 4) / 5, `one workspace holds ${ofWorkspace}`);
      expectThat((await open(other.appId, '198.51.100.1')) === 1, 'another workspace gets no stream');
      return `network ${ofNetwork}, workspace ${ofWorkspace}, another workspace gets one`;
    } finally {
      endStreams.abort();
      await fake.close();
    }
  },
};

const OVERLOADED_BOOTS = 100;

/** Stops and continues the service every few milliseconds, so that it is too slow for the flood. */
function makeLate({ child }: Server): () => Promise<void> {
  let isLate = true;
  const pulses = (async () => {
    while (isLate) {
      child.kill('SIGSTOP');
      await wait(60);
      child.kill('SIGCONT');
      await wait(10);
    }
  })();
  return () => {
    isLate = false;
    return pulses;
  };
}

const overloadIsFree: Trial = {
  name: 'rejected requests under overload',
  expected: '503 with Retry-After, and no rate limit is used up',
  async run() {
    const place = await createPlace();
    const server = await serve(place.dataDir, { LOOP_DELAY_MILLIS_MAX: '10' });
    const body = { app_id: place.appId, origin: jsonHeaders.origin, path: '/' };
    const send = async () => {
      const response = await post(server, '/boot', body, { 'x-forwarded-for': '203.0.113.5' });
      await response.text();
      return response;
    };
    let [accepted, refused] = [0, 0];
    await withFlood(server, place, 300, async () => {
      const resume = makeLate(server);
      for (let at = 0; at < OVERLOADED_BOOTS; at += 1) {
        const { status, headers } = await send();
        if (status === 200) accepted += 1;
        else {
          expectShed(status, headers);
          refused += 1;
        }
      }
      await resume();
    });
    expectThat(refused > 0, 'nothing was rejected');
    let last = await send();
    for (; last.status === 503; last = await send()) await wait(200);
    const remainingPoints = Number(/;r=(\d+)/.exec(last.headers.get('ratelimit') ?? '')?.[1]);
    const { points } = BUCKETS['boot/rate-limited'];
    const summary = `${refused} rejected, ${accepted + 1} accepted, ${remainingPoints} of ${points} points left`;
    expectThat(remainingPoints >= points - accepted - 1, summary);
    return summary;
  },
};

function expectShed(status: number, headers: Headers): void {
  expectThat(status === 503, `status ${status}`);
  const retryAfter = Number(headers.get('retry-after'));
  expectThat(retryAfter >= 1 && retryAfter <= 60, `Retry-After ${retryAfter}`);
  expectThat(headers.get('ratelimit') === null, 'a rejection has rate limit headers');
  expectThat(headers.get('x-content-type-options') === 'nosniff', 'a rejection lacks nosniff');
}

const UNKNOWN_KEYS = 240_000;
const BODIES = 10;
/** Processor time per body. It was 310 ms before the number of keys was limited; the target is 20 ms. */
const MILLIS_PER_BODY_MAX = 60;

const unknownKeys: Trial = {
  name: `${UNKNOWN_KEYS} unknown keys in 3 MB`,
  expected: `400, at most ${MILLIS_PER_BODY_MAX} ms of processor time more than one long text of that size`,
  async run() {
    const { dataDir, appId } = await createPlace();
    const server = await serve(dataDir);
    const fields = Object.fromEntries(Array.from({ length: UNKNOWN_KEYS }, (_, at) => [`k${at}`, 1]));
    const keys = Buffer.from(JSON.stringify({ ...question(), ...fields }));
    const longText = Buffer.from(JSON.stringify(question({ message: 'x'.repeat(keys.length - 200) })));
    // The first round is a warm-up.
    await measureBodies(server, await boot(server, appId), longText);
    const plain = await measureBodies(server, await boot(server, appId), longText);
    const attack = await measureBodies(server, await boot(server, appId), keys);
    const addedMillis = attack.cpuMillis - plain.cpuMillis;
    const latency = `slowest /healthz ${attack.slowest.toFixed(0)} ms (${plain.slowest.toFixed(0)} ms)`;
    const summary = `${addedMillis.toFixed(0)} ms more than ${plain.cpuMillis.toFixed(0)} ms; ${latency}`;
    expectThat(addedMillis <= MILLIS_PER_BODY_MAX, summary);
    return summary;
  },
};

/** Returns the service's processor time per body, and the slowest response of /healthz meanwhile. */
async function measureBodies(server: Server, { jwt }: Visitor, body: Buffer<ArrayBuffer>) {
  const before = cpuOf(server);
  let [probing, slowest] = [true, 0];
  const probe = (async () => {
    while (probing) {
      const since = performance.now();
      await (await fetch(`${server.baseUrl}/healthz`)).text();
      slowest = Math.max(slowest, performance.now() - since);
      await wait(10);
    }
  })();
  for (let sent = 0; sent < BODIES; sent += 1) {
    const headers = { ...jsonHeaders, authorization: `Bearer ${jwt}` };
    const response = await fetch(`${server.baseUrl}/chat`, { method: 'POST', headers, body });
    expectThat(response.status === 400, `status ${response.status}`);
    await response.text();
  }
  probing = false;
  await probe;
  return { cpuMillis: (cpuOf(server) - before) / BODIES, slowest };
}

export const resourceAttacks: readonly Trial[] = [
  stalledBodies,
  halfHeads,
  idleConnections,
  connectionFlood,
  healthUnderLoad,
  farmedVisitors,
  streamHoarding,
  overloadIsFree,
  unknownKeys,
];
