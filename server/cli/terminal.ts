import type { Command } from 'commander';
import type { Clock } from '../clock.ts';

/** What a command has of the world around it. */
export type Terminal = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: {
    write(text: string): unknown;
    /** Where `write` answers false, its reader is behind until then. */
    once?(event: 'drain' | 'close', caughtUp: () => void): unknown;
  };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean | undefined };
  readonly clock: Clock;
};

/** A command could not do what it was asked for; the message says why and what helps. Exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** The command line itself is wrong. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command with the options that all of them have. */
export function addCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option('--json', 'print one JSON document for machines instead of text for people');
}

/** Prints the outcome: with `--json` one document, else the text. */
export function print(
  { stdout }: Terminal,
  options: { readonly json?: boolean },
  outcome: unknown,
  text: string,
): void {
  stdout.write(`${options.json ? JSON.stringify(outcome) : text}\n`);
}

/** For options that may be given more than once. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}
