/** The current window of one key in one rate limit. */
export type RateWindow = {
  readonly key: string;
  readonly points: number;
  readonly expiresAtMillis: number;
};

/** Keeps rate-limit windows across restarts; at run time they are in memory. */
export type RateWindows = {
  /** Stores the windows, replacing those with the same keys, and deletes expired ones. */
  save(windows: readonly RateWindow[], nowMillis: number): Promise<void>;
  /** Returns every window that has not expired. */
  load(nowMillis: number): Promise<readonly RateWindow[]>;
};
