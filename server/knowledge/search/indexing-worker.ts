/** The worker thread that indexes long texts; see indexing.ts. */
import { parentPort } from 'node:worker_threads';
import { type IndexingResult, type IndexingTask, indexText } from './indexing.ts';

parentPort?.on('message', ({ id, text }: IndexingTask) => {
  const send = (result: IndexingResult, transfer: ArrayBuffer[] = []) =>
    parentPort?.postMessage(result, transfer);
  try {
    const indexed = indexText(text);
    const parts = [indexed.titles, ...indexed.chunks.flatMap(({ terms, normalized }) => [terms, normalized])];
    send({ id, indexed }, [...new Set(parts.map((part) => part.buffer as ArrayBuffer))]);
  } catch (failure) {
    send({ id, failure });
  }
});
