import { HOUR_SECONDS, MINUTE_SECONDS } from './units.ts';

/** Limits of sessions, passwords, links and keys. */
export const ACCOUNT_LIMITS = {
  sessionIdleSeconds: 12 * HOUR_SECONDS,
  sessionSeconds: 7 * 24 * HOUR_SECONDS,
  sessionsPerAccountMax: 10,
  automationSessionSecondsMax: 365 * 24 * HOUR_SECONDS,
  automationSessionSecondsDefault: 90 * 24 * HOUR_SECONDS,
  automationSessionsMax: 20,
  /** How long a browser counts as known after a sign-in. */
  deviceSeconds: 365 * 24 * HOUR_SECONDS,
  freshPasswordSeconds: 10 * MINUTE_SECONDS,
  setupLinkSeconds: HOUR_SECONDS,
  mailedLinkSeconds: 30 * MINUTE_SECONDS,
  /** How long a rotated API key may go on working beside its successor. */
  apiKeyOverlapSecondsMax: 90 * 24 * HOUR_SECONDS,
  apiKeyNetworksMax: 20,
  invitationSeconds: 7 * 24 * HOUR_SECONDS,
  /** How long a started sign-in or set-up of a factor can be completed. */
  factorStepSeconds: 5 * MINUTE_SECONDS,
  passkeysMax: 10,
  passkeyNameCharsMax: 64,
  recoveryCodes: 10,
  passwordCharsMin: 15,
  passwordCharsMax: 256,
} as const;
