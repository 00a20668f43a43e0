import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packModel, packServer } from '../../../scripts/pack-server.ts';

const TRY_OUT = join(import.meta.dirname, 'try-out.mjs');
const MEGABYTES_MAX = 125;

/** A network namespace without a way out, if the system allows it. */
const OFFLINE = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const canUnshare = spawnSync(OFFLINE[0]!, [...OFFLINE.slice(1), 'true']).status === 0;

/** This machine's file system, read-only except for mounts, as the user `nobody`. */
const READ_ONLY = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount --rbind / /mnt && mount -o remount,bind,ro /mnt && exec chroot /mnt setpriv --reuid 65534 --clear-groups "$@"',
  'sh',
];
const canMount = spawnSync(READ_ONLY[0]!, [...READ_ONLY.slice(1), 'true']).status === 0;

describe('the package of the server', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guidepost-package-'));
    const tarballs = [
      await packModel(join(folder, 'packed/model')),
      await packServer(join(folder, 'packed/server')),
    ];
    execFileSync('npm', ['init', '-y'], { cwd: folder });
    execFileSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--prefer-offline', '--omit=dev', ...tarballs],
      {
        cwd: folder,
      },
    );
    rmSync(join(folder, 'packed'), { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const packages = () => readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));

  it('installs only the database driver and the embedding model, and runs no script of its own', () => {
    expect(packages()).toEqual(['better-sqlite3', 'guidepost', 'guidepost-model', 'node-addon-api']);
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/guidepost/package.json'), 'utf8'));
    expect(manifest.scripts).toBeUndefined();
    expect(Object.keys(manifest.dependencies)).toEqual(['better-sqlite3', 'guidepost-model']);
  });

  it(`takes at most ${MEGABYTES_MAX} MB`, () => {
    const megabytes = Number.parseInt(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }), 10);
    expect(megabytes).toBeGreaterThan(10);
    expect(megabytes).toBeLessThanOrEqual(MEGABYTES_MAX);
  });

  it('names the licences of what is in the bundles of the server and the dashboard', () => {
    const text = readFileSync(join(folder, 'node_modules/guidepost/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['express', 'zod', 'jose', 'hash-wasm', 'react', '@mantine/core'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  it(`starts and answers the demo question${canUnshare ? ' without a network' : ''}`, () => {
    const npx = ['npx', '--offline', 'guidepost', 'serve'];
    const command = [...(canUnshare ? OFFLINE : []), process.execPath, TRY_OUT, ...npx];
    const { stdout, stderr } = spawnSync(command[0]!, command.slice(1), {
      cwd: folder,
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect(stdout, stderr).not.toBe('');
    const { title, pages } = JSON.parse(stdout);
    expect(title).toMatch(/desktop/);
    expect(Object.entries(pages).filter(([, status]) => status !== 200)).toEqual([]);
    expect(existsSync(join(folder, 'data'))).toBe(false);
  });

  it.runIf(canMount)('runs as the Dockerfile says: as another user, on a read-only root file system', () => {
    // Runs the program of the image in a mount namespace, without a container engine.
    const dockerfile = readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8');
    const [, program] = /^ENTRYPOINT \["node", "\/opt\/guidepost\/(.*)"\]$/m.exec(dockerfile)!;
    chmodSync(folder, 0o755);
    const serve = [process.execPath, join(folder, program!), 'serve'];
    const command = [...READ_ONLY, process.execPath, TRY_OUT, ...serve];
    const env = { ...process.env, TMPDIR: '/dev/shm', HOST: '0.0.0.0', NODE_ENV: 'production' };
    const { stdout, stderr } = spawnSync(command[0]!, command.slice(1), {
      env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect(stdout, stderr).not.toBe('');
    expect(JSON.parse(stdout).title).toMatch(/desktop/);
    const touch = spawnSync(READ_ONLY[0]!, [...READ_ONLY.slice(1), 'touch', join(folder, 'a-file')], {
      encoding: 'utf8',
    });
    expect(touch.stderr).toMatch(/Read-only file system/);
  });
});
