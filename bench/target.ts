/**
 * A server under measurement: a child process that prints its address, and its CPU time and memory
 * as the system reports them.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { availableParallelism } from 'node:os';

export type Target = {
  name: string;
  port: number;
  /** From the start of the process to its first response. */
  startMillis: number;
  /** Processor time used so far, microseconds; undefined if the system does not report it. */
  cpuMicros(): number | undefined;
  residentBytes(): number | undefined;
  /** Memory as reported by `memory-probe.js`, which must be loaded into the server. */
  readMemory(): Promise<MemoryUsage>;
  stop(): Promise<void>;
};

type MemoryUsage = {
  residentBytes: number;
  /** After a full garbage collection. */
  heapBytes: number;
};

const START_MILLIS_MAX = 15_000;
/** Clock ticks a second in /proc/PID/stat; 100 on every platform that Node supports. */
const TICKS_PER_SECOND = 100;

/**
 * Pins servers and load generator to separate cores where possible. On a shared core, the scheduler may delay the first byte until the
 * answer is complete.
 */
export function onCores(side: 'servers' | 'load', command: readonly string[]): readonly string[] {
  if (!canPin()) return command;
  return ['taskset', '-c', side === 'load' ? '0' : `1-${availableParallelism() - 1}`, ...command];
}

export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0;
}

/** Starts `node ARGS` and waits for the first 200 on `path`. Throws with the output of the child if it does not start. */
export async function startTarget(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  path: string,
): Promise<Target> {
  const startedAt = performance.now();
  const [command, ...commandArgs] = onCores('servers', [process.execPath, ...args]);
  const child = spawn(command!, commandArgs, {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const port = await waitForPort(child, name);
  await waitForFirstResponse(port, path);
  const startMillis = performance.now() - startedAt;
  child.stderr?.on('data', (text: Buffer) => process.stderr.write(`  ${name}: ${text}`));
  return {
    name,
    port,
    startMillis,
    cpuMicros: () => readCpuMicros(child.pid!),
    residentBytes: () => readResidentBytes(child.pid!),
    readMemory: () =>
      new Promise((resolve) => {
        child.once('message', (usage) => resolve(usage as MemoryUsage));
        child.send('readMemory');
      }),
    stop: () => stop(child),
  };
}

function waitForPort(child: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} did not start:\n${output}`));
    }, START_MILLIS_MAX);
    const read = (text: Buffer) => {
      output += text;
      const found = /(?:listens|is listening) on http:\/\/[^\s]*:(\d+)/.exec(output);
      if (!found) return;
      clearTimeout(timer);
      child.stderr?.off('data', read);
      child.off('exit', onExit);
      resolve(Number(found[1]));
    };
    const onExit = () => {
      clearTimeout(timer);
      reject(new Error(`${name} exited before it was listening:\n${output}`));
    };
    child.stderr?.on('data', read);
    child.on('exit', onExit);
  });
}

function waitForFirstResponse(port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, path, host: '127.0.0.1', agent: false }, (response) => {
      response.resume();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${path} responded with HTTP ${response.statusCode}`));
    }).on('error', reject);
  });
}

function readCpuMicros(pid: number): number | undefined {
  const text = readProc(`/proc/${pid}/stat`);
  if (!text) return undefined;
  // The process name in parentheses may contain spaces; user and system time are fields 14 and 15.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

function readResidentBytes(pid: number): number | undefined {
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
