import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/**
 * Writes the published package into `folder` and its tarball next to it. The modules stay separate, so that a bundler can
 * drop what a page does not import; the types need no other package.
 */
export async function packClient(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run('tsc', ['-p', join(ROOT, 'client/tsconfig.package.json'), '--outDir', folder]);
  for await (const name of glob('**/*.d.ts', { cwd: folder })) await fixImports(join(folder, name));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await buildManifest(), null, 2)}\n`);
  await writeFile(join(folder, 'README.md'), await buildReadme());
  await cp(join(ROOT, 'generated/errors.md'), join(folder, 'errors.md'));
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', join(folder, '..')], {
    cwd: folder,
  });
  const [{ filename }] = JSON.parse(stdout);
  return join(folder, '..', filename);
}

/** The compiler leaves `.ts` in the imports of declarations. */
async function fixImports(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}

async function buildManifest() {
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
      // One constant for each operation of the API, for `call` and `list`.
      './operations': { types: './generated/routes.d.ts', default: './generated/routes.js' },
      // What the script tag adds to a page; types only.
      './page': { types: './client/embed/public-api.d.ts', default: './client/embed/public-api.js' },
      './package.json': './package.json',
    },
    types: './client/sdk/index.d.ts',
    // For module resolution without `exports`.
    typesVersions: {
      '*': { page: ['./client/embed/public-api.d.ts'], operations: ['./generated/routes.d.ts'] },
    },
    files: ['client', 'generated', 'errors.md'],
    engines: { node: '>=20.3' },
  };
}

/** The client's documentation, with links that work within the package. */
async function buildReadme(): Promise<string> {
  const text = await readFile(join(ROOT, 'docs/client.md'), 'utf8');
  return text.replaceAll('(../generated/errors.md)', '(errors.md)');
}

if (import.meta.main) console.log(await packClient(join(ROOT, 'dist/client')));
