/** Measures what the service adds to the answers of a language model: time to the first text, steadiness, memory of open answers. */
import { execSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import { CERTIFICATE_FILE } from '../test/tls/front.ts';
import { benchQuestions } from './articles.ts';
import { openUpstream, type Seen, type Visit, visit } from './llm-streams.ts';
import type { Plan } from './load.ts';
import { ARTICLES, bootVisitors, fillFolder, ORIGIN } from './prepare.ts';
import { startTarget, type Target } from './target.ts';

const help = `Measures what the service adds to the answers of a language model. The table goes to stdout.

  node bench/llm.ts [--streams 500] [--held 10000] [--source]

  --streams N   answers at the same time, ten texts a second each
  --held N      open answers whose memory is measured; fewer where the system allows fewer files
  --source      measures the sources instead of dist/guidepost.js
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
const WANTED = Number(values.held);
/** Besides the connections of the answers. */
const FILES_BESIDE = 100;
/** Node raises its own limit as far as the system lets it. */
const filesMax = Number(execSync('ulimit -n', { shell: '/bin/sh' }).toString()) || 1024;
/** Over HTTP/1.1 an open answer has two files, one to the visitor and one to the model; over HTTP/2 a hundred of them share the second. */
const HELD = {
  plain: Math.min(WANTED, Math.floor((filesMax - FILES_BESIDE) / 2)),
  shared: Math.min(WANTED, Math.floor((filesMax - FILES_BESIDE) / 1.01)),
};
const ALONE = 200;
const ALONE_WARM = 100;
/** A workspace may ask a thousand times a minute, a visitor have two answers at once. */
const TURNS_A_WORKSPACE = 800;
const STREAMS_A_VISITOR = 2;
const TOGETHER_CHUNKS = 80;
const TOGETHER_EVERY_MILLIS = 100;
const HELD_AT_ONCE = 50;
const ENDED_TO_WARM = 2000;
const HELD_TO_WARM = 50;
const SETTLE_MILLIS = 3000;
/** As long as ours are. */
const JWT_CHARS = 500;
/** What nobody should have to wait for while an answer is being written. */
const STALL_MILLIS = 250;

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const path = values.source ? '../server/cli/guidepost.ts' : '../dist/guidepost.js';
const program = here(path);
const memoryProbe = ['--expose-gc', '--import', here('memory-probe.js')];
if (!existsSync(program)) throw new Error(`There is no ${program} yet: run make build first.`);

const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
const upstream = await openUpstream();
let running: Target | undefined;
try {
  const warm = ENDED_TO_WARM + HELD_TO_WARM;
  const turnsPlain = ALONE + ALONE_WARM + 2 * STREAMS + warm + HELD.plain;
  const turns = turnsPlain + warm + HELD.shared;
  const appIds = await fillFolder(join(folder, 'data'), Math.ceil(turns / TURNS_A_WORKSPACE));
  await letAnswer(join(folder, 'data'));

  running = await startService(upstream.plainUrl);
  const { visitors } = await bootVisitors(running.port, appIds, Math.ceil(turns / STREAMS_A_VISITOR));
  const visitorsPlain = Math.ceil(turnsPlain / STREAMS_A_VISITOR);
  const next = requests(running.port, visitors.slice(0, visitorsPlain));
  await measureAlone(running.port, next);
  await measureTogether(running, next);
  const plain = await measureHeld(running, next, HELD.plain);
  row('all visitors gone until the last connection to the model is closed', `${plain.goneMillis} ms`);
  await running.stop();

  running = await startService(upstream.secureUrl);
  const shared = await measureHeld(
    running,
    requests(running.port, visitors.slice(visitorsPlain)),
    HELD.shared,
  );
  row('the same until the last answer over HTTP/2 is cancelled', `${shared.goneMillis} ms`);
  await running.stop();

  for (const [wire, { count }] of Object.entries({ 'HTTP/1.1': plain, 'HTTP/2': shared }))
    if (count < WANTED)
      row(`open answers that ${filesMax} files (ulimit -n) allow over ${wire}`, `${count} of ${WANTED}`);
  compareHeld('the model over HTTP/2 with TLS', shared, await floorOf(upstream.secureUrl, HELD.shared));
  compareHeld('the model over HTTP/1.1 without TLS', plain, await floorOf(upstream.plainUrl, HELD.plain));
} finally {
  upstream.close();
  await running?.stop();
  rmSync(folder, { recursive: true, force: true });
}

function startService(url: string): Promise<Target> {
  return startTarget('Guidepost', [...memoryProbe, program, 'serve'], environmentOf(url), '/healthz');
}

/** What Node by itself holds for the same. */
async function floorOf(url: string, count: number): Promise<Held> {
  const args = [...memoryProbe, here('bare/stream-proxy.js'), url];
  running = await startTarget('bare', args, { NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE }, '/');
  const floor = await measureHeld(running, requests(running.port, strangers()), count);
  await running.stop();
  return floor;
}

function environmentOf(url: string): Record<string, string> {
  return {
    PORT: '0',
    DATA_DIR: join(folder, 'data'),
    GUIDEPOST_DEMO: 'off',
    TRUSTED_PROXIES: 'loopback',
    NODE_ENV: 'production',
    STREAMS_MAX: '20000',
    NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE,
    LLM_BASE_URL: url,
    LLM_API_KEY: 'none',
    LLM_MODEL: 'bench',
    LLM_TIMEOUT_MILLIS: '600000',
    LLM_FIRST_TOKEN_TIMEOUT_MILLIS: '600000',
    LLM_IDLE_TIMEOUT_MILLIS: '600000',
  };
}

/** Every answer streams as it comes, also where the articles are not sure to fit. */
async function letAnswer(data: string): Promise<void> {
  const store = openSqlite({ file: join(data, 'guidepost.db') });
  const settings = { guide: { generalAnswers: true } };
  for (const { id } of await store.workspaces.list())
    await store.workspaces.change(id, { settings }, Date.now());
  await store.close();
}

/** The requests of one turn after the other, each of them of a visitor with room for it. */
function requests(port: number, visitors: Plan['visitors']): () => string {
  // Questions without an answer would not come to the model.
  const questions = benchQuestions(500, ARTICLES).filter((_, number) => number % 10 !== 9);
  let number = 0;
  return () => {
    const at = number++;
    const visitor = visitors[at % visitors.length]!;
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
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    );
  };
}

/** One answer after the other: from the model's first text to the visitor's. */
async function measureAlone(port: number, next: () => string): Promise<void> {
  upstream.pace({ waitMillis: 15, chunks: 2, everyMillis: 5, stays: false });
  const lags: number[] = [];
  for (let turn = 0; turn < ALONE_WARM + ALONE; turn++) {
    const one = visit(port, next());
    const { lagMillis } = await one.whole;
    one.hangUp();
    // An answer that the service made itself has none.
    if (turn >= ALONE_WARM && lagMillis.length > 0) lags.push(lagMillis[0]!);
  }
  row('answers of the model that were measured alone', `${lags.length}`);
  row('first text of the model to first text of the visitor, median', `${at(lags, 0.5).toFixed(2)} ms`);
  row('the same, 99th percentile', `${at(lags, 0.99).toFixed(2)} ms`);
}

/** Many answers at the same time; what this process itself was late with is told beside it. */
async function measureTogether({ port, cpuMicros }: Target, next: () => string): Promise<void> {
  upstream.pace({
    waitMillis: 50,
    chunks: TOGETHER_CHUNKS,
    everyMillis: TOGETHER_EVERY_MILLIS,
    stays: false,
  });
  // Answers begin over two seconds, as visitors do.
  const begun: ReturnType<typeof visit>[] = [];
  const busy = cpuMicros() ?? 0;
  const startedAt = performance.now();
  const own = monitorEventLoopDelay({ resolution: 5 });
  own.enable();
  for (let stream = 0; stream < STREAMS; stream++) {
    begun.push(visit(port, next()));
    if (stream % 10 === 9) await new Promise((resolve) => setTimeout(resolve, (2000 * 10) / STREAMS));
  }
  const seen: Seen[] = await Promise.all(begun.map(({ whole }) => whole));
  own.disable();
  for (const one of begun) one.hangUp();
  const lags = seen.flatMap(({ lagMillis }) => lagMillis);
  const silences = seen.map((one) => one.longestSilenceMillis - TOGETHER_EVERY_MILLIS);
  const cores = ((cpuMicros() ?? 0) - busy) / 1000 / (performance.now() - startedAt);
  row(
    `${STREAMS} answers at once: text of the model to text of the visitor, median`,
    `${at(lags, 0.5).toFixed(1)} ms`,
  );
  row('the same, 99th percentile', `${at(lags, 0.99).toFixed(1)} ms`);
  row('the same, longest', `${at(lags, 1).toFixed(1)} ms`);
  row('longest that a stream stalled, median of all', `${at(silences, 0.5).toFixed(1)} ms`);
  row('the same, longest of all', `${at(silences, 1).toFixed(1)} ms`);
  row(
    `streams that stalled for more than ${STALL_MILLIS} ms`,
    `${silences.filter((one) => one > STALL_MILLIS).length}`,
  );
  row('longest that this process itself stalled', `${(own.max / 1e6).toFixed(1)} ms`);
  row('cores that the service took', cores.toFixed(2));
}

type Held = {
  readonly count: number;
  /** Of one answer. */
  readonly residentBytes: number;
  readonly heapBytes: number;
  readonly goneMillis: number;
};

/** What each of the answers takes that have begun and go on being open. */
async function measureHeld({ port, weigh }: Target, next: () => string, count: number): Promise<Held> {
  // The code and the heap that the first answers bring are not an answer's; nor is room that many of them would leave behind.
  const short = { waitMillis: 0, chunks: 1, everyMillis: 1 };
  upstream.pace({ ...short, stays: false });
  for (let ended = 0; ended < ENDED_TO_WARM; ended += HELD_AT_ONCE) {
    const some = Array.from({ length: HELD_AT_ONCE }, () => visit(port, next()));
    await Promise.all(some.map(({ first }) => first));
    for (const { hangUp: leave } of some) leave();
  }
  upstream.pace({ ...short, stays: true });
  await hangUp(await hold(port, next, HELD_TO_WARM));
  const before = await weigh();
  const held = await hold(port, next, count);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MILLIS));
  const weight = await weigh();
  return {
    count,
    residentBytes: (weight.residentBytes - before.residentBytes) / count,
    heapBytes: (weight.heapBytes - before.heapBytes) / count,
    goneMillis: await hangUp(held),
  };
}

async function hold(port: number, next: () => string, count: number): Promise<Visit[]> {
  const held: Visit[] = [];
  while (held.length < count) {
    const some = Array.from({ length: Math.min(HELD_AT_ONCE, count - held.length) }, () =>
      visit(port, next()),
    );
    await Promise.all(some.map(({ first }) => first));
    held.push(...some);
  }
  return held;
}

/** Answers how long it takes until nobody asks the model any more. */
async function hangUp(held: readonly Visit[]): Promise<number> {
  const goneAt = performance.now();
  for (const { hangUp: leave } of held) leave();
  while ((await upstream.open()) > 0 && performance.now() - goneAt < 30_000)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return Math.round(performance.now() - goneAt);
}

function compareHeld(wire: string, held: Held, floor: Held): void {
  const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`;
  for (const [what, of] of [
    ['resident memory of each', 'residentBytes'],
    ['of it heap that is in use', 'heapBytes'],
  ] as const) {
    row(
      `${held.count} open answers, with their connections to visitor and model, ${wire}: ${what}`,
      kilobytes(held[of]),
    );
    row('the same in node:http that does nothing else', kilobytes(floor[of]));
    row('ratio', (held[of] / floor[of]).toFixed(2));
  }
}

/** Visitors that nobody has to know, for the server that knows none. */
function strangers(): Plan['visitors'] {
  const jwt = 'x'.repeat(JWT_CHARS);
  return Array.from({ length: HELD.shared + ENDED_TO_WARM + HELD_TO_WARM }, (_, number) => ({
    jwt,
    conversationId: `bench-${number}`,
  }));
}

function at(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function row(what: string, value: string): void {
  process.stdout.write(`| ${what} | ${value} |\n`);
}
