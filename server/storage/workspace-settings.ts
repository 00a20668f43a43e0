import type { Tenant } from '../../contract/workspace.ts';

/** A new workspace has no value for these settings. Until a member changes one, its default applies. */
type Defaulted =
  | 'consentStrictnessByRegion'
  | 'pathRules'
  | 'guide'
  | 'branding'
  | 'retention'
  | 'requireSecondFactor'
  | 'contact'
  | 'handover'
  | 'helpCentre';
type NotSetting = 'id' | 'appId' | 'name' | 'enabled' | 'version' | 'createdAt' | 'updatedAt';

/** A workspace's settings as the contract states them, stored as one document. Boot, chat and consent read them. */
export type WorkspaceSettings = Omit<Tenant, NotSetting | Defaulted> & Partial<Pick<Tenant, Defaulted>>;

export type WorkspaceVoice = Tenant['voice'];
export type Contact = NonNullable<Tenant['contact']>;
export type PathRule = Tenant['pathRules'][number];

/** Thirteen months, so that a month can be compared with the same month of the year before. */
export const RETENTION_DEFAULTS: Tenant['retention'] = { conversationDays: 395, eventDays: 395 };
export const BRANDING_DEFAULTS: Tenant['branding'] = { launcher: 'end' };
export const HANDOVER_DEFAULTS: Tenant['handover'] = { mode: 'off' };
export const HELP_CENTRE_DEFAULTS: Tenant['helpCentre'] = {
  enabled: false,
  headerLinks: [],
  footerLinks: [],
  searchEngines: true,
  aiCrawlers: true,
  showGuide: true,
};
export const GUIDE_DEFAULTS: Tenant['guide'] = { generalAnswers: false };
export const VOICE_DEFAULTS: Tenant['voice'] = { enabled: true, monthlySecondsMax: 3600, timeZone: 'UTC' };

/** The settings of a new workspace. */
export const SETTINGS_DEFAULTS: WorkspaceSettings = {
  allowedOrigins: [],
  sourceLocale: 'en',
  showBranding: true,
  consentStrictness: 'region',
  features: { pageActions: true, screenshot: true, feedback: true },
  suggestions: [],
  voice: VOICE_DEFAULTS,
};

/** Whether visitors can send a message to a person. */
export const takesHandovers = ({ handover = HANDOVER_DEFAULTS }: Pick<WorkspaceSettings, 'handover'>) =>
  handover.mode !== 'off';
