/** The worker thread that holds and compares vectors; see loaded-vectors.ts. */
import { parentPort } from 'node:worker_threads';
import type { VectorReply, VectorTask } from './loaded-vectors.ts';
import { createVectorTable, type VectorTable } from './vector-table.ts';

const tables = new Map<number, VectorTable>();

parentPort?.on('message', (task: VectorTask) => {
  switch (task.type) {
    case 'add': {
      const table = tables.get(task.table) ?? createVectorTable();
      tables.set(task.table, table);
      table.add(task.rows);
      return;
    }
    case 'drop':
      tables.delete(task.table);
      return;
    case 'search': {
      const found = tables.get(task.table)?.search(task.question, task.limit) ?? [];
      parentPort?.postMessage({ id: task.id, found } satisfies VectorReply);
    }
  }
});
