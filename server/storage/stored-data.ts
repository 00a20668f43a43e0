/** Rows older than this are deleted. */
export type RetentionCutoffs = {
  /** Conversations that began before this time, with everything in them. */
  conversationsBeforeMillis: number;
  /** Event rows from before this time. */
  eventsBeforeMillis: number;
};

/** Stored data, by kind. `knowledge` is every revision of articles and translations; `search` is derived from them. */
export const STORED_KINDS = [
  'conversations',
  'turns',
  'events',
  'consent',
  'audit',
  'knowledge',
  'images',
  'search',
] as const;

export type StoredKind = {
  kind: (typeof STORED_KINDS)[number];
  rows: number;
  /** Estimated size in the file, with indexes. */
  bytes: number;
  /** When the oldest row was made. Absent without rows, and for rows without a time. */
  oldestAtMillis?: number;
};

/** The stored data of a workspace, and the deletion of old data. */
export type StoredData = {
  /**
   * Deletes a bounded part of the data older than the cutoffs, oldest first; call again while `more`. A
   * conversation may lose its turns over several calls.
   */
  deleteOlder(cutoffs: RetentionCutoffs): Promise<{ conversations: number; events: number; more: boolean }>;
  /** Reads every row, in steps with a pause between them, and returns one entry for each kind. */
  measure(pause: () => Promise<unknown>): Promise<readonly StoredKind[]>;
};
