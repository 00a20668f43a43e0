import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * Writes the package that is published into this folder, and its tarball beside it. It holds the modules one by one, so
 * that a bundler takes only what a page imports, and types that need no other package.
 */
export async function packClient(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run('tsc', ['-p', join(ROOT, 'client/tsconfig.package.json'), '--outDir', folder]);
  for await (const name of glob('**/*.d.ts', { cwd: folder })) await nameModules(join(folder, name));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await manifest(), null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), await readme());
  await cp(join(ROOT, 'generated/errors.md'), join(folder, 'errors.md'));
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', join(folder, '..')], {
    cwd: folder,
  });
  const [{ filename }] = JSON.parse(stdout);
  return join(folder, '..', filename);
}

/** Declarations name the modules that stand beside them; the compiler leaves the names of the sources in there. */
async function nameModules(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}

async function manifest() {
  const source = JSON.parse(await readFile(join(ROOT, 'client/package.json'), 'utf8'));
  const { name, version, description, license } = source;
  return {
    name,
    version,
    description,
    license,
    keywords: ['guidepost', 'guide', 'chat', 'citations', 'consent'],
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { types: './client/sdk/index.d.ts', default: './client/sdk/index.js' },
      // What the script tag adds to a page: types alone.
      './page': { types: './client/embed/public-api.d.ts', default: './client/embed/public-api.js' },
      './package.json': './package.json',
    },
    types: './client/sdk/index.d.ts',
    // For resolution that knows no exports.
    typesVersions: { '*': { page: ['./client/embed/public-api.d.ts'] } },
    files: ['client', 'generated', 'errors.md'],
    engines: { node: '>=20' },
  };
}

/** What is written for people about the client, with links that lead somewhere in the package. */
async function readme(): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/client.md'), 'utf8');
  return text.replaceAll('(../generated/errors.md)', '(errors.md)');
}

if (import.meta.main) console.log(await packClient(join(ROOT, 'dist/client')));
