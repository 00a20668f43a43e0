import { HOUR_SECONDS, KIB } from './units.ts';

/** Limits of requests of any kind: small bodies, repeated requests, pages. */
export const REQUEST_LIMITS = {
  /** 2,000 characters, each up to twelve bytes in escaped JSON. */
  smallBodyBytesMax: 32 * KIB,
  urlCharsMax: 4096,
  idempotencyKeyCharsMax: 128,
  /** How long the response to the first request with a key is kept, and how many responses are kept per session. */
  idempotencySeconds: 24 * HOUR_SECONDS,
  idempotencyKeysMax: 1000,
  exportRowsMax: 1000,
  exportRowsDefault: 100,
  pageRowsMax: 200,
  pageRowsDefault: 50,
  /** Multipart boundaries and part headers around a file. */
  uploadFramingBytesMax: 64 * KIB,
} as const;
