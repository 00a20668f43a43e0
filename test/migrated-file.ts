import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '../server/storage/sqlite/open.ts';
import { freshFolder } from './fresh-folder.ts';

/**
 * Applying the migrations to an empty file takes longer than most tests do: each process of the suite does it once, and further tests
 * begin with a copy.
 */

let made: Promise<Buffer> | undefined;

/** Puts an empty database, as new as the service makes it, where none is yet. */
export async function placeMigrated(file: string): Promise<void> {
  made ??= migrated();
  writeFileSync(file, await made, { mode: 0o600 });
}

async function migrated(): Promise<Buffer> {
  const folder = freshFolder();
  const file = join(folder, 'guidepost.db');
  await openSqlite({ file }).close();
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  return bytes;
}
