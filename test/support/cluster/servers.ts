/**
 * Real PostgreSQL and Redis servers for tests, on free ports of this machine and in temporary folders.
 * Their programs come from Debian's packages, which are installed where that is possible.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findProgram } from '../debian.ts';
import { tempDir } from '../temp-dir.ts';

type TestServer = {
  port: number;
  folder: string;
  /** Starts the server again on the same port and data. */
  start(): Promise<void>;
  /** Stops the server: SIGTERM and SIGINT shut it down in order, SIGKILL crashes it. */
  stop(signal?: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
};

export type PostgresServer = TestServer & {
  /** Returns the address of a database for a role, by default the superuser. */
  url(database: string, role?: string): string;
};

export type PostgresOptions = {
  /** Whether commits reach the disk before they are acknowledged, which costs time. */
  isDurable?: boolean;
  /** More settings of postgresql.conf. */
  settings?: Readonly<Record<string, string | number>>;
  /** An existing data folder, such as a standby's; by default a new, empty cluster. */
  folder?: string;
};

export type RedisServer = TestServer & { url: string };

const START_MILLIS = 30_000;
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const folder = options.folder ?? newFolder();
  const data = join(folder, 'data');
  if (!existsSync(data)) {
    const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    execFileSync(findProgram('initdb'), ['-D', data, ...flags], { ...asUnprivileged(), stdio: 'pipe' });
  }
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: 200,
    ...(options.isDurable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = await startServer(folder, (port) => ({
    program: findProgram('postgres'),
    args: ['-D', data, '-p', String(port), ...flags],
    isReady: () => canQuery(folder, port),
  }));
  return {
    ...server,
    url: (database, role = 'postgres') => `postgres://${role}@127.0.0.1:${server.port}/${database}`,
    // SIGTERM would wait for clients to leave.
    stop: (signal = 'SIGINT') => server.stop(signal),
  };
}

export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const folder = newFolder();
  const server = await startServer(folder, (port) => ({
    program: findProgram('redis-server'),
    args: ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...settings],
    isReady: () => canConnect(port),
  }));
  return { ...server, url: `redis://127.0.0.1:${server.port}` };
}

/** Starts a pooler, which may run each transaction on a different connection to this server. */
export async function startPgBouncer(serverUrl: string): Promise<PostgresServer> {
  const folder = newFolder();
  const { hostname, port: serverPort } = new URL(serverUrl);
  const server = await startServer(folder, (port) => {
    const lines = [
      '[databases]',
      `* = host=${hostname} port=${serverPort}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
      'pool_mode = transaction\ndefault_pool_size = 5\nmax_client_conn = 200',
      `auth_type = trust\nauth_file = ${join(folder, 'users.txt')}`,
    ];
    writeFileSync(join(folder, 'users.txt'), '"guidepost_app" ""\n"guidepost_owner" ""\n');
    writeFileSync(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
    return {
      program: findProgram('pgbouncer'),
      args: [join(folder, 'pgbouncer.ini')],
      isReady: () => canConnect(port),
    };
  });
  return {
    ...server,
    url: (database, role = 'guidepost_app') => `postgres://${role}@127.0.0.1:${server.port}/${database}`,
  };
}

/** Returns the user for the servers, because PostgreSQL refuses to run as root. */
export function asUnprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => {
    try {
      return Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch {
      return 65_534;
    }
  };
  return { uid: id('-u'), gid: id('-g') };
}

/** Creates an empty folder that the servers' user may write to. */
export function newFolder(): string {
  const folder = join(tempDir(), 'server');
  mkdirSync(folder);
  const { uid, gid } = asUnprivileged();
  if (uid !== undefined && gid !== undefined) {
    chmodSync(join(folder, '..'), 0o711);
    chownSync(folder, uid, gid);
  }
  return folder;
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

type Command = {
  program: string;
  args: readonly string[];
  isReady: () => Promise<boolean>;
};

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

async function startServer(folder: string, toCommand: (port: number) => Command): Promise<TestServer> {
  const port = await findFreePort();
  const { program, args, isReady } = toCommand(port);
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const started = spawn(program, args, {
      ...asUnprivileged(),
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(started);
    child = started;
    let output = '';
    started.stderr.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-4000);
    });
    const until = performance.now() + START_MILLIS;
    while (!(await isReady())) {
      if (started.exitCode !== null || performance.now() > until) {
        started.kill('SIGKILL');
        throw new Error(`${program} did not start:\n${output}`);
      }
      await pause(20);
    }
  }

  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const stopped = child;
    child = undefined;
    if (!stopped || stopped.exitCode !== null || stopped.signalCode !== null) return;
    stopped.kill(signal);
    await once(stopped, 'exit');
    running.delete(stopped);
  }

  await start();
  return {
    port,
    folder,
    start,
    stop,
    async remove() {
      await stop('SIGKILL');
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

/** Tries a query, because the server accepts connections during recovery but refuses all queries. */
async function canQuery(folder: string, port: number): Promise<boolean> {
  const client = new pg.Client({ host: folder, port, user: 'postgres', database: 'postgres' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const opened = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return opened;
}
