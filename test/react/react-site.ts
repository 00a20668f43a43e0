import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { packClient, packReact } from '../../scripts/pack-client.ts';
import { openWebsite } from '../support/website.ts';

/** Projects that use the packed packages with a version of React, and a server for their pages. */

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The oldest React that the package supports, and the newest. */
const REACTS = { 18: join(ROOT, 'test/react/node_modules'), 19: join(ROOT, 'node_modules') } as const;
type ReactVersion = keyof typeof REACTS;

const TYPES: Readonly<Record<ReactVersion, string>> = {
  18: join(ROOT, 'test/react/node_modules'),
  19: join(ROOT, 'lint/node_modules'),
};

export type Project = {
  folder: string;
  /** Builds the page whose entry is `index.html`, and returns the folder. */
  buildPage: (files: Readonly<Record<string, string>>) => Promise<string>;
  /** Builds a module for Node, and returns its path. */
  buildForServer: (files: Readonly<Record<string, string>>, entry: string) => Promise<string>;
};

export type Packages = {
  written: string;
  tarball: string;
  openProject: (version: ReactVersion) => Promise<Project>;
  remove: () => Promise<void>;
};

export async function openPackages(): Promise<Packages> {
  const root = await mkdtemp(join(tmpdir(), 'guidepost-react-'));
  const written = join(root, 'react');
  const tarballs = {
    client: await packClient(join(root, 'client')),
    react: await packReact(written),
  };
  return {
    written,
    tarball: tarballs.react,
    openProject: (version) => openProject(join(root, `project-${version}`), version, tarballs),
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

async function openProject(
  folder: string,
  version: ReactVersion,
  tarballs: Readonly<Record<string, string>>,
): Promise<Project> {
  const modules = join(folder, 'node_modules');
  for (const [name, tarball] of Object.entries(tarballs)) {
    const target = join(modules, '@guidepost', name);
    await mkdir(target, { recursive: true });
    await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  }
  await mkdir(join(modules, '@types'));
  for (const name of ['react', 'react-dom']) {
    await symlink(join(REACTS[version], name), join(modules, name));
    await symlink(join(TYPES[version], '@types', name), join(modules, '@types', name));
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  let builds = 0;
  async function write(files: Readonly<Record<string, string>>): Promise<string> {
    builds += 1;
    const source = join(folder, `source-${builds}`);
    await mkdir(source);
    for (const [name, content] of Object.entries(files)) await writeFile(join(source, name), content);
    return source;
  }
  return {
    folder,
    buildPage: async (files) => buildWithVite(await write(files), {}),
    buildForServer: async (files, entry) =>
      join(await buildWithVite(await write(files), { ssr: entry }), entry.replace(/\.\w+$/, '.js')),
  };
}

/** React warns only in development. */
const DEVELOPMENT = { 'process.env.NODE_ENV': '"development"' };

async function buildWithVite(root: string, options: { ssr?: string }): Promise<string> {
  const outDir = join(root, 'dist');
  await build({
    configFile: false,
    root,
    base: './',
    logLevel: 'error',
    define: DEVELOPMENT,
    build: {
      ...options,
      outDir,
      minify: false,
      // 'use client' directives have no meaning without server components.
      rolldownOptions: { onLog: (_, log) => log.code === 'MODULE_LEVEL_DIRECTIVE' },
    },
    ssr: { noExternal: true },
  });
  return outDir;
}

const TYPE_OF: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

export type Site = {
  origin: string;
  /** Serves a built folder under a path, with changes to its HTML. */
  serve: (path: string, folder: string, change?: (html: string) => string) => void;
  close: () => Promise<void>;
};

/** A customer's site. */
export async function openSite(): Promise<Site> {
  const folders = new Map<string, { folder: string; change: (html: string) => string }>();
  const { port, close } = await openWebsite((path) => {
    const [, name = '', ...rest] = new URL(path, 'http://site').pathname.split('/');
    const served = folders.get(name);
    const file = join(served?.folder ?? '/nowhere', rest.join('/') || 'index.html');
    if (!served || !existsSync(file)) return undefined;
    const content = readFileSync(file, 'utf8');
    const isPage = file.endsWith('.html');
    return {
      headers: { 'content-type': `${TYPE_OF[extname(file)] ?? 'text/plain'}; charset=utf-8` },
      body: isPage ? served.change(content) : content,
    };
  });
  return {
    origin: `http://localhost:${port}`,
    serve: (path, folder, change = (html) => html) => void folders.set(path, { folder, change }),
    close,
  };
}
