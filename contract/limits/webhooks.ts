import { HOUR_SECONDS, KIB } from './units.ts';

/** Limits of webhooks and of what they send. */
export const WEBHOOK_LIMITS = {
  webhooksMax: 10,
  urlCharsMax: 2048,
  nameCharsMax: 100,
  /** How long the old secret of a rotation may go on signing beside the new one. */
  overlapSecondsMax: 7 * 24 * HOUR_SECONDS,
  payloadBytesMax: 256 * KIB,
  /** How much of a response is kept. */
  responseBytesMax: 2 * KIB,
  /** How long a receiver may take to respond. */
  responseSeconds: 10,
  /** How long deliveries are listed. */
  logDays: 30,
} as const;
