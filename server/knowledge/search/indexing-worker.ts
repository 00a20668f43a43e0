/** The worker thread that indexes long texts; see indexing.ts. */
import { answerTasks } from '../../base/task-thread.ts';
import { indexText } from './indexing.ts';

answerTasks(indexText, ({ titles, chunks }) => {
  const parts = [titles, ...chunks.flatMap(({ terms, normalized }) => [terms, normalized])];
  return [...new Set(parts.map((part) => part.buffer as ArrayBuffer))];
});
