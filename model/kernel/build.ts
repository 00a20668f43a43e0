import { readFile, writeFile } from 'node:fs/promises';
import asc from 'assemblyscript/asc';

/** Compiles the kernel into ../kernel.wasm; with --check, it compares the two instead. */

const FILE = new URL('../kernel.wasm', import.meta.url);
const OPTIONS = ['-O3', '--runtime', 'stub', '--noAssert', '--enable', 'relaxed-simd'];

const compiled = await compile();
if (!process.argv.includes('--check')) await writeFile(FILE, compiled);
else if (!compiled.equals(await readFile(FILE))) {
  console.error('model/kernel.wasm is not what model/kernel/kernel.ts compiles to: run make generate');
  process.exitCode = 1;
}

async function compile(): Promise<Buffer> {
  let output: Uint8Array | undefined;
  const { error, stderr } = await asc.main(['kernel.ts', ...OPTIONS, '--outFile', 'kernel.wasm'], {
    readFile: (name, baseDir) =>
      readFile(new URL(name, new URL(`${baseDir}/`, import.meta.url)), 'utf8').catch(() => null),
    writeFile: (_name, contents) => {
      output = contents as Uint8Array;
    },
    listFiles: () => [],
  });
  if (error || !output) throw new Error(`the kernel does not compile:\n${stderr.toString()}`);
  return Buffer.from(output);
}
