import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const PLUGIN = './lint/no-async-transaction.grit';

const FORBIDDEN = [
  'db.transaction(async (tx) => { await tx.run(); });',
  'db.transaction(async tx => tx.run());',
  'db.transaction(async (tx): Promise<void> => { await tx.run(); }, { behavior: "immediate" });',
  'db.transaction(async function (tx) { await tx.run(); });',
  'this.db?.transaction(async () => {});',
  'sqlite.transaction(async () => {})();',
];
const ALLOWED = [
  'db.transaction((tx) => { tx.run(); }, { behavior: "immediate" });',
  'db.transaction((tx) => [1].map(async () => tx));',
  'db.transaction(asynchronous);',
  'await transaction(async () => {});',
];

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lint-'));
  const config = { root: true, plugins: [fromRoot(PLUGIN)], linter: { rules: { preset: 'none' } } };
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
});

afterEach(() => rmSync(folder, { recursive: true }));

it('the lint rule forbids an async callback of a transaction, however it is written, and nothing else', () => {
  writeFileSync(join(folder, 'sample.ts'), [...FORBIDDEN, ...ALLOWED].join('\n'));
  const { stdout, stderr } = spawnSync(fromRoot('lint/node_modules/.bin/biome'), ['lint', 'sample.ts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const output = stdout + stderr;
  const reported = [...output.matchAll(/sample\.ts:(\d+):\d+ plugin/g)].map(([, line]) => Number(line));
  expect(reported, output).toEqual(FORBIDDEN.map((_, at) => at + 1));
});

it('the lint rule is switched on for the whole project', () => {
  expect(JSON.parse(readFileSync(fromRoot('biome.json'), 'utf8')).plugins).toContain(PLUGIN);
});
