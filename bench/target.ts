/**
 * A server under measurement: a child process that prints its address, and its CPU time and memory
 * as the system reports them.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { availableParallelism } from 'node:os';

export type Target = {
  readonly name: string;
  readonly port: number;
  /** From the start of the process to its first answer. */
  readonly startMillis: number;
  /** Processor time used so far, microseconds; undefined where the system does not tell. */
  cpuMicros(): number | undefined;
  residentBytes(): number | undefined;
  /** Memory as reported by `memory-probe.js`, which must be loaded into the server. */
  weigh(): Promise<Weight>;
  stop(): Promise<void>;
};

export type Weight = {
  readonly residentBytes: number;
  /** After a full collection, as the others are. */
  readonly residentAfterBytes: number;
  readonly heapBytes: number;
  /** What objects of the heap hold outside of it. */
  readonly outsideBytes: number;
};

const START_MILLIS_MAX = 15_000;
/** Linux counts processor time in these; it is 100 on every platform that Node runs on. */
const TICKS_A_SECOND = 100;

/**
 * Servers and load generator on cores of their own, where the system can: else the scheduler wakes the one on the core of the other, and
 * the first byte waits for the end of the answer.
 */
export function onCores(side: 'servers' | 'load', command: readonly string[]): readonly string[] {
  if (!canPin()) return command;
  return ['taskset', '-c', side === 'load' ? '0' : `1-${availableParallelism() - 1}`, ...command];
}

export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
}

/** Starts `node ARGS` and waits for the first 200 on `path`. Throws with what the child said when it does not come. */
export async function startTarget(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  path: string,
): Promise<Target> {
  const startedAt = performance.now();
  const [command, ...words] = onCores('servers', [process.execPath, ...args]);
  const child = spawn(command!, words, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const port = await portOf(child, name);
  await firstAnswer(port, path);
  const startMillis = performance.now() - startedAt;
  child.stderr?.on('data', (text: Buffer) => process.stderr.write(`  ${name}: ${text}`));
  return {
    name,
    port,
    startMillis,
    cpuMicros: () => cpuMicrosOf(child.pid!),
    residentBytes: () => residentBytesOf(child.pid!),
    weigh: () =>
      new Promise((resolve) => {
        child.once('message', (weight) => resolve(weight as Weight));
        child.send('weigh');
      }),
    stop: () => stop(child),
  };
}

function portOf(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    const tooLate = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} did not start:\n${said}`));
    }, START_MILLIS_MAX);
    const read = (text: Buffer) => {
      said += text;
      const found = /(?:listens|is listening) on http:\/\/[^\s]*:(\d+)/.exec(said);
      if (!found) return;
      clearTimeout(tooLate);
      child.stderr?.off('data', read);
      child.off('exit', ended);
      resolve(Number(found[1]));
    };
    const ended = () => {
      clearTimeout(tooLate);
      reject(new Error(`${name} ended before it listened:\n${said}`));
    };
    child.stderr?.on('data', read);
    child.on('exit', ended);
  });
}

function firstAnswer(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${path} answered ${response.statusCode}`));
    }).on('error', reject);
  });
}

function cpuMicrosOf(pid: number): number | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (!text) return undefined;
  // The name in parentheses may hold spaces; user and system time are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND) * 1e6;
}

function residentBytesOf(pid: number): number | undefined {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readProc(`/proc/${pid}/status`) ?? '');
  return found ? Number(found[1]) * 1024 : undefined;
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.on('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
