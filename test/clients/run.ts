/** Generates a client of the published document with every generator and runs each against a real server. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import type { Engine } from '../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { openTeamOn, PASSWORD } from '../accounts/team.ts';
import { ORIGIN, openHarness, USER_AGENT } from '../harness.ts';
import {
  type Command,
  fetchGeneratorJar,
  GENERATORS,
  type Generator,
  isInstalled,
  LEFT_OUT,
  type Tool,
} from './generators.ts';

/** The scenario prints one line of JSON per step. */
const STEPS = ['boot', 'consent', 'stream', 'translation', 'export', 'errors'] as const;
type Step = (typeof STEPS)[number];

type Outcome = {
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
async function tryGenerator(generator: Generator, log: Log): Promise<Outcome> {
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
  const team = await openTeamOn(harness);
  const owner = team.as('owner');
  const scopes = ['analytics:read', 'events:read'];
  const { status, json, text } = await owner.post<{ key: string }>('/api-keys', { name: 'Scenario', scopes });
  if (status !== 201) throw new Error(`Could not create an API key: HTTP ${status} ${text}`);
  return {
    env: {
      GUIDEPOST_URL: harness.baseUrl,
      GUIDEPOST_APP_ID: harness.appId,
      GUIDEPOST_ORIGIN: ORIGIN,
      GUIDEPOST_USER_AGENT: USER_AGENT,
      GUIDEPOST_TENANT_ID: team.workspace.id,
      GUIDEPOST_EMAIL: owner.email,
      GUIDEPOST_PASSWORD: PASSWORD,
      GUIDEPOST_API_KEY: json.key,
    },
    close: () => team.close(),
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

const help = `Tests the published document with client generators. The table goes to stdout, progress to stderr.

  node test/clients/run.ts [--only NAME] [--jobs 1|2]

  --only NAME   only generators with this name or language; does not update the page in docs/
  --jobs N      generators to run at the same time, 1 or 2 (default: 1)
  --help        shows this help

Skips and lists generators whose toolchain is missing. Exits with 1 if a client does not compile or a step of its scenario fails, and in CI
also if --only skips generators that could run.
`;

const PAGE = new URL('../../docs/generated-clients.md', import.meta.url);
const DOCUMENT = new URL('../../openapi.yaml', import.meta.url);

type Row = { readonly generator: Generator } & (
  | { readonly outcome: Outcome }
  | { readonly missing: readonly Tool[] }
);

const log = (line: string) => process.stderr.write(`${line}\n`);

let jar: Promise<void> | undefined;

async function runGenerator(generator: Generator): Promise<Row> {
  const missing = generator.deps.filter((tool) => !isInstalled(tool));
  const label = `${generator.language} by ${generator.name}`;
  if (missing.length > 0) {
    log(`${label}: skipped, missing ${missing.join(', ')}`);
    return { generator, missing };
  }
  if (generator.deps.includes('java')) {
    jar ??= fetchGeneratorJar();
    await jar;
  }
  const logStep = (line: string) => log(`${label}: ${line.length > 100 ? `${line.slice(0, 100)}…` : line}`);
  const outcome = await tryGenerator(generator, logStep);
  for (const output of outcome.failures) log(`${label}: FAILED\n${output}`);
  return { generator, outcome };
}

/** Rows in the order of the generators, with at most `jobs` running. */
async function runGenerators(generators: readonly Generator[], jobs: number): Promise<Row[]> {
  const rows: Row[] = [];
  const queue = [...generators.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) rows[next[0]] = await runGenerator(next[1]);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return rows;
}

const HEAD = [
  'Language',
  'Generator',
  'Version',
  'Document',
  'Compiles',
  'Boot and consent',
  'Streams',
  'Publish a translation',
  'Export page',
  'Errors',
  'Notes',
];

const INTRODUCTION = `# Generated clients

Written by \`make test-clients\`. Every generator below creates a client from the published document (version VERSION). The client is
compiled or type-checked, then runs one scenario against a real server: it boots the guide, records consent, reads a streamed answer,
signs in and takes a translation from draft to published, reads an export page with an API key, and reads the error codes of a 404 and
a 401 response through the generated types.

"Streams" says whether events have generated types, and whether the client delivers them as they arrive (incremental) or only once the
answer is complete (buffered). Signing in sets a cookie; a client without a cookie jar has to send it back as a header. Dashboard
operations accept only requests with the service's own \`Origin\`, so a program sends that header too. \`POST /boot\` rejects user agents
that identify as robots, which includes the default user agent of most HTTP libraries: set your own.
`;

/** The documentation page. It contains no dates or durations, so it changes only when a result does. */
function formatPage(rows: readonly Row[], documentVersion: string): string {
  const introduction = INTRODUCTION.replace('VERSION', documentVersion);
  return `${introduction}\n${formatTable(rows)}\n${formatLeftOut(rows)}`;
}

function formatTable(rows: readonly Row[]): string {
  const cells = rows.flatMap((row) => ('outcome' in row ? [toCells(row.generator, row.outcome)] : []));
  return [HEAD, HEAD.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |\n`).join('');
}

function toCells(generator: Generator, { compiles, steps }: Outcome): string[] {
  const { language, name, version, document, note } = generator;
  const bootAndConsent = steps.boot && steps.consent;
  const results = [bootAndConsent, steps.stream, steps.translation, steps.export, steps.errors];
  return [
    ...[language, name, version, `\`${document}\``, compiles ? 'yes' : 'no'],
    ...results.map((result) => result ?? 'no'),
    note ?? '',
  ];
}

function formatLeftOut(rows: readonly Row[]): string {
  const skipped = rows.flatMap((row) =>
    'missing' in row
      ? [`- ${row.generator.language} by ${row.generator.name}: missing ${row.missing.join(' and ')}.`]
      : [],
  );
  const leftOut = LEFT_OUT.map(({ language, name, reason }) => `- ${language} by ${name}: ${reason}.`);
  return `Not tested:\n\n${[...skipped, ...leftOut].join('\n')}\n`;
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      jobs: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  if (!['1', '2'].includes(values.jobs)) throw new Error('--jobs must be 1 or 2.');
  const only = values.only?.toLowerCase();
  const generators = GENERATORS.filter(
    ({ name, language }) => !only || [name, language.toLowerCase()].includes(only),
  );
  if (generators.length === 0) throw new Error(`No generator or language is named "${values.only}".`);
  return { generators, runsAll: !only, jobs: Number(values.jobs) };
}

const { generators, runsAll, jobs } = parseOptions();
const rows = await runGenerators(generators, jobs);
process.stdout.write(formatTable(rows));
if (runsAll) {
  const { info } = parse(readFileSync(DOCUMENT, 'utf8')) as { info: { version: string } };
  writeFileSync(PAGE, formatPage(rows, info.version));
  log('wrote docs/generated-clients.md');
}
const failed = rows.filter((row) => 'outcome' in row && row.outcome.failures.length > 0);
if (failed.length > 0) log(`${failed.length} of ${rows.length} generators failed`);
const isIncomplete = Boolean(process.env.CI) && !runsAll;
if (isIncomplete) log('--only is not allowed in CI: all generators must run.');
process.exit(failed.length > 0 || isIncomplete ? 1 : 0);
