/**
 * Installation checks: for each allowed domain of a workspace, the newest origin that booted there.
 */
export type Installation = {
  /** The allowed domain as written in the settings. */
  readonly domain: string;
  readonly origin: string;
  readonly atMillis: number;
};

export type Installations = {
  /**
   * Stores each row that is newer than the stored one for its domain. Skips domains that are no longer
   * allowed and removed workspaces.
   */
  keep(installations: readonly (Installation & { readonly workspaceId: string })[]): Promise<void>;
};
