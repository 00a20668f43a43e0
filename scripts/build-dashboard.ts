import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { icons as tabler } from '@iconify-json/tabler';
import { build, type Plugin } from 'vite';
import { FURTHER_TEXTS } from '../client/dashboard/catalogs.ts';
import { ICONS } from '../client/dashboard/icons.ts';

const HERE = new URL('../client/dashboard/', import.meta.url);
const OUT_DIR = fileURLToPath(new URL('../dist/dashboard/', import.meta.url));

/** Provides the shapes of the listed icons as the module `virtual:icons`. */
const iconShapes: Plugin = {
  name: 'icon-shapes',
  resolveId: { filter: { id: /^virtual:icons$/ }, handler: () => '\0virtual:icons' },
  load: {
    filter: { id: /^\0virtual:icons$/ },
    handler: () => {
      const shapes = ICONS.map((name) => {
        const icon = tabler.icons[name];
        if (!icon) throw new Error(`Tabler has no icon "${name}".`);
        return [name, icon.body];
      });
      return `export default ${JSON.stringify(Object.fromEntries(shapes))}`;
    },
  },
};

/** Writes the limits of the contract into the code as numbers, because their tables would weigh more. */
const limitValues: Plugin = {
  name: 'limit-values',
  transform: {
    filter: { id: /\/client\/dashboard\//, code: /\/contract\/limits\// },
    handler: async (code) => {
      const tables = await readLimits();
      return code.replaceAll(
        /\b([A-Z]+_LIMITS)\.(\w+)/g,
        (text, table, name) => `${tables[table]?.[name] ?? text}`,
      );
    },
  },
};

async function readLimits(): Promise<Record<string, Record<string, unknown>>> {
  const folder = new URL('../contract/limits/', import.meta.url);
  const modules = (await readdir(folder)).map((name) => import(new URL(name, folder).href));
  return Object.assign({}, ...(await Promise.all(modules)));
}

/** Splits a catalog into the texts of the first page and those of further pages. */
const catalogParts: Plugin = {
  name: 'catalog-parts',
  load: {
    filter: { id: /\/languages\/dashboard\/\w+\.json\?(first|further)$/ },
    handler: async (id) => {
      const [file = '', part] = id.split('?');
      const pick = (texts: object, path = ''): object =>
        Object.fromEntries(
          Object.entries(texts).flatMap(([key, text]): [string, unknown][] => {
            if (FURTHER_TEXTS.includes(path + key)) return part === 'further' ? [[key, text]] : [];
            if (typeof text === 'string') return part === 'first' ? [[key, text]] : [];
            const picked = pick(text, `${path}${key}.`);
            return Object.keys(picked).length > 0 ? [[key, picked]] : [];
          }),
        );
      return `export default ${JSON.stringify(pick(JSON.parse(await readFile(file, 'utf8'))))}`;
    },
  },
};

/** Builds each route as its own chunk. The server reads the entry and its styles from the manifest. */
export async function buildDashboard(outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true });
  await rm(`${outDir}/assets`, { recursive: true, force: true });
  await build({
    configFile: false,
    root: fileURLToPath(HERE),
    // Relative, for a proxy that serves it below a path.
    base: './',
    logLevel: 'warn',
    // Always build for production, whatever NODE_ENV the tests set.
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { conditions: ['module', 'browser', 'production'] },
    plugins: [iconShapes, limitValues, catalogParts],
    oxc: { jsx: { runtime: 'automatic', development: false } },
    build: {
      outDir,
      emptyOutDir: false,
      manifest: 'manifest.json',
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // The content security policy rejects data: fonts and scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 900,
      rolldownOptions: {
        input: fileURLToPath(new URL('main.tsx', HERE)),
        // Many small chunks compress badly: bundle what most routes share.
        output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 30, test: /node_modules/ }] } },
        // 'use client' directives have no meaning without server rendering.
        onLog: (level, log, report) => {
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
      },
    },
  });
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildDashboard(argv[2] ?? OUT_DIR);
