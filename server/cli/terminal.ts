import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { Clock } from '../base/clock.ts';
import { ExpectedError } from '../base/expected-error.ts';
import { getSystemErrorText } from '../base/log.ts';

/** The environment of a command; tests replace it. */
export type Terminal = {
  env: Readonly<Record<string, string | undefined>>;
  stdin: AsyncIterable<Uint8Array | string>;
  stdout: {
    write(text: string): unknown;
    /** Calls back when the reader has caught up or closed the pipe. Use it after `write` returns false. */
    once?(event: 'drain' | 'close', caughtUp: () => void): unknown;
  };
  stderr: { write(text: string): unknown; isTTY?: boolean | undefined };
  clock: Clock;
};

/** The command failed; the message says why and what to do. Exit code 1. */
export class CommandFailed extends ExpectedError {
  override readonly name = 'CommandFailed';
}

/** Invalid arguments. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Adds a command with the options that all commands share. */
export function addCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print JSON instead of text');
}

/** Prints `outcome` as JSON with `--json`, else `text`. */
export function print(
  { stdout }: Terminal,
  options: { json?: boolean },
  outcome: unknown,
  text: string,
): void {
  stdout.write(`${options.json ? JSON.stringify(outcome) : text}\n`);
}

/** Collects the values of a repeatable option. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

const PROGRESS_MILLIS = 3_000;

/** Overwrites one line on a terminal; elsewhere prints a line every few seconds. */
export function createProgressLine({ stderr, clock }: Pick<Terminal, 'stderr' | 'clock'>) {
  let printedAt = clock.now();
  let isOpen = false;
  const clear = () => {
    if (isOpen) stderr.write('\r\u001b[K');
    isOpen = false;
  };
  return {
    show(text: string): void {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${text}`);
        isOpen = true;
      } else if (clock.now() - printedAt >= PROGRESS_MILLIS) {
        stderr.write(`${text}\n`);
        printedAt = clock.now();
      }
    },
    printLine(text: string): void {
      clear();
      stderr.write(`${text}\n`);
    },
    end: clear,
  };
}

/** Checks the path before any work is done. */
export function assertWritable(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new CommandFailed(`The folder ${folder} does not exist.`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailed(`${file} is a folder. Pass the path of a file.`);
  }
}

/** Makes a system error name the target instead of the temporary file. Returns other errors unchanged. */
export function toWriteError(file: string, error: unknown): unknown {
  const reason = getSystemErrorText(error);
  return reason === undefined
    ? error
    : new CommandFailed(`Cannot write ${file}: ${reason}.`, { cause: error });
}
