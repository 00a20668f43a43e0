/**
 * Reads a file of articles in a process of its own, where the collector is quick, and tells what was found and the most bytes of buffers
 * that were held meanwhile.
 *
 *   node --expose-gc test/knowledge/held-while-reading.ts FILE
 */
import { readJsonLines } from '../../server/knowledge/import/json-lines.ts';

function heldBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().arrayBuffers;
}

const before = heldBytes();
let most = 0;
const looking = setInterval(() => {
  most = Math.max(most, heldBytes() - before);
}, 5);
const found: unknown[] = [];
for await (const next of readJsonLines(process.argv[2]!)) found.push(next);
clearInterval(looking);
process.stdout.write(JSON.stringify({ found, most }));
