/** A workspace's settings, stored as one document. Boot, chat and consent read them. */
export type WorkspaceSettings = {
  /** Exact origins and patterns such as https://*.example.com, in canonical form. */
  allowedOrigins: readonly string[];
  sourceLocale: string;
  showBranding: boolean;
  consentStrictness: 'region' | 'notice' | 'opt_out' | 'opt_in';
  /**
   * Canonical codes of the regions where the workspace applies stricter rules; absent means none.
   */
  consentStrictnessByRegion?: readonly RegionStrictness[];
  features: {
    pageActions: boolean;
    screenshot: boolean;
    feedback: boolean;
  };
  /** Suggested questions to show before the first message. */
  suggestions: readonly string[];
  /** Where on the site the guide appears, in order; absent means everywhere. */
  pathRules?: readonly PathRule[];
  voice: WorkspaceVoice;
  /** Settings of generated answers; defaults when absent. */
  guide?: WorkspaceGuide;
  /** Settings of the guide's appearance; defaults when absent. */
  branding?: WorkspaceBranding;
  /** How long data is kept; defaults when absent. */
  retention?: WorkspaceRetention;
  /** A change to undefined removes the contact. */
  contact?: Contact | undefined;
};

type WorkspaceRetention = {
  /** Days from the start of a conversation to its deletion. */
  conversationDays: number;
  /** Days from an event to its deletion. */
  eventDays: number;
};

/**
 * The defaults of a new workspace: thirteen months, so that a month can be compared with the same
 * month of the year before.
 */
export const RETENTION_DEFAULTS: WorkspaceRetention = { conversationDays: 395, eventDays: 395 };

/** The guide's settings on pages whose path matches the pattern. */
export type PathRule = {
  /** A URLPattern pathname. */
  pattern: string;
  mode: 'shown' | 'hidden' | 'opened';
  /** Replace the workspace's suggestions on these pages. */
  suggestions?: readonly string[];
};

export type RegionStrictness = {
  /** An ISO 3166-2 code, or a country code for all of its regions. */
  region: string;
  strictness: 'notice' | 'opt_out' | 'opt_in';
};

export type WorkspaceBranding = {
  /** The panel's title; the built-in text when absent. */
  title?: string;
  /** #rrggbb in lower case; the built-in color when absent. */
  color?: string;
  /** The side of the page with the launcher, relative to the text direction. */
  launcher: 'start' | 'end';
};

/** Where visitors reach a person: at least one field. */
export type Contact = {
  email?: string;
  /** A canonical http or https URL. */
  url?: string;
  phone?: string;
};

/** The defaults of a new workspace. */
export const BRANDING_DEFAULTS: WorkspaceBranding = { launcher: 'end' };

export type WorkspaceGuide = {
  /** Tone and scope, in the owner's words. */
  instructions?: string;
  /** Whether the guide may answer questions that no article answers. */
  generalAnswers: boolean;
  /**
   * Language-model tokens per calendar month, in the time zone of the voice settings; unlimited
   * when absent.
   */
  monthlyTokensMax?: number;
  /** Maximum tokens per answer. */
  turnTokensMax?: number;
};

/** The defaults of a new workspace. */
export const GUIDE_DEFAULTS: WorkspaceGuide = { generalAnswers: false };

export type WorkspaceVoice = {
  enabled: boolean;
  /** Seconds of speech per calendar month. */
  monthlySecondsMax: number;
  /** IANA time zone for counting months, of voice and of tokens. */
  timeZone: string;
  /** The voice to use when a request names none; the provider's default when absent. */
  voiceId?: string;
  /** Preferred providers; the service's order when absent. */
  tokenProvider?: 'provider_a' | 'provider_b' | 'provider_b-batch' | 'mock';
  transcribeProvider?: 'provider_a' | 'provider_b';
  speechProvider?: 'provider_a' | 'provider_b' | 'provider_c' | 'mock';
};

/** The defaults of a new workspace. */
export const VOICE_DEFAULTS: WorkspaceVoice = { enabled: true, monthlySecondsMax: 3600, timeZone: 'UTC' };
