import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const SOURCES = join(import.meta.dirname, '../../server/cli/guidepost.ts');
const [, NODE_MIN] = /^>=([\d.]+)$/.exec(manifest.engines.node)!;

/** Runs `--version` in a Node that claims to be this version and has no compile cache. */
function runOn(version: string) {
  const pretend =
    `Object.defineProperty(process.versions, 'node', { value: '${version}' });` +
    `(await import('node:module')).default.enableCompileCache = undefined;` +
    `(await import('node:module')).default.syncBuiltinESMExports();`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, SOURCES, '--version'];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

describe('the command line', () => {
  it.each([['18.20.4'], ['20.20.2'], ['22.18.0']])('says which Node it needs on Node %s', (version) => {
    const { status, stdout, stderr } = runOn(version);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`Guidepost needs Node ${NODE_MIN} or later, and this is ${version}.`);
  });

  it.each([[`${NODE_MIN}.0`], ['26.0.0']])('runs on Node %s', (version) => {
    const { status, stdout, stderr } = runOn(version);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+ \(.+\)\n$/);
  });
});
