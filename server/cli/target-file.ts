import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getSystemErrorText } from '../system-error.ts';
import { CommandFailed } from './terminal.ts';

/** Refuses, before anything is done, a name under which no file can be written. */
export function checkTarget(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new CommandFailed(`There is no folder ${folder}.`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailed(`${file} is a folder; name a file in it.`);
  }
}

/** The system names the unfinished file beside it, which nobody asked for. Other errors stay as they are. */
export function notWritten(file: string, error: unknown): unknown {
  const reason = getSystemErrorText(error);
  return reason === undefined
    ? error
    : new CommandFailed(`${file} cannot be written: ${reason}.`, { cause: error });
}
