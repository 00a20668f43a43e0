import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { tempDir } from '../../support/temp-dir.ts';
import { type Debian, getUnsupportedReason, openDebian } from './debian.ts';
import { fromPypi, ROOT } from './programs.ts';

/**
 * The Dockerfile: linted, then built and run. Where Docker has an engine, Docker builds and runs it. Elsewhere, each
 * step is run by itself in a Debian 12 with the Node of this clone, which stands in for the base images of the file.
 */

const DOCKERFILE = join(ROOT, 'Dockerfile');
const hasEngine = spawnSync('docker', ['info']).status === 0;
const unsupportedReason = hasEngine ? undefined : getUnsupportedReason();
const how = hasEngine
  ? 'by Docker'
  : unsupportedReason
    ? `(neither by Docker, which has no engine, nor step by step: ${unsupportedReason})`
    : 'step by step, without Docker, which has no engine';

it('the Dockerfile has no findings of hadolint', () => {
  const { status, stdout } = spawnSync(fromPypi('hadolint'), ['--failure-threshold', 'info', DOCKERFILE], {
    encoding: 'utf8',
  });
  expect(status, stdout).toBe(0);
});

type Step = { instruction: string; args: string };
type Stage = {
  steps: readonly Step[];
  env: Record<string, string>;
  folder: string;
};

function readStages(): Step[][] {
  const lines = readFileSync(DOCKERFILE, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean);
  const stages: Step[][] = [];
  for (const line of lines) {
    const [, instruction, args] = /^(\S+)\s+(.*)$/.exec(line)!;
    if (instruction === 'FROM') stages.push([]);
    else stages.at(-1)!.push({ instruction: instruction!, args: args! });
  }
  return stages;
}

/** Opens a Debian with the contents of the base images: Node with npm, make and git, and the user `node`. */
function openImage(isForBuilding: boolean): Debian {
  const debian = openDebian();
  const node = join(ROOT, 'node_modules/node/bin/node');
  copyFileSync(node, join(debian.root, 'usr/local/bin/node'));
  debian.run(['useradd', '--uid', '1000', '--create-home', 'node']);
  if (!isForBuilding) return debian;
  // Debian's npm is a link to its own folder.
  const npm = execFileSync('sh', ['-c', 'dirname "$(dirname "$(realpath "$(command -v npm)")")"'], {
    encoding: 'utf8',
  }).trim();
  cpSync(npm, join(debian.root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  debian.run(['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']);
  debian.run(['sh', '-c', 'apt-get update -qq && apt-get install -y -qq --no-install-recommends make git']);
  return debian;
}

/** Whether `.git` contains the commits: for a worktree, git keeps them elsewhere. */
const isClone = statSync(join(ROOT, '.git')).isDirectory();

/** Copies the files of the clone and its commits: .dockerignore leaves out what git ignores. */
function copyContext(folder: string): void {
  if (isClone) cpSync(join(ROOT, '.git'), join(folder, '.git'), { recursive: true });
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
}

/** Runs the steps of a stage one by one; returns the settings that they made. */
function build(debian: Debian, steps: readonly Step[], earlier: Debian | undefined): Stage {
  const env: Record<string, string> = {};
  let folder = '/';
  for (const { instruction, args } of steps) {
    if (instruction === 'WORKDIR') {
      folder = args;
      mkdirSync(join(debian.root, folder), { recursive: true });
    } else if (instruction === 'ENV') {
      for (const [, name, value] of args.matchAll(/(\w+)=(\S+)/g)) env[name!] = value!;
    } else if (instruction === 'COPY' && args === '. .') copyContext(join(debian.root, folder));
    else if (instruction === 'COPY') {
      const [, from, to] = /^--from=build (\S+) (\S+)$/.exec(args)!;
      cpSync(join(earlier!.root, from!), join(debian.root, to!), { recursive: true, verbatimSymlinks: true });
    } else if (instruction === 'RUN') debian.run(['sh', '-c', args], [`--chdir=${folder}`]);
  }
  return { steps, env, folder };
}

const TRY_OUT = join(ROOT, 'test/release/install/try-out.mjs');
const SHOWN = { encoding: 'utf8', stdio: 'pipe', maxBuffer: 1e8 } as const;

describe.skipIf(unsupportedReason)(`the image, built and run ${how}`, () => {
  let image: Debian | undefined;
  let stage: Stage;
  let volume: string;
  const argumentsOf = (wanted: string) =>
    stage.steps.findLast(({ instruction }) => instruction === wanted)!.args;

  beforeAll(() => {
    if (hasEngine) {
      execFileSync('docker', ['build', '--tag', 'guidepost-test', ROOT], SHOWN);
      return;
    }
    const [first, second] = readStages();
    const builder = openImage(true);
    build(builder, first!, undefined);
    image = openImage(false);
    stage = build(image, second!, builder);
    // A read-only root allows no new mount points.
    copyFileSync(TRY_OUT, join(image.root, 'try-out.mjs'));
    // Like a new volume, this folder gets the owner and mode of the folder in the image.
    volume = join(tempDir(), 'data');
    execFileSync('cp', ['-a', join(image.root, 'data'), volume]);
    return builder.remove();
  }, 900_000);
  afterAll(() => image?.remove(), 120_000);

  /** Runs a program in the image as its user, on a read-only root, without a network. */
  function run(program: readonly string[], dataDir = '/data'): string {
    if (hasEngine) {
      const flags = [
        '--rm',
        '--network=none',
        '--read-only',
        '--tmpfs=/tmp',
        '--volume',
        `${TRY_OUT}:/try-out.mjs:ro`,
      ];
      const [entry, ...args] = program;
      return execFileSync(
        'docker',
        ['run', ...flags, '--entrypoint', entry!, 'guidepost-test', ...args],
        SHOWN,
      );
    }
    const [user] = argumentsOf('USER').split(':');
    expect(user).toBe('1000');
    return image!.run(program, [
      ...Object.entries({ ...stage.env, DATA_DIR: dataDir }).map(
        ([name, value]) => `--setenv=${name}=${value}`,
      ),
      ...['--user=node', '--read-only', '--private-network', '--tmpfs=/tmp:mode=1777'],
      `--bind=${volume}:/data`,
    ]);
  }
  const lastStage = readStages().at(-1)!;
  const readArguments = (wanted: string): string[] =>
    JSON.parse(lastStage.find(({ instruction }) => instruction === wanted)!.args);
  const command = () => [...readArguments('ENTRYPOINT'), ...readArguments('CMD')];

  it('answers the demo question', () => {
    const outcome = JSON.parse(
      run(['node', '/try-out.mjs', ...command()])
        .trim()
        .split('\n')
        .at(-1)!,
    );
    expect(outcome.title).toMatch(/desktop/);
    expect(new Set(Object.values(outcome.pages))).toEqual(new Set([200]));
    console.log(`the image was ready after ${outcome.startMillis} ms`);
  });

  it('names the commit that it was built from', () => {
    const describeCommit = ['describe', '--always', '--abbrev=12', '--exclude=*', '--dirty'];
    const commit = isClone
      ? execFileSync('git', describeCommit, { cwd: ROOT, encoding: 'utf8' }).trim()
      : 'unknown';
    expect(run([...readArguments('ENTRYPOINT'), '--version']).trim()).toBe(`${manifest.version} (${commit})`);
  });

  it('passes its own health check, and shuts down in order on SIGTERM', () => {
    const check = /CMD (\[.*\])$/.exec(
      readFileSync(DOCKERFILE, 'utf8')
        .split('\n')
        .find((line) => line.startsWith('HEALTHCHECK'))!,
    )![1]!;
    const script = `
      const { spawn, spawnSync } = require('node:child_process');
      const service = spawn(${JSON.stringify(command()[0])}, ${JSON.stringify(command().slice(1))}, { stdio: 'ignore' });
      const [program, ...args] = ${check};
      const isHealthy = () => spawnSync(program, args).status === 0;
      if (isHealthy()) throw new Error('healthy before the start');
      const wait = setInterval(() => { if (isHealthy()) { clearInterval(wait); service.kill('SIGTERM'); } }, 100);
      service.on('exit', (code) => { clearInterval(wait); console.log('ended with ' + code); });`;
    expect(run(['node', '-e', script])).toContain('ended with 0');
  });

  it('runs without root, and writes only to /data and /tmp', () => {
    const script = `
      const { writeFileSync } = require('node:fs');
      const failed = ['/a', '/opt/guidepost/a', '/etc/a', '/home/node/a'].map((file) => { try { writeFileSync(file, ''); return 'written'; } catch ({ code }) { return code; } });
      writeFileSync('/data/a', ''); writeFileSync('/tmp/a', '');
      console.log(process.getuid(), failed.join());`;
    expect(run(['node', '-e', script]).trim()).toMatch(/^1000 (EROFS|EACCES)(,(EROFS|EACCES)){3}$/);
  });

  it.skipIf(hasEngine)('contains nothing of the build but the package', () => {
    expect(
      readdirSync(join(image!.root, 'opt/guidepost/node_modules')).filter((name) => !name.startsWith('.')),
    ).toEqual(['better-sqlite3', 'guidepost', 'node-addon-api']);
    expect(readdirSync(image!.root)).not.toContain('src');
  });
});
