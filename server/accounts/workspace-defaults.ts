import { randomInt } from 'node:crypto';
import { VOICE_DEFAULTS, type WorkspaceSettings } from '../storage/workspaces.ts';

export const SETTINGS_DEFAULTS: WorkspaceSettings = {
  allowedOrigins: [],
  sourceLocale: 'en',
  showBranding: true,
  consentStrictness: 'region',
  features: { pageActions: true, screenshot: true, feedback: true },
  suggestions: [],
  voice: VOICE_DEFAULTS,
};

const APP_ID_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const APP_ID_CHARS = 16;

export function newAppId(): string {
  const pick = () => APP_ID_ALPHABET[randomInt(APP_ID_ALPHABET.length)];
  return `gp_${Array.from({ length: APP_ID_CHARS }, pick).join('')}`;
}
