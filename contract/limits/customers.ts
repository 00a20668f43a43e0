import { HOUR_SECONDS } from './units.ts';

/** Limits of known customers: visitors whom the site has signed in. */
export const CUSTOMER_LIMITS = {
  /** Keys of a workspace. Two are needed while one replaces another. */
  keysMax: 5,
  /** Tokens of identity providers may list many groups. */
  userTokenCharsMax: 16_384,
  /** From `iat`, or from now, to `exp`. */
  userTokenSecondsMax: 24 * HOUR_SECONDS,
  subCharsMax: 255,
  nameCharsMax: 200,
  /** Attributes that a workspace declares; at these lengths, all of them fit into a visitor token. */
  attributesMax: 10,
  attributeNameCharsMax: 32,
  attributeValueCharsMax: 40,
  /** Values of a one-of attribute. */
  attributeValuesMax: 50,
  /** Names of claims that a check of a token lists as dropped. */
  droppedClaimsMax: 100,
  /** Entries of the audience of an article. */
  audienceMax: 50,
  /** How long a boot waits for the keys of a site. */
  keySetMillisMax: 2000,
  /** How long the keys of a site are kept, and the pause after they were asked for in vain. */
  keySetKeptMillis: 600_000,
  keySetPauseMillis: 30_000,
} as const;
