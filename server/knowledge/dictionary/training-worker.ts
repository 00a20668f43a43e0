/** The worker thread that learns dictionaries; see builder.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TrainingReply, TrainingTask } from './builder.ts';
import { createTrainer } from './train.ts';

const trainer = createTrainer(workerData as number);

parentPort?.on('message', ({ articles }: TrainingTask) => {
  if (articles) {
    for (const article of articles) trainer.add(article);
    parentPort?.postMessage({ isFull: trainer.isFull() } satisfies TrainingReply);
    return;
  }
  const dictionaries = trainer.finish();
  const transfer = dictionaries.map(({ content }) => content.buffer as ArrayBuffer);
  parentPort?.postMessage({ dictionaries } satisfies TrainingReply, transfer);
});
