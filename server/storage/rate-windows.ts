/** One running window of one key of one bucket. */
export type RateWindow = {
  readonly key: string;
  readonly points: number;
  readonly expiresAtMillis: number;
};

/** Where the limiter keeps its windows over a restart. The windows themselves run in memory. */
export type RateWindows = {
  /** Stores these windows, replacing those of the same keys, and drops what expired by now. */
  save(windows: readonly RateWindow[], nowMillis: number): Promise<void>;
  /** Every window that still runs. */
  load(nowMillis: number): Promise<readonly RateWindow[]>;
};
