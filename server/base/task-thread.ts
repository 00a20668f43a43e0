import { parentPort, type Worker } from 'node:worker_threads';
import { startWorker } from './worker-file.ts';

type Message<Task> = { id: number; task: Task };
type Result<Reply> = { id: number; reply: Reply } | { id: number; failure: unknown };

type TaskThread<Task, Reply> = {
  run(task: Task): Promise<Reply>;
  close(): Promise<void>;
};

/**
 * A worker thread for tasks. It starts with the first one and keeps the process alive only while it has some. When it
 * ends, the tasks under way fail, and the next one starts another thread.
 * @param onEnd called when the thread has ended unexpectedly
 */
export function createTaskThread<Task, Reply>(file: URL, onEnd = () => {}): TaskThread<Task, Reply> {
  const pending = new Map<number, PromiseWithResolvers<Reply>>();
  let worker: Worker | undefined;
  let lastId = 0;

  function rejectAll(reason: unknown): void {
    for (const { reject } of pending.values()) reject(reason);
    pending.clear();
  }

  function start(): Worker {
    const started = startWorker(file);
    started.on('message', (result: Result<Reply>) => {
      const task = pending.get(result.id);
      pending.delete(result.id);
      if (pending.size === 0) started.unref();
      if ('reply' in result) task?.resolve(result.reply);
      else task?.reject(result.failure);
    });
    const end = (reason: unknown) => {
      if (worker !== started) return;
      worker = undefined;
      rejectAll(reason);
      onEnd();
    };
    started.on('error', end);
    started.on('exit', () => end(new Error('the thread exited')));
    return started;
  }

  return {
    run(task) {
      worker ??= start();
      lastId += 1;
      const waiting = Promise.withResolvers<Reply>();
      pending.set(lastId, waiting);
      worker.ref();
      worker.postMessage({ id: lastId, task } satisfies Message<Task>);
      return waiting.promise;
    },
    async close() {
      const ending = worker;
      worker = undefined;
      rejectAll(new Error('the thread is closed'));
      await ending?.terminate();
    },
  };
}

/** Answers the tasks of a thread, in the thread. `listBuffers` names what a reply hands over without a copy. */
export function answerTasks<Task, Reply>(
  answer: (task: Task) => Reply,
  listBuffers: (reply: Reply) => readonly ArrayBuffer[] = () => [],
): void {
  const send = (result: Result<Reply>, buffers: readonly ArrayBuffer[] = []) =>
    parentPort?.postMessage(result, buffers);
  parentPort?.on('message', ({ id, task }: Message<Task>) => {
    try {
      const reply = answer(task);
      send({ id, reply }, listBuffers(reply));
    } catch (failure) {
      send({ id, failure });
    }
  });
}
