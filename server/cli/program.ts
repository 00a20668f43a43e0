import { debuglog } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ExpectedError } from '../base/expected-error.ts';
import { getSystemErrorText } from '../base/log.ts';
import { VERSION_TEXT } from '../base/version.ts';
import { ConfigError } from '../settings/config.ts';
import { StorageUnavailable } from '../storage/availability.ts';
import { addServe } from './serve.ts';
import { type Terminal, UsageError } from './terminal.ts';

const OK = 0;
export const FAILED = 1;
const USAGE = 2;

/** NODE_DEBUG=guidepost prints stack traces. */
const debug = debuglog('guidepost');

/** Returns the exit code; never rejects. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal, isJson(args));
  // The server starts faster without the code of the other commands.
  if (args[0] !== 'serve') (await import('./commands.ts')).addCommands(program, terminal);
  try {
    await program.parseAsync(args, { from: 'user' });
    return OK;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      printError(error, args, terminal);
      return error instanceof UsageError || error instanceof ConfigError ? USAGE : FAILED;
    }
    if (error.exitCode === 0) return OK;
    // Without --json, commander has already printed the error.
    if (isJson(args)) printError(new UsageError(error.message.replace(/^error: /, '')), args, terminal);
    return USAGE;
  }
}

const isJson = (args: readonly string[]) => args.includes('--json');

function createProgram(terminal: Terminal, asJson: boolean): Command {
  const program = new Command('guidepost')
    .version(VERSION_TEXT, '-V, --version', 'print the version and the commit that was built')
    .description(
      'Run and administer Guidepost. Settings are environment variables; DATA_DIR is the data folder.',
    )
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr(text) {
        if (!asJson) terminal.stderr.write(text);
      },
    })
    .exitOverride()
    .showHelpAfterError('(use --help for usage)');
  addServe(program, terminal);
  return program;
}

export function printError(
  error: unknown,
  args: readonly string[],
  { stderr }: Pick<Terminal, 'stderr'>,
): void {
  const { kind, message } = describeError(error);
  stderr.write(isJson(args) ? `${JSON.stringify({ error: kind, message })}\n` : `guidepost: ${message}\n`);
}

function describeError(error: unknown): { kind: string; message: string } {
  debug('%o', error);
  if (error instanceof UsageError || error instanceof ConfigError)
    return { kind: 'usage', message: error.message };
  if (error instanceof ExpectedError) return { kind: 'failed', message: error.message };
  if (error instanceof StorageUnavailable) {
    return { kind: 'storage_unavailable', message: `Storage is unavailable: ${error.message}.` };
  }
  const reason = getSystemErrorText(error);
  const { path } = error as NodeJS.ErrnoException;
  if (reason !== undefined && path !== undefined) return { kind: 'failed', message: `${path}: ${reason}` };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'internal', message: `${message} (set NODE_DEBUG=guidepost for details)` };
}
