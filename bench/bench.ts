/** Compares the service with servers that do the same work, interleaved in one run: boots, chat turns, latency, start, memory. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchQuestions } from './articles.ts';
import { type Load, openLoad } from './open-load.ts';
import { ARTICLES, bootVisitors, copyFolder, fillFolder, ORIGIN } from './prepare.ts';
import { type Comparison, compare, type Measured, median, type Results, table } from './report.ts';
import { canPin, startTarget, type Target } from './target.ts';

const help = `Compares the service with hand-written servers. The table goes to stdout, progress to stderr.

  node bench/bench.ts [--quick] [--json FILE]

  --quick       takes about a minute; rounds are too short for fully optimised code, so ratios are too low
  --json FILE   also writes all numbers, round by round, to FILE
  --help        shows this help

Needs dist/guidepost.js (make build) and the packages of bench/peers. CPU time and memory come from /proc, so only Linux has them.
`;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const BUNDLE = here('../dist/guidepost.js');
const PEER_PACKAGES = here('peers/node_modules');

type Scale = {
  workspaces: number;
  rounds: number;
  /** Seconds that one round measures one server. */
  bootSeconds: number;
  chatSeconds: number;
  warmUpSeconds: number;
  idleTurns: number;
  starts: number;
};
const FULL: Scale = {
  workspaces: 30,
  rounds: 5,
  bootSeconds: 1.5,
  chatSeconds: 1,
  warmUpSeconds: 5,
  idleTurns: 200,
  starts: 5,
};
const QUICK: Scale = {
  workspaces: 6,
  rounds: 3,
  bootSeconds: 0.3,
  chatSeconds: 0.3,
  warmUpSeconds: 1,
  idleTurns: 50,
  starts: 2,
};

/** More turns at once than these would be refused; `make bench-overload` measures that. */
const CONNECTIONS = { boot: [1, 32, 128], chat: [1, 32] } as const;
/** 38 visitors with 25 turns each stay below both limits: 30 turns a minute by visitor, 1,000 by workspace. */
const VISITORS_PER_WORKSPACE = 38;
const TURNS_PER_VISITOR = 25;
const IDLE_PAUSE_MILLIS = 12;

async function main(scale: Scale): Promise<Results> {
  if (!existsSync(BUNDLE)) throw new Error('dist/guidepost.js is missing. Run: make build');
  if (!existsSync(PEER_PACKAGES)) throw new Error('The peers are not installed. Run: make bench');
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const running: Target[] = [];
  const start = async (starting: Promise<Target>) => {
    const target = await starting;
    running.push(target);
    return target;
  };
  const load = openLoad();
  try {
    progress(`filling ${scale.workspaces} workspaces with ${ARTICLES} articles each`);
    const data = join(folder, 'data');
    const appIds = await fillFolder(data, scale.workspaces);
    progress('measuring start-up');
    const starts = await measureStarts(data, scale.starts);
    // Copies are taken while no server writes.
    const [fastifyData, tsRestData, bareData] = ['fastify', 'ts-rest', 'bare'].map((name) =>
      copyFolder(data, join(folder, name)),
    ) as [string, string, string];
    const service = await start(startService(data));
    const visitorCount = appIds.length * VISITORS_PER_WORKSPACE;
    const { visitors, replyBytes } = await bootVisitors(service.port, appIds, visitorCount);
    load.setPlan({ origin: ORIGIN, appId: appIds[0]!, visitors, questions: benchQuestions(200, ARTICLES) });

    const fastify = await start(startFastify(fastifyData));
    const tsRest = await start(startTsRest(tsRestData));
    const bareBoots = await start(startBareBoots(replyBytes));
    const bareTurns = await start(startBareTurns(bareData));
    const bootTargets = { service, fastify, tsRest, bare: bareBoots };
    const boots = await measureRates(load, bootTargets, 'boot', scale, 1e9);
    const chatTargets = { service, fastify, bare: bareTurns };
    const chats = await measureRates(load, chatTargets, 'chat', scale, visitors.length * TURNS_PER_VISITOR);
    // Latency comes last, when the code of every server is optimised.
    const idle = await measureIdle(load, { service, bare: bareTurns }, scale.idleTurns);
    const residentAfter = { bare: bareTurns.residentBytes(), service: service.residentBytes() };
    return { boots, chats, idle, starts, residentAfter, loadBusyMost: load.busyMost(), pinned: canPin() };
  } finally {
    load.stop();
    await Promise.all(running.map((target) => target.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

function startService(dataDir: string): Promise<Target> {
  const env = {
    PORT: '0',
    DATA_DIR: dataDir,
    GUIDEPOST_DEMO: 'off',
    EMBEDDINGS: 'off',
    LOOP_DELAY_MILLIS_MAX: '60000',
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: 'loopback',
    NODE_ENV: 'production',
  };
  return startTarget('Guidepost', [BUNDLE, 'serve'], env, '/healthz');
}

const PRODUCTION = { NODE_ENV: 'production' };
const startFastify = (dataDir: string) =>
  startTarget('Fastify', [here('peers/fastify-server.js'), dataDir], PRODUCTION, '/healthz');
const startTsRest = (dataDir: string) =>
  startTarget('ts-rest', [here('peers/ts-rest-server.js'), dataDir], PRODUCTION, '/healthz');
const startBareBoots = (replyBytes: number) =>
  startTarget('bare node:http', [here('bare/http-server.js'), `${replyBytes}`], PRODUCTION, '/');
const startBareTurns = (dataDir: string) =>
  startTarget('bare turn', [here('bare/turn-server.ts'), dataDir], PRODUCTION, '/healthz');

/** Measures requests per second by number of connections. Rounds alternate between servers, so disturbances hit all. */
async function measureRates<Name extends string>(
  load: Load,
  targets: Readonly<Record<Name, Target>>,
  kind: keyof typeof CONNECTIONS,
  scale: Scale,
  requestsMax: number,
): Promise<Comparison[]> {
  const seconds = kind === 'boot' ? scale.bootSeconds : scale.chatSeconds;
  const names = Object.keys(targets) as Name[];
  // Each run gets its share of what the rate limits allow, however fast the server is.
  const allSeconds = scale.warmUpSeconds + CONNECTIONS[kind].length * scale.rounds * seconds;
  const firstNumber = kind === 'chat' ? scale.idleTurns : 0;
  const used = new Map(names.map((name) => [name, firstNumber]));
  const run = async (name: Name, connections: number, forSeconds: number): Promise<Measured> => {
    const target = targets[name];
    const cpuBefore = target.cpuMicros();
    const outcome = await load.run({
      kind,
      port: target.port,
      connections,
      seconds: forSeconds,
      first: used.get(name)!,
      requestsMax: Math.floor(((requestsMax - firstNumber) * forSeconds) / allSeconds),
    });
    used.set(name, used.get(name)! + outcome.requests);
    const cpuAfter = target.cpuMicros();
    const cpuMicros =
      cpuBefore === undefined || cpuAfter === undefined
        ? undefined
        : (cpuAfter - cpuBefore) / outcome.requests;
    return { perSecond: outcome.requests / outcome.seconds, cpuMicros };
  };

  progress(`${kind}: warming up`);
  for (const name of names) await run(name, 32, scale.warmUpSeconds);
  const comparisons: Comparison[] = [];
  for (const connections of CONNECTIONS[kind]) {
    progress(`${kind}: ${connections} connection${connections === 1 ? '' : 's'}`);
    const rounds: Record<string, Measured>[] = [];
    for (let round = 0; round < scale.rounds; round += 1) {
      const measured: Record<string, Measured> = {};
      for (const name of names) measured[name] = await run(name, connections, seconds);
      rounds.push(measured);
    }
    comparisons.push(compare(connections, rounds));
  }
  return comparisons;
}

type Pair = { bare: Target; service: Target };

/** Measures latency with one visitor at a time and a pause after each answer. */
async function measureIdle(load: Load, pair: Pair, turns: number): Promise<Results['idle']> {
  progress('chat: latency when idle');
  const measure = ({ port }: Target) =>
    load.run({
      kind: 'chat',
      port,
      connections: 1,
      seconds: 60,
      pauseMillis: IDLE_PAUSE_MILLIS,
      first: 0,
      requestsMax: turns,
    });
  return { bare: await measure(pair.bare), service: await measure(pair.service) };
}

async function measureStarts(dataDir: string, starts: number): Promise<Results['starts']> {
  const measure = async (starting: Promise<Target>) => {
    const target = await starting;
    const started = { millis: target.startMillis, residentBytes: target.residentBytes() };
    await target.stop();
    return started;
  };
  const bare: Awaited<ReturnType<typeof measure>>[] = [];
  const service: Awaited<ReturnType<typeof measure>>[] = [];
  for (let start = 0; start < starts; start += 1) {
    bare.push(await measure(startBareBoots(0)));
    service.push(await measure(startService(dataDir)));
  }
  const medians = (all: typeof bare) => ({
    millis: median(all.map(({ millis }) => millis)),
    residentBytes: all.at(-1)?.residentBytes,
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
