import type { ServerResponse } from 'node:http';
import { BUCKETS, type Bucket, type BucketName } from '../../contract/limits/rate-limits.ts';
import { toAddress, toNetwork } from '../base/network.ts';
import type { RateLimitKey, RateLimits } from '../coordination/coordination.ts';
import { throwApiError } from './errors.ts';

/** Everything a bucket may count by; each bucket uses one or two of these. */
export type RateLimitSubject = {
  clientAddress: string;
  visitorId?: string;
  workspaceId?: string;
  memberId?: string;
  /** A user id, or the email address of a sign-in attempt. */
  account?: string;
  /** A browser in which the user of the account has signed in, or a session of the user. */
  device?: string;
  keyId?: string;
};

export type Limiter = {
  /**
   * Consumes one point from each bucket and records the remaining points. Throws 429 for the first empty one, and then consumes from none, so that
   * callers over one limit do not use up another. Returns the consumed points, for the request to remember.
   */
  consume(
    buckets: readonly BucketName[],
    subject: RateLimitSubject,
    state?: RateLimitState,
  ): Promise<readonly RateLimitKey[]>;
  /** Gives back what a request consumed, when the server then had no room for it. */
  refund(state: RateLimitState): void;
};

/** `RateLimit-Policy` of each bucket. Visitors are not told what their workspace, or others in their network, have left. */
const POLICIES = new Map(
  Object.entries(BUCKETS)
    .filter(([, { per }]) => per !== 'workspace' && per !== 'network')
    .map(([name, { points, windowSeconds }]) => [name, `"${name}";q=${points};w=${windowSeconds}`]),
);

/** The remaining points of the buckets that a request consumed from, as draft-ietf-httpapi-ratelimit-headers writes them. */
export class RateLimitState {
  #policies = '';
  #limits = '';
  #consumed: readonly RateLimitKey[] = [];

  /** Remembers what the request consumed. */
  remember(consumed: readonly RateLimitKey[]): void {
    this.#consumed = this.#consumed.length === 0 ? consumed : [...this.#consumed, ...consumed];
  }

  /** Returns the consumed points and forgets them, so that they are refunded once. */
  takeConsumed(): readonly RateLimitKey[] {
    const consumed = this.#consumed;
    this.#consumed = [];
    return consumed;
  }

  record(bucket: BucketName, pointsLeft: number, millisLeft: number): void {
    const policy = POLICIES.get(bucket);
    if (policy === undefined) return;
    const limit = `"${bucket}";r=${pointsLeft};t=${Math.ceil(millisLeft / 1000)}`;
    this.#policies = this.#policies === '' ? policy : `${this.#policies}, ${policy}`;
    this.#limits = this.#limits === '' ? limit : `${this.#limits}, ${limit}`;
  }

  setHeaders(response: ServerResponse): void {
    if (this.#limits === '') return;
    response.setHeader('ratelimit-policy', this.#policies);
    response.setHeader('ratelimit', this.#limits);
  }
}

/** Creates a limiter. It records the points left, for the headers, and reports exceeded buckets to `onExceeded`. */
export function createLimiter(
  rateLimits: RateLimits,
  onExceeded: (bucket: BucketName, subject: RateLimitSubject) => void = () => {},
): Limiter {
  return {
    async consume(buckets, subject, state) {
      const windows = buckets.map((bucket) => toWindow(bucket, subject));
      const outcome = await rateLimits.consume(windows);
      if (outcome.exceededAt !== undefined) {
        const bucket = buckets[outcome.exceededAt]!;
        state?.record(bucket, 0, outcome.millisLeft);
        onExceeded(bucket, subject);
        throwExceeded(bucket, outcome.millisLeft);
      }
      for (let at = 0; at < buckets.length; at += 1) {
        const { points, millis } = outcome.remaining[at]!;
        state?.record(buckets[at]!, points, millis);
      }
      return windows;
    },
    refund(state) {
      const consumed = state.takeConsumed();
      if (consumed.length > 0) rateLimits.refund(consumed);
    },
  };
}

function throwExceeded(name: BucketName, millisLeft: number): never {
  const bucket: Bucket = BUCKETS[name];
  const secondsLeft = Math.max(1, Math.ceil(millisLeft / 1000));
  const retryAfterSec = bucket.retryAfter === 'fixed' ? bucket.windowSeconds : secondsLeft;
  throwApiError('rate_limit/exceeded', undefined, { bucket: name, retryAfterSec });
}

function toWindow(name: BucketName, subject: RateLimitSubject): RateLimitKey {
  const bucket: Bucket = BUCKETS[name];
  const window = { bucket: name, key: toKey(bucket, subject) };
  return bucket.sharing ? { ...window, network: toNetwork(subject.clientAddress) } : window;
}

function toKey(bucket: Bucket, subject: RateLimitSubject): string {
  if (bucket.per === 'visitor') return `${subject.workspaceId}/${subject.visitorId}`;
  if (bucket.per === 'workspace') return `${subject.workspaceId}`;
  if (bucket.per === 'network') return toNetwork(subject.clientAddress);
  if (bucket.per === 'member') return `${subject.memberId}`;
  if (bucket.per === 'key') return `${subject.keyId}`;
  if (bucket.per === 'account') return `${subject.account}`;
  if (bucket.per === 'device') return `${subject.account} ${subject.device}`;
  if (bucket.per === 'ip_and_account') return `${toAddress(subject.clientAddress)} ${subject.account}`;
  return toAddress(subject.clientAddress);
}
