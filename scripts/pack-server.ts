import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTarball } from './pack-client.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** Files that the bundle reads at run time, or that an operator copies. Source maps would double the size. */
const FILES = [
  'dist/*.js',
  'dist/{dashboard,guide,knowledge,migrations,swagger-ui}/**',
  'dist/guidepost-{client,react}-*.tgz',
  'languages/{guide,mail}/*',
  'openapi.yaml',
  'server/demo/page/*',
  'deploy/*',
  'CHANGELOG.md',
  'LICENSE',
];

/** Not bundled: native code, and the files of the embedding model. */
const DEPENDENCIES = ['better-sqlite3', 'guidepost-model'] as const;

/** Files that the bundle reads from the package of the model. Its code is part of the bundle. */
const MODEL_FILES = ['weights/*', 'kernel.wasm', 'NOTICE.md'];

/**
 * Writes the package of the embedding model into `folder` and its tarball next to it; returns the path of the tarball. It
 * has a version of its own, so that a new version of the server does not bring the same 70 MB again.
 */
export async function packModel(folder: string): Promise<string> {
  const source = join(ROOT, 'model/');
  await emptyFolder(folder);
  for await (const path of glob(MODEL_FILES, { cwd: source }))
    await cp(join(source, path), join(folder, path));
  const {
    private: _,
    exports,
    ...manifest
  } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  await writeJson(join(folder, 'package.json'), { ...manifest, exports: omitCode(exports) });
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  return createTarball(folder);
}

const omitCode = ({ '.': _, ...files }: Readonly<Record<string, string>>) => files;

/** Writes the package of the server into `folder` and its tarball next to it; returns the path of the tarball. */
export async function packServer(folder: string): Promise<string> {
  await emptyFolder(folder);
  for await (const file of glob(FILES, { cwd: ROOT, withFileTypes: true })) {
    if (!file.isFile() || file.name.endsWith('.map')) continue;
    const path = join(file.parentPath, file.name);
    await cp(path, join(folder, path.slice(ROOT.length)));
  }
  const source = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  await writeJson(join(folder, 'package.json'), buildManifest(source));
  await writeFile(join(folder, 'README.md'), buildReadme(source.version));
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.txt'), await collectLicences());
  return createTarball(folder);
}

type Manifest = Record<'name' | 'version' | 'description' | 'license', string> & {
  engines: object;
  dependencies: Readonly<Record<string, string>>;
};

function buildManifest({ name, version, description, license, engines, dependencies }: Manifest) {
  return {
    ...{ name, version, description, license },
    keywords: ['guide', 'chat', 'citations', 'help', 'self-hosted'],
    type: 'module',
    bin: { guidepost: 'dist/guidepost.js' },
    engines,
    dependencies: Object.fromEntries(DEPENDENCIES.map((name) => [name, dependencies[name]])),
  };
}

async function emptyFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
}

async function writeJson(file: string, content: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

const buildReadme = (version: string) => `# Guidepost

The service behind an embedded AI guide, which runs on one small machine without any outside service.

    npm install ./guidepost-${version}.tgz
    node_modules/.bin/guidepost serve            # http://127.0.0.1:8787/demo, data in ./data
    node_modules/.bin/guidepost --help
    node_modules/.bin/guidepost doctor

Needs Node 22.19 or later; with Node 24, passwords are hashed beside other requests. Settings are environment variables.
The folder deploy/ has units, proxies, dashboards and alert rules.
`;

/** Returns the licences of the bundled packages, by name. */
async function collectLicences(): Promise<string> {
  const { packages } = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; license?: string; version?: string }>;
  };
  const texts: string[] = [];
  for (const [path, { dev, license, version }] of Object.entries(packages)) {
    if (dev || !path.startsWith('node_modules/')) continue;
    const text = await readLicence(join(ROOT, path));
    texts.push(`${path.slice('node_modules/'.length)} ${version} (${license})\n\n${text}\n`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function readLicence(folder: string): Promise<string> {
  for await (const name of glob('{LICENSE,LICENCE,license,licence,COPYING}*', {
    cwd: folder,
    exclude: ['*/**'],
  }))
    return (await readFile(join(folder, name), 'utf8')).trim();
  return '';
}

if (import.meta.main) {
  console.log(await packModel(join(ROOT, 'dist/model')));
  console.log(await packServer(join(ROOT, 'dist/server')));
}
