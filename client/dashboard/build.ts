import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { build } from 'vite';

const HERE = new URL('./', import.meta.url);
const OUT_FOLDER = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url));

/** Builds the application, and beside it the two pages that links lead to. */
export async function buildDashboard(outFolder: string): Promise<void> {
  await mkdir(outFolder, { recursive: true });
  await buildApplication(outFolder);
  for (const page of ['setup', 'invitation']) {
    const bundle = await rolldown({ input: fileURLToPath(new URL(`${page}.ts`, HERE)), logLevel: 'warn' });
    await bundle.write({ file: `${outFolder}/${page}.js`, format: 'iife', minify: true, sourcemap: false });
    await bundle.close();
  }
  await copyFile(new URL('style.css', HERE), `${outFolder}/style.css`);
}

/** Every page is a chunk of its own; the manifest tells the server what the first one needs. */
async function buildApplication(outDir: string): Promise<void> {
  await rm(`${outDir}/assets`, { recursive: true, force: true });
  await build({
    configFile: false,
    root: fileURLToPath(HERE),
    // Files find each other wherever a proxy keeps the service.
    base: './',
    logLevel: 'warn',
    // Tests look at what people get: their environment would have another React built in.
    define: { 'process.env.NODE_ENV': '"production"' },
    oxc: { jsx: { runtime: 'automatic', development: false } },
    plugins: [{ name: 'styles-are-there', generateBundle: demandStyles }],
    build: {
      outDir,
      emptyOutDir: false,
      manifest: 'manifest.json',
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      // The content security policy allows no data: fonts or scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 900,
      rolldownOptions: {
        input: fileURLToPath(new URL('main.tsx', HERE)),
        // Many small files press badly; what most pages share is one.
        output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 16, test: /node_modules/ }] } },
        // Libraries mark their files for servers that render them; there is none here.
        onLog: (level, log, report) => {
          if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
        },
      },
    },
  });
}

/** A component without its style looks broken, and nothing else would say so. */
function demandStyles(_options: unknown, bundle: Readonly<Record<string, unknown>>): void {
  const imported = ['styles.css', 'page-styles.css']
    .map((name) => readFileSync(new URL(name, HERE), 'utf8'))
    .join('');
  const modules = Object.values(bundle).flatMap((part) => (part as { moduleIds?: string[] }).moduleIds ?? []);
  for (const id of modules) {
    const [, name] = /@mantine\/core\/esm\/components\/\w+\/(\w+)\.module\.mjs$/.exec(id) ?? [];
    const style = `@mantine/core/styles/${name}.css`;
    if (!name || imported.includes(style) || !existsSync(new URL(`../../node_modules/${style}`, HERE)))
      continue;
    throw new Error(`client/dashboard/page-styles.css has to import '${style}', in the order of the library`);
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildDashboard(argv[2] ?? OUT_FOLDER);
