import { copyFile, mkdir } from 'node:fs/promises';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = new URL('./', import.meta.url);
const OUT_FOLDER = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url));

/** Bundles each page into one classic script without a dependency, and puts their style beside them. */
export async function buildDashboard(outFolder: string): Promise<void> {
  await mkdir(outFolder, { recursive: true });
  for (const page of ['setup', 'invitation']) {
    const bundle = await rolldown({ input: fileURLToPath(new URL(`${page}.ts`, HERE)), logLevel: 'warn' });
    await bundle.write({ file: `${outFolder}/${page}.js`, format: 'iife', minify: true, sourcemap: false });
    await bundle.close();
  }
  await copyFile(new URL('style.css', HERE), `${outFolder}/style.css`);
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildDashboard(argv[2] ?? OUT_FOLDER);
