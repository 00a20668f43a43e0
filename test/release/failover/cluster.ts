import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FromUpstream, ToUpstream } from '../../../bench/llm-upstream.ts';
import { query } from '../../support/cluster/databases.ts';
import {
  asUnprivileged,
  findFreePort,
  newFolder,
  type PostgresServer,
  type RedisServer,
  startPostgres,
  startRedis,
} from '../../support/cluster/servers.ts';
import { findProgram } from '../../support/debian.ts';
import {
  addWorkspace,
  end,
  importArticles,
  post,
  type Server,
  serve,
  signIn,
} from '../../support/service-process.ts';
import { tempDir } from '../../support/temp-dir.ts';
import type { Site } from './load.ts';

/** An installation: nodes behind HAProxy, a primary with a synchronous standby, Redis, and a slow model. */

const toPath = (path: string) => new URL(path, import.meta.url).pathname;
const PROXY_SETTINGS = toPath('../../../deploy/haproxy.cfg');
const DATABASE_PROXY_SETTINGS = toPath('../../../deploy/haproxy-postgres.cfg');
const UPSTREAM = toPath('../../../bench/llm-upstream.ts');
/** An answer takes about two seconds, so that faults interrupt many answers. */
const PACE = { waitMillis: 100, chunks: 40, everyMillis: 50, staysOpen: false };
const SECRET = 'a secret that all nodes of the trial share';
export const DATABASE = 'guidepost';
const READY_MILLIS_MAX = 30_000;
const POLL_MILLIS = 20;

type ClusterOptions = {
  nodeCount: 1 | 2 | 3;
  /** Whether the nodes share PostgreSQL and Redis; a single node may keep its data in its folder. */
  isShared: boolean;
};

export type Node = {
  port: number;
  start(program?: string): Promise<void>;
  /** Stops the node; resolves with the exit code, null after SIGKILL. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
};

/** Shared by the nodes. */
export type Shared = {
  primary: PostgresServer;
  standby: PostgresServer;
  redis: RedisServer;
};

export type Cluster = {
  /** The address for visitors. */
  baseUrl: string;
  nodes: readonly Node[];
  /** Undefined when a single node has its own database. */
  shared: Shared | undefined;
  /** Creates workspaces with articles, and signs their owners in. */
  createSites(count: number): Promise<Site[]>;
  stop(): Promise<void>;
};

export async function startCluster({ nodeCount, isShared }: ClusterOptions): Promise<Cluster> {
  const closing: (() => unknown)[] = [];
  const stop = async () => {
    for (const close of closing.toReversed()) await close();
  };
  try {
    const shared = isShared ? await startShared((close) => closing.push(close)) : undefined;
    const upstream = await startUpstream();
    closing.push(upstream.stop);
    const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
    const nodePorts = await Promise.all(Array.from({ length: nodeCount }, findFreePort));
    const { proxyEnv, nodeEnv } = shared ? await connectShared(shared) : { proxyEnv: {}, nodeEnv: {} };
    const proxy = await startProxy(shared !== undefined, {
      GUIDEPOST_BIND: new URL(baseUrl).host,
      ...proxyEnv,
      // A name without a node counts as a server that is down.
      ...Object.fromEntries([1, 2, 3].map((at) => [`NODE_${at}`, `127.0.0.1:${nodePorts[at - 1] ?? 1}`])),
    });
    closing.push(proxy.stop);
    const env = {
      ...nodeEnv,
      PUBLIC_URL: baseUrl,
      LLM_BASE_URL: upstream.url,
      LLM_API_KEY: 'none',
      LLM_MODEL: 'trial',
      LOG_LEVEL: 'warn',
    };
    const folders = nodePorts.map(() => newDataFolder());
    const nodes = nodePorts.map((port, at) => createNode(port, folders[at]!, env));
    closing.push(() => Promise.all(nodes.map((node) => node.stop('SIGKILL'))));
    for (const node of nodes) await node.start();
    await until(() => isReady(baseUrl), 'the nodes are ready');
    return {
      baseUrl,
      nodes,
      shared,
      createSites: (count) => createSites(baseUrl, folders[0]!, env, count),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startShared(onClose: (close: () => unknown) => void): Promise<Shared> {
  const primary = await startPostgres({ isDurable: true, settings: { wal_keep_size: '256MB' } });
  onClose(primary.remove);
  const standby = await startStandby(primary);
  onClose(standby.remove);
  const redis = await startRedis();
  onClose(redis.remove);
  return { primary, standby, redis };
}

/** Returns the settings of the proxy that follows the primary, and of the nodes that connect through it. */
async function connectShared({ primary, standby, redis }: Shared) {
  const host = `127.0.0.1:${await findFreePort()}`;
  return {
    proxyEnv: {
      POSTGRES_BIND: host,
      POSTGRES_1: `127.0.0.1:${primary.port}`,
      POSTGRES_2: `127.0.0.1:${standby.port}`,
    },
    nodeEnv: {
      DATABASE_URL: `postgres://guidepost_app@${host}/${DATABASE}`,
      DATABASE_OWNER_URL: `postgres://guidepost_owner@${host}/${DATABASE}`,
      REDIS_URL: redis.url,
      GUIDEPOST_SECRET: SECRET,
    },
  };
}

async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const url = primary.url('postgres');
  for (const role of ['guidepost_owner', 'guidepost_app', 'guidepost_check'])
    await query(url, `CREATE ROLE ${role} LOGIN`);
  await query(url, `CREATE DATABASE ${DATABASE} OWNER guidepost_owner TEMPLATE template0`);
  const folder = newFolder();
  const connection = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres'];
  const args = ['-D', join(folder, 'data'), '-R', '-X', 'stream', '--checkpoint=fast', ...connection];
  execFileSync(findProgram('pg_basebackup'), args, { ...asUnprivileged(), stdio: 'pipe' });
  const standby = await startPostgres({ isDurable: true, folder });
  await query(url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await query(url, 'SELECT pg_reload_conf()');
  await until(async () => {
    const rows = await query<{ state: string }>(url, 'SELECT sync_state AS state FROM pg_stat_replication');
    return rows[0]?.state === 'sync';
  }, 'the standby is synchronous');
  return standby;
}

async function startUpstream() {
  const child = fork(UPSTREAM, { stdio: 'inherit' });
  const [{ plainPort }] = (await once(child, 'message')) as [Extract<FromUpstream, { plainPort: number }>];
  child.send({ pace: PACE } satisfies ToUpstream);
  return { url: `http://127.0.0.1:${plainPort}`, stop: () => ended(child, 'SIGTERM') };
}

async function startProxy(isShared: boolean, env: Record<string, string>) {
  const files = [PROXY_SETTINGS, ...(isShared ? [DATABASE_PROXY_SETTINGS] : [])];
  const args = files.flatMap((file) => ['-f', file]);
  const child = spawn(findProgram('haproxy'), args, { env: { ...process.env, ...env }, stdio: 'ignore' });
  await once(child, 'spawn');
  return { stop: () => ended(child, 'SIGTERM') };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

function newDataFolder(): string {
  const dataDir = join(tempDir(), 'data');
  mkdirSync(dataDir, { recursive: true });
  return dataDir;
}

function createNode(port: number, dataDir: string, env: Record<string, string>): Node {
  let server: Server | undefined;
  return {
    port,
    async start(program) {
      server = await serve(dataDir, { ...env, PORT: String(port) }, program);
      await until(() => isReady(`http://127.0.0.1:${port}`), `the node on port ${port} is ready`);
    },
    stop: async (signal) => (server === undefined ? null : end(server, signal)),
  };
}

const isReady = (baseUrl: string) =>
  fetch(`${baseUrl}/readyz`).then(
    async (response) => {
      await response.text();
      return response.status === 200;
    },
    () => false,
  );

async function createSites(
  baseUrl: string,
  dataDir: string,
  env: Record<string, string>,
  count: number,
): Promise<Site[]> {
  const sites: Site[] = [];
  for (let number = 1; number <= count; number += 1) {
    const email = `owner${number}@shop.example.com`;
    const place = await addWorkspace(dataDir, email, env);
    await importArticles(place, env);
    const owner = await signIn({ baseUrl } as Server, { email });
    // Send every question to the model, so that all answers are slow.
    const settings = { guide: { generalAnswers: true } };
    const changed = await post({ baseUrl }, `/api/tenants/${place.tenantId}`, settings, owner, 'PATCH');
    if (!changed.ok) throw new Error(`settings: ${changed.status} ${await changed.text()}`);
    sites.push({ ...place, owner });
  }
  return sites;
}

export async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + READY_MILLIS_MAX;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`after ${READY_MILLIS_MAX / 1000} s, not yet: ${what}`);
    await wait(POLL_MILLIS);
  }
}

/** A newer version of the built service that adds a column. The older version must work with it until it is replaced. */
export function buildNewer(): string {
  // Below the repository, so that the build finds its packages.
  const folder = toPath('../../node_modules/.cache/guidepost/newer-build');
  rmSync(folder, { recursive: true, force: true });
  cpSync(toPath('../../../dist'), folder, { recursive: true });
  for (const extension of ['sql', 'pgsql'])
    writeFileSync(join(folder, 'migrations', `${NEWER_MIGRATION}.${extension}`), ADDED_COLUMN);
  return join(folder, 'guidepost.js');
}

export const NEWER_MIGRATION = '9999_newer';
const ADDED_COLUMN = 'ALTER TABLE turns ADD COLUMN added_by_newer TEXT;\n';
