/**
 * Compares PostgreSQL and Redis with the database in a file, interleaved in one run on this machine: boots, turns, inserts, search and
 * export, with one node and with three.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { newId } from '../server/base/ids.ts';
import { createRetriever } from '../server/knowledge/search/retrieve.ts';
import { openPostgres } from '../server/storage/postgres/open.ts';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import type { Store } from '../server/storage/store.ts';
import { hashSecret, makeApiKey } from '../server/tokens/api-key.ts';
import { type PostgresServer, startPostgres, startRedis } from '../test/support/cluster/servers.ts';
import { benchQuestions } from './articles.ts';
import type { Job } from './load.ts';
import { type Load, openLoad } from './open-load.ts';
import { ARTICLES, bootVisitors, fillFolder, fillStore, ORIGIN } from './prepare.ts';
import { median } from './report.ts';
import type { Plan } from './requests.ts';
import { startTarget, type Target } from './target.ts';

const help = `Compares PostgreSQL and Redis with SQLite and memory. The table goes to stdout, progress to stderr.

  node bench/cluster.ts [--rounds 5] [--json FILE]

  --json FILE   also writes the medians to FILE, from which bench/scaling.ts calculates

Needs dist/guidepost.js (make build), and the programs of PostgreSQL and Redis. Every node and server shares this machine, so three
nodes show what they cost together and not what they would carry on three machines.
`;

const BUNDLE = fileURLToPath(new URL('../dist/guidepost.js', import.meta.url));
const CONNECTIONS = 32;
const SECONDS = 1.5;
const WARM_UP_SECONDS = 3;
const SEARCHES = 60;
/** Workspaces and visitors of each installation, so that rate limits do not interfere: 1,000 turns a minute and workspace, 30 a minute and visitor. */
const WORKSPACES = 4;
const VISITORS = WORKSPACES * 38;
const REQUESTS_PER_VISITOR = { boot: 1e6, chat: 24, consent: 50 };

type Installation = {
  name: string;
  store: Store;
  nodes: readonly Target[];
  workspaces: readonly { appId: string; key: string; id: string }[];
  plan: Plan;
};

/** Median over the rounds. */
type ClusterFigures = {
  bootsPerSecond: number;
  turnsPerSecond: number;
  insertsPerSecond: number;
  searchMillis: number;
  exportRowsPerSecond: number;
  /** Processor time of all nodes per operation, in microseconds. */
  bootNodeMicros: number;
  turnNodeMicros: number;
  insertNodeMicros: number;
  /** Processor time of the PostgreSQL server; 0 without one. */
  bootDatabaseMicros: number;
  turnDatabaseMicros: number;
  insertDatabaseMicros: number;
};

export type ClusterResults = Readonly<Record<'sqlite' | 'oneNode' | 'threeNodes', ClusterFigures>>;

async function main(rounds: number): Promise<ClusterResults> {
  if (!existsSync(BUNDLE)) throw new Error('dist/guidepost.js is missing. Run: make build');
  const folder = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres({ isDurable: true });
    closing.push(postgres.remove);
    const redis = await startRedis();
    closing.push(redis.remove);
    progress(`filling ${WORKSPACES} workspaces of each installation with ${ARTICLES} articles`);
    const onClose = (close: () => unknown) => closing.push(close);
    const sqlite = await openOnSqlite(folder, onClose);
    const url = postgres.url('postgres');
    const env = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      GUIDEPOST_SECRET: 'of a benchmark and long enough for it',
    };
    const oneNode = await openOnPostgres('PostgreSQL, 1 node', 1, url, env, onClose);
    const threeNodes = await openOnPostgres('PostgreSQL, 3 nodes', 3, url, env, onClose);
    const load = openLoad();
    closing.push(load.stop);
    const installations = { sqlite, oneNode, threeNodes };
    for (const installation of Object.values(installations))
      installation.plan = await createPlan(installation);
    return await measureAll(load, installations, postgres, rounds);
  } finally {
    for (const close of closing.toReversed()) await close();
  }
}

async function openOnSqlite(folder: string, onClose: (close: () => unknown) => void): Promise<Installation> {
  const appIds = await fillFolder(folder, WORKSPACES);
  const store = openSqlite({ file: join(folder, 'guidepost.db') });
  const workspaces = await createKeys(store, appIds);
  const node = await startNode('SQLite', { DATA_DIR: folder });
  onClose(node.stop);
  onClose(store.close);
  return { name: 'SQLite', store, workspaces, nodes: [node], plan: NO_PLAN };
}

async function openOnPostgres(
  name: string,
  nodeCount: number,
  url: string,
  env: Record<string, string>,
  onClose: (close: () => unknown) => void,
): Promise<Installation> {
  const store = await openPostgres({ url, poolMax: 20, pooler: 'direct', waitMillis: 5_000 });
  onClose(store.close);
  const workspaces = await createKeys(store, await fillStore(store, WORKSPACES));
  const nodes: Target[] = [];
  for (let node = 1; node <= nodeCount; node += 1) {
    const started = await startNode(name, {
      ...env,
      DATA_DIR: mkdtempSync(join(tmpdir(), 'guidepost-node-')),
    });
    onClose(started.stop);
    nodes.push(started);
  }
  return { name, store, workspaces, nodes, plan: NO_PLAN };
}

const NO_PLAN: Plan = { origin: ORIGIN, appId: '', visitors: [], questions: [] };

function startNode(name: string, env: Record<string, string>): Promise<Target> {
  const settings = {
    PORT: '0',
    GUIDEPOST_DEMO: 'off',
    EMBEDDINGS: 'off',
    LOOP_DELAY_MILLIS_MAX: '60000',
    TRUSTED_PROXIES: 'loopback',
    NODE_ENV: 'production',
  };
  return startTarget(name, [BUNDLE, 'serve'], { ...settings, ...env }, '/healthz');
}

async function createKeys(store: Store, appIds: readonly string[]): Promise<Installation['workspaces']> {
  const all = await store.workspaces.list();
  return Promise.all(
    appIds.map(async (appId) => {
      const { id } = all.find((workspace) => workspace.appId === appId)!;
      const { text, publicId, secret, lastFour } = makeApiKey();
      const at = Date.now();
      const key = {
        ...{ id: newId('key'), workspaceId: id, name: 'Bench', scopes: ['events:read'] as const },
        ...{ allowedNetworks: [], createdBy: 'operator', createdAt: at },
        ...{ publicId, secretHash: hashSecret(secret), lastFour },
      };
      const audit = { id: newId('aud'), atMillis: at, actor: 'operator', subject: key.id, details: {} };
      await store.in(id).apiKeys.create(key, { ...audit, action: 'api_key.created' });
      return { appId, id, key: text };
    }),
  );
}

async function createPlan({ nodes, workspaces }: Installation): Promise<Plan> {
  const appIds = workspaces.map(({ appId }) => appId);
  const { visitors } = await bootVisitors(nodes[0]!.port, appIds, VISITORS, `203.0.${nodes.length}`);
  return { origin: ORIGIN, appId: appIds[0]!, visitors, questions: benchQuestions(200, ARTICLES) };
}

type Sample = { perSecond: number; nodeMicros: number; databaseMicros: number };
type Kind = Job['kind'];

async function measureAll(
  load: Load,
  installations: Readonly<Record<keyof ClusterResults, Installation>>,
  postgres: PostgresServer,
  rounds: number,
): Promise<ClusterResults> {
  const names = Object.keys(installations) as (keyof ClusterResults)[];
  const used = new Map<string, number>();

  async function run(name: keyof ClusterResults, kind: Kind, seconds: number): Promise<Sample> {
    const { nodes, plan } = installations[name];
    load.setPlan(plan);
    const first = used.get(`${name} ${kind}`) ?? 0;
    const requestsMax = Math.floor((VISITORS * REQUESTS_PER_VISITOR[kind]) / (rounds + 2));
    const before = [sumCpuMicros(nodes), readPostgresMicros(postgres)] as const;
    const [port, ...morePorts] = nodes.map((node) => node.port);
    const job = { kind, port: port!, morePorts, connections: CONNECTIONS, seconds, first, requestsMax };
    const outcome = await load.run(job);
    used.set(`${name} ${kind}`, first + outcome.requests);
    return {
      perSecond: outcome.requests / outcome.seconds,
      nodeMicros: (sumCpuMicros(nodes) - before[0]) / outcome.requests,
      databaseMicros: name === 'sqlite' ? 0 : (readPostgresMicros(postgres) - before[1]) / outcome.requests,
    };
  }

  const samples = new Map<string, Sample[]>();
  // Visitors consent first; otherwise there would be no rows to export.
  for (const kind of ['consent', 'boot', 'chat'] as const) {
    progress(`${kind}: ${rounds} rounds`);
    for (const name of names) await run(name, kind, WARM_UP_SECONDS);
    for (let round = 0; round < rounds; round += 1)
      for (const name of names) {
        const key = `${name} ${kind}`;
        samples.set(key, [...(samples.get(key) ?? []), await run(name, kind, SECONDS)]);
      }
  }
  progress('search and export');
  const searches = await interleave(names, rounds, (name) => measureSearch(installations[name]));
  const exports = await interleave(names, rounds, (name) => measureExport(installations[name]));
  const toFigures = (name: keyof ClusterResults): ClusterFigures => {
    const getMedian = (kind: Kind, field: keyof Sample) =>
      median(samples.get(`${name} ${kind}`)!.map((sample) => sample[field]));
    return {
      bootsPerSecond: getMedian('boot', 'perSecond'),
      turnsPerSecond: getMedian('chat', 'perSecond'),
      insertsPerSecond: getMedian('consent', 'perSecond'),
      searchMillis: median(searches[name]),
      exportRowsPerSecond: median(exports[name]),
      bootNodeMicros: getMedian('boot', 'nodeMicros'),
      turnNodeMicros: getMedian('chat', 'nodeMicros'),
      insertNodeMicros: getMedian('consent', 'nodeMicros'),
      bootDatabaseMicros: getMedian('boot', 'databaseMicros'),
      turnDatabaseMicros: getMedian('chat', 'databaseMicros'),
      insertDatabaseMicros: getMedian('consent', 'databaseMicros'),
    };
  };
  return {
    sqlite: toFigures('sqlite'),
    oneNode: toFigures('oneNode'),
    threeNodes: toFigures('threeNodes'),
  };
}

async function interleave<Name extends string>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name) => Promise<number>,
): Promise<Record<Name, number[]>> {
  const all = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round += 1)
    for (const name of names) {
      const value = await measure(name);
      // The first round is a warm-up.
      if (round > 0) all[name].push(value);
    }
  return all;
}

/** Measures the milliseconds of one search, without HTTP. */
async function measureSearch({ store, workspaces, plan }: Installation): Promise<number> {
  const retriever = createRetriever({ passages: (workspaceId) => store.in(workspaceId).passages });
  const millis: number[] = [];
  for (let search = 0; search < SEARCHES; search += 1) {
    const workspaceId = workspaces[search % workspaces.length]!.id;
    const question = plan.questions[search % plan.questions.length]!;
    const startedAt = performance.now();
    await retriever.retrieve({ workspaceId, question, acceptLanguage: 'en' });
    millis.push(performance.now() - startedAt);
  }
  return median(millis);
}

/** Measures exported events per second, with each node exporting some of the workspaces. */
async function measureExport({ nodes, workspaces }: Installation): Promise<number> {
  const startedAt = performance.now();
  let rows = 0;
  const exportAt = async ({ port }: Target, at: number) => {
    for (const { key } of workspaces.filter((_, index) => index % nodes.length === at)) {
      const headers = { 'x-api-key': key };
      const response = await fetch(`http://127.0.0.1:${port}/api/export/events.ndjson`, { headers });
      if (response.status !== 200) throw new Error(`export: ${response.status} ${await response.text()}`);
      for await (const bytes of response.body!) for (const byte of bytes) if (byte === 10) rows += 1;
    }
  };
  await Promise.all(nodes.map(exportAt));
  if (rows === 0) throw new Error('there was nothing to export');
  return rows / ((performance.now() - startedAt) / 1000);
}

const sumCpuMicros = (nodes: readonly Target[]) =>
  nodes.reduce((sum, node) => sum + (node.cpuMicros() ?? Number.NaN), 0);

/** Returns the processor time of the PostgreSQL server and its connections, which stay open during the measurement. */
function readPostgresMicros({ folder }: PostgresServer): number {
  const server = readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]!;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = readStat(pid);
    if (pid === server || fields?.[1] === server) ticks += Number(fields?.[11]) + Number(fields?.[12]);
  }
  return ticks * MICROS_PER_TICK;
}

/** Returns the fields of /proc/PID/stat after the name (state, parent, …); undefined when the process has ended. */
function readStat(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

const MICROS_PER_TICK = 10_000;

/** The share of SQLite's rate that one node on PostgreSQL must reach on the same machine. */
const GOALS = { bootsPerSecond: 0.5, turnsPerSecond: 0.7 } as const;

function table({ sqlite, oneNode, threeNodes }: ClusterResults): string {
  const lines: [string, keyof ClusterFigures, number][] = [
    ['boots per second', 'bootsPerSecond', 0],
    ['turns per second', 'turnsPerSecond', 0],
    ['inserts (consents) per second', 'insertsPerSecond', 0],
    ['search, ms', 'searchMillis', 2],
    ['exported rows per second', 'exportRowsPerSecond', 0],
    ['processor time of nodes per boot, µs', 'bootNodeMicros', 0],
    ['processor time of nodes per turn, µs', 'turnNodeMicros', 0],
    ['processor time of nodes per insert, µs', 'insertNodeMicros', 0],
    ['processor time of PostgreSQL per boot, µs', 'bootDatabaseMicros', 0],
    ['processor time of PostgreSQL per turn, µs', 'turnDatabaseMicros', 0],
    ['processor time of PostgreSQL per insert, µs', 'insertDatabaseMicros', 0],
  ];
  const ratio = (value: number, base: number) => (base === 0 ? '' : (value / base).toFixed(2));
  const head = ['', 'SQLite', '1 node', 'ratio', '3 nodes', 'ratio', 'goal'];
  const rows = lines.map(([text, field, digits]) => {
    const [base, one, three] = [sqlite[field], oneNode[field], threeNodes[field]];
    const goal = GOALS[field as keyof typeof GOALS];
    return [
      text,
      base.toFixed(digits),
      one.toFixed(digits),
      ratio(one, base),
      three.toFixed(digits),
      ratio(three, base),
      goal === undefined ? '' : `${goal} ${one / base >= goal ? 'met' : 'MISSED'}`,
    ];
  });
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((cells) => cells[at]!.length)));
  const format = (cells: readonly string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  ');
  const title = `PostgreSQL and Redis compared with SQLite and memory (${cpus().length} cores for all, Node ${process.versions.node})`;
  return `\n${[title, '', format(head), ...rows.map(format)].join('\n')}\n`;
}

function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) {
  process.stdout.write(help);
} else {
  const results = await main(Number(options.rounds));
  process.stdout.write(table(results));
  if (options.json) writeFileSync(options.json, `${JSON.stringify(results, undefined, 2)}\n`);
}
