import type { AuditEntry } from './audit.ts';

/** What an owner sets about a workspace. Stored as one document; read by boot, chat and consent. */
export type WorkspaceSettings = {
  /** Exact origins and patterns such as https://*.example.com, in canonical form. */
  readonly allowedOrigins: readonly string[];
  readonly sourceLocale: string;
  readonly showBranding: boolean;
  readonly consentStrictness: 'region' | 'notice' | 'opt_out' | 'opt_in';
  /** Regions that the workspace is stricter in, with their codes in canonical form; none when absent. */
  readonly consentStrictnessByRegion?: readonly RegionStrictness[];
  readonly features: {
    readonly pageActions: boolean;
    readonly screenshot: boolean;
    readonly feedback: boolean;
  };
  /** Questions to offer before the first message. */
  readonly suggestions: readonly string[];
  readonly voice: WorkspaceVoice;
  /** What the owner asks of a guide that writes its answers; the usual when absent. */
  readonly guide?: WorkspaceGuide;
  /** How the guide looks; the usual when absent. */
  readonly branding?: WorkspaceBranding;
};

export type RegionStrictness = {
  /** ISO 3166-2, or a country with all of its regions. */
  readonly region: string;
  readonly strictness: 'notice' | 'opt_out' | 'opt_in';
};

export type WorkspaceBranding = {
  /** What the panel is headed with; the service's own words when absent. */
  readonly title?: string;
  /** #rrggbb in lower case; the service's own when absent. */
  readonly color?: string;
  /** At which side of the page the launcher is, as lines of text begin and end. */
  readonly launcher: 'start' | 'end';
};

/** What a workspace begins with. */
export const BRANDING_DEFAULTS: WorkspaceBranding = { launcher: 'end' };

export type WorkspaceGuide = {
  /** Tone and scope, in the owner's words. */
  readonly instructions?: string;
  /** Whether it may answer what no article answers. */
  readonly generalAnswers: boolean;
  /** Tokens of a language model in a calendar month of the voice's time zone; as many as are asked for when absent. */
  readonly monthlyTokensMax?: number;
  /** Tokens that one answer may cost. */
  readonly turnTokensMax?: number;
};

/** What a workspace begins with. */
export const GUIDE_DEFAULTS: WorkspaceGuide = { generalAnswers: false };

export type WorkspaceVoice = {
  readonly enabled: boolean;
  /** Seconds of speech in a calendar month. */
  readonly monthlySecondsMax: number;
  /** IANA zone that months are counted in, here and of tokens. */
  readonly timeZone: string;
  /** The voice that speaks when a request names none; the provider's own when absent. */
  readonly voiceId?: string;
  /** Who is asked first, each the service's own order when absent. */
  readonly tokenProvider?: 'provider_a' | 'provider_b' | 'provider_b-batch' | 'mock';
  readonly transcribeProvider?: 'provider_a' | 'provider_b';
  readonly speechProvider?: 'provider_a' | 'provider_b' | 'provider_c' | 'mock';
};

/** What a workspace begins with. */
export const VOICE_DEFAULTS: WorkspaceVoice = { enabled: true, monthlySecondsMax: 3600, timeZone: 'UTC' };

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

export type WorkspaceChange = {
  readonly name?: string;
  readonly enabled?: boolean;
  /** Only what changes; the rest stays. */
  readonly settings?: Partial<WorkspaceSettings>;
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
  isAllowedAnywhere(candidates: readonly string[]): Promise<boolean>;
  /** Creates the workspace, with its owner when one is given, in one step. */
  create(workspace: NewWorkspace, owner?: NewOwner): Promise<'created' | 'app_id_taken'>;
  /** Replaces name, switch or settings; the version goes up by one. */
  change(
    id: string,
    /** What changes; made of what stands now, it is pure and runs within the step. */
    change: WorkspaceChange | ((before: Workspace) => WorkspaceChange),
    atMillis: number,
    /** Describes the change for the audit; pure, runs within the step. Where it answers undefined there is nothing to change. */
    audit?: (before: Workspace, after: Workspace) => AuditEntry | undefined,
  ): Promise<Workspace | undefined>;
  /** From now on nobody sees the workspace; `removeRest` deletes what it holds. */
  remove(id: string, atMillis: number): Promise<'removed' | 'gone'>;
  /**
   * Deletes a bounded part of what workspaces hold that were removed by then, so that nothing of it is left in the file; call again
   * while `more`. `waiting` tells that everything is deleted, but still to be read by somebody who looks at an older state.
   */
  purgeRemoved(nowMillis: number): Promise<{ readonly more: boolean; readonly waiting: boolean }>;
};
