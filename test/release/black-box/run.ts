import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Installs the tools that test the document and runs them. schemathesis needs Python; without it, the tool is skipped
 * with a message. In CI, a failed installation fails the run.
 */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const VENV = `${HERE}.venv`;
const REQUIREMENTS = `${HERE}schemathesis/requirements.txt`;

const succeeds = (program: string, ...words: string[]) =>
  spawnSync(program, words, { cwd: HERE, stdio: 'inherit' }).status === 0;

const isOlder = (made: string, source: string) =>
  !existsSync(made) || statSync(made).mtimeMs < statSync(source).mtimeMs;

function installNode(): boolean {
  const lockFile = `${HERE}node_modules/.package-lock.json`;
  return !isOlder(lockFile, `${HERE}package-lock.json`) || succeeds('npm', 'ci', '--ignore-scripts');
}

/** Installs schemathesis. Returns why it cannot run; undefined when it can. */
function installPython(): string | undefined {
  const python = ['python3', 'python'].find(
    (name) =>
      spawnSync(name, ['-c', 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))']).status ===
      0,
  );
  if (!python) return 'Python 3.10 or later is missing';
  if (!isOlder(`${VENV}/bin/schemathesis`, REQUIREMENTS)) return undefined;
  const isInstalled =
    succeeds(python, '-m', 'venv', VENV) &&
    succeeds(`${VENV}/bin/pip`, 'install', '--quiet', '--requirement', REQUIREMENTS) &&
    succeeds('touch', `${VENV}/bin/schemathesis`);
  return isInstalled ? undefined : `${python} is installed, but its packages could not be installed`;
}

if (!installNode()) {
  console.error('The packages of test/release/black-box could not be installed.');
  process.exit(1);
}
const missing = installPython();
const isBlocking = missing?.includes('is installed') && process.env.CI === 'true';
const result = spawnSync('vitest', ['run', '--config', 'test/release/black-box/vitest.config.ts'], {
  cwd: ROOT,
  stdio: 'inherit',
});
console.log(`Validated by prism${missing ? '' : ' and schemathesis'}.`);
if (missing) console.log(`Skipped schemathesis: ${missing}.`);
process.exitCode = result.status === 0 && !isBlocking ? 0 : 1;
