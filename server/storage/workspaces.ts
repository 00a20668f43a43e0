/** What an owner sets about a workspace. Stored as one document; read by boot, chat and consent. */
export type WorkspaceSettings = {
  /** Exact origins and patterns such as https://*.example.com, in canonical form. */
  readonly allowedOrigins: readonly string[];
  readonly sourceLocale: string;
  readonly showBranding: boolean;
  readonly consentStrictness: 'region' | 'notice' | 'opt_out' | 'opt_in';
  readonly features: {
    readonly pageActions: boolean;
    readonly screenshot: boolean;
    readonly feedback: boolean;
  };
  /** Questions to offer before the first message. */
  readonly suggestions: readonly string[];
};

export type Workspace = {
  readonly id: string;
  /** The public token of the install script, prefixed gp_. */
  readonly appId: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly settings: WorkspaceSettings;
  /** Counts every change. */
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type NewWorkspace = Pick<Workspace, 'id' | 'appId' | 'name' | 'settings' | 'createdAt'>;

/** The owner that a workspace is created with; an address that is known already becomes owner as well. */
export type NewOwner = {
  readonly memberId: string;
  readonly userId: string;
  /** Lower case. */
  readonly email: string;
  /** PHC string. */
  readonly passwordHash: string;
};

export type Workspaces = {
  find(id: string): Promise<Workspace | undefined>;
  findByAppId(appId: string): Promise<Workspace | undefined>;
  /** All of them, oldest first. */
  list(): Promise<readonly Workspace[]>;
  /**
   * True when a workspace, enabled or not, allows one of these exact strings (an origin, or a pattern that matches it). The page of
   * a disabled one has to be able to read why it is refused.
   */
  anyAllows(candidates: readonly string[]): Promise<boolean>;
  /** Creates the workspace, with its owner when one is given, in one step. */
  create(workspace: NewWorkspace, owner?: NewOwner): Promise<'created' | 'app_id_taken'>;
  /** Replaces name, switch or settings; the version goes up by one. */
  change(
    id: string,
    change: { readonly name?: string; readonly enabled?: boolean; readonly settings?: WorkspaceSettings },
    atMillis: number,
  ): Promise<Workspace | undefined>;
};
