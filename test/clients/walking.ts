import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Generator } from './generators.ts';
import { openSite } from './site.ts';

/** What a walk says on its standard output, line by line, as JSON. */
export const STEPS = ['boot', 'consent', 'stream', 'translation', 'export', 'errors'] as const;
export type Step = (typeof STEPS)[number];

export type Outcome = {
  readonly compiles: boolean;
  /** What each step came to; a step that is not here failed. */
  readonly steps: Partial<Record<Step, string>>;
  /** What to look at when something failed. */
  readonly trouble: readonly string[];
};

type Finished = { readonly code: number | null; readonly stdout: string; readonly all: string };

/** Nobody waits longer for one command than for the slowest build on a slow machine. */
const COMMAND_MILLIS_MAX = 30 * 60_000;
const WALK_MILLIS_MAX = 60_000;

/** Makes the client, compiles it, and lets it talk to a server of its own. */
export async function tryOut(generator: Generator, say: (what: string) => void): Promise<Outcome> {
  const output = join(generator.folder, generator.output);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const made = await inTurn([...generator.generate, ...generator.compile], generator.folder, say);
  if (made) return { compiles: false, steps: {}, trouble: [made] };
  const site = await openSite();
  try {
    say('walks');
    const { code, stdout, all } = await finished(generator.walk, generator.folder, site.env, WALK_MILLIS_MAX);
    const steps = stepsIn(stdout);
    const isWhole = STEPS.every((step) => step in steps);
    return { compiles: true, steps, trouble: code === 0 && isWhole ? [] : [all] };
  } finally {
    await site.close();
  }
}

/** Runs commands one after another; answers with the words of the first that fails. */
export async function inTurn(
  commands: readonly Command[],
  folder: string,
  say: (what: string) => void,
): Promise<string | undefined> {
  for (const command of commands) {
    say(command.run.join(' '));
    const { code, all } = await finished(command, folder, {}, COMMAND_MILLIS_MAX);
    if (code !== 0) return `${command.run.join(' ')}\n${all.slice(-4000)}`;
  }
  return undefined;
}

function stepsIn(stdout: string): Partial<Record<Step, string>> {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const told = lines.map((line) => JSON.parse(line) as { step: Step; result?: string });
  return Object.fromEntries(told.flatMap(({ step, result }) => (result ? [[step, result]] : [])));
}

async function finished(
  { run: [program, ...args], env }: Command,
  cwd: string,
  more: Readonly<Record<string, string>>,
  millisMax: number,
): Promise<Finished> {
  const child = spawn(program!, args, {
    cwd,
    env: { ...process.env, ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: millisMax,
  });
  let stdout = '';
  let all = '';
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece;
    all += piece;
  });
  child.stderr.on('data', (piece: Buffer) => {
    all += piece;
  });
  return new Promise((resolve) => {
    child.on('error', (cause) => resolve({ code: null, stdout, all: String(cause) }));
    child.on('close', (code) => resolve({ code, stdout, all }));
  });
}
