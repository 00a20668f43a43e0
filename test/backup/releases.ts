import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The databases of all releases, filled by `write-release.ts`. */

const FOLDER = join(import.meta.dirname, 'releases');

/** The secret that seals the visitor keys in these databases. */
export const RELEASE_ENV = { GUIDEPOST_SECRET: 'everybody-may-open-the-database-of-this-fixture' };

export const RELEASES = readdirSync(FOLDER).map((name) => name.replace(/\.db\.gz$/, ''));

/** Creates the data folder of an installation of the release. */
export function placeRelease(release: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const bytes = gunzipSync(readFileSync(join(FOLDER, `${release}.db.gz`)));
  writeFileSync(join(dataDir, 'guidepost.db'), bytes, { mode: 0o600 });
}
