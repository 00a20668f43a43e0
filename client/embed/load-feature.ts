import type { LoadChunk } from './chunks.ts';
import type { Localization } from './language.ts';
import { addStyle } from './style.ts';

export type FeatureDeps = { load: LoadChunk; localization: Localization; shadow: ShadowRoot };

/** Loads a file with its style, and the texts that only it needs. */
export async function loadFeature<Chunk extends { STYLE: string }, Texts>(
  { load, localization, shadow }: FeatureDeps,
  name: string,
): Promise<Omit<Chunk, 'texts'> & { texts: Texts }> {
  const [chunk, { texts }] = await Promise.all([
    load<Chunk>(name),
    load<{ texts: Texts }>(`${localization.file}-${name}`),
  ]);
  addStyle(shadow, chunk.STYLE);
  return { ...chunk, texts };
}
