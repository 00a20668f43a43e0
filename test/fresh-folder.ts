import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new folder for data that nobody wants to keep: in memory where the system has a file system for that with room to spare, since tests
 * would wait for the disk longer than for anything else.
 */
export function freshFolder(): string {
  return mkdtempSync(join(PLACE, 'guidepost-'));
}

const IN_MEMORY = '/dev/shm';
const ROOM_BYTES = 1024 ** 3;
const PLACE = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
