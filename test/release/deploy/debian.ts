import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '../../support/debian.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { ROOT } from './programs.ts';

/** A Debian 12 machine for one test, with what a cloud image contains: systemd, certificates, curl. Built once. */

const CACHED = join(ROOT, 'node_modules/.cache/guidepost/debian-12.tar');
const PACKAGES = ['systemd', 'systemd-sysv', 'dbus', 'ca-certificates', 'curl', 'iproute2'];
const MIRROR = 'http://deb.debian.org/debian';

/** Returns why this machine cannot run Debian machines; undefined if it can. */
export function getUnsupportedReason(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'only root on Linux can start machines';
  const mounts = spawnSync('unshare', ['--mount', '--net', '--pid', '--fork', 'true']).status === 0;
  return mounts ? undefined : 'this system allows no namespaces';
}

export type Debian = {
  root: string;
  /** Runs a command in the stopped machine's file system, with the network of the host. */
  run(command: readonly string[], options?: readonly string[]): string;
  /** Starts the machine with systemd, in a network of its own. */
  boot(): Promise<void>;
  /** Runs shell lines in the running machine. */
  inside(script: string): { status: number; printed: string };
  off(): Promise<void>;
  remove(): Promise<void>;
};

const FLAGS = ['--quiet', '--register=no', '--keep-unit', '--pipe'];

export function openDebian(): Debian {
  buildBaseImage();
  const root = join(tempDir(), 'debian');
  mkdirSync(root);
  execFileSync('tar', ['-xf', CACHED, '-C', root]);
  copyRegistrySettings(root);
  const nspawn = findProgram('systemd-nspawn');
  let machine: ReturnType<typeof spawn> | undefined;

  const run: Debian['run'] = (command, options = []) => {
    // Node has its own list of certificates.
    const trust = '--setenv=NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt';
    const args = [...FLAGS, trust, '--resolv-conf=copy-host', '-D', root, ...options, '--', ...command];
    const { status, stdout, stderr } = spawnSync(nspawn, args, { encoding: 'utf8', maxBuffer: 1e8 });
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  };
  const inside: Debian['inside'] = (script) => {
    const leader = readFileSync(`/proc/${machine!.pid}/task/${machine!.pid}/children`, 'utf8')
      .trim()
      .split(' ')[0]!;
    const enter = ['--target', leader, '--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wd'];
    const env = [
      'env',
      '-i',
      'HOME=/root',
      'LANG=C.UTF-8',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ];
    const { status, stdout, stderr } = spawnSync('nsenter', [...enter, ...env, 'sh', '-e'], {
      input: script,
      encoding: 'utf8',
    });
    return { status: status ?? 1, printed: stdout + stderr };
  };
  const off = async () => {
    if (!machine || machine.exitCode !== null) return;
    const ended = once(machine, 'exit');
    machine.kill('SIGTERM');
    const cut = setTimeout(() => machine?.kill('SIGKILL'), 60_000);
    await ended;
    clearTimeout(cut);
  };

  return {
    root,
    run,
    inside,
    off,
    async boot() {
      machine = spawn(
        nspawn,
        ['--quiet', '--register=no', '--keep-unit', '--private-network', '-D', root, '--boot'],
        { stdio: 'ignore' },
      );
      for (let tries = 0; tries < 600; tries++) {
        await pause(100);
        if (machine.exitCode !== null) throw new Error(`the machine ended with ${machine.exitCode}`);
        const { printed } = inside('systemctl is-system-running || true');
        if (/^(running|degraded)$/m.test(printed)) return;
      }
      throw new Error('the machine did not start');
    },
    async remove() {
      await off();
      rmSync(dirname(root), { recursive: true, force: true });
    },
  };
}

function buildBaseImage(): void {
  if (existsSync(CACHED)) return;
  mkdirSync(dirname(CACHED), { recursive: true });
  const partial = `${CACHED}.half.tar`;
  const args = [
    '--quiet',
    '--variant=minbase',
    `--include=${PACKAGES.join(',')}`,
    'bookworm',
    partial,
    MIRROR,
  ];
  execFileSync(findProgram('mmdebstrap'), args, { stdio: ['ignore', 'ignore', 'inherit'] });
  renameSync(partial, CACHED);
}

/** Copies the host's apt and npm settings and certificates, which hosts behind a registry proxy need. */
function copyRegistrySettings(root: string): void {
  const apt = '/etc/apt/apt.conf.d';
  for (const name of readdirSync(apt).filter((name) => name.includes('registry')))
    copyFileSync(join(apt, name), join(root, apt, name));
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  copyFileSync(certificates, join(root, certificates));
  const npmrc = join(process.env.HOME ?? '/root', '.npmrc');
  if (existsSync(npmrc)) copyFileSync(npmrc, join(root, 'root/.npmrc'));
  chmodSync(root, 0o755);
}
