import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ENTRY = fileURLToPath(new URL('./embed.ts', import.meta.url));
const OUT_FILE = fileURLToPath(new URL('../../dist/guide.js', import.meta.url));

/** Bundles the script tag into one classic script without a dependency. */
export async function buildEmbed(outFile: string): Promise<void> {
  const bundle = await rolldown({ input: ENTRY, logLevel: 'warn' });
  await bundle.write({ file: outFile, format: 'iife', minify: true, sourcemap: false });
  await bundle.close();
}

if (argv[1] === fileURLToPath(import.meta.url)) await buildEmbed(argv[2] ?? OUT_FILE);
