import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach } from 'vitest';
import { run } from '../../server/cli/program.ts';
import { openSqlite } from '../../server/storage/sqlite/open.ts';
import type { Store } from '../../server/storage/store.ts';
import { tempDir } from './temp-dir.ts';

const PROGRAM = join(import.meta.dirname, '../../dist/guidepost.js');

export type Outcome = { code: number | null; stdout: string; stderr: string };

export const PASSWORD = 'violet spoon under the desk';

/** Returns functions that run commands on one data folder, in this process or in a child process. */
export function commandLine(
  dataDir: string,
  nowMillis: () => number = Date.now,
  settings: Readonly<Record<string, string>> = {},
) {
  const env = {
    DATA_DIR: dataDir,
    GUIDEPOST_DEMO: 'off',
    EMBEDDINGS: 'off',
    LOG_LEVEL: 'silent',
    ...settings,
  };

  async function runInProcess(args: readonly string[], stdin = ''): Promise<Outcome> {
    let stdout = '';
    let stderr = '';
    const code = await run(args, {
      env,
      stdin: (async function* () {
        yield Buffer.from(stdin);
      })(),
      stdout: { write: (piece) => (stdout += piece) },
      stderr: { write: (piece) => (stderr += piece) },
      clock: { now: nowMillis },
    });
    return { code, stdout, stderr };
  }

  const ownEnv = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env };

  function start(args: readonly string[], extraEnv: Record<string, string> = {}) {
    return spawn(process.execPath, [PROGRAM, ...args], {
      env: { ...ownEnv, ...extraEnv },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** Runs in a child process with standard output redirected to the file. */
  async function into(file: string, args: readonly string[]): Promise<Omit<Outcome, 'stdout'>> {
    const stdout = openSync(file, 'w');
    try {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        env: ownEnv,
        stdio: ['ignore', stdout, 'pipe'],
      });
      const [stderr] = await Promise.all([text(child.stderr!), once(child, 'close')]);
      return { code: child.exitCode, stderr };
    } finally {
      closeSync(stdout);
    }
  }

  async function apart(args: readonly string[], stdin = ''): Promise<Outcome> {
    const child = start(args);
    child.stdin.end(stdin);
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code: child.exitCode, stdout, stderr };
  }

  /** Runs in this process with --json and parses the output. Throws unless the exit code is 0. */
  async function json(args: readonly string[], stdin = '') {
    const outcome = await runInProcess([...args, '--json'], stdin);
    if (outcome.code !== 0) throw new Error(`exit code ${outcome.code}: ${outcome.stderr}`);
    return JSON.parse(outcome.stdout);
  }

  /** Creates a workspace. The owner's account is created with the first one, and added to further ones. */
  async function createWorkspace(
    ...more: string[]
  ): Promise<{ tenant_id: string; app_id: string; owner_id: string }> {
    const args = ['--owner-email', 'owner@shop.example', ...more];
    const email = args[args.lastIndexOf('--owner-email') + 1]!.toLowerCase();
    const create = ['workspace', 'create', '--name', 'Shop', '--domain', 'https://shop.example', ...args];
    if (await hasAccount(join(dataDir, 'guidepost.db'), email))
      return json([...create, '--existing-account']);
    return json([...create, '--owner-password-stdin'], PASSWORD);
  }

  return { runInProcess, start, apart, into, json, createWorkspace };
}

async function hasAccount(file: string, email: string): Promise<boolean> {
  if (!existsSync(file)) return false;
  const store = openSqlite({ file });
  const accounts = await store.users.listByEmail(email);
  await store.close();
  return accounts.some(({ addressProvedAt }) => addressProvedAt !== undefined);
}

/** A new data folder and command line for each test of a file. */

export let dataDir: string;
export let cli: ReturnType<typeof commandLine>;

export function setUpInstallation(settings: Readonly<Record<string, string>> = {}): void {
  beforeEach(() => {
    dataDir = join(tempDir(), 'data');
    cli = commandLine(dataDir, Date.now, settings);
  });
  afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }));
}

export const databaseFile = () => join(dataDir, 'guidepost.db');

export async function inStore<T>(action: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite({ file: databaseFile() });
  try {
    return await action(store);
  } finally {
    await store.close();
  }
}

export const actionsIn = (workspaceId: string) =>
  inStore(async (store) => (await store.in(workspaceId).audit.list(100)).map(({ action }) => action));

export function articlesFile(...articles: unknown[]): string {
  const file = join(dataDir, '..', 'articles.jsonl');
  writeFileSync(file, articles.map((article) => JSON.stringify(article)).join('\n'));
  return file;
}

export const returns = { slug: 'returns', locale: 'en', title: 'Returns', answer: 'Within 30 days.' };
