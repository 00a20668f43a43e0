/** The worker thread that holds and compares vectors; see loaded-vectors.ts. */
import { answerTasks } from '../../base/task-thread.ts';
import type { VectorTask } from './loaded-vectors.ts';
import type { SimilarArticle } from './similarity.ts';
import { createVectorTable, type VectorTable } from './vector-table.ts';

const tables = new Map<number, VectorTable>();

answerTasks((task: VectorTask): readonly SimilarArticle[] => {
  const table = tables.get(task.table) ?? createVectorTable();
  if (task.type === 'search') return table.search(task.question, task);
  if (task.type === 'drop') tables.delete(task.table);
  else {
    tables.set(task.table, table);
    table.add(task.rows);
  }
  return [];
});
