/** Generates clients of the published document and runs each against a real server and against its next version. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, type Log, run, runAll } from './commands.ts';
import { documentPath, documents, isReleasedCurrent, type Which, writeDocuments } from './documents.ts';
import { GENERATORS, type Generator } from './generators.ts';
import {
  formatPage,
  formatTable,
  type Outcome,
  type Row,
  type ScenarioRun,
  STEPS,
  type Step,
} from './page.ts';
import { startServer } from './service.ts';
import { fetchGeneratorJar, isInstalled } from './tools.ts';

const SCENARIO_MILLIS_MAX = 60_000;

/**
 * Installs the generator, generates and compiles the client, and runs the scenario: with the client of the current
 * document against the service, and with the client of the released document against the next version.
 */
async function tryGenerator(generator: Generator, log: Log): Promise<Outcome> {
  const failure = (await installOnce(generator, log)) ?? (await build(generator, 'current', log));
  if (failure) return { compiles: false, failures: [failure] };
  const verifyFailure = generator.verify?.(join(generator.folder, generator.output)) ?? [];
  const first = generator.firstCalls && (await runOnServer(generator.firstCalls, generator, 'now', log));
  const { stdout, failure: firstFailure } = first ?? {};
  const outcome = { compiles: true, ...(stdout && !firstFailure ? { chatReturns: stdout.trim() } : {}) };
  const failures = [verifyFailure, firstFailure ?? []].flat();
  if (!generator.scenario) return { ...outcome, failures };
  const now = await runScenario(generator.scenario, generator, 'now', log);
  const buildFailure = !isReleasedCurrent && (await build(generator, 'released', log));
  const next = buildFailure
    ? { steps: {}, failure: buildFailure }
    : await runScenario(generator.scenario, generator, 'next', log);
  return {
    ...outcome,
    now,
    next,
    failures: [failures, now.failure ?? [], next.failure ?? []].flat(),
  };
}

function build(generator: Generator, which: Which, log: Log): Promise<string | undefined> {
  const { folder, document, generate, compile } = generator;
  const target = join(folder, generator.output);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const env: Record<string, string> =
    document === 'contract' ? {} : { DOCUMENT: documentPath(which, document) };
  return runAll([...generate, ...compile], folder, env, log);
}

async function runScenario(
  scenario: Command,
  generator: Generator,
  version: 'now' | 'next',
  log: Log,
): Promise<ScenarioRun> {
  const { stdout, output, failure } = await runOnServer(scenario, generator, version, log);
  const steps = parseSteps(stdout);
  const isComplete = STEPS.every((step) => step in steps);
  return { steps, ...(failure === undefined && isComplete ? {} : { failure: output }) };
}

/** Runs a client against its own server; `failure` is the output of one that exits with an error. */
async function runOnServer(client: Command, { folder }: Generator, version: 'now' | 'next', log: Log) {
  const server = await startServer(version);
  try {
    log(`${client.run.join(' ')} against ${version === 'now' ? 'the service' : 'the next version'}`);
    const { code, ...finished } = await run(client, folder, server.env, SCENARIO_MILLIS_MAX);
    return { ...finished, ...(code === 0 ? {} : { failure: finished.output }) };
  } finally {
    await server.close();
  }
}

/** Installations by folder, because several generators share one. */
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
  const failure = await runAll(install, folder, {}, log);
  if (failure) return failure;
  mkdirSync(join(folder, '.cache'), { recursive: true });
  writeFileSync(marker, '');
  return undefined;
}

function parseSteps(stdout: string): Partial<Record<Step, string>> {
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const reports = lines.map((line) => JSON.parse(line) as { step: Step; result?: string });
  return Object.fromEntries(reports.flatMap(({ step, result }) => (result ? [[step, result]] : [])));
}

const help = `Generates clients of the published document and runs each against a real server and its next version.
The table goes to stdout, progress to stderr.

  node test/release/clients/run.ts [--all | --only NAME] [--jobs 1|2]

  --all         every generator, and writes docs/generated-clients.md; without it, those of TypeScript, Python and Go
  --only NAME   only generators with this name or language
  --jobs N      generators to run at the same time, 1 or 2 (default: 1)
  --help        shows this help

Skips and lists generators whose toolchain is missing; in CI, a missing toolchain is a failure. Exits with 1 if a client does not
compile, is larger than it may be, or fails a step of its scenario.
`;

/** Clients that can be generated and built within a few minutes. */
const QUICK_LANGUAGES = ['TypeScript', 'Python', 'Go'];
const PAGE = new URL('../../../docs/generated-clients.md', import.meta.url);

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

/** Runs at most `jobs` generators at a time, and returns their rows in the given order. */
async function runGenerators(generators: readonly Generator[], jobs: number): Promise<Row[]> {
  const rows: Row[] = [];
  const queue = [...generators.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) rows[next[0]] = await runGenerator(next[1]);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return rows;
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      all: { type: 'boolean', default: false },
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
  const generators = GENERATORS.filter(({ name, language }) => {
    if (only) return [name, language.toLowerCase()].includes(only);
    return values.all || QUICK_LANGUAGES.includes(language);
  });
  if (generators.length === 0) throw new Error(`No generator or language is named "${values.only}".`);
  return { generators, runsAll: values.all && !only, jobs: Number(values.jobs) };
}

const { generators, runsAll, jobs } = parseOptions();
writeDocuments();
const rows = await runGenerators(generators, jobs);
process.stdout.write(formatTable(rows));
if (runsAll) {
  writeFileSync(PAGE, formatPage(rows, documents.current.parsed.info.version));
  log('wrote docs/generated-clients.md');
}
const isFailed = (row: Row) => ('outcome' in row ? row.outcome.failures.length > 0 : Boolean(process.env.CI));
const failed = rows.filter(isFailed);
if (failed.length > 0) log(`${failed.length} of ${rows.length} generators failed`);
process.exit(failed.length > 0 ? 1 : 0);
