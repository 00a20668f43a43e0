import { spawn } from 'node:child_process';

/** Runs the commands of generators. `$DOCUMENT` is the path of the document, in arguments and the environment. */

export type Command = {
  run: readonly string[];
  env?: Readonly<Record<string, string>>;
};

export type Log = (line: string) => void;
type Finished = { code: number | null; stdout: string; output: string };

/** Longer than the slowest build on a slow machine. */
const COMMAND_MILLIS_MAX = 30 * 60_000;

/** Runs commands in order; returns the output of the first that fails. */
export async function runAll(
  commands: readonly Command[],
  folder: string,
  env: Readonly<Record<string, string>>,
  log: Log,
): Promise<string | undefined> {
  for (const command of commands) {
    log(command.run.join(' '));
    const { code, output } = await run(command, folder, env, COMMAND_MILLIS_MAX);
    if (code !== 0) return `${command.run.join(' ')}\n${output.slice(-4000)}`;
  }
  return undefined;
}

export async function run(
  { run: [program, ...args], env: commandEnv }: Command,
  cwd: string,
  env: Readonly<Record<string, string>>,
  timeout: number,
): Promise<Finished> {
  const expanded = args.map((arg) => arg.replace(/^\$(DOCUMENT)$/, (_, name: string) => env[name]!));
  const child = spawn(program!, expanded, {
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
