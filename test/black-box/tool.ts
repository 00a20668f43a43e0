import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs the tools, each in a process of its own. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const BIN = fileURLToPath(new URL('node_modules/.bin/', import.meta.url));

/** The path of a program that this folder's package.json installs. */
export const installed = (name: string) => `${BIN}${name}`;

export type Outcome = { readonly code: number | null; readonly said: string };

export async function run(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { child, said } = started(program, words, env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said: said() };
}

export type Running = { readonly child: ChildProcess; readonly said: () => string };

/** Starts a program and waits until its output matches. */
export function startUntil(
  program: string,
  words: readonly string[],
  pattern: RegExp,
): Promise<Running & { readonly match: RegExpExecArray }> {
  const running = started(program, words, {});
  const { child, said } = running;
  return new Promise((resolve, reject) => {
    const look = () => {
      const match = pattern.exec(said());
      if (match) resolve({ ...running, match });
    };
    child.stdout!.on('data', look);
    child.stderr!.on('data', look);
    child.on('error', reject);
    child.on('close', () => reject(new Error(`${program} ended before it was ready:\n${said()}`)));
  });
}

function started(program: string, words: readonly string[], env: Readonly<Record<string, string>>): Running {
  const child = spawn(program, words, {
    // Their temporary files stay in this folder.
    cwd: HERE,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const hear = (piece: Buffer) => {
    said += piece;
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  return { child, said: () => said };
}
