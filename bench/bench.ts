/** Measures the service beside bare node servers, interleaved in one run: boot, whole chat turns, latencies, start and memory. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchQuestions } from './bare/articles.ts';
import type { Job } from './load.ts';
import { type Load, openLoad } from './open-load.ts';
import { ARTICLES, bootVisitors, copyFolder, fillFolder, ORIGIN } from './prepare.ts';
import { type Comparison, compare, type Measured, median, type Results, table } from './report.ts';
import { type Contestant, canPin, startContestant } from './target.ts';

const help = `Measures the service beside bare node servers. The table goes to stdout, progress to stderr.

  node bench/bench.ts [--quick] [--json FILE]

  --quick       about 20 seconds: rounds so short that much of the service's code is not optimised yet, and its ratios are too low
  --json FILE   writes all numbers, round by round, into FILE
  --help        this

Needs dist/guidepost.js (make build). Processor times and memory come from /proc, so only Linux has them.
`;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const BUNDLE = here('../dist/guidepost.js');

/** How much is measured. */
type Extent = {
  readonly workspaces: number;
  readonly rounds: number;
  /** Of one round, for one contestant. */
  readonly bootSeconds: number;
  readonly chatSeconds: number;
  /** Before the first round. */
  readonly warmSeconds: number;
  readonly idleTurns: number;
  readonly starts: number;
};
const FULL: Extent = {
  workspaces: 30,
  rounds: 5,
  bootSeconds: 1.5,
  chatSeconds: 1,
  warmSeconds: 5,
  idleTurns: 200,
  starts: 5,
};
const QUICK: Extent = {
  workspaces: 6,
  rounds: 3,
  bootSeconds: 0.3,
  chatSeconds: 0.3,
  warmSeconds: 1,
  idleTurns: 50,
  starts: 2,
};

const CONNECTIONS = [1, 32, 128] as const;
/** A visitor may ask 30 times a minute, a workspace 1,000 times: 38 visitors with 25 turns each stay below both. */
const VISITORS_A_WORKSPACE = 38;
const TURNS_A_VISITOR = 25;
const IDLE_PAUSE_MILLIS = 12;

type Pair = { readonly bare: Contestant; readonly service: Contestant };

async function main(extent: Extent): Promise<Results> {
  if (!existsSync(BUNDLE)) throw new Error('There is no dist/guidepost.js yet: run make build first.');
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const running: Contestant[] = [];
  const started = async (contestant: Promise<Contestant>) => {
    running.push(await contestant);
    return running.at(-1)!;
  };
  const load = openLoad();
  try {
    progress(`${extent.workspaces} workspaces with ${ARTICLES} articles each`);
    const data = join(folder, 'data');
    const appIds = await fillFolder(data, extent.workspaces);
    copyFolder(data, join(folder, 'bare'));

    progress('starts');
    const starts = await measureStarts(data, extent.starts);

    const service = await started(startService(data));
    const { visitors, replyBytes } = await bootVisitors(
      service.port,
      appIds,
      appIds.length * VISITORS_A_WORKSPACE,
    );
    load.tell({ origin: ORIGIN, appId: appIds[0]!, visitors, questions: benchQuestions(200, ARTICLES) });
    const bareHttp = await started(startBareHttp(replyBytes));
    const bareTurns = await started(startBareTurns(join(folder, 'bare')));

    const bootPair = { bare: bareHttp, service };
    const boots = await measureRates(load, bootPair, 'boot', extent.bootSeconds, extent, 1e9);
    const chatPair = { bare: bareTurns, service };
    const turnsMax = visitors.length * TURNS_A_VISITOR;
    const chats = await measureRates(load, chatPair, 'chat', extent.chatSeconds, extent, turnsMax);
    // Last, when the code of both has been optimised.
    const idle = await measureIdle(load, chatPair, extent.idleTurns);
    const residentAfter = { bare: bareTurns.residentBytes(), service: service.residentBytes() };
    return { boots, chats, idle, starts, residentAfter, loadBusyMost: load.busyMost(), pinned: canPin() };
  } finally {
    load.end();
    await Promise.all(running.map((contestant) => contestant.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startService(dataDir: string): Promise<Contestant> {
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    GUIDEPOST_DEMO: 'off',
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: 'loopback',
    NODE_ENV: 'production',
  };
  return startContestant('Guidepost', [BUNDLE, 'serve'], env, '/healthz');
}

function startBareHttp(replyBytes: number): Promise<Contestant> {
  return startContestant('bare node:http', [here('bare/http-server.js'), `${replyBytes}`], {}, '/');
}

function startBareTurns(dataDir: string): Promise<Contestant> {
  return startContestant('turn by hand', [here('bare/turn-server.ts'), dataDir], {}, '/healthz');
}

/** Requests a second at each number of connections: A B A B, so that what disturbs one disturbs the other as well. */
async function measureRates(
  load: Load,
  pair: Pair,
  kind: Job['kind'],
  seconds: number,
  extent: Extent,
  requestsMax: number,
): Promise<Comparison[]> {
  // Each run may use its share of what the limits allow, however fast it is.
  const allSeconds = extent.warmSeconds + CONNECTIONS.length * extent.rounds * seconds;
  const firstNumber = kind === 'chat' ? extent.idleTurns : 0;
  const used = { bare: firstNumber, service: firstNumber };
  const run = async (side: keyof Pair, connections: number, forSeconds: number): Promise<Measured> => {
    const contestant = pair[side];
    const before = contestant.cpuMicros();
    const outcome = await load.run({
      kind,
      port: contestant.port,
      connections,
      seconds: forSeconds,
      first: used[side],
      requestsMax: Math.floor(((requestsMax - firstNumber) * forSeconds) / allSeconds),
    });
    used[side] += outcome.requests;
    const after = contestant.cpuMicros();
    return {
      perSecond: outcome.requests / outcome.seconds,
      cpuMicros:
        before === undefined || after === undefined ? undefined : (after - before) / outcome.requests,
    };
  };

  progress(`${kind}: warming up`);
  for (const side of ['bare', 'service'] as const) await run(side, 32, extent.warmSeconds);
  const comparisons: Comparison[] = [];
  for (const connections of CONNECTIONS) {
    progress(`${kind}: ${connections} connection${connections === 1 ? '' : 's'}`);
    const rounds: { bare: Measured; service: Measured }[] = [];
    for (let round = 0; round < extent.rounds; round += 1) {
      const bare = await run('bare', connections, seconds);
      rounds.push({ bare, service: await run('service', connections, seconds) });
    }
    comparisons.push(compare(connections, rounds));
  }
  return comparisons;
}

/** One visitor at a time, with a pause after each answer. */
async function measureIdle(load: Load, pair: Pair, turns: number): Promise<Results['idle']> {
  progress('chat: latency when idle');
  const idleOf = ({ port }: Contestant) =>
    load.run({
      kind: 'chat',
      port,
      connections: 1,
      seconds: 60,
      pauseMillis: IDLE_PAUSE_MILLIS,
      first: 0,
      requestsMax: turns,
    });
  return { bare: await idleOf(pair.bare), service: await idleOf(pair.service) };
}

async function measureStarts(dataDir: string, starts: number): Promise<Results['starts']> {
  const once = async (starting: Promise<Contestant>) => {
    const contestant = await starting;
    const seen = { millis: contestant.startMillis, residentBytes: contestant.residentBytes() };
    await contestant.stop();
    return seen;
  };
  const bare: Awaited<ReturnType<typeof once>>[] = [];
  const service: Awaited<ReturnType<typeof once>>[] = [];
  for (let start = 0; start < starts; start += 1) {
    bare.push(await once(startBareHttp(0)));
    service.push(await once(startService(dataDir)));
  }
  const medians = (seen: typeof bare) => ({
    millis: median(seen.map(({ millis }) => millis)),
    residentBytes: seen.at(-1)?.residentBytes,
  });
  return { bare: medians(bare), service: medians(service) };
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) {
  process.stdout.write(help);
} else {
  try {
    const results = await main(options.quick ? QUICK : FULL);
    process.stdout.write(table(results, `${cpus().length} cores, Node ${process.versions.node}`));
    if (options.json) writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
