/** Vectors that come with the service, so that the articles of the demo can be found by meaning at its first start. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

type ShippedVectors = { dimensions: number; vectors: Uint8Array };
export type FindShipped = (model: string, contentHash: string) => Promise<ShippedVectors | undefined>;

type Head = { model: string; dimensions: number };
/** `vectors` is Base64. */
type Line = { contentHash: string; vectors: string };

/** @param file a head and a line for each article, as JSON; read when the first article is looked up */
export function openShippedVectors(file: string | undefined): FindShipped {
  let loading: Promise<{ head: Head | undefined; lines: Map<string, string> }> | undefined;
  return async (model, contentHash) => {
    loading ??= readLines(file);
    const { head, lines } = await loading;
    const vectors = lines.get(contentHash);
    if (head?.model !== model || vectors === undefined) return undefined;
    return { dimensions: head.dimensions, vectors: Buffer.from(vectors, 'base64') };
  };
}

async function readLines(file: string | undefined) {
  if (file === undefined || !existsSync(file)) return { head: undefined, lines: new Map<string, string>() };
  const [head, ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as Line);
  return {
    head: JSON.parse(head!) as Head,
    lines: new Map(entries.map(({ contentHash, vectors }) => [contentHash, vectors])),
  };
}

export function formatShippedVectors(head: Head, lines: readonly Line[]): string {
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
