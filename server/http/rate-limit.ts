import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { BUCKETS, type Bucket, type BucketName } from '../../contract/limits.ts';
import type { Clock } from '../clock.ts';
import { toAddress, toNetwork } from '../network.ts';
import type { RateWindow, RateWindows } from '../storage/rate-windows.ts';
import { throwApiError } from './errors.ts';
import { BucketLimiter } from './rate-windows.ts';

/** Everything a bucket may count by; each bucket uses one or two of these. */
export type RateLimitSubject = {
  readonly clientAddress: string;
  readonly visitorId?: string;
  readonly workspaceId?: string;
  readonly memberId?: string;
  /** A user id, or the email address of a sign-in attempt. */
  readonly account?: string;
  /** A browser in which the user of the account has signed in, or a session of the user. */
  readonly device?: string;
  readonly keyId?: string;
};

/** Where a request consumed one point. */
type Consumed = { readonly limiter: BucketLimiter; readonly key: string };

export type Limiter = {
  /**
   * Consumes one point from each bucket and records what is left. Throws 429 for the first empty one, and then consumes from none: a caller
   * over one limit costs nobody else. Returns what it consumed, for the request to remember.
   */
  consume(
    buckets: readonly BucketName[],
    subject: RateLimitSubject,
    state?: RateLimitState,
  ): Promise<readonly Consumed[]>;
  /** Stores the windows that changed since the last call. */
  save(): Promise<void>;
};

/** `RateLimit-Policy` of each bucket. Visitors are not told what their workspace, or others in their network, have left. */
const POLICIES = new Map(
  Object.entries(BUCKETS)
    .filter(([, { per }]) => per !== 'workspace' && per !== 'network')
    .map(([name, { points, windowSeconds }]) => [name, `"${name}";q=${points};w=${windowSeconds}`]),
);

/** What is left of the buckets that a request consumed from, as draft-ietf-httpapi-ratelimit-headers writes it. */
export class RateLimitState {
  #policies = '';
  #limits = '';
  #consumed: readonly Consumed[] = [];

  /** Remembers what the request consumed. */
  remember(consumed: readonly Consumed[]): void {
    this.#consumed = this.#consumed.length === 0 ? consumed : [...this.#consumed, ...consumed];
  }

  /** Gives back what the request consumed, when the server then had no room for it. */
  refund(): void {
    refund(this.#consumed);
    this.#consumed = [];
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

const ROWS_PER_SAVE = 500;
const RESTORED_MAX = 200_000;

/**
 * Windows live in memory and are persisted, so limits survive a restart. Keys are stored as digests with a secret, so the table holds
 * no addresses or visitor ids.
 */
export async function openLimiter(
  stored: RateWindows,
  clock: Clock,
  secret: string,
  onExceeded: (bucket: BucketName, subject: RateLimitSubject) => void = () => {},
): Promise<Limiter> {
  const names = Object.keys(BUCKETS) as BucketName[];
  const limiters = new Map(names.map((name) => [name, new BucketLimiter(BUCKETS[name], clock)]));
  const hashKey = (key: string) => hash('sha256', `${secret} ${key}`, 'base64url');
  const restored = await loadWindows(stored, clock.now());
  const restore = async (name: BucketName, key: string) => {
    const window = restored.get(`${name} ${hashKey(key)}`);
    if (!window) return;
    restored.delete(window.key);
    const millis = window.expiresAtMillis - clock.now();
    if (millis > 0) await limiters.get(name)!.set(key, window.points, millis / 1000);
  };

  return {
    async consume(buckets, subject, state) {
      const consumed: Consumed[] = [];
      const results: RateLimiterRes[] = [];
      for (const name of buckets) {
        const limiter = limiters.get(name)!;
        const key = toKey(BUCKETS[name], subject);
        if (restored.size > 0) await restore(name, key);
        try {
          results.push(await limiter.consume(key));
        } catch (thrown) {
          refund(consumed);
          if (!(thrown instanceof RateLimiterRes)) throw thrown;
          state?.record(name, 0, thrown.msBeforeNext);
          onExceeded(name, subject);
          throwExceeded(name, thrown.msBeforeNext);
        }
        consumed.push({ limiter, key });
      }
      for (let at = 0; at < results.length; at += 1) {
        const { remainingPoints, msBeforeNext } = results[at]!;
        state?.record(buckets[at]!, remainingPoints, msBeforeNext);
      }
      return consumed;
    },
    async save() {
      const now = clock.now();
      const rows = [...limiters].flatMap(([name, limiter]) =>
        Array.from(limiter.takeChanged(), ({ key, points, expiresAt }) => {
          return { key: `${name} ${hashKey(key)}`, points, expiresAtMillis: expiresAt };
        }),
      );
      for (const { key, expiresAtMillis } of restored.values()) {
        if (expiresAtMillis <= now) restored.delete(key);
      }
      for (let at = 0; at < rows.length; at += ROWS_PER_SAVE) {
        await stored.save(rows.slice(at, at + ROWS_PER_SAVE), now);
      }
    },
  };
}

function refund(consumed: readonly Consumed[]): void {
  for (const { limiter, key } of consumed) void limiter.reward(key);
}

/** Windows from before the start by bucket and digest, until their subject returns. */
async function loadWindows(stored: RateWindows, nowMillis: number): Promise<Map<string, RateWindow>> {
  const windows = [...(await stored.load(nowMillis))];
  if (windows.length > RESTORED_MAX) windows.sort((a, b) => b.points - a.points).splice(RESTORED_MAX);
  return new Map(windows.map((window) => [window.key, window]));
}

function throwExceeded(name: BucketName, millisLeft: number): never {
  const bucket: Bucket = BUCKETS[name];
  const rest = Math.max(1, Math.ceil(millisLeft / 1000));
  const retryAfterSec = bucket.retryAfter === 'fixed' ? bucket.windowSeconds : rest;
  throwApiError('rate_limit/exceeded', undefined, { bucket: name, retryAfterSec });
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
