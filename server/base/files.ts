import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Creates a folder that only its owner can use, with those above it. Node's own recursion never ends in /proc. */
export function createFolder(folder: string): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) createFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

/** Tells whether users other than the owner may read or change a file or folder. Windows has no such modes. */
export const isOpenToOthers = ({ mode }: Stats) => process.platform !== 'win32' && (mode & 0o077) !== 0;

/** Says what to do about a file with personal data that other users may read. */
export function describeOpenFile(file: string): string | undefined {
  return isOpenToOthers(statSync(file))
    ? `Other users may read ${file}: run \`chmod 600 ${file}\`.`
    : undefined;
}
