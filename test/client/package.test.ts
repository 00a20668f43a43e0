import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPILER } from '../../scripts/pack-client.ts';
import { openProject, openService, type Project, writeConsumers } from '../release/runtimes/consumer.ts';
import { EXPECTED, EXPECTED_WITH_EXPORT_AND_TENANT } from '../release/runtimes/scenario.js';
import { openBrowser } from '../support/browser.ts';
import { USER_AGENT } from '../support/harness.ts';
import { importSeeds, seeds } from '../support/seeds.ts';
import { openWebsite } from '../support/website.ts';

/**
 * The published tarball, installed in a project of its own. `make test-runtimes` runs it in other runtimes.
 */

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

let project: Project;
beforeAll(async () => {
  project = await openProject();
});
afterAll(() => project.remove());

const installed = (name: string) => join(project.folder, 'node_modules/@guidepost/client', name);

test('publint finds no problems in the package', async () => {
  const { messages } = await publint({ pkgDir: project.written, pack: 'npm', strict: true });
  expect(messages).toEqual([]);
});

test('the types of the package resolve under node16, in bundlers and for CommonJS', async () => {
  const bin = join(dirname(resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js');
  const args = [bin, project.tarball, '--profile', 'strict', '--format', 'json'];
  const { stdout } = await run(process.execPath, args);
  const { analysis } = JSON.parse(stdout);
  expect(analysis.types).toEqual({ kind: 'included' });
  expect(analysis.problems).toEqual([]);
});

test('the package holds modules, types and texts, and has no dependencies', () => {
  const names = globSync('**/*', { cwd: installed('') }).filter((name) => /\.[a-z]+$/.test(name));
  expect(
    names.filter(
      (name) =>
        !/^((commonjs\/)?((client|generated)\/.*\.(js|d\.ts)|package\.json)|\w+\.(md|json))$/.test(name),
    ),
  ).toEqual([]);
  const manifest = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
  for (const field of ['dependencies', 'peerDependencies', 'devDependencies', 'scripts'])
    expect(manifest).not.toHaveProperty(field);
  expect(manifest).toMatchObject({ type: 'module', sideEffects: false });
  const imports = names.flatMap((name) => [
    ...readFileSync(installed(name), 'utf8').matchAll(
      /^(?:(?:import|export)\b.* from '|.*\brequire\(")([^'"]+)/gm,
    ),
  ]);
  const strange = imports.map(([, what]) => what!).filter((what) => !/^\.\.?\/.*\.js$/.test(what));
  expect(strange.filter((what) => !what.startsWith('@guidepost/client'))).toEqual([]);
});

test("every link of the package's README leads to a file in it", () => {
  const links = readFileSync(installed('README.md'), 'utf8').matchAll(/\]\((?!https:)([^)#]+)/g);
  for (const [, link] of links) expect(readFileSync(installed(link!), 'utf8')).not.toBe('');
});

test("strict code compiles against the package's types, with skipLibCheck off", async () => {
  for (const settings of await writeConsumers(project.folder)) {
    const checking = run(COMPILER, ['-p', settings], { cwd: project.folder });
    await checking.catch(({ stdout }) => expect.fail(`${settings}: ${stdout}`));
  }
});

test('a bundle that imports only the guide contains nothing of the other entry points', async () => {
  const input = 'only-the-guide';
  const only = {
    name: input,
    resolveId: (id: string) => (id === input ? join(project.folder, input) : undefined),
    load: (id: string) =>
      id === join(project.folder, input) ? `export { createGuide } from '@guidepost/client';` : undefined,
  };
  const bundle = await rolldown({ input, plugins: [only], logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const files = Object.keys(output[0].modules).map((path) => path.replace(/.*\/(client|generated)\//, ''));
  expect(files).toContain('sdk/guide.js');
  const taken = Object.entries(output[0].modules).filter(([, { renderedLength }]) => renderedLength > 0);
  const otherEntryPoints = /\/(account|tenant|connection|exporter|voice|speech-input\/[\w-]+)\.js$/;
  expect(taken.map(([path]) => path).filter((path) => otherEntryPoints.test(path))).toEqual([]);
  for (const path of ['/api/', '/transcribe', '/speech']) expect(output[0].code).not.toContain(path);
});

test('the package works on this Node version as ES modules and as CommonJS', async () => {
  const { team, target } = await openService();
  const env = { TARGET: JSON.stringify(target) };
  for (const file of ['start.js', 'start.cjs']) {
    const { stdout } = await run(process.execPath, [file], { cwd: project.folder, env });
    expect(JSON.parse(stdout), file).toEqual(EXPECTED_WITH_EXPORT_AND_TENANT);
  }
  await team.close();
});

test("isGuideError() recognizes errors of the package's other module format", async () => {
  const { GuideError } = createRequire(join(project.folder, 'x.js'))('@guidepost/client');
  const { isGuideError } = await import(installed('client/sdk/index.js'));
  expect(isGuideError(new GuideError('network', 'Gone.'), 'network')).toBe(true);
  expect(isGuideError(Object.assign(new Error('Gone.'), { code: 'network' }), 'network')).toBe(false);
});

test("a browser can import the unbundled modules of the package on a customer's page", async () => {
  const [{ team, target }, site, browser] = await Promise.all([openService(), openSite(), openBrowser()]);
  const workspace = await team.harness.addWorkspace({ allowedOrigins: [site.origin] });
  await importSeeds(team.harness.service.store, workspace.id, seeds);
  try {
    const page = await browser.newPage({ userAgent: USER_AGENT });
    await page.goto(site.origin);
    const here = { baseUrl: target.baseUrl, appId: workspace.appId, pageOrigin: site.origin };
    const result = await page.evaluate((there) => {
      const { client, runScenario } = globalThis as unknown as InPage;
      return runScenario(client, there);
    }, here);
    expect(result).toEqual(EXPECTED);
  } finally {
    await Promise.all([browser.close(), site.close(), team.close()]);
  }
});

/** The page's browser types do not exist here. */
type InPage = {
  client: object;
  runScenario: (client: object, target: object) => Promise<unknown>;
};

const PAGE = `<!doctype html><script type="module">
  import * as client from '/client/sdk/index.js';
  import { runScenario } from '/scenario.js';
  Object.assign(globalThis, { client, runScenario });
</script>`;

/** Opens a customer's site that serves the installed files of the package. */
async function openSite() {
  const { port, close } = await openWebsite((path) => {
    if (path === '/') return PAGE;
    const file = path === '/scenario.js' ? join(project.folder, path) : installed(path);
    const body = existsSync(file) ? readFileSync(file) : '';
    return { headers: { 'content-type': 'text/javascript' }, body };
  });
  return { origin: `http://localhost:${port}`, close };
}

const INDEX = fileURLToPath(new URL('../../client/sdk/index.ts', import.meta.url));
const _BUILT = fileURLToPath(new URL('../../dist', import.meta.url));
const ENTRY = 'entry';
const GUIDE = [
  'GuideError',
  'accumulate',
  'createGuide',
  'isGuideError',
  'parseEventStream',
  'snapshots',
  'toMessage',
];
const TENANT = ['GuideError', 'createAccount', 'createTenant', 'isConflict', 'isGuideError'];
const EXPORTER = ['GuideError', 'createExporter', 'isGuideError'];
const VOICE = ['withVoice'];
const WEBHOOKS = ['WebhookError', 'verifyWebhook'];
const PAGE_BYTES_MAX = 6.5 * 1024;
const TENANT_BYTES_MAX = 7.3 * 1024;
const WHOLE_BYTES_MAX = 11.2 * 1024;
const VOICE_BYTES_MAX = 3.5 * 1024;

/** Returns the bundled, minified and gzipped size of a page that imports only these names. */
async function sizeWith(names: readonly string[]): Promise<{ bytes: number; code: string }> {
  const source = `export { ${names.join(', ')} } from ${JSON.stringify(INDEX)};`;
  const entry = {
    name: ENTRY,
    resolveId: (id: string) => (id === ENTRY ? id : undefined),
    load: (id: string) => (id === ENTRY ? source : undefined),
  };
  const bundle = await rolldown({ input: ENTRY, plugins: [entry], logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  return { bytes: gzipSync(output[0].code).length, code: output[0].code };
}

test('the client exports its entry points, withVoice, verifyWebhook and the error functions, and nothing else', async () => {
  const client = await import('../../client/sdk/index.ts');
  const names = new Set([...GUIDE, ...TENANT, ...EXPORTER, ...VOICE, ...WEBHOOKS]);
  expect(Object.keys(client).sort()).toEqual([...names].sort());
});

test('createGuide with accumulate adds less than 6.5 KB to a page, and nothing of the other entry points', async () => {
  const { bytes, code } = await sizeWith(GUIDE);
  expect(bytes).toBeLessThan(PAGE_BYTES_MAX);
  expect(code).not.toContain('/api/');
  expect(code).not.toContain('/transcribe');
});

test('createAccount and createTenant add less than 7.3 KB to a page, and nothing of the guide', async () => {
  const { bytes, code } = await sizeWith(TENANT);
  expect(bytes).toBeLessThan(TENANT_BYTES_MAX);
  expect(code).not.toContain('/chat');
  expect(code).not.toContain('/api/export');
});

test('createExporter adds less than 6.5 KB to a script, and nothing of the other entry points', async () => {
  const { bytes, code } = await sizeWith(EXPORTER);
  expect(bytes).toBeLessThan(PAGE_BYTES_MAX);
  for (const path of ['/chat', '/transcribe', '/api/tenants']) expect(code).not.toContain(path);
});

test('withVoice adds less than 3.5 KB, only to pages that import it', async () => {
  const [alone, silent, speaking] = await Promise.all([
    sizeWith(VOICE),
    sizeWith(GUIDE),
    sizeWith([...GUIDE, ...VOICE]),
  ]);
  expect(alone.bytes).toBeLessThan(PAGE_BYTES_MAX);
  expect(speaking.bytes - silent.bytes).toBeLessThan(VOICE_BYTES_MAX);
  expect(speaking.code).not.toContain('/api/');
});

test('createGuide, createAccount and createTenant together add less than 11.2 KB', async () => {
  expect((await sizeWith([...new Set([...GUIDE, ...TENANT])])).bytes).toBeLessThan(WHOLE_BYTES_MAX);
});
