/** Rows older than this are deleted. */
export type RetentionCutoffs = {
  /** Conversations that began earlier, with everything in them. */
  readonly conversationsBeforeMillis: number;
  /** Event rows from earlier. */
  readonly eventsBeforeMillis: number;
};

/** What a workspace stores, and deleting what is too old. */
export type Holdings = {
  /**
   * Deletes a bounded part of what is older, oldest first; call again while `more`. A conversation
   * may lose its turns over several calls.
   */
  deleteOlder(
    cutoffs: RetentionCutoffs,
  ): Promise<{ readonly conversations: number; readonly events: number; readonly more: boolean }>;
};
