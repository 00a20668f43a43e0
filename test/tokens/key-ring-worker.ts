import { parentPort, workerData } from 'node:worker_threads';
import { openKeyRing } from '../../server/tokens/key-ring.ts';

/**
 * Opens the key ring of a folder at the same moment as other workers and reports its signing key.
 */
const { dataDir, gate } = workerData as { dataDir: string; gate: SharedArrayBuffer };
const waiting = new Int32Array(gate);
parentPort!.postMessage('ready');
Atomics.wait(waiting, 0, 0);
const now = Date.now();
const ring = openKeyRing(dataDir, [], now);
parentPort!.postMessage(`${ring.signing(now).kid} ${ring.visitorIdKey.export().toString('hex')}`);
