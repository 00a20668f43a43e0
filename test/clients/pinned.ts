import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version that a manifest of this folder pins. */
export function pinned(manifest: string, pattern: string): string {
  const version = new RegExp(pattern).exec(readFileSync(join(import.meta.dirname, manifest), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${manifest} pins nothing that looks like ${pattern}`);
  return version;
}
