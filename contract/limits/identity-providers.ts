import { MINUTE_SECONDS } from './units.ts';

/** Limits of sign-in with an identity provider. */
export const PROVIDER_LIMITS = {
  issuerCharsMax: 500,
  clientIdCharsMax: 255,
  clientSecretCharsMax: 512,
  claimCharsMax: 200,
  groupCharsMax: 255,
  groupRolesMax: 50,
  domainsMax: 10,
  /** How long a domain stays proved after its record has gone. */
  proofDays: 14,
  /** Groups of a person that are read. */
  groupsMax: 1000,
  /** The query with which the provider leads back. */
  queryCharsMax: 8192,
  /** Between leaving for the provider and coming back. */
  attemptSeconds: 10 * MINUTE_SECONDS,
  /** How long a provider may take for a response. */
  responseSeconds: 8,
  /** How long what a provider publishes about itself is kept, and how long a failure to read it. */
  discoveryMillis: 600_000,
  discoveryFailedMillis: 15_000,
} as const;
