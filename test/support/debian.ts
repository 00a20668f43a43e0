import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Programs that tests need, from Debian's packages, which are installed where that is possible. */

const DEBIAN_PACKAGES: Readonly<Record<string, string>> = {
  initdb: 'postgresql',
  postgres: 'postgresql',
  pg_basebackup: 'postgresql',
  pgbouncer: 'pgbouncer',
  'firefox-esr': 'firefox-esr',
  WebKitWebDriver: 'webkit2gtk-driver',
  Xvfb: 'xvfb',
  'redis-server': 'redis-server',
  'redis-cli': 'redis-tools',
  haproxy: 'haproxy',
  caddy: 'caddy',
  prometheus: 'prometheus',
  promtool: 'prometheus',
  mmdebstrap: 'mmdebstrap',
  'systemd-nspawn': 'systemd-container',
  python3: 'python3',
  php: 'php-cli',
  ruby: 'ruby',
  go: 'golang-go',
};

const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** False where a program is neither installed nor may be. */
export const canFindProgram = (name: string): boolean => locateProgram(name) !== undefined || canInstall();

/** Returns the path of a program, which it installs if necessary. */
export function findProgram(name: string): string {
  const found = locateProgram(name);
  if (found) return found;
  const debianPackage = DEBIAN_PACKAGES[name];
  if (!debianPackage || !canInstall())
    throw new Error(`these tests need ${name}: install ${debianPackage ?? name}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Another test may be installing something else.
  const options = ['-q', '-y', '-o', 'DPkg::Lock::Timeout=300'];
  execFileSync('apt-get', ['update', ...options], { env, stdio: 'ignore' });
  execFileSync('apt-get', ['install', ...options, debianPackage], { env, stdio: 'ignore' });
  const installed = locateProgram(name);
  if (!installed) throw new Error(`${debianPackage} does not contain ${name}`);
  return installed;
}

/** Finds a program in the path, or where Debian keeps PostgreSQL's programs. */
function locateProgram(name: string): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
    '/usr/sbin',
  ];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}
