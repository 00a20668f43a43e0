import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { getSystemErrorText } from '../log.ts';
import { CommandFailed } from './terminal.ts';

/** Checks the path before any work is done. */
export function assertWritable(file: string): void {
  const folder = dirname(file);
  if (!existsSync(folder)) throw new CommandFailed(`The folder ${folder} does not exist.`);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandFailed(`${file} is a folder. Pass the path of a file.`);
  }
}

/** Names the target instead of the temporary file. Returns other errors unchanged. */
export function toWriteError(file: string, error: unknown): unknown {
  const reason = getSystemErrorText(error);
  return reason === undefined
    ? error
    : new CommandFailed(`Cannot write ${file}: ${reason}.`, { cause: error });
}
