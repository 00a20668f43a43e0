import { mkdirSync, statSync } from 'node:fs';
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
