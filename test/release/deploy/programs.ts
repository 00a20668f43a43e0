import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { tempDir } from '../../support/temp-dir.ts';

/** Programs that run beside a test until it ends. */

export const ROOT = join(import.meta.dirname, '../../..');
export const GUIDEPOST = [process.execPath, join(ROOT, 'dist/guidepost.js')] as const;

/** Returns the path of a program from requirements.txt. */
export const fromPypi = (name: string) => join(import.meta.dirname, '.venv/bin', name);

/** Returns this machine's environment without variables that would redirect programs elsewhere. */
export function cleanEnv(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { AWS_CA_BUNDLE: _, HTTP_PROXY: __, HTTPS_PROXY: ___, ...env } = process.env;
  return { ...env, ...more };
}

export type Program = {
  printed: () => string;
  /** Waits until the program has printed the text. */
  waitFor(text: string | RegExp): Promise<void>;
  stop(): Promise<void>;
};

const WAIT_MILLIS = 60_000;
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export function start([program, ...args]: readonly string[], options: SpawnOptions = {}): Program {
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  running.add(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (piece) => {
      printed += piece;
    });
  }
  const fail = (why: string) => new Error(`${program} ${why}:\n${printed.slice(-4000)}`);
  return {
    printed: () => printed,
    async waitFor(text) {
      const isThere = () => (typeof text === 'string' ? printed.includes(text) : text.test(printed));
      const until = performance.now() + WAIT_MILLIS;
      while (!isThere()) {
        if (child.exitCode !== null) throw fail(`ended with ${child.exitCode}`);
        if (performance.now() > until) throw fail(`never printed ${text}`);
        await pause(50);
      }
    },
    async stop() {
      running.delete(child);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      const cut = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await once(child, 'exit');
      clearTimeout(cut);
    },
  };
}

/** Repeats `isDone` until it returns anything but false without an error; throws after the time-out. */
export async function until(isDone: () => Promise<unknown> | unknown, what: string): Promise<void> {
  const last = performance.now() + WAIT_MILLIS;
  let reason: unknown = 'false';
  while (performance.now() < last) {
    try {
      if ((await isDone()) !== false) return;
    } catch (error) {
      reason = error;
    }
    await pause(200);
  }
  throw new Error(`waited in vain: ${what}: ${String(reason)}`);
}

export type Service = Program & { dataDir: string; baseUrl: string };

/** Starts the built service with the demo's articles. */
export async function startService(
  port: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const dataDir = env.DATA_DIR ?? tempDir();
  const program = start([...GUIDEPOST, 'serve'], {
    // Other programs keep the machine busy, which the service would treat as overload.
    env: cleanEnv({ LOOP_DELAY_MILLIS_MAX: '60000', PORT: String(port), DATA_DIR: dataDir, ...env }),
  });
  await program.waitFor('is listening');
  if (env.GUIDEPOST_DEMO !== 'off') await program.waitFor('Demo knowledge is ready');
  return { ...program, dataDir, baseUrl: `http://127.0.0.1:${port}` };
}

const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** Boots a visitor of the demo workspace over HTTP. */
export async function visit(baseUrl: string, origin: string, visitorId?: string) {
  const headers = { origin, 'content-type': 'application/json', 'user-agent': USER_AGENT };
  const boot = await fetch(`${baseUrl}/boot`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ app_id: 'gp_demo', origin, path: '/', visitor_id: visitorId }),
  });
  if (!boot.ok) throw new Error(`boot answered ${boot.status}: ${await boot.text()}`);
  const { jwt, visitor_id: id } = (await boot.json()) as { jwt: string; visitor_id: string };
  const authorized = { ...headers, authorization: `Bearer ${jwt}` };
  return {
    id,
    /** The response whose body streams the answer. */
    ask: (message: string) =>
      fetch(`${baseUrl}/chat`, {
        method: 'POST',
        headers: authorized,
        body: JSON.stringify({
          message,
          dom_digest: 'main > h1 Help',
          conversation_id: 'conv-of-a-trial',
          turn_idx: 0,
          url: `${origin}/`,
        }),
      }),
    erase: () => fetch(`${baseUrl}/visitor`, { method: 'DELETE', headers: authorized }),
  };
}
