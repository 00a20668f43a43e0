/**
 * `file_replaced`: the file or its folder was removed or replaced while in use; nothing is written. `corrupt`: it
 * is damaged; nothing is written. `commits_missing`: at the start it lacked acknowledged commits.
 */
export type StorageProblem = (typeof STORAGE_PROBLEMS)[number];

export const STORAGE_PROBLEMS = ['file_replaced', 'corrupt', 'commits_missing'] as const;

/** The current connections, and counts since the start of the process. */
export type ConnectionStats = {
  open: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
  transactions: number;
  /** The total time that transactions have waited for the locks of their workspaces. */
  lockWaitMillis: number;
};

/** Nothing can be written at the moment. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}
