/** The thread in which the mock voice speaks; see mock-voice.ts. */
import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { spokenByFlite } from './flite.ts';
import type { Said, ToSay } from './mock-voice.ts';

const program = WebAssembly.compile(await readFile((workerData as { file: string }).file));

parentPort?.on('message', async ({ text, voice }: ToSay) => {
  const wav = await spokenByFlite(await program, text, voice).catch(() => undefined);
  parentPort?.postMessage({ wav } satisfies Said);
});
