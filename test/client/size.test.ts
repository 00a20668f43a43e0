import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

const INDEX = fileURLToPath(new URL('../../client/sdk/index.ts', import.meta.url));
const BUILT = fileURLToPath(new URL('../../dist', import.meta.url));
const ENTRY = 'entry';
const GUIDE = ['GuideError', 'createGuide', 'isGuideError', 'parseEventStream'];
const TENANT = ['GuideError', 'createAccount', 'createTenant', 'isConflict', 'isGuideError'];
const EXPORTER = ['GuideError', 'createExporter', 'isGuideError'];
const VOICE = ['withVoice'];
const PAGE_BYTES_MAX = 6 * 1024;
const WHOLE_BYTES_MAX = 7.5 * 1024;
const VOICE_BYTES_MAX = 3.5 * 1024;

/** The bundled, minified and gzipped size of a page that imports only these names. */
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

test('the client exports its entry points, withVoice and the error functions, and nothing else', async () => {
  const client = await import('../../client/sdk/index.ts');
  const names = new Set([...GUIDE, ...TENANT, ...EXPORTER, ...VOICE]);
  expect(Object.keys(client).sort()).toEqual([...names].sort());
});

test('createGuide adds less than 6 KB to a page, and nothing of the other entry points', async () => {
  const { bytes, code } = await sizeWith(GUIDE);
  expect(bytes).toBeLessThan(PAGE_BYTES_MAX);
  expect(code).not.toContain('/api/');
  expect(code).not.toContain('/transcribe');
});

test('createAccount and createTenant add less than 6 KB to a page, and nothing of the guide', async () => {
  const { bytes, code } = await sizeWith(TENANT);
  expect(bytes).toBeLessThan(PAGE_BYTES_MAX);
  expect(code).not.toContain('/chat');
  expect(code).not.toContain('/api/export');
});

test('createExporter adds less than 6 KB to a script, and nothing of the other entry points', async () => {
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

test('createGuide, createAccount and createTenant together add less than 7.5 KB', async () => {
  expect((await sizeWith([...new Set([...GUIDE, ...TENANT])])).bytes).toBeLessThan(WHOLE_BYTES_MAX);
});

const LOADER_BYTES_MAX = 3 * 1024;
const PANEL_BYTES_MAX = 25 * 1024;
const TEXTS_BYTES_MAX = 2 * 1024;

test('the script tag loads at most 3 KB, its guide 25 KB more and a language 2 KB', async () => {
  const getSize = async (name: string) => gzipSync(await readFile(`${BUILT}/${name}`)).length;
  expect(await getSize('guide.js')).toBeLessThanOrEqual(LOADER_BYTES_MAX);
  const guide = (await getSize('guide/launcher.js')) + (await getSize('guide/panel.js'));
  expect(guide).toBeLessThanOrEqual(PANEL_BYTES_MAX);
  const texts = (await readdir(`${BUILT}/guide`)).filter((name) => /^[a-z]{2}(-\w+)?\.js$/.test(name));
  expect(texts.length).toBeGreaterThanOrEqual(8);
  for (const name of texts) expect(await getSize(`guide/${name}`)).toBeLessThanOrEqual(TEXTS_BYTES_MAX);
});
