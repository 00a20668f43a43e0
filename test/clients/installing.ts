import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Generator } from './generators.ts';
import { inTurn } from './walking.ts';

/** Folders that several generators share are installed once. */
const begun = new Map<string, Promise<string | undefined>>();

/** Installs what the folder of a generator pins, unless that was done; answers with what went wrong. */
export function installed(generator: Generator, say: (what: string) => void): Promise<string | undefined> {
  const { folder } = generator;
  const known = begun.get(folder) ?? install(generator, say);
  begun.set(folder, known);
  return known;
}

async function install({ folder, manifest, install }: Generator, say: (what: string) => void) {
  const pins = createHash('sha256')
    .update(readFileSync(join(folder, manifest)))
    .digest('hex');
  const mark = join(folder, '.cache', `installed-${pins}`);
  if (existsSync(mark)) return undefined;
  const trouble = await inTurn(install, folder, say);
  if (trouble) return trouble;
  mkdirSync(join(folder, '.cache'), { recursive: true });
  writeFileSync(mark, '');
  return undefined;
}
