/**
 * Reads a file of articles in a separate process, where garbage collection can be forced, and prints the
 * result and the peak size of the buffers that were held meanwhile.
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
for await (const next of readJsonLines(process.argv[2]!, Date.now())) found.push(next);
clearInterval(looking);
process.stdout.write(JSON.stringify({ found, most }));
