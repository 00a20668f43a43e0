import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startWorker } from '../../server/base/worker-file.ts';

const SERVER = join(import.meta.dirname, '../../server');
/** Fills its heap with new objects, then tells how much of it is for those. */
const FILL = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { parentPort } from 'node:worker_threads';
  const kept = [];
  for (let at = 0; at < 300_000; at += 1) kept.push({ at });
  parentPort.postMessage(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size);
`;

describe('a worker thread', () => {
  it('keeps at most 3 MB for new objects, and the limits that it is given', async () => {
    const file = new URL(`data:text/javascript,${encodeURIComponent(FILL)}`);
    const worker = startWorker(file, { resourceLimits: { maxOldGenerationSizeMb: 100 } });
    const [bytes] = await once(worker, 'message');
    expect(bytes).toBeLessThanOrEqual(3 * 1024 * 1024);
    expect(worker.resourceLimits?.maxOldGenerationSizeMb).toBe(100);
    await worker.terminate();
  });

  it('is started by startWorker everywhere', () => {
    const others = globSync('**/*.ts', { cwd: SERVER }).filter(
      (name) =>
        name !== 'base/worker-file.ts' && readFileSync(join(SERVER, name), 'utf8').includes('new Worker('),
    );
    expect(others).toEqual([]);
  });
});
