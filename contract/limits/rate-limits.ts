import { HOUR_SECONDS, MINUTE_SECONDS } from './units.ts';

/** The published rate limits and monthly caps. */

const VISITOR_TURNS_PER_MINUTE = 30;

/** A rate limit: the subject that it counts by, its size, and its `Retry-After`. */
export type Bucket = {
  /** Requests with the same value count together. In IPv6, an `ip` is a /64 and a `network` is a /48. */
  per:
    | 'ip'
    | 'network'
    | 'visitor'
    | 'workspace'
    | 'member'
    | 'account'
    | 'ip_and_account'
    | 'device'
    | 'key';
  points: number;
  windowSeconds: number;
  /** Bursts return a fixed wait, sustained windows the rest of the window. */
  retryAfter: 'fixed' | 'rest_of_window';
  /** How networks share the points of a workspace. Without it, requests are served in the order in which they come. */
  sharing?: Sharing;
};

/**
 * Once a share of the points (`beyond`) is used, a network that has used its own share is refused, so that the rest is
 * left to others. The own share is the points divided by the networks of this window, and at least `leastPoints`.
 */
type Sharing = { beyond: number; leastPoints: number };

export const BUCKETS = {
  'boot/rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'chat/visitor-burst': {
    per: 'visitor',
    points: VISITOR_TURNS_PER_MINUTE,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'chat/tenant-burst': {
    per: 'workspace',
    points: 1000,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
    // A network with a single visitor never waits for other networks while points are left.
    sharing: { beyond: 0.7, leastPoints: VISITOR_TURNS_PER_MINUTE },
  },
  'chat/visitor-hour': {
    per: 'visitor',
    points: 100,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'chat/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'consent/visitor-burst': { per: 'visitor', points: 60, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'consent/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'visitor/visitor-burst': { per: 'visitor', points: 60, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'visitor/network-burst': {
    per: 'network',
    points: 600,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'visitor/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'handover/visitor-hour': {
    per: 'visitor',
    points: 10,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'handover/network-hour': {
    per: 'network',
    points: 200,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'handover/tenant-hour': {
    per: 'workspace',
    points: 500,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  // A search as one types asks several times a question.
  'articles/visitor-burst': {
    per: 'visitor',
    points: 120,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'articles/network-burst': {
    per: 'network',
    points: 600,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  // Pages of the help centres, for readers and crawlers.
  'help/network-burst': { per: 'network', points: 1200, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'help/network-ratings': {
    per: 'network',
    points: 60,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'voice/token-burst': { per: 'visitor', points: 10, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'voice/transcribe-burst': {
    per: 'visitor',
    points: 20,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'voice/speech-burst': { per: 'visitor', points: 30, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'voice/usage-burst': { per: 'visitor', points: 30, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'voice/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'session/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'session/account-burst': {
    per: 'account',
    points: 120,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  'session/device-sign-in': {
    per: 'device',
    points: 20,
    windowSeconds: 15 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'session/sign-in': {
    per: 'ip_and_account',
    points: 10,
    windowSeconds: 15 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'session/account-sign-in': {
    per: 'account',
    points: 20,
    windowSeconds: 5 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'session/factor': {
    per: 'ip_and_account',
    points: 10,
    windowSeconds: 15 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  // Only callers who know the password reach this limit. A year of guesses finds a code with a probability of one in four.
  'session/account-factor': {
    per: 'account',
    points: 10,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'session/network-resets': {
    per: 'network',
    points: 30,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  // The links of all these mails work, so using this up locks nobody out.
  'session/account-resets': {
    per: 'account',
    points: 3,
    windowSeconds: 15 * MINUTE_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'export/key-burst': { per: 'key', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'export/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'mcp/key-burst': { per: 'key', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'mcp/ip-rate-limited': { per: 'ip', points: 120, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'tenant/member-reads': { per: 'member', points: 600, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'tenant/member-mutations': {
    per: 'member',
    points: 120,
    windowSeconds: MINUTE_SECONDS,
    retryAfter: 'fixed',
  },
  // Each may be a mail to an address that never asked for one.
  'tenant/invitations': {
    per: 'workspace',
    points: 100,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'tenant/invited-address': {
    per: 'account',
    points: 5,
    windowSeconds: HOUR_SECONDS,
    retryAfter: 'rest_of_window',
  },
  'tenant/member-uploads': { per: 'member', points: 600, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
  'tenant/member-previews': { per: 'member', points: 20, windowSeconds: MINUTE_SECONDS, retryAfter: 'fixed' },
} as const satisfies Record<string, Bucket>;

export type BucketName = keyof typeof BUCKETS;

/** Monthly caps of a workspace, in its own time zone. The amounts are settings of the workspace. */
type Cap = { per: 'workspace'; unit: 'seconds'; default: number };

export const CAPS = {
  'voice/cap': { per: 'workspace', unit: 'seconds', default: HOUR_SECONDS },
} as const satisfies Record<string, Cap>;

export type CapName = keyof typeof CAPS;

/** Everything that a 429 can name as its `bucket`. */
export type LimitName = BucketName | CapName;
