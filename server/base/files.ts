import { mkdirSync, readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

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

/** Returns the name under which this process writes a file until it is complete, and removes what killed processes left. */
export function nameUnfinished(file: string): string {
  try {
    removeLeftovers(file);
  } catch {
    // The write that follows reports an unreadable folder. Files of other users stay.
  }
  return `${file}.${process.pid}.partial`;
}

/** The databases among them have logs beside them. */
const UNFINISHED = /^\.(\d+)\.partial(?:-wal|-shm|-journal)?$/;

function removeLeftovers(file: string): void {
  const [folder, name] = [dirname(file), basename(file)];
  for (const entry of readdirSync(folder).filter((other) => other.startsWith(name))) {
    const pid = UNFINISHED.exec(entry.slice(name.length))?.[1];
    if (pid !== undefined && !isOtherProcess(Number(pid))) rmSync(join(folder, entry), { force: true });
  }
}

/** Whether another process with this id runs. In a container, the next process often has the id of a killed one. */
function isOtherProcess(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
