import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };
import { PACKAGE_ROOT } from './package-root.ts';

/** Written into the bundle by the build; absent when the sources run. */
declare const GUIDEPOST_COMMIT: string;

/** The version of package.json, and the commit that was built. */
export const VERSION: { version: string; commit: string } = {
  version: manifest.version,
  commit: typeof GUIDEPOST_COMMIT === 'string' ? GUIDEPOST_COMMIT : readCommit(),
};

/** For people: `0.1.0 (a1b2c3d4e5f6)`. */
export const VERSION_TEXT = `${VERSION.version} (${VERSION.commit})`;

/** Returns the commit of the checkout that contains this file, or `unknown` outside of a checkout. */
function readCommit(): string {
  const root = fileURLToPath(PACKAGE_ROOT);
  // Without this check, git would look for a repository in the folders above.
  if (!existsSync(`${root}.git`)) return 'unknown';
  const args = ['-C', root, 'describe', '--always', '--abbrev=12', '--exclude=*', '--dirty'];
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return 'unknown';
  }
}
