import type { PurgeEngine, PurgeStep } from '../sql/workspace-purge.ts';
import { statement } from './portable.ts';

const ROWS_A_STEP = 200;

/** Deletes a few of the rows; without `of`, those of the workspace. */
function purge(table: string, of = `${table} AS item WHERE item.workspace_id = @workspaceId`): PurgeStep {
  const some = statement(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT item.ctid FROM ${of} LIMIT ${ROWS_A_STEP}))`,
  );
  return async (tx, workspaceId) => (await tx.run(some, { workspaceId })) > 0;
}

const ofPartitions = (table: string) =>
  purge(
    table,
    `${table} AS item JOIN passage_partitions AS partition ON partition.id = item.partition_id
     WHERE partition.workspace_id = @workspaceId`,
  );

/** The word index. What vacuum, the log, replicas and backups still hold of deleted rows is the operator's. */
export const POSTGRES_PURGE: PurgeEngine = {
  steps: [
    ofPartitions('passage_words'),
    ofPartitions('passage_terms'),
    purge('passage_partitions'),
    purge('passage_chunks'),
    purge('passages'),
  ],
  compact: async () => true,
  clearLogs: async () => true,
};
