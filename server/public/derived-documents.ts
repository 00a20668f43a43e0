import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { getWorkerFile, startWorker } from '../base/worker-file.ts';

const WORKER_FILE = getWorkerFile('document-worker', import.meta.url);

export type DocumentTask = { name: string; source: string };

/** Makes a document of openapi.yaml in a thread, because parsing takes a third of a second. */
export async function deriveDocument(name: string, openapi: URL): Promise<string> {
  const workerData: DocumentTask = { name, source: fileURLToPath(openapi) };
  const worker = startWorker(WORKER_FILE, { workerData });
  worker.unref();
  const [text] = (await once(worker, 'message')) as [string];
  return text;
}
