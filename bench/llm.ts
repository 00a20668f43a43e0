/** Measures what the service adds to the answers of a language model: time to the first text, steadiness, memory of open answers. */
import { type ChildProcess, execSync, fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import { CERTIFICATE_FILE } from '../test/support/tls/front.ts';
import { benchQuestions } from './articles.ts';
import { decodeMillis, nowMillis } from './llm-timestamps.ts';
import type { FromUpstream, Pace, ToUpstream } from './llm-upstream.ts';
import { ARTICLES, bootVisitors, fillFolder, ORIGIN } from './prepare.ts';
import type { Plan } from './requests.ts';
import { onCores, startTarget, type Target } from './target.ts';

const help = `Measures what the service adds to the answers of a language model. The table goes to stdout.

  node bench/llm.ts [--streams 500] [--held 10000] [--source]

  --streams N   concurrent answers, ten texts per second each
  --held N      open answers to measure the memory of, limited by ulimit -n
  --source      runs the sources instead of dist/guidepost.js
`;

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '500' },
    held: { type: 'string', default: '10000' },
    source: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(help);
  process.exit();
}

const STREAMS = Number(values.streams);
const WANTED_HELD = Number(values.held);
/** File descriptors reserved for anything but connections. */
const RESERVED_FILES = 100;
/** Node raises its own limit as far as the system allows. */
const filesMax = Number(execSync('ulimit -n', { shell: '/bin/sh' }).toString()) || 1024;
/** An open answer takes two file descriptors over HTTP/1.1; over HTTP/2, a hundred answers share the connection to the model. */
const HELD = {
  plain: Math.min(WANTED_HELD, Math.floor((filesMax - RESERVED_FILES) / 2)),
  shared: Math.min(WANTED_HELD, Math.floor((filesMax - RESERVED_FILES) / 1.01)),
};
const SINGLE = 200;
const SINGLE_WARM_UP = 100;
/** Below the rate limits: 1,000 turns per minute and workspace, two answers at a time per visitor. */
const TURNS_PER_WORKSPACE = 800;
const STREAMS_PER_VISITOR = 2;
const CONCURRENT_CHUNKS = 80;
const CONCURRENT_EVERY_MILLIS = 100;
const HELD_AT_ONCE = 25;
const ENDED_TO_WARM = 2000;
const HELD_TO_WARM = 50;
const SETTLE_MILLIS = 3000;
/** The length of a visitor token. */
const TOKEN_CHARS = 500;
/** Stalls above this are noticeable. */
const STALL_MILLIS = 250;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const path = values.source ? '../server/cli/guidepost.ts' : '../dist/guidepost.js';
const program = here(path);
const memoryProbe = ['--expose-gc', '--import', here('memory-probe.js')];
if (!existsSync(program)) throw new Error(`${program} is missing. Run: make build`);

const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
const upstream = await openUpstream();
let running: Target | undefined;
try {
  const warm = ENDED_TO_WARM + HELD_TO_WARM;
  const turnsPlain = SINGLE + SINGLE_WARM_UP + 2 * STREAMS + warm + HELD.plain;
  const turns = turnsPlain + warm + HELD.shared;
  const appIds = await fillFolder(join(folder, 'data'), Math.ceil(turns / TURNS_PER_WORKSPACE));
  await enableGeneralAnswers(join(folder, 'data'));

  running = await startService(upstream.plainUrl);
  const { visitors } = await bootVisitors(running.port, appIds, Math.ceil(turns / STREAMS_PER_VISITOR));
  const visitorsPlain = Math.ceil(turnsPlain / STREAMS_PER_VISITOR);
  const next = createRequests(running.port, visitors.slice(0, visitorsPlain));
  await measureSingle(running.port, next);
  await measureConcurrent(running, next);
  const plain = await measureOpen(running, next, HELD.plain);
  printRow(
    'from all visitors disconnecting to closing the last connection to the model',
    `${plain.disconnectMillis} ms`,
  );
  await running.stop();

  running = await startService(upstream.secureUrl);
  const shared = await measureOpen(
    running,
    createRequests(running.port, visitors.slice(visitorsPlain)),
    HELD.shared,
  );
  printRow('the same, to cancelling the last answer over HTTP/2', `${shared.disconnectMillis} ms`);
  await running.stop();

  for (const [wire, { count }] of Object.entries({ 'HTTP/1.1': plain, 'HTTP/2': shared }))
    if (count < WANTED_HELD)
      printRow(
        `open answers possible with ${filesMax} files (ulimit -n) over ${wire}`,
        `${count} of ${WANTED_HELD}`,
      );
  compareOpen(
    'the model over HTTP/2 with TLS',
    shared,
    await measureBaseline(upstream.secureUrl, HELD.shared),
  );
  compareOpen(
    'the model over HTTP/1.1 without TLS',
    plain,
    await measureBaseline(upstream.plainUrl, HELD.plain),
  );
} finally {
  upstream.close();
  await running?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function startService(url: string): Promise<Target> {
  return startTarget('Guidepost', [...memoryProbe, program, 'serve'], createEnvironment(url), '/healthz');
}

/** Measures a plain node:http proxy for comparison. */
async function measureBaseline(url: string, count: number): Promise<OpenAnswers> {
  const args = [...memoryProbe, here('bare/stream-proxy.js'), url];
  running = await startTarget('bare', args, { NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE }, '/');
  const baseline = await measureOpen(running, createRequests(running.port, createUnknownVisitors()), count);
  await running.stop();
  return baseline;
}

function createEnvironment(url: string): Record<string, string> {
  return {
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    GUIDEPOST_DEMO: 'off',
    EMBEDDINGS: 'off',
    LOOP_DELAY_MILLIS_MAX: '60000',
    TRUSTED_PROXIES: 'loopback',
    NODE_ENV: 'production',
    STREAMS_MAX: '50000',
    CONNECTIONS_MAX: '50000',
    NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE,
    LLM_BASE_URL: url,
    LLM_API_KEY: 'none',
    LLM_MODEL: 'bench',
    LLM_TIMEOUT_MILLIS: '600000',
    LLM_FIRST_TOKEN_TIMEOUT_MILLIS: '600000',
    LLM_IDLE_TIMEOUT_MILLIS: '600000',
  };
}

/** Allows general answers, so every answer streams even if no article matches well. */
async function enableGeneralAnswers(data: string): Promise<void> {
  const store = openSqlite({ file: join(data, 'guidepost.db') });
  const settings = { guide: { generalAnswers: true } };
  for (const { id } of await store.workspaces.list())
    await store.workspaces.change(id, { settings }, Date.now());
  await store.close();
}

/** Creates the requests of successive turns, each from a visitor within the rate limits. */
function createRequests(port: number, visitors: Plan['visitors']): () => string {
  // Questions without an answer never reach the model.
  const questions = benchQuestions(500, ARTICLES).filter((_, number) => number % 10 !== 9);
  let number = 0;
  return () => {
    const at = number++;
    const index = at % visitors.length;
    const visitor = visitors[index]!;
    const round = Math.floor(at / visitors.length);
    const body = JSON.stringify({
      message: questions[at % questions.length],
      dom_digest: 'main > h1 Pricing\nmain > p Choose a plan\nmain > button "Start"',
      conversation_id: `${visitor.conversationId}-${round}`,
      turn_idx: 0,
      url: `${ORIGIN}/pricing`,
    });
    return (
      `POST /chat HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept-language: en\r\norigin: ${ORIGIN}\r\n` +
      `content-type: application/json\r\nauthorization: Bearer ${visitor.jwt}\r\n` +
      // An address for each visitor, because the turns of one network are limited too.
      `x-forwarded-for: 198.18.${index >> 8}.${index & 255}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    );
  };
}

/** Measures one answer at a time, from the first text of the model to the first text at the visitor. */
async function measureSingle(port: number, next: () => string): Promise<void> {
  upstream.pace({ waitMillis: 15, chunks: 2, everyMillis: 5, staysOpen: false });
  const lags: number[] = [];
  for (let turn = 0; turn < SINGLE_WARM_UP + SINGLE; turn++) {
    const answer = visit(port, next());
    const { lagMillis } = await answer.whole;
    answer.disconnect();
    // Answers that the service generates itself contain no timestamps.
    if (turn >= SINGLE_WARM_UP && lagMillis.length > 0) lags.push(lagMillis[0]!);
  }
  printRow('single answers measured', `${lags.length}`);
  printRow('first text from the model to the visitor, median', `${quantile(lags, 0.5).toFixed(2)} ms`);
  printRow('the same, 99th percentile', `${quantile(lags, 0.99).toFixed(2)} ms`);
}

/** Measures many answers at the same time, and the event-loop delay of this process for comparison. */
async function measureConcurrent({ port, cpuMicros }: Target, next: () => string): Promise<void> {
  upstream.pace({
    waitMillis: 50,
    chunks: CONCURRENT_CHUNKS,
    everyMillis: CONCURRENT_EVERY_MILLIS,
    staysOpen: false,
  });
  // Start the answers over two seconds.
  const visits: ReturnType<typeof visit>[] = [];
  const cpuBefore = cpuMicros() ?? 0;
  const startedAt = performance.now();
  const ownDelay = monitorEventLoopDelay({ resolution: 5 });
  ownDelay.enable();
  for (let stream = 0; stream < STREAMS; stream++) {
    visits.push(visit(port, next()));
    if (stream % 10 === 9) await new Promise((resolve) => setTimeout(resolve, (2000 * 10) / STREAMS));
  }
  const observed: Observed[] = await Promise.all(visits.map(({ whole }) => whole));
  ownDelay.disable();
  for (const answer of visits) answer.disconnect();
  const lags = observed.flatMap(({ lagMillis }) => lagMillis);
  const silences = observed.map((answer) => answer.longestSilenceMillis - CONCURRENT_EVERY_MILLIS);
  const cores = ((cpuMicros() ?? 0) - cpuBefore) / 1000 / (performance.now() - startedAt);
  printRow(
    `${STREAMS} concurrent answers: text from the model to the visitor, median`,
    `${quantile(lags, 0.5).toFixed(1)} ms`,
  );
  printRow('the same, 99th percentile', `${quantile(lags, 0.99).toFixed(1)} ms`);
  printRow('the same, longest', `${quantile(lags, 1).toFixed(1)} ms`);
  printRow('longest stall of a stream, median', `${quantile(silences, 0.5).toFixed(1)} ms`);
  printRow('the same, longest', `${quantile(silences, 1).toFixed(1)} ms`);
  printRow(
    `streams that stalled for more than ${STALL_MILLIS} ms`,
    `${silences.filter((silence) => silence > STALL_MILLIS).length}`,
  );
  printRow('longest event-loop delay of this process', `${(ownDelay.max / 1e6).toFixed(1)} ms`);
  printRow('cores used by the service', cores.toFixed(2));
}

type OpenAnswers = {
  count: number;
  /** Memory of one answer. */
  residentBytes: number;
  heapBytes: number;
  disconnectMillis: number;
};

/** Memory that one open answer takes, measured with all of them open. */
async function measureOpen(
  { port, readMemory }: Target,
  next: () => string,
  count: number,
): Promise<OpenAnswers> {
  // Load the code and grow the heap first, so that they do not count as an answer's memory.
  const short = { waitMillis: 0, chunks: 1, everyMillis: 1 };
  upstream.pace({ ...short, staysOpen: false });
  for (let ended = 0; ended < ENDED_TO_WARM; ended += HELD_AT_ONCE) {
    const batch = Array.from({ length: HELD_AT_ONCE }, () => visit(port, next()));
    await Promise.all(batch.map(({ first }) => first));
    for (const { disconnect } of batch) disconnect();
  }
  upstream.pace({ ...short, staysOpen: true });
  await disconnect(await hold(port, next, HELD_TO_WARM));
  const before = await readMemory();
  const held = await hold(port, next, count);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLIS));
  const after = await readMemory();
  return {
    count,
    residentBytes: (after.residentBytes - before.residentBytes) / count,
    heapBytes: (after.heapBytes - before.heapBytes) / count,
    disconnectMillis: await disconnect(held),
  };
}

async function hold(port: number, next: () => string, count: number): Promise<Visit[]> {
  const held: Visit[] = [];
  while (held.length < count) {
    const batch = Array.from({ length: Math.min(HELD_AT_ONCE, count - held.length) }, () =>
      visit(port, next()),
    );
    await Promise.all(batch.map(({ first }) => first));
    held.push(...batch);
  }
  return held;
}

/** Disconnects all visitors; returns the milliseconds until the last request to the model ends. */
async function disconnect(held: readonly Visit[]): Promise<number> {
  const disconnectedAt = performance.now();
  for (const { disconnect } of held) disconnect();
  while ((await upstream.open()) > 0 && performance.now() - disconnectedAt < 30_000)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return Math.round(performance.now() - disconnectedAt);
}

function compareOpen(wire: string, held: OpenAnswers, baseline: OpenAnswers): void {
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  for (const [label, field] of [
    ['resident memory, each', 'residentBytes'],
    ['heap in use, each', 'heapBytes'],
  ] as const) {
    printRow(`${held.count} open answers including connections, ${wire}: ${label}`, kilobytes(held[field]));
    printRow('the same for plain node:http', kilobytes(baseline[field]));
    printRow('ratio', (held[field] / baseline[field]).toFixed(2));
  }
}

/** Creates visitors with made-up tokens, for the server that does not verify tokens. */
function createUnknownVisitors(): Plan['visitors'] {
  const jwt = 'x'.repeat(TOKEN_CHARS);
  return Array.from({ length: HELD.shared + ENDED_TO_WARM + HELD_TO_WARM }, (_, number) => ({
    jwt,
    visitorId: `vis_${number}`,
    conversationId: `bench-${number}`,
  }));
}

function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function printRow(label: string, value: string): void {
  process.stdout.write(`| ${label} | ${value} |\n`);
}

type Upstream = {
  /** Over HTTP/1.1 without TLS. */
  plainUrl: string;
  /** Over HTTP/2 with TLS, like hosted models. */
  secureUrl: string;
  /** Number of open answers. */
  open(): Promise<number>;
  /** Sets the pace of the next answers. */
  pace(pace: Pace): void;
  close(): void;
};

async function openUpstream(): Promise<Upstream> {
  const [execPath, ...execArgv] = onCores('load', [process.execPath]);
  const child: ChildProcess = fork(fileURLToPath(new URL('llm-upstream.ts', import.meta.url)), {
    execPath: execPath!,
    execArgv,
  });
  const receive = () =>
    new Promise<FromUpstream>((resolve, reject) => {
      const onExit = () => reject(new Error('The model server exited.'));
      child.once('exit', onExit);
      child.once('message', (message: FromUpstream) => {
        child.off('exit', onExit);
        resolve(message);
      });
    });
  const send = (message: ToUpstream) => void child.send(message);
  const message = await receive();
  if (!('plainPort' in message)) throw new Error('The model server is not listening.');
  return {
    plainUrl: `http://127.0.0.1:${message.plainPort}/v1`,
    secureUrl: `https://localhost:${message.securePort}/v1`,
    async open() {
      send('open');
      const answer = await receive();
      return 'open' in answer ? answer.open : Number.NaN;
    },
    pace: (pace) => send({ pace }),
    close: () => void child.kill(),
  };
}

/** Timings of one answer, as the visitor observed it. */
type Observed = {
  /** Time from each text leaving the model to its arrival. */
  lagMillis: number[];
  /** Longest gap between two texts. */
  longestSilenceMillis: number;
};

type Visit = { first: Promise<void>; whole: Promise<Observed>; disconnect(): void };

/** Runs one turn on its own socket. `first` resolves with the first text, `whole` at the end. */
function visit(port: number, request: string): Visit {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const observed: Observed = { lagMillis: [], longestSilenceMillis: 0 };
  const first = Promise.withResolvers<void>();
  const whole = Promise.withResolvers<Observed>();
  let text = '';
  let lastTextAt = 0;
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(request));
  socket.on('data', (piece: string) => {
    const now = nowMillis();
    text += piece;
    if (/^HTTP\/1\.1 [^2]/.test(text)) return fail(new Error(text.slice(0, 1500)));
    const end = text.lastIndexOf('\n\n');
    if (end < 0) return;
    for (const [, delta] of text.slice(0, end).matchAll(/"type":"text_delta"[^\n]*?"delta":"([^"]*)"/g)) {
      if (lastTextAt > 0)
        observed.longestSilenceMillis = Math.max(observed.longestSilenceMillis, now - lastTextAt);
      lastTextAt = now;
      for (const [, word] of delta!.matchAll(/^-?([a-j]{5,})\\n$/g))
        observed.lagMillis.push(now - decodeMillis(word!));
      first.resolve();
    }
    if (text.includes('"type":"message_end"')) whole.resolve(observed);
    else if (text.includes('"type":"error"')) fail(new Error(text.slice(0, 1500)));
    text = text.slice(end);
  });
  const fail = (error: Error) => {
    first.reject(error);
    whole.reject(error);
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`A connection was closed: ${text.slice(0, 500)}`)));
  first.promise.catch(() => {});
  whole.promise.catch(() => {});
  return { first: first.promise, whole: whole.promise, disconnect: () => socket.destroy() };
}
