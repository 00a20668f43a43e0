import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { officeIn, PASSWORD } from '../accounts/office.ts';
import { ORIGIN, openHarness, USER_AGENT } from '../harness.ts';
import type { Command, Generator } from './generators.ts';

/** The scenario prints one line of JSON per step. */
export const STEPS = ['boot', 'consent', 'stream', 'translation', 'export', 'errors'] as const;
export type Step = (typeof STEPS)[number];

export type Outcome = {
  readonly compiles: boolean;
  /** Results by step; a missing step has failed. */
  readonly steps: Partial<Record<Step, string>>;
  /** Output of what failed. */
  readonly failures: readonly string[];
};

type Log = (line: string) => void;
type Finished = { readonly code: number | null; readonly stdout: string; readonly output: string };

/** The slowest build on a slow machine takes less. */
const COMMAND_MILLIS_MAX = 30 * 60_000;
const SCENARIO_MILLIS_MAX = 60_000;

/** Installs the generator, generates and compiles the client, and runs the scenario against its own server. */
export async function tryGenerator(generator: Generator, log: Log): Promise<Outcome> {
  const { folder, generate, compile, scenario } = generator;
  const failure = (await installOnce(generator, log)) ?? (await build());
  if (failure) return { compiles: false, steps: {}, failures: [failure] };
  const server = await startServer();
  try {
    log('runs the scenario');
    const { code, stdout, output } = await run(scenario, folder, server.env, SCENARIO_MILLIS_MAX);
    const steps = parseSteps(stdout);
    const isComplete = STEPS.every((step) => step in steps);
    return { compiles: true, steps, failures: code === 0 && isComplete ? [] : [output] };
  } finally {
    await server.close();
  }

  function build(): Promise<string | undefined> {
    const target = join(folder, generator.output);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    return runAll([...generate, ...compile], folder, log);
  }
}

/** Several generators share a folder. */
const installations = new Map<string, Promise<string | undefined>>();

/** Returns the output of the command that failed, if one did. */
function installOnce(generator: Generator, log: Log): Promise<string | undefined> {
  const { folder } = generator;
  const installation = installations.get(folder) ?? install(generator, log);
  installations.set(folder, installation);
  return installation;
}

async function install({ folder, manifest, install }: Generator, log: Log): Promise<string | undefined> {
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, manifest)))
    .digest('hex');
  const marker = join(folder, '.cache', `installed-${hash}`);
  if (existsSync(marker)) return undefined;
  const failure = await runAll(install, folder, log);
  if (failure) return failure;
  mkdirSync(join(folder, '.cache'), { recursive: true });
  writeFileSync(marker, '');
  return undefined;
}

/** Runs commands in order; returns the output of the first that fails. */
async function runAll(commands: readonly Command[], folder: string, log: Log): Promise<string | undefined> {
  for (const command of commands) {
    log(command.run.join(' '));
    const { code, output } = await run(command, folder, {}, COMMAND_MILLIS_MAX);
    if (code !== 0) return `${command.run.join(' ')}\n${output.slice(-4000)}`;
  }
  return undefined;
}

async function run(
  { run: [program, ...args], env: commandEnv }: Command,
  cwd: string,
  env: Readonly<Record<string, string>>,
  timeout: number,
): Promise<Finished> {
  const child = spawn(program!, args, {
    cwd,
    env: { ...process.env, ...commandEnv, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout,
  });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
    output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, stdout, output: String(error) }));
    child.on('close', (code) => resolve({ code, stdout, output }));
  });
}

function parseSteps(stdout: string): Partial<Record<Step, string>> {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const reports = lines.map((line) => JSON.parse(line) as { step: Step; result?: string });
  return Object.fromEntries(reports.flatMap(({ step, result }) => (result ? [[step, result]] : [])));
}

/** Pause between two events of an answer, long enough to tell incremental from buffered reading. */
const PAUSE_MILLIS = 60;

/** A server with articles, an owner and an API key; `env` tells the scenario about them. */
async function startServer() {
  const harness = await openHarness({ engine: slowDown(createExtractiveEngine()) });
  const office = await officeIn(harness);
  const owner = office.as('owner');
  const scopes = ['analytics:read', 'events:read'];
  const { status, json, text } = await owner.post<{ key: string }>('/api-keys', { name: 'Scenario', scopes });
  if (status !== 201) throw new Error(`Could not create an API key: HTTP ${status} ${text}`);
  return {
    env: {
      GUIDEPOST_URL: harness.baseUrl,
      GUIDEPOST_APP_ID: harness.appId,
      GUIDEPOST_ORIGIN: ORIGIN,
      GUIDEPOST_USER_AGENT: USER_AGENT,
      GUIDEPOST_TENANT_ID: office.workspace.id,
      GUIDEPOST_EMAIL: owner.email,
      GUIDEPOST_PASSWORD: PASSWORD,
      GUIDEPOST_API_KEY: json.key,
    },
    close: () => office.close(),
  };
}

function slowDown(engine: Engine): Engine {
  return {
    ...engine,
    async *answer(question, signal) {
      for await (const event of engine.answer(question, signal)) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS));
        yield event;
      }
    },
  };
}
