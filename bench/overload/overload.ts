/**
 * Sends turns and boots at multiples of the capacity, at a fixed rate, and measures how much of the capacity is still
 * answered, how fast, and how fast the others are refused. Run `node bench/overload/overload.ts --help`.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchQuestions } from '../articles.ts';
import { openLoad } from '../open-load.ts';
import { ARTICLES, bootVisitors, fillFolder, ORIGIN } from '../prepare.ts';
import { type Plan, REQUEST_FACTORIES } from '../requests.ts';
import { onCores, startTarget } from '../target.ts';

const help = `Measures the capacity for chat turns with 16 clients that wait for each answer, then sends turns and boots at
multiples of it, ten turns for each boot.

  node bench/overload/overload.ts [--seconds 6,12] [--times 1,3,10] [--connections N] [--timeline]

  --timeline   also prints how many turns were accepted in each half second, and their median time

Needs dist/guidepost.js and dist/overload-generator, which make bench-overload builds.
`;

const WORKSPACES = 40;
/** As many as keep each below its rate limits. */
const VISITORS = 6000;
const CLIENTS = 16;
const WARM_UP_SECONDS = 6;
const CAPACITY_SECONDS = 6;
/** Each eleventh request is a boot. */
const TURNS_PER_BOOT = 10;
const HEALTH_MILLIS = 250;
const SLICE_MILLIS = 500;
/** Between two runs, until the rate limits and the load of the one before are over. */
const REST_MILLIS = 15_000;

const toPath = (name: string) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

type Answer = {
  kind: 'chat' | 'boot';
  dueMillis: number;
  /** 0: the connection broke; -1: not sent, because no connection was free. */
  status: number;
  millis: number;
  retryAfterSec: number;
};

type Options = { seconds: number; connections: number; timeline: boolean };

async function main(
  times: readonly number[],
  durations: readonly number[],
  options: Omit<Options, 'seconds'>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-overload-'));
  const appIds = await fillFolder(folder, WORKSPACES);
  const env = {
    PORT: '0',
    DATA_DIR: folder,
    GUIDEPOST_DEMO: 'off',
    EMBEDDINGS: 'off',
    TRUSTED_PROXIES: 'loopback',
    LOG_LEVEL: 'warn',
  };
  const target = await startTarget('guidepost', [toPath('guidepost.js'), 'serve'], env, '/healthz');
  try {
    const { visitors } = await bootVisitors(target.port, appIds, VISITORS);
    const plan = { origin: ORIGIN, appId: appIds[0]!, visitors, questions: benchQuestions(200, ARTICLES) };
    let first = 0;
    const capacity = {
      chat: await measureCapacity('chat', target.port, plan, (count) => (first += count)),
      boot: await measureCapacity('boot', target.port, plan, (count) => (first += count)),
    };
    print('capacity', { 'turns/s': capacity.chat, 'boots/s': capacity.boot });
    for (const seconds of durations) {
      for (const factor of times) {
        await new Promise((resolve) => setTimeout(resolve, REST_MILLIS));
        const rate = capacity.chat * factor;
        const requests = createRequests(plan, target.port, first, rate * seconds);
        first += requests.length;
        const { answers, health, busy } = await overload(target.port, requests, rate, {
          ...options,
          seconds,
        });
        print(`${factor} x for ${seconds} s`, summarize(answers, health, seconds, capacity, busy));
        if (options.timeline) printTimeline(answers);
      }
    }
  } finally {
    await target.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureCapacity(
  kind: Answer['kind'],
  port: number,
  plan: Plan,
  onSent: (count: number) => void,
): Promise<number> {
  const load = openLoad();
  load.setPlan(plan);
  let [rate, first] = [0, 0];
  for (const seconds of [WARM_UP_SECONDS, CAPACITY_SECONDS]) {
    const job = { kind, port, connections: CLIENTS, seconds, first, requestsMax: 1e6 } as const;
    const outcome = await load.run(job);
    first += outcome.requests;
    rate = outcome.requests / outcome.seconds;
  }
  load.stop();
  onSent(first);
  return rate;
}

const isBoot = (number: number) => number % (TURNS_PER_BOOT + 1) === TURNS_PER_BOOT;

function createRequests(plan: Plan, port: number, first: number, count: number): string[] {
  const [createTurn, createBoot] = [REQUEST_FACTORIES.chat(plan, port), REQUEST_FACTORIES.boot(plan, port)];
  return Array.from({ length: Math.ceil(count) }, (_, at) =>
    (isBoot(at) ? createBoot : createTurn)(first + at),
  );
}

async function overload(
  port: number,
  requests: readonly string[],
  rate: number,
  { seconds, connections }: Options,
) {
  const health: number[] = [];
  const probe = setInterval(() => {
    const startedAt = performance.now();
    get({ port, path: '/healthz', host: '127.0.0.1', agent: false }, (response) => {
      response.resume().on('end', () => health.push(performance.now() - startedAt));
    }).on('error', () => health.push(Number.POSITIVE_INFINITY));
  }, HEALTH_MILLIS);
  const [command, ...args] = onCores('load', [
    ...[toPath('overload-generator'), `${port}`, `${connections}`, `${rate}`, `${seconds}`],
  ]);
  const generator = spawn(command!, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  generator.stdin.end(Buffer.concat(requests.flatMap(encodeRequest)));
  const [lines, busy] = await Promise.all([text(generator.stdout), text(generator.stderr)]);
  clearInterval(probe);
  return { answers: lines.trim().split('\n').map(readAnswer), health, busy: Number(busy) };
}

function encodeRequest(request: string): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(request.length);
  return [length, Buffer.from(request, 'latin1')];
}

function readAnswer(line: string, at: number): Answer {
  const [dueMillis, status, , millis, retryAfterSec] = line.split(' ').map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return { kind: isBoot(at) ? 'boot' : 'chat', dueMillis, status, millis, retryAfterSec };
}

function summarize(
  answers: readonly Answer[],
  health: readonly number[],
  seconds: number,
  capacity: Readonly<Record<Answer['kind'], number>>,
  busy: number,
): Record<string, number> {
  const listAnswered = (kind: Answer['kind']) =>
    answers.filter((answer) => answer.kind === kind && answer.status === 200);
  const toMillis = (list: readonly Answer[]) => list.map(({ millis }) => millis);
  /** Answers a second that came before the load ended. */
  const toRate = (list: readonly Answer[]) =>
    list.filter(({ dueMillis, millis }) => dueMillis + millis <= seconds * 1000).length / seconds;
  const [turns, boots] = [listAnswered('chat'), listAnswered('boot')];
  const refused = answers.filter(({ status }) => status === 503);
  const sameWait = [...Map.groupBy(refused, ({ retryAfterSec }) => retryAfterSec).values()];
  const others = Map.groupBy(
    answers.filter(({ status }) => status !== 200 && status !== 503),
    ({ status }) => status,
  );
  return {
    'turns/s': toRate(turns),
    'boots/s': toRate(boots),
    'of capacity, %': 100 * (toRate(turns) / capacity.chat + toRate(boots) / capacity.boot),
    'turns p50, ms': percentile(toMillis(turns), 0.5),
    'turns p99, ms': percentile(toMillis(turns), 0.99),
    'boots p50, ms': percentile(toMillis(boots), 0.5),
    'boots p99, ms': percentile(toMillis(boots), 0.99),
    'refused p99, ms': percentile(toMillis(refused), 0.99),
    'same retry-after at most, %':
      (100 * Math.max(0, ...sameWait.map(({ length }) => length))) / Math.max(1, refused.length),
    'healthz p50, ms': percentile([...health], 0.5),
    'healthz max, ms': Math.max(...health),
    'generator, % of a core': 100 * busy,
    ...Object.fromEntries([...others].map(([status, list]) => [`status ${status}`, list.length])),
  };
}

function percentile(values: number[], share: number): number {
  const sorted = values.sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function print(name: string, figures: Readonly<Record<string, number>>): void {
  const texts = Object.entries(figures).map(([label, figure]) => `${label} ${Math.round(figure)}`);
  process.stdout.write(`${name}: ${texts.join(', ')}\n`);
}

function printTimeline(answers: readonly Answer[]): void {
  const accepted = answers.filter(({ kind, status }) => kind === 'chat' && status === 200);
  for (const [slice, turns] of Map.groupBy(accepted, ({ dueMillis }) =>
    Math.floor(dueMillis / SLICE_MILLIS),
  )) {
    const middle = Math.round(
      percentile(
        turns.map(({ millis }) => millis),
        0.5,
      ),
    );
    process.stdout.write(
      `  ${(slice * SLICE_MILLIS) / 1000} s: ${turns.length} accepted, median ${middle} ms\n`,
    );
  }
}

const { values } = parseArgs({
  options: {
    help: { type: 'boolean' },
    seconds: { type: 'string', default: '6,12' },
    times: { type: 'string', default: '1,3,10' },
    connections: { type: 'string', default: '3000' },
    timeline: { type: 'boolean', default: false },
  },
});
const toNumbers = (list: string) => list.split(',').map(Number);
if (values.help) process.stdout.write(help);
else {
  const options = { connections: Number(values.connections), timeline: values.timeline };
  await main(toNumbers(values.times), toNumbers(values.seconds), options);
}
