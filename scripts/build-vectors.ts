/**
 * Computes the vectors that come with the service, after a change of the model, the demo's articles or the background
 * texts; takes about five minutes:
 *
 *     node scripts/build-vectors.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { openModel } from '../model/index.ts';
import { hashParts, splitParts } from '../server/knowledge/embeddings/parts.ts';
import { formatShippedVectors } from '../server/knowledge/embeddings/shipped-vectors.ts';
import { encodeParts } from '../server/knowledge/embeddings/vector-table.ts';
import { encodeVectors } from '../server/knowledge/embeddings/vectors.ts';

const BACKGROUND = new URL('../server/knowledge/meaning/background.json', import.meta.url);
const BACKGROUND_VECTORS = new URL('../server/knowledge/meaning/background-vectors.json', import.meta.url);
const DEMO = new URL('../server/demo/knowledge/gnome-help.jsonl', import.meta.url);
const DEMO_VECTORS = new URL('../server/demo/knowledge/gnome-help-vectors.jsonl', import.meta.url);

type Article = { title: string; answer: string; locale: string };

const model = openModel();
const embed = (texts: readonly string[]) => texts.map((text) => [...model.embed('passage', text)]);

const background = JSON.parse(readFileSync(BACKGROUND, 'utf8')) as Record<string, string[]>;
const vectors = Buffer.from(encodeVectors(embed(Object.values(background).flat()))).toString('base64');
writeFileSync(BACKGROUND_VECTORS, `${JSON.stringify({ model: model.id, vectors }, null, 2)}\n`);

const articles = readFileSync(DEMO, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Article);
const lines = articles.map((article, index) => {
  const parts = splitParts(article, true);
  const encoded = encodeParts(parts, embed([...parts.windows, ...parts.sentences].map(({ text }) => text)));
  process.stderr.write(`\r${index + 1} of ${articles.length} articles`);
  return { contentHash: hashParts(parts), vectors: Buffer.from(encoded).toString('base64') };
});
writeFileSync(DEMO_VECTORS, formatShippedVectors({ model: model.id, dimensions: model.dimensions }, lines));
model.close();
process.stderr.write('\n');
