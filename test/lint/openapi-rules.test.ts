import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Loose, smallDocument } from '../openapi/breaking-changes.ts';

/** The rules of Spectral that we have narrowed still find their violations. */

const LINT = fileURLToPath(new URL('../../lint/openapi/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'guidepost-lint-'));

beforeAll(() => {
  if (!existsSync(`${LINT}node_modules/.bin/spectral`))
    execFileSync('make', ['-C', `${LINT}../..`, 'lint-openapi']);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the rules that each document breaks. Lints all files at once: loading the linter is slow. */
function findings(documents: Readonly<Record<string, unknown>>): Record<string, string[]> {
  const files = Object.keys(documents).map((name) => join(folder, `${name}.json`));
  for (const [at, document] of Object.values(documents).entries()) {
    writeFileSync(files[at]!, JSON.stringify(document));
  }
  const flags = ['--ruleset', `${LINT}spectral.yaml`, '--format', 'json', '--quiet'];
  const { stdout } = spawnSync(`${LINT}node_modules/.bin/spectral`, ['lint', ...files, ...flags], {
    encoding: 'utf8',
  });
  const found = JSON.parse(stdout) as { code: string; source: string }[];
  const codesOf = (file: string) =>
    new Set(found.filter(({ source }) => source === file).map(({ code }) => code));
  return Object.fromEntries(Object.keys(documents).map((name, at) => [name, [...codesOf(files[at]!)]]));
}

function changed(change: (document: Loose) => unknown): unknown {
  const document = smallDocument();
  change(document);
  return document;
}

it('the Spectral rules find nothing in a valid document, and each defect in others', () => {
  const found = findings({
    sound: smallDocument(),
    withoutErrors: changed((d) => delete d.paths['/things/{thingId}'].get.responses.default),
    open: changed((d) => Object.assign(d.paths['/things'].post, { security: [] })),
  });
  expect(found).toEqual({
    sound: [],
    withoutErrors: ['guidepost-default-response'],
    open: ['owasp:api2:2023-write-restricted'],
  });
});
