/** Where the guide was seen: for each allowed domain of a workspace, the newest origin that booted below it. */
export type Installation = {
  /** The allowed domain, as the settings have it. */
  readonly domain: string;
  readonly origin: string;
  readonly atMillis: number;
};

export type Installations = {
  /**
   * Keeps what is newer than what is kept of the same domain. What is no allowed domain of a standing workspace (any more) is
   * forgotten.
   */
  keep(seen: readonly (Installation & { readonly workspaceId: string })[]): Promise<void>;
};
