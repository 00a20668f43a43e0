import { expect, it } from 'vitest';
import { LOADED, startNativeWorker } from '../../server/base/native-worker.ts';

/** Loads slowly, records that, and then never ends. */
const SLOW_TO_LOAD = `
  import { parentPort, workerData } from 'node:worker_threads';
  const hasLoaded = new Int32Array(workerData);
  Atomics.wait(hasLoaded, 0, 0, 300);
  hasLoaded[0] = 1;
  parentPort.postMessage('${LOADED}');
  setInterval(() => {}, 1_000);
`;

it('a thread is terminated only after it has loaded its native module', async () => {
  const memory = new SharedArrayBuffer(4);
  const file = new URL(`data:text/javascript,${encodeURIComponent(SLOW_TO_LOAD)}`);
  const { stop } = startNativeWorker(file, memory);
  await stop();
  expect(new Int32Array(memory)[0]).toBe(1);
});

it('stopping resolves for a thread that ended before it could load its module', async () => {
  const file = new URL('data:text/javascript,process.exit(0)');
  const { worker, stop } = startNativeWorker(file, undefined);
  await stop();
  expect(worker.threadId).toBe(-1);
});
