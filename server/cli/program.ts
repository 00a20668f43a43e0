import { debuglog } from 'node:util';
import { Command, CommanderError } from 'commander';
import { KeysNotCopied } from '../backup/backup.ts';
import { UpgradeRefused } from '../backup/before-upgrade.ts';
import { getSystemErrorText } from '../base/log.ts';
import { VERSION_TEXT } from '../base/version.ts';
import { ImportSourceError } from '../knowledge/import/article-input.ts';
import { ConfigError } from '../settings/config.ts';
import { StorageUnavailable } from '../storage/availability.ts';
import { IncompatibleDatabase } from '../storage/migrations.ts';
import { MoveRefused } from '../storage/move.ts';
import { KeyRingRefused } from '../tokens/key-ring.ts';
import { addBackup } from './backup.ts';
import { addCheck } from './check.ts';
import { addDoctor } from './doctor.ts';
import { addKey } from './key.ts';
import { addKnowledge } from './knowledge.ts';
import { addMember } from './member.ts';
import { addMove } from './move.ts';
import { addPush } from './push.ts';
import { addKillswitch, addServe, addToken } from './server.ts';
import { addSession } from './session.ts';
import { CommandFailed, type Terminal, UsageError } from './terminal.ts';
import { addAudit, addConsent } from './verify.ts';
import { addWorkspace } from './workspace.ts';

const OK = 0;
export const FAILED = 1;
const USAGE = 2;

/** Errors whose messages are written for users. */
const EXPECTED_ERRORS = [
  CommandFailed,
  ImportSourceError,
  IncompatibleDatabase,
  KeyRingRefused,
  KeysNotCopied,
  MoveRefused,
  UpgradeRefused,
];

/** NODE_DEBUG=guidepost prints stack traces. */
const debug = debuglog('guidepost');

/** Returns the exit code; never rejects. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = createProgram(terminal, isJson(args));
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
  for (const add of [
    addServe,
    addWorkspace,
    addMember,
    addKey,
    addSession,
    addKnowledge,
    addPush,
    addCheck,
    addKillswitch,
    addAudit,
    addConsent,
    addToken,
    addBackup,
    addMove,
    addDoctor,
  ]) {
    add(program, terminal);
  }
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
  if (EXPECTED_ERRORS.some((kind) => error instanceof kind))
    return { kind: 'failed', message: (error as Error).message };
  if (error instanceof StorageUnavailable) {
    return { kind: 'storage_unavailable', message: `Storage is unavailable: ${error.message}.` };
  }
  const reason = getSystemErrorText(error);
  const { path } = error as NodeJS.ErrnoException;
  if (reason !== undefined && path !== undefined) return { kind: 'failed', message: `${path}: ${reason}` };
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'internal', message: `${message} (set NODE_DEBUG=guidepost for details)` };
}
