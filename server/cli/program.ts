import { debuglog } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { ImportSourceError } from '../knowledge/import/article-input.ts';
import { IncompatibleDatabase } from '../storage/sqlite/migrate.ts';
import { StorageUnavailable } from '../storage/store.ts';
import { getSystemErrorText } from '../system-error.ts';
import { addBackup } from './backup.ts';
import { addConsent } from './consent.ts';
import { addKey } from './key.ts';
import { addKillswitch } from './killswitch.ts';
import { addKnowledge } from './knowledge.ts';
import { addMember } from './member.ts';
import { addServe } from './serve.ts';
import { CommandFailed, type Terminal, UsageError } from './terminal.ts';
import { addToken } from './token.ts';
import { addWorkspace } from './workspace.ts';

const OK = 0;
export const FAILED = 1;
const USAGE = 2;

/** Errors that are written for the person at the terminal. */
const EXPECTED = [CommandFailed, ImportSourceError, IncompatibleDatabase];

/** The stack of an error that nobody expected, with NODE_DEBUG=guidepost. */
const debug = debuglog('guidepost');

/** Runs one command line, without the name of the program, and answers its exit code. Never rejects. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = programOf(terminal, isForMachines(args));
  try {
    await program.parseAsync(args, { from: 'user' });
    return OK;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      tell(error, args, terminal);
      return error instanceof UsageError || error instanceof ConfigError ? USAGE : FAILED;
    }
    if (error.exitCode === 0) return OK;
    // For people, commander has printed its complaint by now.
    if (isForMachines(args)) tell(new UsageError(error.message.replace(/^error: /, '')), args, terminal);
    return USAGE;
  }
}

const isForMachines = (args: readonly string[]) => args.includes('--json');

function programOf(terminal: Terminal, forMachines: boolean): Command {
  const program = new Command('guidepost')
    .description(
      'Runs and administers Guidepost. Settings come from the environment: DATA_DIR names the data folder.',
    )
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr(text) {
        if (!forMachines) terminal.stderr.write(text);
      },
    })
    .exitOverride()
    .showHelpAfterError('(--help shows what is possible)');
  for (const add of [
    addServe,
    addWorkspace,
    addMember,
    addKey,
    addKnowledge,
    addKillswitch,
    addConsent,
    addToken,
    addBackup,
  ]) {
    add(program, terminal);
  }
  return program;
}

/** Says why a command failed, in one JSON document for machines and in a sentence for people. */
export function tell(error: unknown, args: readonly string[], { stderr }: Pick<Terminal, 'stderr'>): void {
  const { kind, message } = sentenceOf(error);
  stderr.write(
    isForMachines(args) ? `${JSON.stringify({ error: kind, message })}\n` : `guidepost: ${message}\n`,
  );
}

function sentenceOf(error: unknown): { readonly kind: string; readonly message: string } {
  debug('%o', error);
  if (error instanceof UsageError || error instanceof ConfigError)
    return { kind: 'usage', message: error.message };
  if (EXPECTED.some((kind) => error instanceof kind))
    return { kind: 'failed', message: (error as Error).message };
  if (error instanceof StorageUnavailable) {
    return { kind: 'storage_unavailable', message: `Nothing can be stored right now: ${error.message}.` };
  }
  const reason = getSystemErrorText(error);
  const { path } = error as NodeJS.ErrnoException;
  if (reason !== undefined && path !== undefined) return { kind: 'failed', message: `${path}: ${reason}` };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'internal', message: `${message} (NODE_DEBUG=guidepost shows where)` };
}
