/** The worker thread that reads the files of an upload, one after another. */
import { parentPort } from 'node:worker_threads';
import type { FileContents } from '../document.ts';
import { listEntries } from './entries.ts';
import { readEntry } from './read-entry.ts';
import type { FileSettings } from './reader.ts';

export type FileTask = FileSettings & {
  name: string;
  bytes: Uint8Array;
  /** The first file of a zip to read; those before it were read by another thread. */
  from: number;
};

export type FileReply =
  | { kind: 'reading'; at: number; place: string }
  | ({ kind: 'read' } & FileContents)
  | { kind: 'done' };

const send = (reply: FileReply) => parentPort!.postMessage(reply);

async function read(task: FileTask): Promise<void> {
  const { entries, refusals } = await listEntries(task);
  if (task.from === 0) send({ kind: 'read', documents: [], refusals });
  for (const [at, entry] of entries.entries()) {
    if (at < task.from) continue;
    send({ kind: 'reading', at, place: entry.place });
    send({ kind: 'read', ...(await readEntry(entry, task)) });
  }
  send({ kind: 'done' });
}

parentPort!.on('message', (task: FileTask) => void read(task));
