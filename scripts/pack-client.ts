import { execFile } from 'node:child_process';
import { chmod, cp, glob, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The project's TypeScript compiler. Dependencies of tests bring older versions. */
export const COMPILER = join(ROOT, 'lint/node_modules/.bin/tsc');

/** The folder in each package that contains its modules as CommonJS. */
const COMMONJS = 'commonjs';

/** Writes the package of the client into `folder` and its tarball next to it; returns the path of the tarball. */
export async function packClient(folder: string): Promise<string> {
  await compile('client/tsconfig.package.json', folder);
  await writeJson(join(folder, 'package.json'), await buildManifest());
  await writeFile(join(folder, 'README.md'), await buildReadme('client'));
  await cp(join(ROOT, 'generated/errors.md'), join(folder, 'errors.md'));
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  return createTarball(folder);
}

/** Does the same for the React components. Their package depends on the client package. */
export async function packReact(folder: string): Promise<string> {
  await compile('client/tsconfig.react.json', folder);
  // The compiler also writes the client, which this package imports from the client package.
  for (const part of ['generated', 'client/sdk', 'client/speech-input'])
    for (const form of ['', COMMONJS]) await rm(join(folder, form, part), { recursive: true, force: true });
  await writeJson(join(folder, 'package.json'), await buildReactManifest());
  await writeFile(join(folder, 'README.md'), await buildReadme('react'));
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  return createTarball(folder);
}

/**
 * Compiles a project into an empty `folder`, as ES modules and as CommonJS. The modules stay separate, so that a bundler can
 * drop what a page does not import; the types need no other package.
 */
export async function compile(project: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const settings = ['-p', join(ROOT, project)];
  const commonjs = [
    '--module',
    'commonjs',
    '--moduleResolution',
    'bundler',
    '--verbatimModuleSyntax',
    'false',
  ];
  await Promise.all([
    run(COMPILER, [...settings, '--outDir', folder]),
    run(COMPILER, [...settings, '--outDir', join(folder, COMMONJS), ...commonjs]),
  ]);
  await writeJson(join(folder, COMMONJS, 'package.json'), { type: 'commonjs' });
  for await (const name of glob('**/*.d.ts', { cwd: folder })) await fixImports(join(folder, name));
}

/** Builds an entry of `exports`, for `import` and `require`. */
function buildEntry(module: string) {
  const files = (path: string) => ({ types: `${path}.d.ts`, default: `${path}.js` });
  return { import: files(`./${module}`), require: files(`./${COMMONJS}/${module}`) };
}

/** Returns the path of the tarball, next to `folder`. The same files make the same bytes, whatever the user's umask. */
export async function createTarball(folder: string): Promise<string> {
  for await (const file of glob('**', { cwd: folder, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', join(folder, '..')], {
    cwd: folder,
  });
  const [{ filename }] = JSON.parse(stdout);
  return join(folder, '..', filename);
}

async function writeJson(file: string, content: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** Replaces `.ts` by `.js` in the imports of declaration files, which the compiler leaves unchanged. */
async function fixImports(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replaceAll(/(from '\.[^']*)\.tsx?'/g, "$1.js'"));
}

const INDEX = 'client/sdk/index';
const OPERATIONS = 'generated/routes';
const PAGE = 'client/embed/public-api';
const REACT = 'client/react/index';

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
      '.': buildEntry(INDEX),
      // One constant for each operation of the API, for `call` and `list`.
      './operations': buildEntry(OPERATIONS),
      // Types of the script tag's additions to a page.
      './page': buildEntry(PAGE),
      './package.json': './package.json',
    },
    // For tools that do not know `exports`.
    main: `./${COMMONJS}/${INDEX}.js`,
    types: `./${COMMONJS}/${INDEX}.d.ts`,
    typesVersions: {
      '*': {
        page: [`./${COMMONJS}/${PAGE}.d.ts`],
        operations: [`./${COMMONJS}/${OPERATIONS}.d.ts`],
      },
    },
    files: ['client', 'generated', COMMONJS, 'errors.md'],
    engines: { node: '>=20.3' },
  };
}

async function buildReactManifest() {
  const { name, version, license } = JSON.parse(await readFile(join(ROOT, 'client/package.json'), 'utf8'));
  return {
    name: '@guidepost/react',
    version,
    description: 'React components and a hook for the Guidepost guide: a chat of your own, without styles.',
    license,
    keywords: ['guidepost', 'guide', 'chat', 'react', 'citations', 'consent'],
    type: 'module',
    sideEffects: false,
    exports: { '.': buildEntry(REACT), './package.json': './package.json' },
    main: `./${COMMONJS}/${REACT}.js`,
    types: `./${COMMONJS}/${REACT}.d.ts`,
    files: ['client', COMMONJS],
    peerDependencies: { [name]: `^${version}`, react: '>=18' },
    // npm installs a missing peer from the registry, where another could own the name; an optional one it leaves out.
    peerDependenciesMeta: { [name]: { optional: true } },
    engines: { node: '>=20.3' },
  };
}

/**
 * Builds the README from a documentation page. Removes links to pages that are not in the package; only the error list
 * is.
 */
async function buildReadme(page: string): Promise<string> {
  const text = await readFile(join(ROOT, `docs/${page}.md`), 'utf8');
  return text
    .replaceAll('(../generated/errors.md)', '(errors.md)')
    .replaceAll(/\[([^\]]+)\]\((?!errors)[a-z-]+\.md(?:#[^)]*)?\)/g, '$1');
}

/** Writes both packages into `dist`; the service serves their tarballs. */
export async function packPackages(dist: string): Promise<void> {
  await Promise.all([packClient(join(dist, 'client')), packReact(join(dist, 'react'))]);
}

if (import.meta.main) await packPackages(join(ROOT, 'dist'));
