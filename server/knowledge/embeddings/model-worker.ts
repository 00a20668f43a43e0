/** The thread of the embedding model inside the service; see model-thread.ts. */
import { availableParallelism } from 'node:os';
import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type EmbeddingModel, openModel, type Role } from 'guidepost-model';
import type { ModelReply, ModelTask, ModelThreadData } from './model-thread.ts';

type Job = {
  id: number;
  /** The texts that are left. */
  texts: string[];
  vectors: Float32Array[];
  tokens: number;
  /** The text that is on its way through the layers. */
  run?: ReturnType<EmbeddingModel['start']> | undefined;
};

const { weights } = workerData as ModelThreadData;
const model = openModel(weights === undefined ? undefined : new URL(weights));
// V8 compiles the kernel again with optimizations once it has run for some time; no visitor should wait for that.
model.embed('query', 'The first text takes longer than the following ones.');

/** Oldest first. A question never waits for passages, except for the layer that is running. */
const queues: Readonly<Record<Role, Job[]>> = { query: [], passage: [] };
const LANES = { query: 0, passage: 1 } as const;
let isRunning = false;
/** On one core, embedding passages rests as long as it has worked, so that it leaves half of the core to visitors. */
const restsAfterPassages = availableParallelism() === 1;

parentPort?.on('message', (task: ModelTask) => {
  if (task.type === 'cancel') return cancel(task.id);
  queues[task.role].push({ id: task.id, texts: [...task.texts], vectors: [], tokens: 0 });
  if (!isRunning) void runAll();
});

function cancel(id: number): void {
  for (const queue of Object.values(queues)) {
    const index = queue.findIndex((job) => job.id === id);
    if (index >= 0) queue.splice(index, 1);
  }
}

/** Runs one layer at a time, and reads messages in between. */
async function runAll(): Promise<void> {
  isRunning = true;
  for (;;) {
    const role: Role = queues.query.length > 0 ? 'query' : 'passage';
    const job = queues[role][0];
    if (!job) break;
    const startedAt = performance.now();
    const reply = tryStep(role, job);
    if (reply) {
      queues[role].shift();
      parentPort?.postMessage(reply);
    }
    if (restsAfterPassages && role === 'passage') await pause(performance.now() - startedAt);
    else await yieldToEventLoop();
  }
  isRunning = false;
}

function tryStep(role: Role, job: Job): ModelReply | undefined {
  try {
    return step(role, job);
  } catch (error) {
    return { id: job.id, error: String(error) };
  }
}

/** Returns the reply after the last layer of the last text. */
function step(role: Role, job: Job): ModelReply | undefined {
  if (!job.run) {
    const text = job.texts.shift();
    if (text === undefined) return { id: job.id, vectors: job.vectors, tokens: job.tokens };
    const tokens = model.tokenize(role, text);
    job.tokens += tokens.length;
    job.run = model.start(tokens, LANES[role]);
  }
  const vector = job.run.step();
  if (vector) {
    job.vectors.push(vector);
    job.run = undefined;
  }
  return undefined;
}
