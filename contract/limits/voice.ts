import { HOUR_SECONDS, KIB, MIB } from './units.ts';

/** Limits of voice. */
export const VOICE_LIMITS = {
  audioBytesMax: 10 * MIB,
  /** Smaller files cannot be a recording, whatever their first bytes are. */
  audioBytesMin: KIB,
  speechCharsMax: 2000,
  voiceIdCharsMax: 64,
  transcriptCharsMax: 100_000,
  /** Seconds that a token for a live session reserves, or as many as are left. */
  voiceReservedSeconds: 120,
  /** A live session is not worth opening with less. */
  voiceReservedSecondsMin: 10,
  /** Unreported reservations are charged in full after this time. */
  voiceGraceSeconds: 30,
  /** A late report may still lower the charge for this long. */
  voiceLateReportSeconds: HOUR_SECONDS,
  voiceReportedSecondsMax: 24 * HOUR_SECONDS,
} as const;
