import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp-dir.ts';
import { ROOT } from './programs.ts';

/** Makes a release of the last commit in a clone, after one that came before it. */

const VERSION = '99.0.0';
const EARLIER = 'v98.0.0';

let clone: string;
const { NODE_ENV: _, MAKEFLAGS: __, ...env } = process.env;
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: clone, env, encoding: 'utf8', stdio: 'pipe', maxBuffer: 1e8 }).trim();
const read = (path: string) => readFileSync(join(clone, path), 'utf8');
const released = (name: string) => join(clone, 'dist/release', name);

beforeAll(() => {
  clone = join(tempDir(), 'clone');
  execFileSync('git', ['clone', '--quiet', ROOT, clone]);
  run('git', 'config', 'user.name', 'A test');
  run('git', 'config', 'user.email', 'a@example.com');
  run('git', 'tag', EARLIER);
  const changelog = read('CHANGELOG.md').replace('## ', `## ${VERSION} (unreleased)\n\n- **News**.\n\n## `);
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
  run('git', 'commit', '--quiet', '--all', '--message', 'docs: announce the news');
  run('.ci/release', VERSION);
}, 900_000);

describe('a release', () => {
  it('is a commit with its version, its changelog and its database, and a tag', () => {
    expect(run('git', 'log', '-1', '--format=%s %D')).toMatch(
      new RegExp(`^chore: release ${VERSION} .*tag: v${VERSION}`),
    );
    expect(run('git', 'status', '--porcelain')).toBe('');
    expect(JSON.parse(read('package.json')).version).toBe(VERSION);
    expect(JSON.parse(read('client/package.json')).version).toBe(VERSION);
    expect(read('CHANGELOG.md')).toMatch(new RegExp(`^## ${VERSION} \\(\\d{4}-\\d\\d-\\d\\d\\)$`, 'm'));
    expect(existsSync(join(clone, `test/backup/releases/${VERSION}.db.gz`))).toBe(true);
    expect(run('git', 'cat-file', 'tag', `v${VERSION}`)).toContain('- **News**.');
  });

  it('has notes of its part of the changelog and of the commits since the previous release', () => {
    const notes = readFileSync(released('notes.md'), 'utf8');
    const commits = `Commits since ${EARLIER}:\n\n- chore: release ${VERSION} \\(\\w+\\)\n- docs: announce the news \\(\\w+\\)`;
    expect(notes.trim()).toMatch(new RegExp(`^- \\*\\*News\\*\\*\\.\n\n${commits}$`));
  });

  it('has packages, whose programs name the version and the commit, with checksums', () => {
    const packages = ['guidepost', 'guidepost-client', 'guidepost-react'].map(
      (name) => `${name}-${VERSION}.tgz`,
    );
    const model = `guidepost-model-${JSON.parse(read('model/package.json')).version}.tgz`;
    const files = ['SHA256SUMS', `guidepost-${VERSION}.cdx.json`, ...packages, model, 'notes.md'];
    expect(readdirSync(released('')).sort()).toEqual(files.sort());
    const checked = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: released(''),
      encoding: 'utf8',
    });
    expect(checked.match(/: OK$/gm)).toHaveLength(files.length - 1);
    const commit = run('git', 'rev-parse', '--short=12', 'HEAD');
    expect(run(process.execPath, 'dist/guidepost.js', '--version')).toBe(`${VERSION} (${commit})`);
  });

  it('has a CycloneDX SBOM of what the package holds, and nothing of the tools', () => {
    const bom = JSON.parse(readFileSync(released(`guidepost-${VERSION}.cdx.json`), 'utf8'));
    expect(bom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'guidepost', version: VERSION } },
    });
    const purls: string[] = bom.components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]*$/, ''));
    // A package of the server, one with native code, and two of the dashboard.
    for (const name of ['express', 'better-sqlite3', 'react', '%40mantine/core'])
      expect(purls).toContain(`pkg:npm/${name}`);
    for (const name of ['typescript', 'vite', 'rolldown']) expect(purls).not.toContain(`pkg:npm/${name}`);
    const licences = read('dist/server/THIRD-PARTY-LICENSES.txt');
    for (const name of ['express', 'react', '@mantine/core'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
