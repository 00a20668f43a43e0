type FeatureFlag = 'kill_switch';

/**
 * Settings of the whole installation that take effect at once, in every process that shares the
 * database.
 */
export type FeatureFlags = {
  isOn(name: FeatureFlag): Promise<boolean>;
  set(name: FeatureFlag, on: boolean, atMillis: number): Promise<void>;
};

/**
 * An installation check: the newest origin that booted the guide on an allowed domain of a workspace.
 */
export type Installation = {
  /** The allowed domain as written in the settings. */
  domain: string;
  origin: string;
  atMillis: number;
};

export type Installations = {
  /**
   * Stores each row that is newer than the stored one for its domain. Skips domains that are no longer
   * allowed and removed workspaces.
   */
  keep(installations: readonly (Installation & { workspaceId: string })[]): Promise<void>;
};

/** The current window of one key in one rate limit. */
export type RateWindow = {
  key: string;
  points: number;
  expiresAtMillis: number;
};

/** Keeps rate-limit windows across restarts; at run time they are in memory. */
export type RateWindows = {
  /** Stores the windows, replacing those with the same keys, and deletes expired ones. */
  save(windows: readonly RateWindow[], nowMillis: number): Promise<void>;
  /** Returns every window that has not expired. */
  load(nowMillis: number): Promise<readonly RateWindow[]>;
};
